#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "plan/clock_task.hpp"
#include "plan/plan.hpp"

namespace fathom::plan {

/// Takes the settings of a TOML text into a plan; those it does not name stay as they are.
/// Throws BadInput that names `source`, the line, the key and the fix.
void read_plan(Plan& plan, std::string_view toml, const std::string& source);

/// The same of the plan that is stored with a run.
void read_stored_plan(Plan& plan, std::string_view toml, std::int64_t run);

/// The whole plan as TOML, so that reading it gives the same plan.
std::string write_plan(const Plan& plan);

/// What is known of a point from an earlier job of the run: refinement continues from there.
struct KnownPoint {
    PointSpec point;
    bool measured = true;  ///< or tried without success: it has no time
    double median_ns = 0;
    double low_ns = 0;  ///< 95 % interval of the median
    double high_ns = 0;
};

/// The probe's task: a plan, which points or which study of the clock, and where to write.
struct Job {
    Plan plan;
    std::string journal;            ///< file to append results to
    std::vector<PointSpec> points;  ///< those of the plan if there is no next_index either
    std::vector<KnownPoint> known = {};
    int next_index = 0;         ///< of the next point added while measuring; 0: after those of the plan
    bool refining = true;       ///< false: these points and no others
    std::string progress = {};  ///< of all its points, as PointKey::progress
    std::string setting = {};   ///< of all its points, as PointKey::setting
    double effort = 1;          ///< part of a point's time and repetitions that this launch makes
    double allowance_s = 0;     ///< time for all its points together; 0: no limit
    ClockTask clock = {};
};

/// A job file is a plan with one more table, [job].
Job read_job(std::string_view toml, const std::string& source);
std::string write_job(const Job& job);

}  // namespace fathom::plan
