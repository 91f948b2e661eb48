#pragma once

#include <string>

#include "journal/json.hpp"
#include "report/style.hpp"
#include "tune/search/protocol.hpp"

namespace fathom::report {

/// Every value of every parameter with where it is faster and slower than the library's own, what is
/// proposed, its proof, and the lines for a job script. `all`: every time that was measured besides.
std::string protocol_text(const tune::ProtocolTuning& tuning, const Terminal& terminal, bool all);

/// The same as `fathom.protocol/1`.
nlohmann::ordered_json protocol_json(const tune::ProtocolTuning& tuning);

}  // namespace fathom::report
