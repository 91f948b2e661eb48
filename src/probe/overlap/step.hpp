#pragma once

#include <cstdint>
#include <string_view>

#include "base/units.hpp"

namespace fathom::probe {

/// What is done and timed in the repetitions of a step.
enum class Scheme {
    at_once,  ///< post and wait, timed as one
    work,     ///< post, a fixed amount of work, wait, timed as one
    alone,    ///< the same work without communication
    time,     ///< post, work until the clock says so, wait; each timed by itself
};

/// One setting of a study.
struct Step {
    Scheme scheme = Scheme::at_once;
    Nanoseconds work{0};              ///< that is asked for
    std::int64_t units = 0;           ///< of work that it comes to on this rank
    std::int64_t tests = 0;           ///< spread evenly through the work, the first before it
    std::int64_t interval_bytes = 0;  ///< that gave their number; 0: they were asked for by number
};

/// As the journal names it.
constexpr std::string_view name_of(Scheme scheme) {
    switch (scheme) {
        case Scheme::at_once:
            return "at-once";
        case Scheme::work:
            return "work";
        case Scheme::alone:
            return "alone";
        case Scheme::time:
            break;
    }
    return "time";
}

}  // namespace fathom::probe
