#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "plan/clock_task.hpp"
#include "plan/plan.hpp"

namespace fathom::plan {

/// Takes the settings of a TOML text into a plan; those it does not name stay as they are.
/// Throws BadInput that names `source`, the line, the key and the mend.
void read_plan(Plan& plan, std::string_view toml, const std::string& source);

/// The whole plan as TOML, so that reading it gives the same plan.
std::string write_plan(const Plan& plan);

/// What the probe is asked to do: a plan, which of its points in which order or which study of the clock, and
/// where to write.
struct Job {
    Plan plan;
    std::string journal;      ///< file to append results to
    std::vector<int> points;  ///< indices into points_of(plan); empty: all, in order
    ClockTask clock = {};
};

/// A job file is a plan with one more table, [job].
Job read_job(std::string_view toml, const std::string& source);
std::string write_job(const Job& job);

}  // namespace fathom::plan
