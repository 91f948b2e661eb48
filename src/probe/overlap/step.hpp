#pragma once

#include <cstdint>

#include "base/units.hpp"
#include "journal/records.hpp"

namespace fathom::probe {

using Scheme = journal::StepScheme;

/// One setting of a study.
struct Step {
    Scheme scheme = Scheme::at_once;
    Nanoseconds work{0};              ///< that is requested
    std::int64_t units = 0;           ///< of work on this rank
    std::int64_t tests = 0;           ///< spread evenly through the work, the first before it
    std::int64_t interval_bytes = 0;  ///< that determined their number; 0: given by number
};

}  // namespace fathom::probe
