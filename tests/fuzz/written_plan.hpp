#pragma once

#include <algorithm>

#include "fuzz/fuzzing.hpp"
#include "plan/grid.hpp"
#include "plan/plan_toml.hpp"

namespace fathom::fuzzing {

/// A plan that was read is stored with its run: it must be readable as it is written, and say the same. Its
/// points are made if they are few.
inline void store_and_expand(const plan::Plan& plan) {
    constexpr std::size_t few = 10'000;  // more are a matter of time and memory alone
    const auto written = plan::write_plan(plan);
    plan::Plan again;
    try {
        plan::read_stored_plan(again, written, 1);
    } catch (const Error& error) {
        finding(fmt::format("a stored plan cannot be read: {}\n{}", error.what(), written));
    }
    if (plan::write_plan(again) != written) {
        finding(
            fmt::format("a stored plan is read as another one:\n{}\n{}", written, plan::write_plan(again)));
    }
    plan::check_whole(plan);
    const auto points = plan::size_grid(plan.sizes).values.size() * plan.operations.size() *
                        (1 + plan::process_grid(plan.procs).values.size());
    if (points <= few) {
        plan::points_of(plan, std::max(2, plan::most_procs(plan)));
    }
}

}  // namespace fathom::fuzzing
