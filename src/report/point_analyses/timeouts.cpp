#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/printable.hpp"
#include "base/units.hpp"
#include "journal/json.hpp"
#include "report/json_values.hpp"
#include "report/point_analyses/point_analyses.hpp"
#include "report/sentences/point.hpp"
#include "report/table.hpp"

namespace fathom::report {
namespace {

using analysis::TimeoutClass;
using analysis::TimeoutKind;
using analysis::Timeouts;
using nlohmann::ordered_json;

/// What a class of repetitions had.
std::string meaning(const TimeoutClass& in, const Timeouts& timeouts, bool first) {
    if (in.kind == TimeoutKind::none) {
        return {};
    }
    if (in.kind == TimeoutKind::repaired) {
        return "a loss repaired before a timeout";
    }
    const auto* number = in.kind == TimeoutKind::one   ? "one"
                         : in.kind == TimeoutKind::two ? "two"
                                                       : "three or more";
    return first ? fmt::format("{} TCP retransmission timeout{} each{}", number,
                               in.kind == TimeoutKind::one ? "" : "s",
                               timeouts.certain ? "" : ", by their length")
                 : fmt::format("{} each", number);
}

}  // namespace

std::string timeouts_text(const PointSamples& samples, const Terminal& /*terminal*/,
                          const Choice& /*chosen*/) {
    const auto& timeouts = samples.point.analyses.timeouts;
    std::string text;
    std::size_t width = 0;
    for (const auto& in : timeouts.classes) {
        width = std::max(width, count_text(in.reps).size());
    }
    bool first = true;
    for (const auto& in : timeouts.classes) {
        if (in.reps == 0) {
            continue;
        }
        const auto times = in.kind == TimeoutKind::none
                               ? fmt::format("{} median", time_text(timeouts.median_ns))
                               : time_interval_text(in.from_ns, in.to_ns);
        const auto line = fmt::format("  {:>{}} {} {:<18} {}", count_text(in.reps), width,
                                      in.reps == 1 ? "repetition:  " : "repetitions: ", times,
                                      meaning(in, timeouts, first));
        text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
        first = first && (in.kind == TimeoutKind::none || in.kind == TimeoutKind::repaired);
    }
    return text + "  " + printable(conclusion(timeouts)) + "\n";
}

ordered_json timeouts_json(const PointSamples& samples) {
    const auto& timeouts = samples.point.analyses.timeouts;
    auto classes = ordered_json::array();
    for (const auto& in : timeouts.classes) {
        classes.push_back({{"timeouts", in.kind},
                           {"reps", in.reps},
                           {"share", in.share},
                           {"from_ns", in.reps > 0 ? ordered_json(in.from_ns) : ordered_json(nullptr)},
                           {"to_ns", in.reps > 0 ? ordered_json(in.to_ns) : ordered_json(nullptr)}});
    }
    auto hosts = ordered_json::object();
    for (const auto& [host, count] : timeouts.counted_on) {
        hosts[host] = count;
    }
    const bool known = timeouts.rto_ns > 0;
    return {{"status", timeouts.status},
            {"rto_ns", known ? ordered_json(timeouts.rto_ns) : ordered_json(nullptr)},
            {"rto_from", known ? ordered_json(timeouts.rto_from) : ordered_json(nullptr)},
            {"certain", timeouts.certain},
            {"classes", std::move(classes)},
            {"inferred", timeouts.inferred},
            {"counted", or_null(timeouts.counted)},
            {"counted_on", std::move(hosts)},
            {"counted_outside", or_null(timeouts.counted_outside)},
            {"probes", or_null(timeouts.probes)},
            {"mean_ns", known ? ordered_json(timeouts.mean_ns) : ordered_json(nullptr)},
            {"mean_without_ns", or_null(timeouts.mean_without_ns)},
            {"text", conclusion(timeouts)}};
}

}  // namespace fathom::report
