#include "analysis/run/insights.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "analysis/curves/guidelines.hpp"
#include "analysis/run/run_result.hpp"
#include "base/text.hpp"
#include "plan/schemes.hpp"

namespace fathom::analysis {
namespace {

/// Thresholds above which something is reported.
constexpr double insight_factor = 1.2;
constexpr double telling_share = 0.01;

/// Not by the scheme of another benchmark.
bool own_way(const std::string& scheme) {
    return scheme.empty() || scheme == plan::own_scheme;
}

Insight about(const PointResult& point, InsightKind kind, double weight, std::string text) {
    return {.kind = kind,
            .key = point.key,
            .sized = true,
            .weight = weight,
            .text = std::move(text),
            .remedy = {}};
}

/// From an analysis that has described it in a sentence.
template <typename Finding>
Insight insight_from(InsightKind kind, const Finding& finding, double weight) {
    return {.kind = kind,
            .key = finding.key,
            .sized = true,
            .weight = weight,
            .text = finding.text,
            .remedy = {}};
}

/// The most important of each kind and operation, which also represents the others.
class Gathered {
  public:
    void add(Insight insight) {
        const auto operation = insight.key.operation;
        add(std::move(insight), operation);
    }
    /// The same for kinds that do not depend on the operation.
    void add(Insight insight, const std::string& of_a_kind) {
        auto& known = by_kind_[{insight.kind, of_a_kind}];
        ++known.count;
        if (known.count == 1 || insight.weight > known.most.weight) {
            known.most = std::move(insight);
        }
    }

    [[nodiscard]] std::vector<Insight> by_weight() && {
        std::vector<Insight> all;
        for (auto& [key, known] : by_kind_) {
            if (known.count > 1) {
                known.most.text += fmt::format(" (and {} more like this)", known.count - 1);
            }
            all.push_back(std::move(known.most));
        }
        std::stable_sort(all.begin(), all.end(),
                         [](const auto& a, const auto& b) { return a.weight > b.weight; });
        return all;
    }

