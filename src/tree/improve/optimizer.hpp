#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stats/summary.hpp"
#include "tree/improve/search.hpp"

namespace fathom::tree {

/// The library's own collective among trees, by name.
inline constexpr std::string_view library_name = "library";

/// What is to be found: the fastest tree of an operation for each size.
struct OptimizerSettings {
    int procs = 1;
    std::vector<Bytes> sizes;
    Ways ways;
    std::vector<EdgeKind> kinds{EdgeKind::message};  ///< within hosts
    std::uint64_t seed = 1;
};

/// A tree to be measured, by a name that is unique.
struct NamedTree {
    std::string name;
    Tree tree;
};

/// Trees that are measured in alternation in one job, and the library beside them.
struct Round {
    int number = 0;
    std::vector<Bytes> sizes;
    std::vector<NamedTree> trees;
    bool library = false;
    bool traced = false;
    bool last = false;  ///< its figures are those that are reported
};

/// What a round found.
struct RoundTime {
    std::string name;
    Bytes size;
    double median_ns = 0;
    std::optional<stats::Interval> range_ns = {};  ///< where it may lie: by this trees are chosen
    std::optional<stats::Interval> ci95_ns = {};   ///< its 95 % interval; none: too few values for one
    bool reliable = true;                          ///< neither disturbed nor imprecise
};
/// The latency of an edge from a rank to another, towards the root.
struct EdgeTime {
    int from = 0;
    int to = 0;
    EdgeKind kind = EdgeKind::message;
    Bytes size;
    double down_ns = 0;
};
/// How long a rank is busy with each contributor of a join that it sends the result to.
struct ServingTime {
    int rank = 0;
    Bytes size;
    double each_ns = 0;
};
struct RoundResult {
    std::int64_t run = 0;
    Hosts hosts = {};  ///< of each rank
    std::vector<RoundTime> times = {};
    std::vector<EdgeTime> edges = {};  ///< of traced rounds
    std::vector<ServingTime> serving = {};
};
/// Nothing: no more can be measured, since the time is up or somebody interrupted it.
using MeasureRound = std::function<std::optional<RoundResult>(const Round&)>;

/// Something that was measured, with what was expected of it.
struct Trial {
    int round = 0;
    std::int64_t run = 0;
    std::string name;
    Bytes size;
    std::optional<double> predicted_ns;  ///< before it was measured; none for standard shapes and the library
    double measured_ns = 0;
    std::optional<stats::Interval> ci95_ns = {};
    bool reliable = true;
    bool accepted = false;  ///< significantly faster than the best so far
};

/// The result for a size, all measured in alternation in one job.
struct BestOfSize {
    Bytes size;
    RoundTime best = {};
    std::optional<RoundTime> flat = {};
    std::optional<RoundTime> standard = {};  ///< the fastest of the standard shapes
    std::optional<RoundTime> library = {};
};

/// Neighbouring sizes with one tree.
struct SizeRange {
    Bytes first;
    Bytes last;
    NamedTree tree;
};

enum class StopReason { nothing_better, out_of_time };
constexpr std::array<std::string_view, 2> enum_names(StopReason /*unused*/) {
    return {"nothing-better", "out-of-time"};
}

struct Optimization {
    std::vector<Trial> trials;  ///< in the order of measurement
    std::vector<BestOfSize> best;
    std::vector<SizeRange> ranges;
    StopReason stop = StopReason::nothing_better;
    int sites = 1;
    Costs costs;
    double error_of_fit = 0;  ///< mean of |predicted / measured - 1| over everything measured, afterwards
    double error_of_prediction = 0;  ///< of candidates, before they were measured
    std::size_t predictions = 0;
};

/// Measures the standard shapes, learns from them what edges, ranks and hosts cost, and measures what is
/// predicted to be better beside the best so far, until nothing is.
Optimization optimize(const OptimizerSettings& settings, const MeasureRound& measure);

/// What one can buy from the ratio of two times: the low and the high end of how much faster the first is.
std::optional<stats::Interval> speedup_interval(const RoundTime& faster, const RoundTime& slower);

}  // namespace fathom::tree
