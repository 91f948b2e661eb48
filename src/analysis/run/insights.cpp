#include "analysis/run/insights.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "analysis/run/run_result.hpp"
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

Insight insight_of(const plan::PointKey& key, double weight, InsightFacts facts) {
    return {.key = key, .sized = true, .weight = weight, .facts = std::move(facts)};
}

/// Gives the kind of each of the facts.
struct KindOfFacts {
    InsightKind operator()(const FailedPoints& /*facts*/) const { return InsightKind::failed; }
    InsightKind operator()(const DisturbedPoints& /*facts*/) const { return InsightKind::disturbed; }
    InsightKind operator()(const Timeouts& /*facts*/) const { return InsightKind::timeouts; }
    InsightKind operator()(const SlowRepetitions& /*facts*/) const { return InsightKind::explanation; }
    InsightKind operator()(const LongTail& /*facts*/) const { return InsightKind::tails; }
    InsightKind operator()(const TwoModes& /*facts*/) const { return InsightKind::distribution; }
    InsightKind operator()(const FoundSwitch& /*facts*/) const { return InsightKind::protocol_switch; }
    InsightKind operator()(const Anomaly& anomaly) const {
        switch (anomaly.kind) {
            case AnomalyKind::hump:
                return InsightKind::hump;
            case AnomalyKind::procs:
                return InsightKind::procs;
            case AnomalyKind::jump:
                break;
        }
        return InsightKind::jump;
    }
    InsightKind operator()(const Violation& /*facts*/) const { return InsightKind::guideline; }
    InsightKind operator()(const SlowComponent& /*facts*/) const { return InsightKind::matrix; }
    InsightKind operator()(const ProtocolBoundary& /*facts*/) const { return InsightKind::overlap; }
    InsightKind operator()(const SettingComparison& /*facts*/) const { return InsightKind::setting; }
};

/// The most important of each kind and operation, which also represents the others. A cause in the operating
/// system is the same for all operations.
class Gathered {
  public:
    explicit Gathered(const std::vector<PointResult>& points) {
        for (const auto& point : points) {
            if (!point.warnings.empty()) {
                warned_.push_back(point.key);
            }
        }
    }

    void add(Insight insight) {
        insight.warned = on_warned_point(insight);
        const auto* slow = std::get_if<SlowRepetitions>(&insight.facts);
        const auto like = slow != nullptr ? Like{insight.kind(), slow->cause.kind, {}}
                                          : Like{insight.kind(), std::nullopt, insight.key.operation};
        const auto [known, is_new] = most_.try_emplace(like, insight);
        if (is_new) {
            return;
        }
        const auto more = known->second.more + 1;
        if (before(insight, known->second)) {
            known->second = std::move(insight);
        }
        known->second.more = more;
    }

    [[nodiscard]] std::vector<Insight> by_weight() && {
        std::vector<Insight> all;
        for (auto& [like, insight] : most_) {
            all.push_back(std::move(insight));
        }
        std::stable_sort(all.begin(), all.end(), before);
        return all;
    }

  private:
    static bool before(const Insight& a, const Insight& b) {
        return a.warned != b.warned ? b.warned : a.weight > b.weight;
    }
    /// Failures and disturbances are no findings that a warning makes doubtful.
    [[nodiscard]] bool on_warned_point(const Insight& insight) const {
        const auto warned = [&](const plan::PointKey& key) {
            return std::find(warned_.begin(), warned_.end(), key) != warned_.end();
        };
        const auto* anomaly = std::get_if<Anomaly>(&insight.facts);
        return insight.kind() != InsightKind::failed && insight.kind() != InsightKind::disturbed &&
               (warned(insight.key) || (anomaly != nullptr && warned(anomaly->other)));
    }

    std::vector<plan::PointKey> warned_;
    using Like = std::tuple<InsightKind, std::optional<CauseKind>, std::string>;
    std::map<Like, Insight> most_;
};

void put_timeouts(const PointResult& point, Gathered& found) {
    const auto& timeouts = point.analyses.timeouts;
    if (timeouts.status != TimeoutStatus::found) {
        return;
    }
    const double without = timeouts.mean_without_ns.value_or(timeouts.mean_ns);
    const double factor = without > 0 ? timeouts.mean_ns / without : 1;
    found.add(insight_of(point.key, factor, timeouts));
}

/// The cause that took most time, of all or of those that something can be done about; timeouts are reported
/// by their own analysis.
std::optional<SlowRepetitions> main_cause(const PointResult& point, bool remediable = false) {
    const auto& explanation = point.analyses.explanation;
    const auto cause = std::ranges::find_if(explanation.causes, [&](const auto& one) {
        return !remediable || one.kind != CauseKind::page_fault || one.major;
    });
    if (cause == explanation.causes.end() || cause->kind == CauseKind::tcp_timeout || point.reps == 0 ||
        !point.time_ns) {
        return std::nullopt;
    }
    return SlowRepetitions{
        .cause = *cause, .slow = explanation.slow, .threshold_ns = explanation.threshold_ns};
}

/// Whether a cause makes a mode: its repetitions count as slow, and most of them coincide with the cause.
bool makes(const SlowRepetitions& cause, const Mode& mode, std::int64_t reps) {
    constexpr double most_of_mode = 0.5;
    return cause.threshold_ns <= mode.at_ns &&
           static_cast<double>(cause.cause.reps) >= most_of_mode * mode.share * static_cast<double>(reps);
}

