#include "tree/analysis/outliers.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "analysis/samples/coincidence.hpp"
#include "stats/binomial.hpp"
#include "stats/mean.hpp"
#include "stats/quantile.hpp"

namespace fathom::tree {
namespace {

/// Of the tree's median time: a stage must exceed its usual time by this for a call to notice.
constexpr double least_delay = 0.1;

/// Above which a time of a stage is an outlier.
double outlier_threshold(const std::vector<double>& series, double tree_ns) {
    return std::max(analysis::slow_threshold(series), stats::median_of(series) + least_delay * tree_ns);
}

bool has_counted(const journal::Counts& counted, CountedKind kind) {
    switch (kind) {
        case CountedKind::preempted:
            return counted.preempted > 0 || counted.waited_ns > 0;
        case CountedKind::migrated:
            return counted.migrations > 0;
        case CountedKind::major_fault:
            return counted.major_faults > 0;
        case CountedKind::tcp_timeout:
            return counted.tcp_timeouts > 0;
        case CountedKind::tcp_retransmit:
            return counted.tcp_retransmits > 0;
    }
    return false;
}

bool of_network(CountedKind kind) {
    return kind == CountedKind::tcp_timeout || kind == CountedKind::tcp_retransmit;
}

/// Finds what was counted at some time. The stretches of a rank follow each other.
class CountedWindows {
  public:
    explicit CountedWindows(const analysis::Evidence& evidence) : hosts_(evidence.hosts) {
        for (const auto& window : evidence.windows) {
            windows_[{window.when.start, window.rank}].push_back(&window);
        }
    }

    [[nodiscard]] bool counted(int launch, const std::vector<int>& ranks, const StageTimes::Span& span,
                               CountedKind kind) const {
        return std::ranges::any_of(ranks, [&](int rank) {
            return at(launch, rank, span, kind) || (of_network(kind) && on_host_of(launch, rank, span, kind));
        });
    }

  private:
    [[nodiscard]] bool at(int launch, int rank, const StageTimes::Span& span, CountedKind kind) const {
        const auto found = windows_.find({launch, rank});
        if (found == windows_.end()) {
            return false;
        }
        const auto& windows = found->second;
        auto window = std::partition_point(windows.begin(), windows.end(), [&](const auto* one) {
            return one->when.end.count <= span.from_ns;
        });
        for (; window != windows.end() && (*window)->when.begin.count < span.to_ns; ++window) {
            if (has_counted((*window)->counts, kind)) {
                return true;
            }
        }
        return false;
    }

    /// One rank of a host reads for its network.
    [[nodiscard]] bool on_host_of(int launch, int rank, const StageTimes::Span& span,
                                  CountedKind kind) const {
        const auto host = hosts_.find(rank);
        return host != hosts_.end() && std::ranges::any_of(hosts_, [&](const auto& other) {
                   return other.first != rank && other.second == host->second &&
                          at(launch, other.first, span, kind);
               });
    }

