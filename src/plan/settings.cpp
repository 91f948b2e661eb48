#include "plan/settings.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <type_traits>

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"
#include "clock/names.hpp"
#include "plan/grid.hpp"
#include "plan/implementations.hpp"
#include "plan/pairing.hpp"
#include "plan/participants.hpp"
#include "plan/setting_values.hpp"
#include "plan/trace_setting.hpp"
#include "plan/varied_settings.hpp"
#include "stats/reduction.hpp"

namespace fathom::plan {
namespace {

using Words = std::vector<std::string>;
using Of = OperationSettings;
using Overlap = OverlapSettings;

constexpr std::int64_t most_in_a_row = 1'000'000;
constexpr std::int64_t most_runs = 1'000;
constexpr std::int64_t most_points = 100'000;
constexpr std::int64_t most_reps = unlimited_reps;
constexpr std::int64_t most_arity = 1'000;
constexpr std::int64_t most_patience = 1'000'000;
constexpr std::int64_t most_tests = 1'000'000;
constexpr std::int64_t most_window = 100'000;
constexpr std::int64_t most_groups = 1'000'000;
constexpr std::int64_t most_ranks_per_host = 1'000'000;
constexpr std::int64_t most_pieces = 1'000'000;
constexpr std::int64_t most_work_us = 10'000'000;
constexpr std::int64_t most_grid = 20'000;
constexpr std::int64_t longest_timeout_s = 1'000'000;
constexpr std::int64_t longest_edge_ns = 1'000'000'000;
/// A rank's room for events: from what one call may leave to 100 MiB.
constexpr std::int64_t least_ring = 16;
constexpr std::int64_t most_ring = std::int64_t{1} << 22;

// What settings hold, read from values as they were written.

template <std::int64_t low, std::int64_t high>
std::int64_t number(const SettingValue& value) {
    return whole_number(value, low, high);
}

template <std::int64_t low>
std::int64_t milliseconds(const SettingValue& value) {
    return whole_number(value, low, longest_timeout_s * 1000, " of milliseconds");
}

std::int64_t seconds(const SettingValue& value) {
    return whole_number(value, 1, longest_timeout_s, " of seconds");
}

Words tags_from(const SettingValue& value) {
    const auto* text = std::get_if<std::string>(&value);
    const auto* list = std::get_if<Words>(&value);
    if (text == nullptr && list == nullptr) {
        throw BadInput("give KEY=VALUE in quotes");
    }
    auto tags = list != nullptr ? *list : Words{*text};
    tag_map(tags);
    return tags;
}

Words operations_from(const SettingValue& value) {
    auto names = words(value, "give at least one; 'fathom list ops' shows all");
    for (auto& name : names) {
        if (name != all_operations) {
            name = operation_given(name).name;
        }
    }
    return names;
}

Words sizes_from(const SettingValue& value) {
    auto specifications = words(value, "give sizes such as 8, 64k or 1:1M");
    size_grid(specifications);
    return specifications;
}

Words procs_from(const SettingValue& value) {
    auto specifications = words(value, "give a number of processes, or several as 2,4,8 or 2:64");
    process_grid(specifications);
    return specifications;
}

Words intervals_from(const SettingValue& value) {
    auto specifications = words(value, "give sizes such as 1k,64k");
    const auto grid = size_grid(specifications);
    if (!grid.refined.empty() || grid.values.front() == 0) {
        throw BadInput("give sizes above 0 such as 1k,64k, or a range such as 1k:64k");
    }
    return specifications;
}

std::string reduction_from(const SettingValue& value) {
    return stats::Reduction::parse(plain_text(value, "a name such as median")).name();
}

/// `first-last`, `max-latency`, or two ranks.
std::string pair_from(const SettingValue& value) {
    auto text = plain_text(value, "a pair such as 0-1");
    if (text != "first-last" && text != "max-latency") {
        try {
            parse_pair(text);
        } catch (const BadInput&) {
            throw BadInput("give first-last, max-latency, or two different processes such as 0-5");
        }
    }
    return text;
}

Words ranks_from(const SettingValue& value) {
    auto ranks = words(value, "give ranks such as 0,2,4-7");
    rank_list(ranks);
    return ranks;
}

Words pairs_from(const SettingValue& value) {
    auto pairs = words(value, "give pairs of processes such as 0-2,1-3");
    check_pairs(pairs);
    return pairs;
}

/// A percentage that may be 0.
double share_from(const SettingValue& value) {
    const auto* text = std::get_if<std::string>(&value);
    const auto* whole = std::get_if<std::int64_t>(&value);
    const auto* real = std::get_if<double>(&value);
    const bool zero = (text != nullptr && (*text == "0" || *text == "0%")) ||
                      (whole != nullptr && *whole == 0) || (real != nullptr && *real == 0);
    try {
        return zero ? 0 : percentage(value);
    } catch (const BadInput&) {
        throw BadInput("give a percentage from 0 to 1000");
    }
}

/// A time as `90s` or `5min`; a number is seconds.
double seconds_from(const SettingValue& value) {
    constexpr double ns_per_s = 1e9;
    const auto* text = std::get_if<std::string>(&value);
    const double given = text != nullptr ? static_cast<double>(parse_duration(*text).count) / ns_per_s
                                         : real_number(value, 0, static_cast<double>(longest_timeout_s));
    if (given < shortest_budget_s || given > static_cast<double>(longest_timeout_s)) {
        throw BadInput("give a time from 1s on, such as 90s or 5min");
    }
    return given;
}

std::optional<double> base_threshold_from(const SettingValue& value) {
    const auto* text = std::get_if<std::string>(&value);
    if (text != nullptr && *text == "auto") {
        return std::nullopt;
    }
    constexpr double low = 1.001;
    constexpr double high = 1.5;
    return real_number(value, low, high);
}

double stop_threshold_from(const SettingValue& value) {
    constexpr double low = 1.1;
    constexpr double high = 10;
    return real_number(value, low, high);
}

/// Written out, so that a stored plan does not depend on what a name is short for.
Words vary_from(const SettingValue& value) {
    Words given;
    if (const auto* list = std::get_if<Words>(&value)) {
        given = *list;
    } else {
        given.push_back(plain_text(value, "NAME=VALUE,VALUE,..."));
    }
    for (auto& text : given) {
        text = to_text(varied_setting(text));
    }
    return given;
}

void set_thread_levels(Plan& plan, const SettingValue& value) {
    std::vector<ThreadLevel> levels;
    for (const auto& name : words(value, "give single, funneled, serialized, multiple, or several of them")) {
        const auto level = one_of<ThreadLevel>(name);
        if (std::find(levels.begin(), levels.end(), level) != levels.end()) {
            throw BadInput(fmt::format("give {} once", name));
        }
        levels.push_back(level);
    }
    plan.thread_levels = std::move(levels);
    plan.settled_thread_level.reset();
}

SettingValue get_thread_levels(const Plan& plan) {
    Words names;
    for (const auto level : plan.thread_levels) {
        names.emplace_back(to_text(level));
    }
    return names;
}

Words via_from(const SettingValue& value) {
    auto names = words(value, "give library, tree:FILE, or several with commas");
    for (const auto& name : names) {
        implementation_from(name);
    }
    return names;
}

/// The trees of other implementations are no longer of use: those that are named now are read from their
/// files.
void set_via(Plan& plan, const SettingValue& value) {
    plan.via = via_from(value);
    plan.trees.clear();
}

void set_trace(Plan& plan, const SettingValue& value) {
    set_traced_calls(plan.trace, plain_text(value, "all, every=K, window=FROM..TO or off"));
}

SettingValue get_trace(const Plan& plan) {
    return traced_calls_text(plan.trace);
}

bool absent_trace(const Plan& plan) {
    return plan.trace.every == 0;
}

std::string platform_from(const SettingValue& value) {
    return plain_text(value, "a platform's name");
}

std::string launcher_from(const SettingValue& value) {
    auto text = plain_text(value, "a command such as 'srun -n {n}'");
    if (shell_words(text).empty()) {
        throw BadInput("give a command such as 'srun -n {n}'");
    }
    return text;
}

// Where in a plan a setting is, by a path of members.

template <auto first, auto... rest>
auto& part(auto& plan) {
    if constexpr (sizeof...(rest) == 0) {
        return plan.*first;
    } else {
        return part<rest...>(plan.*first);
    }
}

template <auto read, auto... path>
void set_part(Plan& plan, const SettingValue& value) {
    part<path...>(plan) = read(value);
}

/// One that is absent has no written form.
template <typename Value>
SettingValue written(const Value& value) {
    if constexpr (NamedEnum<Value>) {
        return std::string(to_text(value));
    } else if constexpr (requires { value.has_value(); }) {
        return value ? written(*value) : SettingValue();
    } else {
        return value;
    }
}

template <auto... path>
SettingValue get_part(const Plan& plan) {
    return written(part<path...>(plan));
}

template <auto... path>
bool absent_part(const Plan& plan) {
    const auto& value = part<path...>(plan);
    if constexpr (requires { value.has_value(); }) {
        return !value.has_value();
    } else if constexpr (requires { value.empty(); }) {
        return value.empty();
    } else {
        return false;
    }
}

template <auto read, auto... path>
constexpr SettingAccess access{set_part<read, path...>, get_part<path...>, absent_part<path...>};

template <typename Value>
struct Plain {
    using Type = Value;
};
template <typename Value>
struct Plain<std::optional<Value>> {
    using Type = Value;
};

/// A setting that is one of a few words.
template <auto... path>
constexpr SettingAccess keyword = access<
    one_of<typename Plain<std::remove_reference_t<decltype(part<path...>(std::declval<Plan&>()))>>::Type>,
    path...>;

constexpr auto all_settings = [] {
    using enum SettingKind;
    using enum SettingScope;
    using enum IfDifferent;
    using enum SettingTopic;
    return std::to_array<Setting>({
        {"label", "--label", text, measuring, comparable, output, "TEXT",
         "a name for the run, to find and compare it by", access<label_text, &Plan::label>},
        {"tags", "--tag", repeated, measuring, comparable, job, "KEY=VALUE",
         "a note to store with the run; may be repeated ('fathom list runs --tag KEY=VALUE' finds it)",
         access<tags_from, &Plan::tags>},
        {"operations", "", list, measuring, comparable, usual, "OPERATION",
         "what to measure ('fathom list ops' shows all)", access<operations_from, &Plan::operations>},
        {"procs", "-n,--procs", list, starting, comparable, usual, "N",
         "processes (also -np), or several counts within one job: 2,4,8, 2:64 (doubling), 2:64:+2, 2:64:auto "
         "(refined) (default 2; on a simulated platform, one per core)",
         access<procs_from, &Plan::procs>},
        {"sizes", "--sizes", list, measuring, comparable, usual, "LIST",
         "message sizes: a list 8,64k,1M; a doubling range 1:1M, or with a step 0:1000:+100 or a factor "
         "1:1M:*1.41; an adaptively refined range 1:1M:auto",
         access<sizes_from, &Plan::sizes>},
        {"start", "--start", text, measuring, not_comparable, repetition, "NAME",
         "how ranks start together: auto, roundtime, window, barrier, mpi-barrier, none",
         keyword<&Plan::start>},
        {"stop", "--stop", text, measuring, comparable, repetition, "RULE",
         "when to stop repeating: median-ci, skampi, fixed (which takes --max-reps)", keyword<&Plan::stop>},
        {"precision_percent", "--precision", text, measuring, comparable, repetition, "PERCENT",
         "target of the stopping rule: width of the median's 95 % confidence interval, or SKaMPI's standard "
         "error",
         access<percentage, &Plan::precision_percent>},
        {"between_runs_percent", "--between-runs", text, measuring, comparable, repetition, "PERCENT",
         "by how much runs at different times differ beyond their launches (standard deviation): a part of "
         "every interval over launches (default: learned from stored runs of the same kind, else 2)",
         access<share_from, &Plan::between_runs_percent>},
        {"min_reps", "--min-reps", text, measuring, comparable, repetition, "R",
         "minimum number of repetitions", access<number<1, most_reps>, &Plan::min_reps>},
        {"max_reps", "--max-reps", text, measuring, comparable, repetition, "R",
         "maximum number of repetitions (default: as many as the time allows)",
         access<number<1, most_reps>, &Plan::max_reps>},
        {"point_least_ms", "--point-least", text, measuring, comparable, repetition, "MS",
         "minimum time for the repetitions of a point, in milliseconds, with buffers at several places in "
         "memory (not in simulation)",
         access<milliseconds<0>, &Plan::point_least_ms>},
        {"point_budget_ms", "--point-budget", text, measuring, comparable, repetition, "MS",
         "maximum time for the repetitions of a point, in milliseconds",
         access<milliseconds<1>, &Plan::point_budget_ms>},
        {"reps", "--reps", text, measuring, comparable, repetition, "R",
         "exactly this many valid repetitions of every point, regardless of the stopping rule and the budget",
         access<number<1, most_reps>, &Plan::reps>},
        {"warmup", "--warmup", text, measuring, not_comparable, repetition, "W",
         "calls before the timed ones (default: until their times are stationary)",
         access<number<0, most_reps>, &Plan::warmup>},
        {"in_a_row", "--in-a-row", text, measuring, not_comparable, repetition, "N",
         "calls between two time stamps; a time is then their mean, and calls may overlap",
         access<number<1, most_in_a_row>, &Plan::in_a_row>},
        {"root", "--root", text, measuring, not_comparable, repetition, "NAME",
         "root of calls that have one: fixed (rank 0) or rotating from call to call", keyword<&Plan::root>},
        {"cache", "--cache", text, measuring, not_comparable, repetition, "STATE",
         "message data in the cache (warm), or other memory for every call (cold)", keyword<&Plan::cache>},
        {"order", "--order", text, measuring, comparable, repetition, "ORDER",
         "order of points: random (by the seed) or planned", keyword<&Plan::order>},
        {"interleave", "--interleave", toggle, measuring, comparable, repetition, "",
         "measure all points in rounds, a part of each at a time", access<yes_or_no, &Plan::interleave>},
        {"runs", "--runs", text, measuring, comparable, usual, "K",
         "number of launches of the whole job, which share the time of a point; intervals include the "
         "variance between launches (default 5; 3 with overlap.*, 'auto' ranges or in a batch allocation; 1 "
         "in simulation, with --reps or with matrix)",
         access<number<1, most_runs>, &Plan::runs>},
        {"budget_s", "--budget", text, measuring, comparable, usual, "TIME",
         "maximum time of the whole run, such as 90s or 5min, shared among its points by what they need",
         access<seconds_from, &Plan::budget_s>},
        {"revisit_percent", "--revisit", text, measuring, comparable, repetition, "PERCENT",
         "time for measuring points again that were disturbed or missed their precision, in percent of what "
         "the run has taken (default 100; 0 if --runs or --reps is given)",
         access<share_from, &Plan::revisit_percent>},
        {"refine_percent", "--refine", text, measuring, comparable, points, "PERCENT",
         "interpolation error at which an 'auto' range is fine enough",
         access<percentage, &Plan::refine_percent>},
        {"max_points", "--max-points", text, measuring, comparable, points, "N",
         "maximum number of points of a curve while it is refined",
         access<number<1, most_points>, &Plan::max_points>},
        {"locate_switches", "--locate-switches", toggle, measuring, comparable, points, "",
         "bisect jumps and bends (protocol or algorithm switches) between sizes to the byte",
         access<yes_or_no, &Plan::locate_switches>},
        {"compare_schemes", "--compare-schemes", toggle, measuring, comparable, points, "",
         "also measure every point as other benchmarks do, and explain why their numbers differ",
         access<yes_or_no, &Plan::compare_schemes>},
        {"over_ranks", "--over-ranks", text, measuring, not_comparable, repetition, "WHAT",
         "time of a repetition over its ranks: max, span, root, mean, median, min, each (auto: max; root for "
         "two ranks; mean for messages in pairs)",
         keyword<&Plan::over_ranks>},
        {"over_reps", "--over-reps", text, measuring, not_comparable, repetition, "WHAT",
         "result over repetitions: median, mean, min, max, skampi-middle, or a quantile such as p99",
         access<reduction_from, &Plan::over_reps>},
        {"round_trip", "--round-trip", text, measuring, not_comparable, repetition, "WHAT",
         "time of a message there and back: half (one way) or whole", keyword<&Plan::round_trip>},
        {"finish", "--finish", text, measuring, not_comparable, repetition, "WHAT",
         "end of the timed part: call, mpi-barrier (an MPI_Barrier follows the call, and its own time is "
         "subtracted), or acknowledged (every other process sends rank 0 an empty message, which counts)",
         keyword<&Plan::finish>},
        {"seed", "--seed", text, starting, comparable, repetition, "S", "seed of every random choice",
         access<number<0, INT64_MAX>, &Plan::seed>},
        {"verify", "--verify", toggle, measuring, comparable, repetition, "",
         "check the data of one repetition before and one after the timed ones (default on)",
         access<yes_or_no, &Plan::verify>},
        {"counters", "--counters", text, measuring, comparable, repetition, "WHICH",
         "read the operating system's counters around repetitions, to explain slow ones: on, off",
         keyword<&Plan::counters>},
        {"pair", "--pair", text, measuring, not_comparable, points, "A-B",
         "ranks for operations between two ranks: first-last, 0-1, another pair, or max-latency (the "
         "slowest)",
         access<pair_from, &Plan::operation, &Of::pair>},
        {"pairs", "--pairs", list, measuring, not_comparable, points, "A-B,...",
         "partners for operations in pairs, every process once (default: p with p + n/2, on another host)",
         access<pairs_from, &Plan::operation, &Of::pairs>},
        {"contended", "--contended", toggle, measuring, not_comparable, points, "",
         "let pairs of matrix that share a host communicate simultaneously, and so share its network "
         "(default: one pair per host at a time)",
         access<yes_or_no, &Plan::operation, &Of::contended>},
        {"groups", "--groups", text, measuring, not_comparable, points, "N",
         "do every operation in N equal groups of processes simultaneously; a time is that of the slowest "
         "group",
         access<number<1, most_groups>, &Plan::operation, &Of::groups>},
        {"ranks", "--ranks", list, measuring, not_comparable, points, "SET",
         "only these ranks take part, such as 0,2,4-7; the others sleep (default: all)",
         access<ranks_from, &Plan::operation, &Of::ranks>},
        {"window", "--window", text, measuring, not_comparable, operation, "N",
         "messages in flight in bandwidth, bibandwidth and message-rate",
         access<number<1, most_window>, &Plan::operation, &Of::window>},
        {"partitions", "--partitions", text, measuring, not_comparable, operation, "N",
         "parts of a partitioned message", access<number<1, most_window>, &Plan::operation, &Of::partitions>},
        {"size_as", "--size-as", text, measuring, not_comparable, operation, "WHAT",
         "what a collective's size means: the block of each process, or the total over all processes: each, "
         "total",
         keyword<&Plan::operation, &Of::size_as>},
        {"distribution", "--distribution", text, measuring, not_comparable, operation, "NAME",
         "distribution of blocks over ranks in the v forms: equal, linear, one-heavy, random (by the seed)",
         keyword<&Plan::operation, &Of::distribution>},
        {"type", "--type", text, measuring, not_comparable, operation, "NAME",
         "datatype of reductions: int, float, double (auto: float; int if one-sided or bitwise; unsigned "
         "char "
         "if 4 does not divide the size)",
         keyword<&Plan::operation, &Of::type>},
        {"reduce_op", "--reduce-op", text, measuring, not_comparable, operation, "NAME",
         "operator of reductions: sum, max, min, band, bor, bxor (bitwise, of integers), user (a "
         "user-defined "
         "sum), user-ordered (user-defined, not commutative), empty (user-defined, does nothing)",
         keyword<&Plan::operation, &Of::reduce_op>},
        {"window_memory", "--window-memory", text, measuring, not_comparable, operation, "NAME",
         "how windows of one-sided calls get their memory: allocate, create, shared",
         keyword<&Plan::operation, &Of::window_memory>},
        {"target", "--target", text, measuring, not_comparable, operation, "STATE",
         "what the target of OP.lock and OP.flush does meanwhile: waiting (inside the library) or working "
         "(computing outside it for --target-work)",
         keyword<&Plan::operation, &Of::target>},
        {"target_work_us", "--target-work", text, measuring, not_comparable, operation, "US",
         "microseconds that a working target computes from the start of each repetition",
         access<number<1, most_work_us>, &Plan::operation, &Of::target_work_us>},
        {"pieces", "--pieces", text, measuring, not_comparable, operation, "N",
         "pieces of work that a master hands out in one repetition",
         access<number<1, most_pieces>, &Plan::operation, &Of::pieces>},
        {"piece_work_us", "--piece-work", text, measuring, not_comparable, operation, "US",
         "microseconds of work per piece",
         access<number<0, most_work_us>, &Plan::operation, &Of::piece_work_us>},
        {"grid", "--grid", text, measuring, not_comparable, operation, "N",
         "grid points per side in kernel.sor", access<number<4, most_grid>, &Plan::operation, &Of::grid>},
        {"imbalance_percent", "--imbalance", text, measuring, not_comparable, operation, "PERCENT",
         "extra share of the problem for the last rank of kernel.sor",
         access<share_from, &Plan::operation, &Of::imbalance_percent>},
        {"iterations", "--iterations", text, measuring, not_comparable, operation, "N",
         "sums in one repetition of kernel.gsum",
         access<number<1, most_reps>, &Plan::operation, &Of::iterations>},
        {"work", "--work", text, measuring, not_comparable, operation, "KERNEL",
         "what overlap.* computes during communication: registers (arithmetic only) or memory (streaming "
         "through it)",
         keyword<&Plan::overlap, &Overlap::work>},
        {"tests", "--tests", text, measuring, not_comparable, operation, "N",
         "calls to MPI_Test spread over the work, in a second variant of overlap.isend and overlap.irecv (0: "
         "no such variant)",
         access<number<0, most_tests>, &Plan::overlap, &Overlap::tests>},
        {"test_intervals", "--test-intervals", list, measuring, not_comparable, operation, "LIST",
         "message bytes per call to MPI_Test in overlap.* of collectives; every value in the list is tried "
         "(default: the size, halved repeatedly)",
         access<intervals_from, &Plan::overlap, &Overlap::intervals>},
        {"base_threshold", "--base-threshold", text, measuring, not_comparable, operation, "FACTOR",
         "for overlap.isend and overlap.irecv: times up to this factor of the base (the message time without "
         "work) count as unaffected by work (default: 1.02 to 1.05, depending on noise)",
         access<base_threshold_from, &Plan::overlap, &Overlap::base_threshold>},
        {"stop_threshold", "--stop-threshold", text, measuring, not_comparable, operation, "FACTOR",
         "for overlap.isend and overlap.irecv: work grows step by step until a time exceeds this factor of "
         "the base",
         access<stop_threshold_from, &Plan::overlap, &Overlap::stop_threshold>},
        {"work_limit_ms", "--work-limit", text, measuring, comparable, operation, "MS",
         "maximum work of overlap.*, in milliseconds",
         access<milliseconds<1>, &Plan::overlap, &Overlap::work_limit_ms>},
        {"progress", "--progress", text, measuring, comparable, job, "WHO",
         "what progresses communication while the program computes: library (as configured), thread (request "
         "the library's progress thread), both (overlap.* with and without)",
         keyword<&Plan::overlap, &Overlap::progress>},
        {"bind", "--bind", text, starting, comparable, job, "WHAT",
         "what ranks are bound to: launcher (as the launcher binds any program), core (one each, unless they "
         "share cores), none (not with --launcher)",
         keyword<&Plan::bind>},
        {"thread_level", "--thread-level", list, measuring, not_comparable, job, "LEVEL",
         "thread level with which MPI is initialised: single (MPI_Init), funneled, serialized, multiple; "
         "several, such as single,multiple, are compared with each other (default: single, or funneled where "
         "a tree has leaves for threads)",
         SettingAccess{set_thread_levels, get_thread_levels, absent_part<&Plan::thread_levels>}},
        {"vary", "--vary", repeated, measuring, comparable, points, "NAME=V,V...",
         "compare values of an environment variable, or of a library's parameter as mca:NAME (Open MPI) or "
         "cvar:NAME (MPICH); may be repeated, all combinations are measured in alternation",
         access<vary_from, &Plan::vary>},
        {"via", "--via", list, measuring, comparable, points, "NAME,...",
         "what performs collectives, measured in alternation within one job: library, library:NAME (one of "
         "its "
         "algorithms; 'fathom list algorithms --mpi FLAVOUR' shows them), tree:FILE (allreduce, reduce, "
         "bcast, "
         "barrier, kernel.gsum and kernel.sor over a spanning tree), reference:NAME (an algorithm of our "
         "own; "
         "'fathom list algorithms' shows all)",
         SettingAccess{set_via, get_part<&Plan::via>, absent_part<&Plan::via>}},
        {"trace", "--trace", text, measuring, not_comparable, operation, "[WHICH]",
         "record time stamps inside trees: all (calls; so does --trace alone), every=K (every K-th call), "
         "window=FROM..TO (calls that begin within this time after the first, such as 1s..2s), or both with "
         "a "
         "comma; off",
         SettingAccess{set_trace, get_trace, absent_trace}},
        {"trace_ring", "--trace-ring", text, measuring, comparable, operation, "N",
         "events of 24 bytes that each rank has room for between two deliveries; those beyond it are counted",
         access<number<least_ring, most_ring>, &Plan::trace, &TraceSettings::ring>},
        {"shared_edge_ns", "--shared-edge", text, measuring, not_comparable, operation, "NS",
         "nanoseconds that an edge of shared memory in a tree takes in simulation (default 200)",
         access<number<0, longest_edge_ns>, &Plan::operation, &Of::shared_edge_ns>},
        {"point_timeout_s", "--point-timeout", text, starting, comparable, job, "SECONDS",
         "give up if no point finishes within this time", access<seconds, &Plan::point_timeout_s>},
        {"clock", "--clock", text, clock, comparable, clock_comparison, "NAME", clock::source_help,
         keyword<&Plan::clock>},
        {"clock_scheme", "--clock-scheme", text, clock, comparable, clock_comparison, "NAME",
         clock::scheme_help, keyword<&Plan::clock_scheme>},
        {"clock_arity", "--clock-arity", text, clock, comparable, clock_comparison, "A",
         "processes that one process of a tree serves at the same time",
         access<number<1, most_arity>, &Plan::clock_arity>},
        {"clock_patience", "--clock-patience", text, clock, comparable, clock_comparison, "N",
         "pings without a shorter round trip before the shortest so far is accepted",
         access<number<1, most_patience>, &Plan::clock_patience>},
        {"clock_budget_percent", "--clock-budget", text, measuring, comparable, clock_comparison, "PERCENT",
         "compare clocks again when their uncertainty exceeds this share of the operation's time",
         access<percentage, &Plan::clock_budget_percent>},
        {"check_clock", "--check-clock", toggle, measuring, comparable, clock_comparison, "",
         "test the clocks after the last point and 1 s later, and store the verdict",
         access<yes_or_no, &Plan::check_clock>},
        {"judge", "--judge", toggle, measuring, comparable, job, "",
         "end with a verdict: exit status 1 if a process, host or link stands out, data were wrong or clocks "
         "exceeded their error bounds",
         access<yes_or_no, &Plan::judge>},
        {"mpi", "--mpi", text, starting, comparable, usual, "FLAVOUR",
         "MPI library: openmpi, mpich, smpi (simulated) or mpi", access<flavour_from, &Plan::mpi>},
        {"platform", "--platform", text, starting, comparable, usual, "NAME",
         "simulated platform ('fathom list platforms' shows all), or a file NAME.xml",
         access<platform_from, &Plan::platform>},
        {"launcher", "--launcher", text, starting, comparable, job, "TEMPLATE",
         "command that launches the probe, e.g. 'srun -n {n}'; the probe and its plan are appended",
         access<launcher_from, &Plan::launcher>},
        {"ranks_per_host", "--ranks-per-host", text, starting, comparable, job, "N",
         "processes on each host, consecutive ranks together; in --launcher, {ranks-per-host} stands for it "
         "(default: as the launcher places them)",
         access<number<1, most_ranks_per_host>, &Plan::ranks_per_host>},
    });
}();

}  // namespace

namespace {

/// Texts are stored, shown and sent to all ranks, as UTF-8.
void refuse_other_than_text(const SettingValue& value) {
    const auto refuse = [](const std::string& text) {
        if (valid_utf8(text) != text) {
            throw BadInput("give text in UTF-8");
        }
    };
    if (const auto* text = std::get_if<std::string>(&value)) {
        refuse(*text);
    } else if (const auto* texts = std::get_if<std::vector<std::string>>(&value)) {
        std::for_each(texts->begin(), texts->end(), refuse);
    }
}

}  // namespace

void Setting::set(Plan& plan, const SettingValue& value) const {
    refuse_other_than_text(value);
    access.set(plan, value);
}

void Setting::give(Plan& plan, const SettingValue& value) const {
    set(plan, value);
    if (!plan.scheme.empty()) {
        plan.scheme_overrides.emplace_back(key);
    }
}

std::span<const Setting> settings() {
    return all_settings;
}

}  // namespace fathom::plan
