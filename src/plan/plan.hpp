#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/units.hpp"
#include "plan/operations.hpp"

namespace fathom::plan {

/// What to measure and how: everything that makes a run repeatable. Where results go is not part of it.
struct Plan {
    std::string label;
    std::vector<std::string> operations;
    std::optional<int> procs;          ///< absent: as many as the launcher starts
    std::vector<std::string> sizes;    ///< specifications as in expand_sizes
    std::string start = "auto";        ///< how the ranks of a repetition start together
    std::string stop = "median-ci";    ///< rule by which repetitions end, unless `reps` fixes their number
    std::optional<std::int64_t> reps;  ///< exactly so many
    std::int64_t min_reps = 50;
    std::int64_t max_reps = 100'000;
    double precision_percent = 2;  ///< goal of the rule
    std::int64_t point_budget_ms = 5'000;
    std::optional<std::int64_t> warmup;  ///< calls before the timed ones; absent: until times are stationary
    std::int64_t seed = 1;
    bool verify = true;
    std::int64_t point_timeout_s = 120;
    std::string clock = "auto";         ///< source of local time
    std::string clock_scheme = "auto";  ///< how ranks are synchronised
    std::int64_t clock_arity = 8;
    std::int64_t clock_patience = 100;
    double clock_budget_percent = 5;
    bool check_clock = false;
    std::string mpi;       ///< flavour; empty: the first one found
    std::string platform;  ///< simulated platform; empty: none
    std::string launcher;  ///< template; empty: the flavour's own
};

/// One thing to measure.
struct PointSpec {
    int index = 0;  ///< position in the plan, from 0; stays the same when a run is resumed
    std::string operation;
    std::string pattern;
    int procs = 0;
    Bytes size;

    /// `allreduce, 262144 bytes, 64 processes`: as messages name it.
    [[nodiscard]] std::string text() const;
};

/// The points of a plan for a number of processes, in the order they are measured.
std::vector<PointSpec> points_of(const Plan& plan, int procs);

}  // namespace fathom::plan
