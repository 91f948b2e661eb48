#pragma once

#include <string>
#include <string_view>

#include "analysis/matrix/slow_components.hpp"
#include "analysis/samples/pair_level.hpp"

namespace fathom::report {

/// Which one is slow: `5`, `h3`, `h1 and h2`.
std::string name_of(const analysis::SlowComponent& component);

/// What is slow and by how much, without its full stop.
std::string sentence(const analysis::SlowComponent& component);

/// Where the ranks of a pair are: `between sockets`
std::string_view level_text(analysis::PairLevel level);

/// Why fewer conclusions can be drawn, without its full stop.
std::string sentence(analysis::MatrixLimit limit);
/// The same; empty if nothing limits them.
std::string remark_on(const analysis::SlowComponents& components);

}  // namespace fathom::report