  private:
    struct Known {
        int count = 0;
        Insight most;
    };
    std::map<std::pair<InsightKind, std::string>, Known> by_kind_;
};

void put_timeouts(const PointResult& point, Gathered& found) {
    const auto& timeouts = point.analyses.timeouts;
    if (timeouts.status != TimeoutStatus::found) {
        return;
    }
    const double without = timeouts.mean_without_ns.value_or(timeouts.mean_ns);
    const double factor = without > 0 ? timeouts.mean_ns / without : 1;
    auto text = fmt::format("{}: {}", to_text(point.key), timeouts.text);
    text.pop_back();  // its full stop
    auto insight = about(point, InsightKind::timeouts, factor, std::move(text));
    insight.remedy =
        "look for the link or switch that drops packets (ethtool -S, switch counters), or lower the load on "
        "it";
    found.add(std::move(insight));
}

void put_explanation(const PointResult& point, Gathered& found) {
    const auto& explanation = point.analyses.explanation;
    if (explanation.causes.empty() || point.reps == 0 || !point.time_ns) {
        return;
    }
    const auto& cause = explanation.causes.front();
    if (cause.kind == CauseKind::tcp_timeout) {
        return;  // reported by its own analysis
    }
    // A single long delay says little about the machine: repetitions count, not their length.
    const double factor = 1 + static_cast<double>(cause.reps) / static_cast<double>(point.reps);
    auto insight =
        about(point, InsightKind::explanation, factor, fmt::format("{}: {}", to_text(point.key), cause.text));
    if (cause.kind == CauseKind::preempted) {
        insight.remedy = "keep other programs off these processors; 'fathom doctor' checks the machine";
    } else if (cause.kind == CauseKind::migration) {
        insight.remedy = "bind processes to processors (--bind-to core)";
    }
    found.add(std::move(insight), std::string(to_text(cause.kind)));
}

void put_tails(const PointResult& point, Gathered& found) {
    constexpr double long_tail = 3;  // times the median
    if (!point.time_ns || point.time_ns->median <= 0) {
        return;
    }
    const auto& quantiles = point.analyses.tails.quantiles;
    const auto p99 = std::find_if(quantiles.begin(), quantiles.end(), [](const auto& quantile) {
        return quantile.share == 0.99 && quantile.ci95_ns && quantile.value_ns;
    });
    if (p99 == quantiles.end() || p99->ci95_ns->low < long_tail * point.time_ns->median) {
        return;
    }
    const double factor = *p99->value_ns / point.time_ns->median;
    // One in a hundred repetitions is slower by this: that is what it adds to the mean.
    found.add(about(point, InsightKind::tails, 1 + (factor - 1) * (1 - p99->share),
                    fmt::format("{}: one repetition in 100 takes {} or more, {:.1f} times the median of {}",
                                to_text(point.key), time_text(*p99->value_ns), factor,
                                time_text(point.time_ns->median))));
}

void put_modes(const PointResult& point, Gathered& found) {
    // Where ranks count for themselves, heaps may be ranks.
    const auto& modes = point.analyses.distribution.modes;
    if (modes.size() < 2 || point.over_ranks == plan::OverRanks::each) {
        return;
    }
    const auto fast = modes.front();
    const auto slow = std::max_element(modes.begin() + 1, modes.end(),
                                       [](const auto& a, const auto& b) { return a.share < b.share; });
    const double factor = fast.at_ns > 0 ? slow->at_ns / fast.at_ns : 1;
    if (factor < insight_factor || std::min(fast.share, slow->share) < telling_share) {
        return;
    }
    found.add(about(point, InsightKind::distribution, 1 + (factor - 1) * slow->share,
                    fmt::format("{} takes {} in {:.0f} % of the repetitions and {} in {:.0f} %: two code "
                                "paths, or two states of the machine",
                                to_text(point.key), time_text(fast.at_ns), 100 * fast.share,
                                time_text(slow->at_ns), 100 * slow->share)));
}

void put_points(const RunResult& result, Gathered& found) {
    std::vector<const PointResult*> failed;
    std::size_t disturbed = 0;
    for (const auto& point : result.points) {
        if (point.status == PointStatus::failed) {
            failed.push_back(&point);
        }
        disturbed += point.disturbed() ? std::size_t{1} : 0;
        // Other benchmarks' schemes are looked at on purpose.
        if (own_way(point.key.scheme)) {
            put_timeouts(point, found);
            put_explanation(point, found);
            put_tails(point, found);
            put_modes(point, found);
        }
    }
    if (!failed.empty()) {
        constexpr double first_of_all = 1e6;
        found.add(
            about(*failed.front(), InsightKind::failed, first_of_all,
                  fmt::format("{} of {} points failed, first {}: {}", failed.size(), result.points.size(),
                              to_text(failed.front()->key), failed.front()->reason)));
    }
    constexpr double many = 0.25;
    if (static_cast<double>(disturbed) > many * static_cast<double>(result.points.size()) && disturbed > 2) {
        found.add(
            {.kind = InsightKind::disturbed,
             .key = {},
             .sized = false,
             .weight = insight_factor,
             .text = fmt::format("Other programs used the processors while {} of {} points were measured",
                                 disturbed, result.points.size()),
             .remedy =
                 "wait until other programs have finished, or request whole nodes from the batch system"});
    }
}

/// Whether a switch that was located says the same.
bool located(const Anomaly& jump, const std::vector<FoundSwitch>& switches) {
    return jump.kind == AnomalyKind::jump &&
           std::any_of(switches.begin(), switches.end(), [&](const auto& at) {
               return at.key == of_size(jump.key, {}) && jump.other.size.count <= at.found.last_below &&
                      at.found.first_above <= jump.key.size.count;
           });
}

/// Whether a hump says the same: a smaller message that takes longer than one of twice its size.
bool is_hump(const Violation& violation, const std::vector<Anomaly>& anomalies) {
    return violation.of_larger && std::any_of(anomalies.begin(), anomalies.end(), [&](const auto& anomaly) {
               return anomaly.kind == AnomalyKind::hump &&
                      of_size(anomaly.key, {}) == of_size(violation.key, {});
           });
}

InsightKind kind_of(AnomalyKind kind) {
    switch (kind) {
        case AnomalyKind::hump:
            return InsightKind::hump;
        case AnomalyKind::procs:
            return InsightKind::procs;
        case AnomalyKind::jump:
            return InsightKind::jump;
    }
    return InsightKind::jump;
}

void put_curves(const RunResult& result, Gathered& found) {
    for (const auto& at : result.switches) {
        const double factor =
            at.found.before > 0 ? std::max(at.found.after / at.found.before, at.found.before / at.found.after)
                                : 1;
        found.add({.kind = InsightKind::protocol_switch,
                   .key = of_size(at.key, {at.found.first_above}),
                   .sized = true,
                   .weight = factor,
                   .text = switch_sentence(at),
                   .remedy = {}});
    }
    for (const auto& anomaly : result.scaling.anomalies) {
        if (own_way(anomaly.key.scheme) && !located(anomaly, result.switches)) {
            found.add(insight_from(kind_of(anomaly.kind), anomaly, anomaly.factor));
        }
    }
    for (const auto& violation : result.scaling.violations) {
        if (own_way(violation.key.scheme) && !is_hump(violation, result.scaling.anomalies)) {
            found.add(insight_from(InsightKind::guideline, violation, violation.factor));
        }
    }
}

void put_survey(const RunResult& result, Gathered& found) {
    for (const auto& finding : result.slow_components.found) {
        found.add({.kind = InsightKind::matrix,
                   .key = finding.key,
                   .sized = true,
                   .weight = finding.factor,
                   .text = finding.text,
                   .remedy = {}});
    }
    for (const auto& boundary : result.boundaries) {
        found.add(insight_from(InsightKind::overlap, boundary,
                               1 + std::abs(boundary.availability_after - boundary.availability_before)));
    }
}

}  // namespace

std::vector<Insight> insights_of(const RunResult& result) {
    Gathered found;
    put_points(result, found);
    put_curves(result, found);
    put_survey(result, found);
    return std::move(found).by_weight();
}

}  // namespace fathom::analysis
