#pragma once

#include "probe/loops/point_loop.hpp"

namespace fathom::probe {

/// Steps to the end and delivers.
inline LoopResult run(PointLoop& loop, Start& start, Operation& operation) {
    loop.run_for(start, operation, {INT64_MAX});
    loop.deliver();
    return loop.result();
}

}  // namespace fathom::probe
