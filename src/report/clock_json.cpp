#include "report/clock_json.hpp"

#include <algorithm>

#include "journal/json.hpp"

namespace fathom::report {
namespace {

using nlohmann::ordered_json;

ordered_json head_json(const char* schema, const ClockHead& head) {
    ordered_json json{{"schema", schema},
                      {"mpi", head.mpi},
                      {"procs", head.hosts.size()},
                      {"time_source", head.source},
                      {"clock", head.description}};
    json["hosts"] = ordered_json::array();
    for (const auto& [rank, host] : head.hosts) {
        json["hosts"].push_back(host);
    }
    return json;
}

ordered_json summary_json(const stats::Summary& summary) {
    return {{"count", summary.count},  {"min_ns", summary.min}, {"median_ns", summary.median},
            {"mean_ns", summary.mean}, {"p99_ns", summary.p99}, {"max_ns", summary.max}};
}

/// What was found with one number of processes.
void add_sync(ordered_json& json, const analysis::SyncStudy& study) {
    json["scheme"] = study.scheme;
    json["repeats"] = ordered_json::array();
    for (const auto& repeat : study.repeats) {
        ordered_json one{{"cost_ns", repeat.cost_ns}, {"pings", repeat.pings}};
        one["ranks"] = ordered_json::array();
        for (const auto& rank : repeat.ranks) {
            const auto drift = std::find_if(study.ranks.begin(), study.ranks.end(),
                                            [&](const auto& other) { return other.rank == rank.rank; });
            one["ranks"].push_back({{"rank", rank.rank},
                                    {"host", rank.host},
                                    {"offset_ns", rank.offset_ns},
                                    {"bound_ns", rank.bound_ns},
                                    {"drift_ppm", drift->drift_ppm},
                                    {"drift_error_ppm", drift->drift_error_ppm},
                                    {"round_trip_ns", rank.round_trip_ns},
                                    {"pings", rank.pings},
                                    {"shared", rank.shared}});
        }
        json["repeats"].push_back(std::move(one));
    }
    json["ranks"] = ordered_json::array();
    for (const auto& rank : study.ranks) {
        json["ranks"].push_back({{"rank", rank.rank},
                                 {"drift_ppm", rank.drift_ppm},
                                 {"drift_error_ppm", rank.drift_error_ppm},
                                 {"steady", rank.steady},
                                 {"offset_spread_ns", rank.detrended_ns.max - rank.detrended_ns.min}});
    }
}

}  // namespace

ordered_json clock_sync_json(const ClockHead& head, const analysis::SyncStudy& study) {
    auto json = head_json("fathom.clock/1", head);
    add_sync(json, study);
    return json;
}

ordered_json clock_cost_json(const std::vector<SyncOfProcs>& counts) {
    auto json = clock_sync_json(counts.back().head, counts.back().study);
    json["by_procs"] = ordered_json::array();
    for (const auto& [head, study] : counts) {
        ordered_json one{{"procs", head.hosts.size()}};
        if (const auto cost = analysis::sync_cost(study)) {
            one["cost_median_ns"] = cost->cost_ns.median;
            one["cost_min_ns"] = cost->cost_ns.min;
            one["cost_max_ns"] = cost->cost_ns.max;
            one["bound_max_ns"] = cost->bound_ns;
        }
        add_sync(one, study);
        json["by_procs"].push_back(std::move(one));
    }
    return json;
}

ordered_json clock_drift_json(const ClockHead& head, const std::vector<analysis::PairDrift>& pairs) {
    auto json = head_json("fathom.clock-drift/1", head);
    json["pairs"] = ordered_json::array();
    for (const auto& pair : pairs) {
        ordered_json one{{"rank", pair.answering}, {"against", pair.asking}, {"steady", pair.steady}};
        const auto& fit = pair.fit;
        one["drift_ppm"] = fit ? ordered_json(fit->slope_ppm()) : ordered_json(nullptr);
        one["drift_error_ppm"] = fit ? ordered_json(fit->slope_error_ppm()) : ordered_json(nullptr);
        one["residual_ns"] = fit ? ordered_json(fit->residual_ns) : ordered_json(nullptr);
        one["offsets"] = ordered_json::array();
        for (const auto& link : pair.offsets) {
            ordered_json offset{{"time_ns", (link.at - pair.offsets.front().at).count},
                                {"offset_ns", link.offset.count},
                                {"bound_ns", link.bound().count}};
            if (fit) {
                offset["residual_ns"] = fit->rest_of(link);
            }
            one["offsets"].push_back(std::move(offset));
        }
        one["round_trip"] = summary_json(pair.round_trips);
        one["round_trip_histogram"] = {{"low_ns", pair.histogram.low},
                                       {"bin_width_ns", pair.histogram.width},
                                       {"counts", pair.histogram.counts},
                                       {"above", pair.histogram.above}};
        json["pairs"].push_back(std::move(one));
    }
    return json;
}

ordered_json clock_quality_json(const ClockHead& head, const analysis::QualityStudy& study) {
    auto json = head_json("fathom.clock-quality/1", head);
    json["rank"] = study.answering;
    json["against"] = study.asking;
    json["round_trip"] = summary_json(study.round_trips);
    json["patience"] = ordered_json::array();
    for (const auto& result : study.results) {
        json["patience"].push_back({{"patience", result.patience},
                                    {"quality_percent", result.excess_percent},
                                    {"quality_ns", result.excess_ns},
                                    {"cost_pings", result.pings}});
    }
    json["recommended_patience"] = study.recommended;
    return json;
}

ordered_json check_moments_json(const std::vector<analysis::CheckMoment>& moments) {
    auto json = ordered_json::array();
    for (const auto& moment : moments) {
        json.push_back({{"after_ns", moment.after_ns},
                        {"events", moment.events},
                        {"start_skew_median_ns", moment.skew_median_ns},
                        {"start_skew_max_ns", moment.skew_max_ns},
                        {"start_skew_bound_ns", moment.skew_bound_ns},
                        {"clock_error_max_ns", moment.error_max_ns},
                        {"worst_rank", moment.worst_rank},
                        {"claimed_ns", moment.claimed_ns},
                        {"verified_to_ns", moment.verified_to_ns},
                        {"holds", moment.holds}});
    }
    return json;
}

ordered_json clock_check_json(const ClockHead& head, const std::vector<analysis::CheckMoment>& moments) {
    auto json = head_json("fathom.clock-check/1", head);
    json["moments"] = check_moments_json(moments);
    json["holds"] =
        std::all_of(moments.begin(), moments.end(), [](const auto& moment) { return moment.holds; });
    return json;
}

}  // namespace fathom::report