    const std::map<int, std::string>& hosts_;
    std::map<std::pair<int, int>, std::vector<const analysis::EvidenceWindow*>> windows_;
};

/// What was counted at outliers of a stage and not as often otherwise.
std::vector<CountedCause> causes_of(const StageTimes& times, const StageOutliers& found,
                                    const CountedWindows& windows) {
    constexpr double false_alarms = 1e-3;
    const auto ranks = ranks_of(times.index(), found.stage);
    std::vector<CountedCause> causes;
    for (const auto kind : values_of<CountedKind>) {
        std::size_t at_outliers = 0;
        std::size_t otherwise = 0;
        for (std::size_t call = 0; call < times.size(); ++call) {
            const auto span = times.span(call, found.stage);
            if (span && windows.counted(times.calls().calls[call].launch, ranks, *span, kind)) {
                const bool outlier = static_cast<double>(span->to_ns - span->from_ns) > found.threshold_ns;
                ++(outlier ? at_outliers : otherwise);
            }
        }
        if (at_outliers == 0) {
            continue;
        }
        const auto others = static_cast<double>(found.calls - found.outliers);
        // Laplace's estimate: what was never seen otherwise may happen nevertheless.
        const double chance = (static_cast<double>(otherwise) + 1) / (others + 2);
        const double rate = static_cast<double>(at_outliers) / static_cast<double>(found.outliers);
        const double p_value = stats::binomial_tail(rate, chance, static_cast<double>(found.outliers));
        if (p_value < false_alarms) {
            causes.push_back({.kind = kind,
                              .outliers = at_outliers,
                              .usual_share = others > 0 ? static_cast<double>(otherwise) / others : 0,
                              .p_value = p_value});
        }
    }
    std::stable_sort(causes.begin(), causes.end(),
                     [](const auto& a, const auto& b) { return a.outliers > b.outliers; });
    return causes;
}

/// The outliers of one stage; nothing if it has none.
std::optional<StageOutliers> outliers_of(const StageTimes& times, const Stage& stage, double tree_ns) {
    const auto series = times.series(stage);
    if (series.empty()) {
        return std::nullopt;
    }
    StageOutliers found{.stage = stage, .calls = series.size()};
    found.usual_ns = stats::median_of(series);
    found.threshold_ns = outlier_threshold(series, tree_ns);
    std::vector<double> slow;
    std::vector<double> others;
    for (std::size_t call = 0; call < times.size(); ++call) {
        const auto time = times.time(call, stage);
        if (!time) {
            continue;
        }
        const auto ns = static_cast<double>(*time);
        (ns > found.threshold_ns ? slow : others).push_back(ns);
        if (ns > found.threshold_ns && ns > found.worst_ns) {
            found.worst_ns = ns;
            found.worst_launch = times.calls().calls[call].launch;
            found.worst_call = times.calls().calls[call].number;
        }
    }
    if (slow.empty()) {
        return std::nullopt;
    }
    found.outliers = slow.size();
    found.mean_ns = stats::mean(slow);
    if (found.usual_ns > 0) {
        found.times_usual = found.mean_ns / found.usual_ns;
    }
    const double without = others.empty() ? 0 : stats::mean(others);
    found.slowdown = without > 0 ? stats::mean(series) / without : 1;
    found.lost_ns = (found.mean_ns - found.usual_ns) * static_cast<double>(found.outliers) /
                    static_cast<double>(found.calls);
    return found;
}

std::vector<Stage> stages_that_delay(const StageTimes& times) {
    auto stages = all_stages(times.index(), times.calls().down, times.calls().up);
    std::erase_if(stages, [](const Stage& stage) { return stage.kind == StageKind::arrival_wait; });
    return stages;
}

/// When something was disturbed, by launch, in the order of time.
using DisturbedMoments = std::map<int, std::set<std::int64_t>>;

/// A call of a launch that ended at some time.
struct CallEnds {
    std::map<int, std::vector<std::int64_t>> by_launch;

