#pragma once

#include <cstddef>
#include <vector>

#include "analysis/run/run_result.hpp"
#include "base/error.hpp"
#include "launch/supervisor.hpp"
#include "store/rows.hpp"

namespace fathom::launch {

/// The state of a run after its last job.
struct Conclusion {
    enum class Kind {
        done,
        interrupted,
        cut_short,      ///< its last job died or hung
        points_failed,  ///< some have no result, or a wrong one
        clocks_wrong,   ///< outside their error bounds, if that was checked
        not_accepted,   ///< by the requested verdict
        none_measured,
    };
    Kind kind = Kind::done;
    std::size_t points = 0;
    std::size_t ok = 0;
    std::size_t failed = 0;

    [[nodiscard]] ExitStatus status() const;
};

/// `outcome` is how the last job ended, `result` what is known of its run.
Conclusion conclude(const Outcome& outcome, const std::vector<store::PointRow>& points,
                    const analysis::RunResult& result);

}  // namespace fathom::launch