void put_explanation(const PointResult& point, Gathered& found) {
    if (const auto cause = main_cause(point, true)) {
        // A single long delay says little about the machine: repetitions count, not their length.
        const double factor = 1 + static_cast<double>(cause->cause.reps) / static_cast<double>(point.reps);
        found.add(insight_of(point.key, factor, *cause));
    }
}

void put_tails(const PointResult& point, Gathered& found) {
    constexpr double long_tail = 3;  // times the median
    if (!point.time_ns || point.time_ns->median <= 0) {
        return;
    }
    const auto& quantiles = point.analyses.counted_tails().quantiles;
    const auto p99 = std::find_if(quantiles.begin(), quantiles.end(), [](const auto& quantile) {
        return quantile.share == 0.99 && quantile.ci95_ns && quantile.value_ns;
    });
    if (p99 == quantiles.end() || p99->ci95_ns->low < long_tail * point.time_ns->median) {
        return;
    }
    const double factor = *p99->value_ns / point.time_ns->median;
    // One in a hundred repetitions is slower by this: that is what it adds to the mean.
    found.add(insight_of(point.key, 1 + (factor - 1) * (1 - p99->share),
                         LongTail{.p99_ns = *p99->value_ns, .median_ns = point.time_ns->median}));
}

/// Two modes with their cause, if one is known; true if it is: it is not told again then.
bool put_modes(const PointResult& point, Gathered& found) {
    // Where ranks count for themselves, heaps may be ranks.
    const auto& modes = point.analyses.counted_distribution().modes;
    if (modes.size() < 2 || point.over_ranks == plan::OverRanks::each) {
        return false;
    }
    const auto fast = modes.front();
    const auto slow = std::max_element(modes.begin() + 1, modes.end(),
                                       [](const auto& a, const auto& b) { return a.share < b.share; });
    const double factor = fast.at_ns > 0 ? slow->at_ns / fast.at_ns : 1;
    if (factor < insight_factor || std::min(fast.share, slow->share) < telling_share) {
        return false;
    }
    TwoModes two{.fast = fast, .slow = *slow};
    if (const auto cause = main_cause(point); cause && makes(*cause, *slow, point.reps)) {
        two.cause = cause;
    }
    const bool caused = two.cause.has_value();
    found.add(insight_of(point.key, 1 + (factor - 1) * slow->share, std::move(two)));
    return caused;
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
            // What other programs did to a point says nothing of its own distribution; what they did may be
            // told.
            const bool own = point.quality != Quality::disturbed;
            if (!own || !put_modes(point, found)) {
                put_explanation(point, found);
            }
            if (own) {
                put_tails(point, found);
            }
        }
    }
    if (!failed.empty()) {
        constexpr double first_of_all = 1e6;
        found.add(insight_of(
            failed.front()->key, first_of_all,
            FailedPoints{
                .failed = failed.size(), .of = result.points.size(), .reason = failed.front()->reason}));
    }
    constexpr double many = 0.25;
    if (static_cast<double>(disturbed) > many * static_cast<double>(result.points.size()) && disturbed > 2) {
        found.add({.key = {},
                   .sized = false,
                   .weight = insight_factor,
                   .facts = DisturbedPoints{.disturbed = disturbed, .of = result.points.size()}});
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

void put_curves(const RunResult& result, Gathered& found) {
    for (const auto& at : result.switches) {
        const double factor =
            at.found.before > 0 ? std::max(at.found.after / at.found.before, at.found.before / at.found.after)
                                : 1;
        found.add(insight_of(of_size(at.key, {at.found.first_above}), factor, at));
    }
    for (const auto& anomaly : result.scaling.anomalies) {
        if (own_way(anomaly.key.scheme) && !located(anomaly, result.switches)) {
            found.add(insight_of(anomaly.key, anomaly.factor, anomaly));
        }
    }
    for (const auto& violation : result.scaling.violations) {
        if (own_way(violation.key.scheme) && !is_hump(violation, result.scaling.anomalies)) {
            found.add(insight_of(violation.key, violation.factor, violation));
        }
    }
}

void put_survey(const RunResult& result, Gathered& found) {
    for (const auto& finding : result.slow_components.found) {
        found.add(insight_of(finding.key, finding.factor, finding));
    }
    for (const auto& boundary : result.boundaries) {
        found.add(insight_of(boundary.key,
                             1 + std::abs(boundary.availability_after - boundary.availability_before),
                             boundary));
    }
}

void put_settings(const RunResult& result, Gathered& found) {
    for (const auto& comparison : result.settings) {
        if (comparison.matters() && own_way(comparison.key.scheme)) {
            auto key = comparison.key;
            key.setting = comparison.settings[comparison.fastest].setting;
            found.add(insight_of(key, comparison.ratio(), comparison));
        }
    }
}

}  // namespace

InsightKind Insight::kind() const {
    return std::visit(KindOfFacts{}, facts);
}

std::vector<Insight> insights_of(const RunResult& result) {
    Gathered found(result.points);
    put_points(result, found);
    put_curves(result, found);
    put_survey(result, found);
    put_settings(result, found);
    return std::move(found).by_weight();
}

}  // namespace fathom::analysis