    /// From one call to the next, in the middle.
    [[nodiscard]] double spacing(int launch) const {
        const auto& ends = by_launch.at(launch);
        std::vector<double> steps;
        for (std::size_t i = 1; i < ends.size(); ++i) {
            steps.push_back(static_cast<double>(ends[i] - ends[i - 1]));
        }
        return steps.empty() ? 0 : stats::median_of(std::move(steps));
    }
    [[nodiscard]] double observed(int launch) const {
        const auto& ends = by_launch.at(launch);
        return static_cast<double>(ends.back() - ends.front());
    }
};

/// When a call ended at the root, which all of them have.
std::int64_t end_of_call(const StageTimes& times, std::size_t call) {
    const auto& root = times.calls().at(call, times.index().root(), End::own);
    return times.calls().up ? root.up_ns : root.down_ns;
}

/// Neighbours that one disturbance may have touched count once.
std::vector<double> separate_events(const std::set<std::int64_t>& moments, double spacing) {
    constexpr double neighbours = 2.5;  // calls
    std::vector<double> events;
    double last = 0;
    for (const auto moment : moments) {
        const auto at = static_cast<double>(moment - *moments.begin());
        if (events.empty() || at - last > neighbours * spacing) {
            events.push_back(at);
        }
        last = at;
    }
    return events;
}

/// The clearest period of some moments over all launches.
std::optional<PeriodicDisturbance> clearest_period(const DisturbedMoments& disturbed, const CallEnds& ends) {
    std::optional<PeriodicDisturbance> found;
    for (const auto& [launch, moments] : disturbed) {
        const double spacing = ends.spacing(launch);
        const auto events = separate_events(moments, spacing);
        const auto period = stats::period_of(events, ends.observed(launch), spacing);
        if (period && (!found || period->p_value < found->period.p_value)) {
            found =
                PeriodicDisturbance{.rank = {}, .launch = launch, .events = events.size(), .period = *period};
        }
    }
    return found;
}

}  // namespace

std::vector<StageOutliers> stage_outliers(const StageTimes& times, const PathTimes& paths,
                                          const analysis::Evidence* evidence) {
    if (paths.tree_ns.empty()) {
        return {};
    }
    const double tree_ns = stats::median_of(paths.tree_ns);
    std::vector<StageOutliers> found;
    for (const auto& stage : stages_that_delay(times)) {
        if (auto outliers = outliers_of(times, stage, tree_ns)) {
            found.push_back(std::move(*outliers));
        }
    }
    if (evidence != nullptr && evidence->counted) {
        const CountedWindows windows(*evidence);
        for (auto& outliers : found) {
            outliers.causes = causes_of(times, outliers, windows);
        }
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const auto& a, const auto& b) { return a.lost_ns > b.lost_ns; });
    return found;
}

std::vector<PeriodicDisturbance> periodic_disturbances(const StageTimes& times, const PathTimes& paths) {
    if (paths.tree_ns.empty()) {
        return {};
    }
    const double tree_ns = stats::median_of(paths.tree_ns);
    const double slow = analysis::slow_threshold(paths.tree_ns);
    CallEnds ends;
    DisturbedMoments of_calls;
    for (std::size_t i = 0; i < times.complete().size(); ++i) {
        const auto call = times.complete()[i];
        const int launch = times.calls().calls[call].launch;
        ends.by_launch[launch].push_back(end_of_call(times, call));
        if (paths.tree_ns[i] > slow) {
            of_calls[launch].insert(end_of_call(times, call));
        }
    }
    std::map<int, DisturbedMoments> of_ranks;
    for (const auto& stage : stages_that_delay(times)) {
        const auto series = times.series(stage);
        if (series.empty()) {
            continue;
        }
        const double threshold = outlier_threshold(series, tree_ns);
        for (const auto call : times.complete()) {
            const auto time = times.time(call, stage);
            if (time && static_cast<double>(*time) > threshold) {
                for (const int rank : ranks_of(times.index(), stage)) {
                    of_ranks[rank][times.calls().calls[call].launch].insert(end_of_call(times, call));
                }
            }
        }
    }
    constexpr double false_alarms = 1e-3;
    const auto tests = static_cast<double>(of_ranks.size() + 1);
    std::vector<PeriodicDisturbance> found;
    const auto take = [&](std::optional<PeriodicDisturbance> period, std::optional<int> rank) {
        if (period && period->period.p_value * tests < false_alarms) {
            period->rank = rank;
            found.push_back(*period);
        }
    };
    for (const auto& [rank, disturbed] : of_ranks) {
        take(clearest_period(disturbed, ends), rank);
    }
    if (found.empty()) {
        take(clearest_period(of_calls, ends), std::nullopt);
    }
    return found;
}

}  // namespace fathom::tree
