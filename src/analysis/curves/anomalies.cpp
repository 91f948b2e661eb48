#include "analysis/curves/anomalies.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <boost/math/distributions/normal.hpp>

#include "plan/operations.hpp"
#include "stats/change_points/change_points.hpp"
#include "stats/comparison/multiple_tests.hpp"

namespace fathom::analysis {
namespace {

/// A step up by less is what any change of protocol makes.
constexpr double telling_jump = 1.25;
/// Between sizes further apart, a step cannot be distinguished from growth.
constexpr std::int64_t near_sizes = 4;

Anomaly anomaly_of(AnomalyKind kind, const TimedPoint& slow, const TimedPoint& other) {
    Anomaly anomaly;
    anomaly.kind = kind;
    anomaly.key = slow.point->key;
    anomaly.other = other.point->key;
    anomaly.time_ns = slow.time_ns;
    anomaly.other_ns = other.time_ns;
    anomaly.factor = other.time_ns > 0 ? slow.time_ns / other.time_ns : 1;
    return anomaly;
}

/// Everything that was tested, with p values corrected together.
struct Looked {
    std::vector<Anomaly> anomalies;
    std::vector<double> p_values;

    void add(Anomaly anomaly, double p_value) {
        anomalies.push_back(std::move(anomaly));
        p_values.push_back(p_value);
    }
};

/// Every size against the fastest of all larger ones.
void look_for_humps(Looked& looked, const SizeCurve& curve) {
    const auto& points = curve.points;
    for (std::size_t i = 0; i + 1 < points.size(); ++i) {
        const auto fastest =
            std::min_element(points.begin() + static_cast<std::ptrdiff_t>(i) + 1, points.end(),
                             [](const auto& a, const auto& b) { return a.time_ns < b.time_ns; });
        auto hump = anomaly_of(AnomalyKind::hump, points[i], *fastest);
        // It was chosen among all larger ones.
        const auto choice = static_cast<double>(points.size() - 1 - i);
        const double p_value =
            choice * p_exceeds(points[i].time_ns, points[i].error_ns, fastest->time_ns, fastest->error_ns);
        looked.add(std::move(hump), std::min(1.0, p_value));
    }
}

/// Whether more processes mean more work: not if they share a total or a fixed problem.
bool grows_with_procs(const PointResult& point) {
    const auto group = plan::find_operation(point.key.operation).group;
    return point.size_as != plan::SizeAs::total &&
           (group == plan::Group::collective || group == plan::Group::pattern);
}

/// Each number of processes against that larger one which is fastest.
void look_at_procs(Looked& looked, const std::vector<SizeCurve>& curves) {
    std::map<PointKey, std::map<int, const TimedPoint*>> by_procs;
    for (const auto& curve : curves) {
        for (const auto& at : curve.points) {
            if (grows_with_procs(*at.point) && curve.key.procs > 1) {
                by_procs[of_procs(at.point->key, 0)][curve.key.procs] = &at;
            }
        }
    }
    for (const auto& [key, points] : by_procs) {
        for (auto fewer = points.begin(); fewer != points.end() && std::next(fewer) != points.end();
             ++fewer) {
            const auto fastest = std::min_element(
                std::next(fewer), points.end(),
                [](const auto& a, const auto& b) { return a.second->time_ns < b.second->time_ns; });
            const auto& slow = *fewer->second;
            const auto& other = *fastest->second;
            auto found = anomaly_of(AnomalyKind::procs, slow, other);
            const auto choice = static_cast<double>(std::distance(fewer, points.end()) - 1);
            looked.add(std::move(found), std::min(1.0, choice * p_exceeds(slow.time_ns, slow.error_ns,
                                                                          other.time_ns, other.error_ns)));
        }
    }
}

/// Steps up between neighbouring sizes, beyond what the surrounding sizes suggest.
void look_for_jumps(Looked& looked, const SizeCurve& curve, bool simulated) {
    std::vector<stats::CurvePoint> points;
    std::map<std::int64_t, const TimedPoint*> by_size;
    for (const auto& at : curve.points) {
        const auto interval = stats::median_bounds(*at.point->time_ns);
        const stats::CurvePoint point{.x = at.point->key.size.count,
                                      .median = at.time_ns,
                                      .low = interval ? interval->low : at.time_ns,
                                      .high = interval ? interval->high : at.time_ns};
        points.push_back(stats::with_scatter(point, simulated ? 0 : stats::point_scatter));
        by_size[point.x] = &at;
    }
    for (const auto& found : stats::find_change_points(points)) {
        const bool near = found.first_above <= near_sizes * std::max<std::int64_t>(1, found.last_below);
        if (!found.jump || !near || found.before <= 0 || found.after < telling_jump * found.before) {
            continue;
        }
        auto jump =
            anomaly_of(AnomalyKind::jump, *by_size.at(found.first_above), *by_size.at(found.last_below));
        jump.factor = found.after / found.before;
        looked.add(std::move(jump),
                   boost::math::cdf(boost::math::complement(boost::math::normal(), found.significance)));
    }
}

/// One per fastest point, over sizes or process counts: the slowest of those it beats.
void leave_one_a_hump(std::vector<Anomaly>& anomalies) {
    std::vector<Anomaly> left;
    for (auto& anomaly : anomalies) {
        const auto same = std::find_if(left.begin(), left.end(), [&](const Anomaly& other) {
            return anomaly.kind != AnomalyKind::jump && other.kind == anomaly.kind &&
                   other.other == anomaly.other;
        });
        if (same == left.end()) {
            left.push_back(std::move(anomaly));
        } else if (anomaly.factor > same->factor) {
            *same = std::move(anomaly);
        }
    }
    anomalies = std::move(left);
}

}  // namespace

void put_anomalies(Scaling& scaling, const std::vector<SizeCurve>& curves, bool simulated) {
    Looked looked;
    for (const auto& curve : curves) {
        // A single process takes a few clock steps and sends no message.
        if (!plan::find_operation(curve.key.operation).sized || curve.points.size() < 2 ||
            curve.key.procs < 2) {
            continue;
        }
        scaling.curves_looked_at.push_back(curve.key);
        look_for_humps(looked, curve);
        look_for_jumps(looked, curve, simulated);
    }
    look_at_procs(looked, curves);
    const auto corrected = stats::holm(looked.p_values);
    for (std::size_t i = 0; i < corrected.size(); ++i) {
        auto& anomaly = looked.anomalies[i];
        anomaly.p_value = corrected[i];
        if (corrected[i] < stats::significance_level && anomaly.factor >= telling_factor) {
            scaling.anomalies.push_back(std::move(anomaly));
        }
    }
    leave_one_a_hump(scaling.anomalies);
    std::stable_sort(scaling.anomalies.begin(), scaling.anomalies.end(),
                     [](const auto& a, const auto& b) { return a.factor > b.factor; });
}

}  // namespace fathom::analysis
