#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/units.hpp"
#include "plan/operations.hpp"
#include "plan/point_key.hpp"

namespace fathom::plan {

/// What operations are made with, where they have a choice.
struct OperationSettings {
    std::string pair = "first-last";  ///< of operations between two ranks: first-last, 0-1, max-latency, A-B
    std::vector<std::string> pairs;   ///< `A-B`, of operations in pairs; none: p with p + n/2
    std::int64_t window = 64;         ///< messages on the way at once
    std::int64_t partitions = 4;      ///< of a partitioned message
    std::string size_as = "each";     ///< a size is each process's block, or the total of all
    std::string distribution =
        "equal";                    ///< of blocks over ranks in the v forms: equal, linear, one-heavy, random
    std::string type = "auto";      ///< of reductions: auto, int, float, double
    std::string reduce_op = "sum";  ///< sum, user, user-ordered (not commutative)
    std::string window_memory = "allocate";  ///< of one-sided calls: allocate, create, shared
    std::int64_t pieces = 100;               ///< of work for the workers
    std::int64_t piece_work_us = 10;         ///< that a piece takes
    std::int64_t grid = 128;                 ///< points a side of a kernel's problem
    double imbalance_percent = 0;            ///< that the last rank has more of it than the mean
    std::int64_t iterations = 1'000;         ///< of a kernel's series
};

/// How non-blocking communication is studied: what the program does between its start and its end.
struct OverlapSettings {
    std::string work = "registers";      ///< registers (arithmetic), memory (streaming)
    std::int64_t tests = 8;              ///< calls of MPI_Test spread through the work of a message's variant
    std::vector<std::string> intervals;  ///< bytes between tests of a collective; none: halved from the size
    std::optional<double> base_threshold;  ///< times the base, above which a time is none; absent: by noise
    double stop_threshold = 1.75;          ///< times the base, above which the work grows no more
    std::int64_t work_limit_ms = 1'000;    ///< longest work
    std::string progress = "library";      ///< library (its default), thread, both
};

/// What to measure and how: everything that makes a run repeatable. Where results go is not part of it.
struct Plan {
    std::string label;
    std::vector<std::string> operations;
    std::vector<std::string> procs;    ///< specifications as in process_grid; none: all that are started
    std::vector<std::string> sizes;    ///< specifications as in size_grid
    std::string scheme;                ///< of another benchmark, whose settings were taken over
    bool compare_schemes = false;      ///< every point by fathom's own and all other schemes
    std::string start = "auto";        ///< how the ranks of a repetition start together
    std::string stop = "median-ci";    ///< rule by which repetitions end, unless `reps` fixes their number
    std::optional<std::int64_t> reps;  ///< exactly so many
    std::int64_t min_reps = 50;
    std::int64_t max_reps = 100'000;
    double precision_percent = 2;       ///< goal of the rule
    std::int64_t point_least_ms = 100;  ///< before which no rule ends a point: buffers move meanwhile
    std::int64_t point_budget_ms = 5'000;
    std::int64_t in_a_row = 1;           ///< calls between two time stamps
    std::string root = "fixed";          ///< of calls that have one: fixed (0) or rotating
    std::string cache = "warm";          ///< where message data are: warm or cold
    std::string order = "random";        ///< of points: random or planned
    bool interleave = false;             ///< visit all points in rounds
    std::optional<std::int64_t> runs;    ///< starts of the whole job; absent: as many as it takes
    double refine_percent = 5;           ///< error of interpolation at which an `auto` range is fine enough
    std::int64_t max_points = 64;        ///< of one curve, `auto` range and switches together
    bool locate_switches = false;        ///< bisect protocol and algorithm switches to the byte
    std::string over_ranks = "auto";     ///< what a repetition counts as: auto, max, span, root, mean, ...
    std::string over_reps = "median";    ///< what the repetitions come to
    std::optional<std::int64_t> warmup;  ///< calls before the timed ones; absent: until times are stationary
    std::int64_t seed = 1;
    bool verify = true;
    std::string counters = "on";  ///< whether the operating system's counters are read around repetitions
    OperationSettings operation;
    OverlapSettings overlap;
    std::int64_t point_timeout_s = 120;
    std::string clock = "auto";         ///< source of local time
    std::string clock_scheme = "auto";  ///< how ranks are synchronised
    std::int64_t clock_arity = 8;
    std::int64_t clock_patience = 100;
    double clock_budget_percent = 5;
    bool check_clock = false;
    bool judge = false;    ///< end with a verdict on the machine
    std::string mpi;       ///< flavour; empty: the first one found
    std::string platform;  ///< simulated platform; empty: none
    std::string launcher;  ///< template; empty: the flavour's own
};

/// Who makes communication go on, as PointKey::progress names it, where it is not left to the library.
inline constexpr const char* progress_thread = "thread";

/// Why points are measured that were not planned.
inline constexpr const char* purpose_refine = "refine";  ///< to make a curve finer
inline constexpr const char* purpose_switch = "switch";  ///< to bisect a switch

/// One thing to measure.
struct PointSpec {
    int index = 0;  ///< position in the plan, from 0; stays the same when a run is resumed
    PointKey key = {};
    std::string purpose = {};  ///< why it is there if it was not planned

    friend bool operator==(const PointSpec&, const PointSpec&) = default;
};

/// The processes that communicate in an operation with these settings, as results name them.
std::string pattern_of(const OperationInfo& operation, const OperationSettings& settings);

/// How often the whole job is started: once, if the plan does not say; with studies of overlap thrice, since
/// a start alone decides over some percent of an overhead. In simulation it decides nothing.
std::int64_t starts_of(const Plan& plan, bool simulated);

/// The processes that a plan needs; 0 if it takes all that are started.
int most_procs(const Plan& plan);

/// The points of a plan, by operation, process count, size and scheme; `procs` is what was started. Refined
/// ranges get more while they are measured.
std::vector<PointSpec> points_of(const Plan& plan, int procs);

/// Points in the order they are to be measured: as they are, or shuffled by the seed. `trial` is the start of
/// the job; each has an order of its own.
std::vector<PointSpec> in_order(const Plan& plan, std::vector<PointSpec> points, int trial = 0);

/// Throws BadInput if settings exclude each other.
void check_whole(const Plan& plan);

}  // namespace fathom::plan
