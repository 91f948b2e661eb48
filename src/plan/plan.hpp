#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/units.hpp"
#include "clock/names.hpp"
#include "plan/choices.hpp"
#include "plan/implementations.hpp"
#include "plan/operations.hpp"
#include "plan/point_key.hpp"

namespace fathom::plan {

/// What operations are made with, where they have a choice.
struct OperationSettings {
    std::string pair = "first-last";  ///< of operations between two ranks: first-last, 0-1, max-latency, A-B
    std::vector<std::string> pairs;   ///< `A-B`, of operations in pairs; none: p with p + n/2
    bool contended = false;           ///< pairs of a matrix may share a host; see PairSchedule
    std::int64_t window = 64;         ///< messages in flight
    std::int64_t partitions = 4;      ///< of a partitioned message
    SizeAs size_as = SizeAs::each;
    Distribution distribution = Distribution::equal;
    ElementType type = ElementType::automatic;
    ReduceOp reduce_op = ReduceOp::sum;
    WindowMemory window_memory = WindowMemory::allocate;
    Target target = Target::waiting;
    std::int64_t target_work_us = 100;  ///< of a target that works, from the start of each repetition
    std::int64_t pieces = 100;          ///< of work for the workers
    std::int64_t piece_work_us = 10;    ///< that a piece takes
    std::int64_t grid = 128;            ///< grid points per side of a kernel's problem
    double imbalance_percent = 0;       ///< extra share of the last rank
    std::int64_t iterations = 1'000;    ///< of a kernel's series
    std::int64_t groups = 1;            ///< equal ones, which do the same simultaneously
    std::vector<std::string> ranks;     ///< of the job that take part, `0`, `4-7`; none: all
    /// In simulation, what an edge of shared memory in a tree takes; absent: usual_shared_edge_ns.
    std::optional<std::int64_t> shared_edge_ns;
};

/// Two transfers of a cache line between cores of one socket, flag and data, at about 100 ns each.
inline constexpr std::int64_t usual_shared_edge_ns = 200;

/// Which calls of our own collectives leave time stamps of what happens inside.
struct TraceSettings {
    std::int64_t every = 0;            ///< of this many calls, one; 0: none
    Nanoseconds from = {0};            ///< only calls that begin this long after the first,
    std::optional<Nanoseconds> until;  ///< and before this
    std::int64_t ring = 65'536;        ///< events that a rank has room for between two deliveries: 1.5 MiB
};

/// How non-blocking communication is studied: what the program does between its start and its end.
struct OverlapSettings {
    Work work = Work::registers;
    std::int64_t tests = 8;              ///< calls to MPI_Test spread over the work of a message's variant
    std::vector<std::string> intervals;  ///< bytes between tests of a collective; none: halved from the size
    std::optional<double>
        base_threshold;            ///< times the base, up to which times count as base; absent: by noise
    double stop_threshold = 1.75;  ///< times the base, above which the work grows no more
    std::int64_t work_limit_ms = 1'000;  ///< longest work
    Progress progress = Progress::library;
};

/// Repetitions that no point ever reaches: time ends it before.
inline constexpr std::int64_t unlimited_reps = 1'000'000'000;

/// Of a whole run: a launch alone takes a fifth of it.
inline constexpr double shortest_budget_s = 1;

/// What to measure and how: everything that makes a run repeatable. Where results go is not part of it.
struct Plan {
    std::string label;
    std::vector<std::string> tags;  ///< `key=value`, every key once
    std::vector<std::string> operations;
    std::vector<std::string> procs;  ///< specifications as in process_grid; none: all that are started
    std::vector<std::string> sizes;  ///< specifications as in size_grid
    std::string scheme;              ///< of another benchmark, whose settings were taken over
    std::vector<std::string> scheme_overrides;  ///< settings that were given besides the scheme
    bool compare_schemes = false;               ///< every point by fathom's own and all other schemes
    StartMode start = StartMode::automatic;
    StopMode stop = StopMode::median_ci;  ///< unless `reps` fixes the number of repetitions
    std::optional<std::int64_t> reps;     ///< exactly this many
    std::int64_t min_reps = 50;
    std::int64_t max_reps = unlimited_reps;
    double precision_percent = 2;  ///< goal of the rule
    /// By how much runs of a real machine differ beyond their launches: the standard deviation. Absent: as
    /// stored runs show. 0: what is compared is within one run.
    std::optional<double> between_runs_percent;
    std::int64_t point_least_ms = 100;  ///< before which no rule ends a point: buffers move meanwhile
    std::int64_t point_budget_ms = 5'000;
    std::int64_t in_a_row = 1;  ///< calls between two time stamps
    RootMode root = RootMode::fixed;
    Cache cache = Cache::warm;
    Order order = Order::random;
    bool interleave = false;           ///< visit all points in rounds
    std::optional<std::int64_t> runs;  ///< launches of the whole job; absent: see launches_of
    std::optional<double> budget_s;    ///< of a whole run; absent: each point's own
    /// Time for points that were disturbed or missed their precision, in percent of what the run has taken;
    /// absent: see revisit_percent_of.
    std::optional<double> revisit_percent;
    double refine_percent = 5;     ///< error of interpolation at which an `auto` range is fine enough
    std::int64_t max_points = 64;  ///< of one curve, `auto` range and switches together
    bool locate_switches = false;  ///< bisect protocol and algorithm switches to the byte
    OverRanks over_ranks = OverRanks::automatic;
    std::string over_reps = "median";  ///< how repetitions are reduced
    RoundTrip round_trip = RoundTrip::half;
    Finish finish = Finish::call;
    std::optional<std::int64_t> warmup;  ///< calls before the timed ones; absent: until times are stationary
    std::int64_t seed = 1;
    bool verify = true;
    Counters counters = Counters::on;
    OperationSettings operation;
    OverlapSettings overlap;
    /// With which MPI is initialised; several are compared with each other, each in jobs of its own. None:
    /// the lowest that the points can be measured with, which settle_thread_level puts in.
    std::vector<ThreadLevel> thread_levels;
    /// What settle_thread_level has put in, as opposed to a level that was given.
    std::optional<ThreadLevel> settled_thread_level;
    std::vector<std::string> vary;  ///< `NAME=VALUE,VALUE`, compared with each other; see varied_settings.hpp
    std::vector<std::string> via;  ///< what performs collectives, compared with each other; none: the library
    std::vector<TreeText> trees;   ///< those that `via` names; see take_trees
    TraceSettings trace;
    std::int64_t point_timeout_s = 120;
    fathom::clock::Source clock = fathom::clock::Source::automatic;
    fathom::clock::Scheme clock_scheme = fathom::clock::Scheme::automatic;
    std::int64_t clock_arity = 8;
    std::int64_t clock_patience = 100;
    double clock_budget_percent = 5;
    bool check_clock = false;
    bool judge = false;                          ///< end with a verdict on the machine
    std::optional<Flavour> mpi;                  ///< absent: the first one found
    std::string platform;                        ///< simulated platform; empty: none
    std::string launcher;                        ///< template; empty: the flavour's own
    Bind bind = Bind::launcher;                  ///< by the flavour's own launcher
    std::optional<std::int64_t> ranks_per_host;  ///< absent: as the launcher places them
};

/// What progresses communication, as PointKey::progress names it, if it is not left to the library.
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

/// Whether each point has a given number of repetitions, which all count: other benchmarks leave none out.
bool fixes_repetitions(const Plan& plan);

/// Whether points are added while measuring.
bool searches(const Plan& plan);

/// Whether what is compared is measured in different jobs: varied settings or thread levels.
bool varies(const Plan& plan);

/// Whether points are visited in rounds, a part of each at a time, so that a drift of the machine affects
/// what is compared alike.
bool interleaves(const Plan& plan);

/// The number of launches if the plan does not say. A launch decides some percent of a time (where memory
/// lies, which processor is whose), so there are several short ones; one where that cannot be (simulation) or
/// where the number of repetitions is fixed, as by the schemes of other benchmarks. Varied settings are
/// compared over launches, so they always have several.
std::int64_t launches_of(const Plan& plan, bool simulated);

/// The part of a point's effort, its time and its repetitions, that one launch makes: all launches together
/// take little longer than one would.
double effort_of_launch(const Plan& plan, int launch);

/// The time for visiting points again if the plan does not say: as long again, unless the number of launches
/// or of repetitions is fixed.
double revisit_percent_of(const Plan& plan, bool simulated);

/// The processes that a plan needs; 0 if it takes all that are started.
int most_procs(const Plan& plan);

/// The points of a plan, by operation, process count, size, scheme, varied settings and implementation;
/// `procs` is what was started. Refined ranges get more while they are measured.
std::vector<PointSpec> points_of(const Plan& plan, int procs);

/// Points in the order of measurement: as planned, or shuffled by the seed. `trial` is the launch of
/// the job; each has its own order.
std::vector<PointSpec> in_order(const Plan& plan, std::vector<PointSpec> points, int launch = 0);

/// Throws BadInput if settings exclude each other.
void check_whole(const Plan& plan);

}  // namespace fathom::plan
