#include "report/overlap_json.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/curves/trusted_studies.hpp"
#include "journal/json.hpp"
#include "report/point_key.hpp"
#include "report/sentences/curves.hpp"
#include "report/sentences/overlap.hpp"

namespace fathom::report {
namespace {

using analysis::Reduced;
using nlohmann::ordered_json;

/// `NAME UNIT` and `NAME_ci95 UNIT`, such as base_ns and base_ci95_ns.
void put(ordered_json& json, const std::string& name, const std::string& unit,
         const std::optional<Reduced>& figure) {
    json[name + unit] = figure ? ordered_json(figure->value) : ordered_json(nullptr);
    json[name + "_ci95" + unit] = figure && figure->ci95
                                      ? ordered_json::array({figure->ci95->low, figure->ci95->high})
                                      : ordered_json(nullptr);
}

void put_overhead(ordered_json& json, const std::string& before, const analysis::Overhead& overhead) {
    put(json, before + "overhead", "_ns", overhead.overhead_ns);
    put(json, before + "availability", "", overhead.availability);
}

ordered_json overhead_json(const analysis::Overhead& overhead) {
    ordered_json json = ordered_json::object();
    put_overhead(json, "", overhead);
    return json;
}

void put_message(ordered_json& json, const analysis::MessageOverlap& message) {
    json["rank"] = message.rank;
    put(json, "base", "_ns", message.base_ns);
    put(json, "transfer", "_ns", message.transfer_ns);
    put_overhead(json, "", message.plain);
    json["availability_against"] = message.against_transfer ? "transfer" : "base";
    put(json, "knee", "_ns", message.knee_ns);
    json["base_threshold"] = message.base_threshold;
    json["stop_threshold"] = message.stop_threshold;
    put(json, "work_alone", "_ns", message.work_alone_ns);
    json["curve"] = ordered_json::array();
    for (const auto& step : message.curve) {
        ordered_json at{{"work_ns", step.work_ns}};
        put(at, "iteration", "_ns", step.iteration_ns);
        json["curve"].push_back(std::move(at));
    }
    json["with_tests"] = nullptr;
    if (message.tests > 0) {
        ordered_json with{{"tests", message.tests}};
        put_overhead(with, "", message.with_tests);
        json["with_tests"] = std::move(with);
    }
}

ordered_json rank_json(const analysis::RankOverlap& rank) {
    ordered_json json{{"rank", rank.rank}};
    put(json, "own_time", "_ns", rank.own_time_ns);
    put(json, "time_based_overhead", "_ns", rank.time_based_overhead_ns);
    put(json, "work_based_overhead", "_ns", rank.work_based_overhead_ns);
    put(json, "availability", "", rank.availability);
    put(json, "overlap_share", "", rank.overlap_share);
    put(json, "stolen_share", "", rank.stolen_share);
    return json;
}

void put_collective(ordered_json& json, const analysis::CollectiveOverlap& collective) {
    put(json, "t_b", "_ns", collective.t_b_ns);
    json["time_based"] = overhead_json(collective.plain.time_based);
    json["work_based"] = overhead_json(collective.plain.work_based);
    put(json, "difference", "_ns", collective.plain.difference_ns);
    put(json, "stolen_share", "", collective.plain.stolen_share);
    json["intervals"] = ordered_json::array();
    for (const auto& at : collective.intervals) {
        ordered_json one{{"interval_bytes", at.interval_bytes}, {"tests", at.tests}};
        put_overhead(one, "time_based_", at.time_based);
        put_overhead(one, "work_based_", at.work_based);
        put(one, "difference", "_ns", at.difference_ns);
        put(one, "stolen_share", "", at.stolen_share);
        json["intervals"].push_back(std::move(one));
    }
    const auto* best = collective.best ? &collective.intervals[*collective.best] : nullptr;
    json["best_interval_bytes"] =
        best && best->interval_bytes > 0 ? ordered_json(best->interval_bytes) : ordered_json(nullptr);
    json["best_tests"] = best ? ordered_json(best->tests) : ordered_json(nullptr);
    json["ranks"] = ordered_json::array();
    for (const auto& rank : collective.ranks) {
        json["ranks"].push_back(rank_json(rank));
    }
}

std::string_view keyword_of(analysis::StudyDoubt doubt) {
    switch (doubt) {
        case analysis::StudyDoubt::disturbed:
            return "disturbed";
        case analysis::StudyDoubt::imprecise:
            return "imprecise";
        case analysis::StudyDoubt::out_of_range:
            break;
    }
    return "out-of-range";
}

ordered_json boundary_json(const analysis::ProtocolBoundary& at) {
    return with_curve_key(at.key, {{"kind", "protocol-boundary"},
                                   {"below_bytes", at.below.count},
                                   {"above_bytes", at.above.count},
                                   {"time_before_ns", at.time_before_ns},
                                   {"time_after_ns", at.time_after_ns},
                                   {"overhead_before_ns", at.overhead_before_ns},
                                   {"overhead_after_ns", at.overhead_after_ns},
                                   {"availability_before", at.availability_before},
                                   {"availability_after", at.availability_after},
                                   {"text", sentence(at)}});
}

ordered_json loggp_json(const analysis::LogGp& parameters) {
    ordered_json json{{"procs", parameters.procs}, {"reason", reason_of(parameters)}};
    json["ranges"] = ordered_json::array();
    for (const auto& range : parameters.ranges) {
        ordered_json one{{"from_bytes", range.from.count}, {"to_bytes", range.to.count}};
        put(one, "L", "_ns", range.latency_ns);
        put(one, "o_s", "_ns", range.send_overhead_ns);
        put(one, "o_r", "_ns", range.receive_overhead_ns);
        put(one, "g", "_ns", range.gap_ns);
        put(one, "G", "_ns_per_byte", range.gap_per_byte_ns);
        one["reason"] = reason_of(range);
        json["ranges"].push_back(std::move(one));
    }
    return json;
}

}  // namespace

ordered_json overlap_json(const analysis::PointResult& point) {
    const auto& overlap = *point.overlap;
    ordered_json json = ordered_json::object();
    if (overlap.message) {
        put_message(json, *overlap.message);
    }
    if (overlap.collective) {
        put_collective(json, *overlap.collective);
    }
    std::vector<std::string> reasons;
    for (const auto& reason : overlap.reasons) {
        reasons.push_back(sentence(reason));
    }
    json["reason"] = fmt::format("{}", fmt::join(reasons, "; "));
    const auto doubt = analysis::doubt_of(point);
    json["doubt"] = doubt ? ordered_json(keyword_of(*doubt)) : ordered_json(nullptr);
    json["verdict"] = progress_sentence(point);
    return json;
}

void put_overlap_of_run(ordered_json& json, const analysis::RunResult& result) {
    const bool studied = std::any_of(result.points.begin(), result.points.end(),
                                     [](const auto& point) { return point.overlap.has_value(); });
    if (!studied) {
        return;
    }
    json["loggp"] = ordered_json::array();
    for (const auto& parameters : result.loggp) {
        json["loggp"].push_back(loggp_json(parameters));
    }
    json["overlap_findings"] = ordered_json::array();
    for (const auto& boundary : result.boundaries) {
        json["overlap_findings"].push_back(boundary_json(boundary));
    }
}

}  // namespace fathom::report
