#include "plan/settings.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "clock/names.hpp"
#include "plan/grid.hpp"
#include "plan/pairing.hpp"
#include "plan/setting_values.hpp"
#include "stats/reduction.hpp"

namespace fathom::plan {
namespace {

void set_operations(Plan& plan, const SettingValue& value) {
    auto names = words(value, "give at least one; 'fathom list ops' shows all");
    for (const auto& name : names) {
        if (name != all_operations) {
            find_operation(name);
        }
    }
    plan.operations = std::move(names);
}

void set_sizes(Plan& plan, const SettingValue& value) {
    auto specifications = words(value, "give sizes such as 8, 64k or 1:1M");
    size_grid(specifications);
    plan.sizes = std::move(specifications);
}

void set_procs(Plan& plan, const SettingValue& value) {
    auto specifications = words(value, "give a number of processes, or several as 2,4,8 or 2:64");
    process_grid(specifications);
    plan.procs = std::move(specifications);
}

constexpr std::array<std::string_view, 6> start_choices{"auto",    "roundtime",   "window",
                                                        "barrier", "mpi-barrier", "none"};
constexpr std::array<std::string_view, 3> stop_choices{"median-ci", "skampi", "fixed"};
constexpr std::array<std::string_view, 2> root_choices{"fixed", "rotating"};
constexpr std::array<std::string_view, 2> cache_choices{"warm", "cold"};
constexpr std::array<std::string_view, 2> order_choices{"random", "planned"};
constexpr std::array<std::string_view, 2> size_as_choices{"each", "total"};
constexpr std::array<std::string_view, 4> distribution_choices{"equal", "linear", "one-heavy", "random"};
constexpr std::array<std::string_view, 4> type_choices{"auto", "int", "float", "double"};
constexpr std::array<std::string_view, 3> reduce_op_choices{"sum", "user", "user-ordered"};
constexpr std::array<std::string_view, 3> window_memory_choices{"allocate", "create", "shared"};
constexpr std::int64_t most_in_a_row = 1'000'000;
constexpr std::int64_t most_runs = 1'000;
constexpr std::int64_t most_points = 100'000;
constexpr std::int64_t most_reps = 1'000'000'000;
constexpr std::int64_t most_arity = 1'000;
constexpr std::int64_t most_patience = 1'000'000;
constexpr std::int64_t longest_timeout_s = 1'000'000;

/// `first-last`, `max-latency`, or two ranks.
void set_pair(Plan& plan, const SettingValue& value) {
    auto text = plain_text(value, "a pair such as 0-1");
    if (text != "first-last" && text != "max-latency") {
        try {
            parse_pair(text);
        } catch (const BadInput&) {
            throw BadInput("give first-last, max-latency, or two different processes such as 0-5");
        }
    }
    plan.operation.pair = std::move(text);
}

void set_pairs(Plan& plan, const SettingValue& value) {
    auto pairs = words(value, "give pairs of processes such as 0-2,1-3");
    check_pairs(pairs);
    plan.operation.pairs = std::move(pairs);
}

void set_imbalance(Plan& plan, const SettingValue& value) {
    const auto* text = std::get_if<std::string>(&value);
    const auto* whole = std::get_if<std::int64_t>(&value);
    const auto* real = std::get_if<double>(&value);
    const bool zero = (text != nullptr && (*text == "0" || *text == "0%")) ||
                      (whole != nullptr && *whole == 0) || (real != nullptr && *real == 0);
    try {
        plan.operation.imbalance_percent = zero ? 0 : percentage(value);
    } catch (const BadInput&) {
        throw BadInput("give a percentage from 0 to 1000");
    }
}

// Settings of operations that are one of a few words, or a number within limits.
template <auto member, const auto& choices>
void set_choice(Plan& plan, const SettingValue& value) {
    plan.operation.*member = one_of(value, choices);
}
template <auto member, std::int64_t low, std::int64_t high>
void set_number(Plan& plan, const SettingValue& value) {
    plan.operation.*member = whole_number(value, low, high);
}
template <auto member>
SettingValue get_of_operation(const Plan& plan) {
    return plan.operation.*member;
}
bool never(const Plan& /*plan*/) {
    return false;
}

void set_base_threshold(Plan& plan, const SettingValue& value) {
    const auto* text = std::get_if<std::string>(&value);
    if (text != nullptr && *text == "auto") {
        plan.overlap.base_threshold.reset();
        return;
    }
    constexpr double low = 1.001;
    constexpr double high = 1.5;
    plan.overlap.base_threshold = real_number(value, low, high);
}

void set_stop_threshold(Plan& plan, const SettingValue& value) {
    constexpr double low = 1.1;
    constexpr double high = 10;
    plan.overlap.stop_threshold = real_number(value, low, high);
}

void set_intervals(Plan& plan, const SettingValue& value) {
    auto specifications = words(value, "give sizes such as 1k,64k");
    const auto grid = size_grid(specifications);
    if (!grid.refined.empty() || grid.values.front() == 0) {
        throw BadInput("give sizes above 0 such as 1k,64k, or a range such as 1k:64k");
    }
    plan.overlap.intervals = std::move(specifications);
}

using Of = OperationSettings;
constexpr std::array<std::string_view, 2> work_choices{"registers", "memory"};
constexpr std::array<std::string_view, 2> counters_choices{"on", "off"};
constexpr std::array<std::string_view, 3> progress_choices{"library", "thread", "both"};
constexpr std::int64_t most_tests = 1'000'000;
constexpr std::int64_t most_window = 100'000;
constexpr std::int64_t most_pieces = 1'000'000;
constexpr std::int64_t most_work_us = 10'000'000;
constexpr std::int64_t most_grid = 20'000;

constexpr auto all_settings = std::to_array<Setting>({
    {"label", "--label", SettingKind::text, SettingScope::measuring, "TEXT",
     "a name for the run, to find and compare it by",
     [](Plan& plan, const SettingValue& value) { plan.label = label_text(value); },
     [](const Plan& plan) -> SettingValue { return plan.label; },
     [](const Plan& plan) { return plan.label.empty(); }},
    {"operations", "", SettingKind::list, SettingScope::measuring, "OPERATION",
     "what to measure ('fathom list ops' shows all)", set_operations,
     [](const Plan& plan) -> SettingValue { return plan.operations; },
     [](const Plan& plan) { return plan.operations.empty(); }},
    {"procs", "-n,--procs", SettingKind::list, SettingScope::starting, "N",
     "processes, or several counts within one job: 2,4,8, 2:64 (doubling), 2:64:auto (refined) (default 2; "
     "on "
     "a simulated platform all it has places for)",
     set_procs, [](const Plan& plan) -> SettingValue { return plan.procs; },
     [](const Plan& plan) { return plan.procs.empty(); }},
    {"sizes", "--sizes", SettingKind::list, SettingScope::measuring, "LIST",
     "message sizes: 8,64k,1M, doubling ranges 1:1M, ranges refined where the times ask for it 1:1M:auto",
     set_sizes, [](const Plan& plan) -> SettingValue { return plan.sizes; },
     [](const Plan& plan) { return plan.sizes.empty(); }},
    {"start", "--start", SettingKind::text, SettingScope::measuring, "NAME",
     "how ranks start together: auto, roundtime, window, barrier, mpi-barrier, none",
     [](Plan& plan, const SettingValue& value) { plan.start = one_of(value, start_choices); },
     [](const Plan& plan) -> SettingValue { return plan.start; }, [](const Plan&) { return false; }},
    {"stop", "--stop", SettingKind::text, SettingScope::measuring, "RULE",
     "when to stop repeating: median-ci, skampi, fixed (which takes --max-reps)",
     [](Plan& plan, const SettingValue& value) { plan.stop = one_of(value, stop_choices); },
     [](const Plan& plan) -> SettingValue { return plan.stop; }, [](const Plan&) { return false; }},
    {"precision_percent", "--precision", SettingKind::text, SettingScope::measuring, "PERCENT",
     "goal of the rule: width of the median's 95 % interval, or SKaMPI's standard error",
     [](Plan& plan, const SettingValue& value) { plan.precision_percent = percentage(value); },
     [](const Plan& plan) -> SettingValue { return plan.precision_percent; },
     [](const Plan&) { return false; }},
    {"min_reps", "--min-reps", SettingKind::text, SettingScope::measuring, "R", "repetitions at least",
     [](Plan& plan, const SettingValue& value) { plan.min_reps = whole_number(value, 1, most_reps); },
     [](const Plan& plan) -> SettingValue { return plan.min_reps; }, [](const Plan&) { return false; }},
    {"max_reps", "--max-reps", SettingKind::text, SettingScope::measuring, "R", "repetitions at most",
     [](Plan& plan, const SettingValue& value) { plan.max_reps = whole_number(value, 1, most_reps); },
     [](const Plan& plan) -> SettingValue { return plan.max_reps; }, [](const Plan&) { return false; }},
    {"point_least_ms", "--point-least", SettingKind::text, SettingScope::measuring, "MS",
     "time for the repetitions of one point at least, over several places in memory (not in simulation)",
     [](Plan& plan, const SettingValue& value) {
         plan.point_least_ms = whole_number(value, 0, longest_timeout_s * 1000, " of milliseconds");
     },
     [](const Plan& plan) -> SettingValue { return plan.point_least_ms; }, [](const Plan&) { return false; }},
    {"point_budget_ms", "--point-budget", SettingKind::text, SettingScope::measuring, "MS",
     "time for the repetitions of one point, in milliseconds",
     [](Plan& plan, const SettingValue& value) {
         plan.point_budget_ms = whole_number(value, 1, longest_timeout_s * 1000, " of milliseconds");
     },
     [](const Plan& plan) -> SettingValue { return plan.point_budget_ms; },
     [](const Plan&) { return false; }},
    {"reps", "--reps", SettingKind::text, SettingScope::measuring, "R",
     "exactly so many valid repetitions of every point, whatever the rule and the budget say",
     [](Plan& plan, const SettingValue& value) { plan.reps = whole_number(value, 1, most_reps); },
     [](const Plan& plan) -> SettingValue { return plan.reps.value_or(0); },
     [](const Plan& plan) { return !plan.reps.has_value(); }},
    {"warmup", "--warmup", SettingKind::text, SettingScope::measuring, "W",
     "calls before the timed ones (default: until their times are stationary)",
     [](Plan& plan, const SettingValue& value) { plan.warmup = whole_number(value, 0, most_reps); },
     [](const Plan& plan) -> SettingValue { return plan.warmup.value_or(-1); },
     [](const Plan& plan) { return !plan.warmup.has_value(); }},
    {"in_a_row", "--in-a-row", SettingKind::text, SettingScope::measuring, "N",
     "calls between two time stamps; a time is then the mean of so many calls, pipelined",
     [](Plan& plan, const SettingValue& value) { plan.in_a_row = whole_number(value, 1, most_in_a_row); },
     [](const Plan& plan) -> SettingValue { return plan.in_a_row; }, [](const Plan&) { return false; }},
    {"root", "--root", SettingKind::text, SettingScope::measuring, "NAME",
     "root of calls that have one: fixed (rank 0) or rotating from call to call",
     [](Plan& plan, const SettingValue& value) { plan.root = one_of(value, root_choices); },
     [](const Plan& plan) -> SettingValue { return plan.root; }, [](const Plan&) { return false; }},
    {"cache", "--cache", SettingKind::text, SettingScope::measuring, "STATE",
     "message data in the cache (warm), or other memory for every call (cold)",
     [](Plan& plan, const SettingValue& value) { plan.cache = one_of(value, cache_choices); },
     [](const Plan& plan) -> SettingValue { return plan.cache; }, [](const Plan&) { return false; }},
    {"order", "--order", SettingKind::text, SettingScope::measuring, "ORDER",
     "of points: random (by the seed) or planned",
     [](Plan& plan, const SettingValue& value) { plan.order = one_of(value, order_choices); },
     [](const Plan& plan) -> SettingValue { return plan.order; }, [](const Plan&) { return false; }},
    {"interleave", "--interleave", SettingKind::toggle, SettingScope::measuring, "",
     "measure all points in rounds, a part of each at a time",
     [](Plan& plan, const SettingValue& value) { plan.interleave = yes_or_no(value); },
     [](const Plan& plan) -> SettingValue { return plan.interleave; }, [](const Plan&) { return false; }},
    {"runs", "--runs", SettingKind::text, SettingScope::measuring, "K",
     "start the whole job so often; times then have a variance between starts too (default 1; 3 with "
     "overlap.* on a real machine)",
     [](Plan& plan, const SettingValue& value) { plan.runs = whole_number(value, 1, most_runs); },
     [](const Plan& plan) -> SettingValue { return plan.runs.value_or(0); },
     [](const Plan& plan) { return !plan.runs.has_value(); }},
    {"refine_percent", "--refine", SettingKind::text, SettingScope::measuring, "PERCENT",
     "error of interpolation at which an 'auto' range is fine enough",
     [](Plan& plan, const SettingValue& value) { plan.refine_percent = percentage(value); },
     [](const Plan& plan) -> SettingValue { return plan.refine_percent; }, [](const Plan&) { return false; }},
    {"max_points", "--max-points", SettingKind::text, SettingScope::measuring, "N",
     "points of one curve at most while it is refined",
     [](Plan& plan, const SettingValue& value) { plan.max_points = whole_number(value, 1, most_points); },
     [](const Plan& plan) -> SettingValue { return plan.max_points; }, [](const Plan&) { return false; }},
    {"locate_switches", "--locate-switches", SettingKind::toggle, SettingScope::measuring, "",
     "bisect jumps and bends (protocol or algorithm switches) between sizes to the byte",
     [](Plan& plan, const SettingValue& value) { plan.locate_switches = yes_or_no(value); },
     [](const Plan& plan) -> SettingValue { return plan.locate_switches; },
     [](const Plan&) { return false; }},
    {"compare_schemes", "--compare-schemes", SettingKind::toggle, SettingScope::measuring, "",
     "measure every point as other benchmarks do too, and say why their numbers differ",
     [](Plan& plan, const SettingValue& value) { plan.compare_schemes = yes_or_no(value); },
     [](const Plan& plan) -> SettingValue { return plan.compare_schemes; },
     [](const Plan&) { return false; }},
    {"over_ranks", "--over-ranks", SettingKind::text, SettingScope::measuring, "WHAT",
     "what a repetition counts as: max, span, root, mean, min, each (auto: max; root of two ranks; mean of "
     "messages in pairs)",
     [](Plan& plan, const SettingValue& value) { plan.over_ranks = one_of(value, over_ranks_choices); },
     [](const Plan& plan) -> SettingValue { return plan.over_ranks; }, [](const Plan&) { return false; }},
    {"over_reps", "--over-reps", SettingKind::text, SettingScope::measuring, "WHAT",
     "what the repetitions come to: median, mean, min, max, skampi-middle, or a quantile such as p99",
     [](Plan& plan, const SettingValue& value) {
         plan.over_reps = stats::Reduction::parse(plain_text(value, "a name such as median")).name();
     },
     [](const Plan& plan) -> SettingValue { return plan.over_reps; }, [](const Plan&) { return false; }},
    {"seed", "--seed", SettingKind::text, SettingScope::starting, "S", "of every random choice",
     [](Plan& plan, const SettingValue& value) { plan.seed = whole_number(value, 0, INT64_MAX); },
     [](const Plan& plan) -> SettingValue { return plan.seed; }, [](const Plan&) { return false; }},
    {"verify", "--verify", SettingKind::toggle, SettingScope::measuring, "",
     "check the data of one repetition before and one after the timed ones (default on)",
     [](Plan& plan, const SettingValue& value) { plan.verify = yes_or_no(value); },
     [](const Plan& plan) -> SettingValue { return plan.verify; }, [](const Plan&) { return false; }},
    {"counters", "--counters", SettingKind::text, SettingScope::measuring, "WHICH",
     "read the operating system's counters around repetitions, to explain slow ones: on, off",
     [](Plan& plan, const SettingValue& value) { plan.counters = one_of(value, counters_choices); },
     [](const Plan& plan) -> SettingValue { return plan.counters; }, never},
    {"pair", "--pair", SettingKind::text, SettingScope::measuring, "A-B",
     "ranks of operations between two: first-last, 0-1, another pair, or max-latency (the slowest)", set_pair,
     get_of_operation<&Of::pair>, never},
    {"pairs", "--pairs", SettingKind::list, SettingScope::measuring, "A-B,...",
     "partners of operations in pairs, every process once (default: p with p + n/2, on another host)",
     set_pairs, get_of_operation<&Of::pairs>, [](const Plan& plan) { return plan.operation.pairs.empty(); }},
    {"window", "--window", SettingKind::text, SettingScope::measuring, "N",
     "messages on the way at once in bandwidth, bibandwidth and message-rate",
     set_number<&Of::window, 1, most_window>, get_of_operation<&Of::window>, never},
    {"partitions", "--partitions", SettingKind::text, SettingScope::measuring, "N",
     "parts of a partitioned message", set_number<&Of::partitions, 1, most_window>,
     get_of_operation<&Of::partitions>, never},
    {"size_as", "--size-as", SettingKind::text, SettingScope::measuring, "WHAT",
     "a collective's size is each process's block, or the total that is shared out: each, total",
     set_choice<&Of::size_as, size_as_choices>, get_of_operation<&Of::size_as>, never},
    {"distribution", "--distribution", SettingKind::text, SettingScope::measuring, "NAME",
     "of blocks over ranks in the v forms: equal, linear, one-heavy, random (by the seed)",
     set_choice<&Of::distribution, distribution_choices>, get_of_operation<&Of::distribution>, never},
    {"type", "--type", SettingKind::text, SettingScope::measuring, "NAME",
     "of reductions: int, float, double (auto: float, one-sided int, unsigned char where 4 does not divide "
     "the size)",
     set_choice<&Of::type, type_choices>, get_of_operation<&Of::type>, never},
    {"reduce_op", "--reduce-op", SettingKind::text, SettingScope::measuring, "NAME",
     "of reductions: sum, user (a user-defined sum), user-ordered (user-defined, not commutative)",
     set_choice<&Of::reduce_op, reduce_op_choices>, get_of_operation<&Of::reduce_op>, never},
    {"window_memory", "--window-memory", SettingKind::text, SettingScope::measuring, "NAME",
     "how windows of one-sided calls get their memory: allocate, create, shared",
     set_choice<&Of::window_memory, window_memory_choices>, get_of_operation<&Of::window_memory>, never},
    {"pieces", "--pieces", SettingKind::text, SettingScope::measuring, "N",
     "pieces of work that a master hands out in one repetition", set_number<&Of::pieces, 1, most_pieces>,
     get_of_operation<&Of::pieces>, never},
    {"piece_work_us", "--piece-work", SettingKind::text, SettingScope::measuring, "US",
     "microseconds that a worker works on a piece", set_number<&Of::piece_work_us, 0, most_work_us>,
     get_of_operation<&Of::piece_work_us>, never},
    {"grid", "--grid", SettingKind::text, SettingScope::measuring, "N",
     "points a side of the problem of kernel.sor", set_number<&Of::grid, 4, most_grid>,
     get_of_operation<&Of::grid>, never},
    {"imbalance_percent", "--imbalance", SettingKind::text, SettingScope::measuring, "PERCENT",
     "by which the last rank of kernel.sor has more of the problem than an even share", set_imbalance,
     get_of_operation<&Of::imbalance_percent>, never},
    {"iterations", "--iterations", SettingKind::text, SettingScope::measuring, "N",
     "sums in one repetition of kernel.gsum", set_number<&Of::iterations, 1, most_reps>,
     get_of_operation<&Of::iterations>, never},
    {"work", "--work", SettingKind::text, SettingScope::measuring, "KERNEL",
     "what overlap.* compute during communication: registers (arithmetic only) or memory (streaming through "
     "it)",
     [](Plan& plan, const SettingValue& value) { plan.overlap.work = one_of(value, work_choices); },
     [](const Plan& plan) -> SettingValue { return plan.overlap.work; }, never},
    {"tests", "--tests", SettingKind::text, SettingScope::measuring, "N",
     "calls of MPI_Test spread through the work, as a second variant of overlap.isend and overlap.irecv (0: "
     "no such variant)",
     [](Plan& plan, const SettingValue& value) { plan.overlap.tests = whole_number(value, 0, most_tests); },
     [](const Plan& plan) -> SettingValue { return plan.overlap.tests; }, never},
    {"test_intervals", "--test-intervals", SettingKind::list, SettingScope::measuring, "LIST",
     "bytes of message for each call of MPI_Test in overlap.* of collectives, every one of the list is tried "
     "(default: the size, halved again and again)",
     set_intervals, [](const Plan& plan) -> SettingValue { return plan.overlap.intervals; },
     [](const Plan& plan) { return plan.overlap.intervals.empty(); }},
    {"base_threshold", "--base-threshold", SettingKind::text, SettingScope::measuring, "FACTOR",
     "of overlap.isend and overlap.irecv: a time up to so many times the base, the message time without the "
     "effect of work, belongs to it (default: 1.02 to 1.05, by the noise)",
     set_base_threshold,
     [](const Plan& plan) -> SettingValue { return plan.overlap.base_threshold.value_or(0); },
     [](const Plan& plan) { return !plan.overlap.base_threshold.has_value(); }},
    {"stop_threshold", "--stop-threshold", SettingKind::text, SettingScope::measuring, "FACTOR",
     "of overlap.isend and overlap.irecv: work grows step by step until a time exceeds so many times the "
     "base",
     set_stop_threshold, [](const Plan& plan) -> SettingValue { return plan.overlap.stop_threshold; }, never},
    {"work_limit_ms", "--work-limit", SettingKind::text, SettingScope::measuring, "MS",
     "milliseconds that work of overlap.* takes at most",
     [](Plan& plan, const SettingValue& value) {
         plan.overlap.work_limit_ms = whole_number(value, 1, longest_timeout_s * 1000, " of milliseconds");
     },
     [](const Plan& plan) -> SettingValue { return plan.overlap.work_limit_ms; }, never},
    {"progress", "--progress", SettingKind::text, SettingScope::measuring, "WHO",
     "who makes communication go on while the program works: library (as it is set up), thread (ask the "
     "library for a progress thread), both (overlap.* with and without)",
     [](Plan& plan, const SettingValue& value) { plan.overlap.progress = one_of(value, progress_choices); },
     [](const Plan& plan) -> SettingValue { return plan.overlap.progress; }, never},
    {"point_timeout_s", "--point-timeout", SettingKind::text, SettingScope::starting, "SECONDS",
     "give up when nothing was finished for so long",
     [](Plan& plan, const SettingValue& value) {
         plan.point_timeout_s = whole_number(value, 1, longest_timeout_s, " of seconds");
     },
     [](const Plan& plan) -> SettingValue { return plan.point_timeout_s; },
     [](const Plan&) { return false; }},
    {"clock", "--clock", SettingKind::text, SettingScope::clock, "NAME", clock::source_help,
     [](Plan& plan, const SettingValue& value) { plan.clock = one_of(value, clock::source_choices); },
     [](const Plan& plan) -> SettingValue { return plan.clock; }, [](const Plan&) { return false; }},
    {"clock_scheme", "--clock-scheme", SettingKind::text, SettingScope::clock, "NAME", clock::scheme_help,
     [](Plan& plan, const SettingValue& value) { plan.clock_scheme = one_of(value, clock::scheme_choices); },
     [](const Plan& plan) -> SettingValue { return plan.clock_scheme; }, [](const Plan&) { return false; }},
    {"clock_arity", "--clock-arity", SettingKind::text, SettingScope::clock, "A",
     "processes that one of a tree serves at once",
     [](Plan& plan, const SettingValue& value) { plan.clock_arity = whole_number(value, 1, most_arity); },
     [](const Plan& plan) -> SettingValue { return plan.clock_arity; }, [](const Plan&) { return false; }},
    {"clock_patience", "--clock-patience", SettingKind::text, SettingScope::clock, "N",
     "pings without a shorter round trip before it is taken for the shortest",
     [](Plan& plan, const SettingValue& value) {
         plan.clock_patience = whole_number(value, 1, most_patience);
     },
     [](const Plan& plan) -> SettingValue { return plan.clock_patience; }, [](const Plan&) { return false; }},
    {"clock_budget_percent", "--clock-budget", SettingKind::text, SettingScope::measuring, "PERCENT",
     "compare clocks again when they are unsure by more than this share of the operation",
     [](Plan& plan, const SettingValue& value) { plan.clock_budget_percent = percentage(value); },
     [](const Plan& plan) -> SettingValue { return plan.clock_budget_percent; },
     [](const Plan&) { return false; }},
    {"check_clock", "--check-clock", SettingKind::toggle, SettingScope::measuring, "",
     "test the clocks after the last point and 1 s later, and store the verdict",
     [](Plan& plan, const SettingValue& value) { plan.check_clock = yes_or_no(value); },
     [](const Plan& plan) -> SettingValue { return plan.check_clock; }, [](const Plan&) { return false; }},
    {"judge", "--judge", SettingKind::toggle, SettingScope::measuring, "",
     "end with a verdict: exit status 1 if a process, host or link stands out, data were wrong or clocks "
     "worse "
     "than they claim",
     [](Plan& plan, const SettingValue& value) { plan.judge = yes_or_no(value); },
     [](const Plan& plan) -> SettingValue { return plan.judge; }, never},
    {"mpi", "--mpi", SettingKind::text, SettingScope::starting, "FLAVOUR",
     "MPI library: openmpi, mpich, smpi (simulated) or mpi",
     [](Plan& plan, const SettingValue& value) { plan.mpi = plain_text(value, "a flavour such as openmpi"); },
     [](const Plan& plan) -> SettingValue { return plan.mpi; },
     [](const Plan& plan) { return plan.mpi.empty(); }},
    {"platform", "--platform", SettingKind::text, SettingScope::starting, "NAME",
     "simulated platform ('fathom list platforms' shows all), or a file NAME.xml",
     [](Plan& plan, const SettingValue& value) { plan.platform = plain_text(value, "a platform's name"); },
     [](const Plan& plan) -> SettingValue { return plan.platform; },
     [](const Plan& plan) { return plan.platform.empty(); }},
    {"launcher", "--launcher", SettingKind::text, SettingScope::starting, "TEMPLATE",
     "how to start the probe, e.g. 'srun -n {n}'; the probe and its plan are appended",
     [](Plan& plan, const SettingValue& value) {
         auto text = plain_text(value, "a command such as 'srun -n {n}'");
         if (shell_words(text).empty()) {
             throw BadInput("give a command such as 'srun -n {n}'");
         }
         plan.launcher = std::move(text);
     },
     [](const Plan& plan) -> SettingValue { return plan.launcher; },
     [](const Plan& plan) { return plan.launcher.empty(); }},
});

}  // namespace

std::span<const Setting> settings() {
    return all_settings;
}

}  // namespace fathom::plan
