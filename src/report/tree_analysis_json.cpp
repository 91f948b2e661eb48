#include "report/tree_analysis_json.hpp"

#include "report/json_values.hpp"

namespace fathom::report {
namespace {

using nlohmann::ordered_json;
using tree::Node;
using tree::NodeIndex;

ordered_json stage_summary_json(const std::optional<tree::StageSummary>& summary) {
    if (!summary) {
        return nullptr;
    }
    return {{"count", summary->count},
            {"mean_ns", summary->mean_ns},
            {"median_ns", summary->median_ns},
            {"median_ci95_ns", or_null(summary->median_ci95_ns)},
            {"deviation_ns", summary->deviation_ns},
            {"min_ns", summary->min_ns},
            {"p10_ns", summary->p10_ns},
            {"p90_ns", summary->p90_ns},
            {"p99_ns", summary->p99_ns},
            {"max_ns", summary->max_ns}};
}

/// The reported number of a stage: its mean, as the times of stages add up by means; null without any.
ordered_json mean_of_stage(const std::optional<tree::StageSummary>& summary) {
    return summary ? ordered_json(summary->mean_ns) : ordered_json(nullptr);
}

/// The fields that say which node it is: the rank of a leaf and its thread, or the name of a join and where
/// it is.
void put_node(ordered_json& json, const NodeIndex& index, Node node) {
    json["rank"] = index.rank(node);
    if (index.is_leaf(node)) {
        json["thread"] = index.tree().leaves[static_cast<std::size_t>(node)].thread;
    } else {
        json["join"] = index.name(node);
    }
}

ordered_json node_json(const NodeIndex& index, Node node) {
    auto json = ordered_json::object();
    put_node(json, index, node);
    return json;
}

ordered_json stage_json(const NodeIndex& index, const tree::Stage& stage) {
    ordered_json json{{"stage", stage.kind}};
    put_node(json, index, stage.node);
    if (stage.node != index.root() && stage.kind != tree::StageKind::join_down &&
        stage.kind != tree::StageKind::join_up) {
        json["at_join"] = index.name(index.parent(stage.node));
    }
    return json;
}

ordered_json places_json(const std::vector<tree::TimesAtPlace>& places) {
    auto json = ordered_json::array();
    for (const auto& place : places) {
        json.push_back({{"place", place.place},
                        {"calls", place.calls},
                        {"mean_ns", place.mean_ns},
                        {"median_ns", place.median_ns}});
    }
    return json;
}

ordered_json edge_json(const NodeIndex& index, const tree::EdgeResult& edge) {
    auto json = node_json(index, edge.node);
    json["parent"] = index.name(index.parent(edge.node));
    json["parent_rank"] = edge.parent_rank;
    json["kind"] = edge.kind;
    json["two_way_ns"] = mean_of_stage(edge.two_way);
    json["down_ns"] = mean_of_stage(edge.down);
    json["up_ns"] = mean_of_stage(edge.up);
    json["clock_bound_ns"] = edge.clock_bound.count;
    json["two_way"] = stage_summary_json(edge.two_way);
    json["down"] = stage_summary_json(edge.down);
    json["up"] = stage_summary_json(edge.up);
    return json;
}

ordered_json join_json(const NodeIndex& index, const tree::JoinResult& join) {
    ordered_json json{{"join", index.name(join.node)},
                      {"rank", index.rank(join.node)},
                      {"down_ns", mean_of_stage(join.down)},
                      {"up_ns", mean_of_stage(join.up)},
                      {"down", stage_summary_json(join.down)},
                      {"up", stage_summary_json(join.up)},
                      {"serialisation", places_json(join.serialisation)}};
    json["contributors"] = ordered_json::array();
    for (const auto& contributor : join.contributors) {
        auto one = node_json(index, contributor.node);
        one["arrival_wait_ns"] = mean_of_stage(contributor.arrival_wait);
        one["departure_wait_ns"] = mean_of_stage(contributor.departure_wait);
        one["last_arrivals"] = contributor.last_arrivals;
        one["arrival_wait"] = stage_summary_json(contributor.arrival_wait);
        one["departure_wait"] = stage_summary_json(contributor.departure_wait);
        one["arrival_order"] = contributor.arrival_order;
        one["departure_order"] = contributor.departure_order;
        one["departure_wait_by_place"] = places_json(contributor.departure_waits_by_place);
        json["contributors"].push_back(std::move(one));
    }
    return json;
}

void put_critical_cost(ordered_json& json, const tree::CriticalCost& cost) {
    json["calls"] = cost.calls;
    json["total_ns"] = cost.total_ns;
    json["share"] = cost.share;
}

ordered_json leaf_shares_json(const NodeIndex& index, const std::vector<tree::LeafShare>& shares) {
    auto json = ordered_json::array();
    for (const auto& share : shares) {
        auto one = node_json(index, share.leaf);
        one["share"] = share.share;
        json.push_back(std::move(one));
    }
    return json;
}

ordered_json critical_json(const NodeIndex& index, const tree::CriticalPaths& critical) {
    ordered_json json{{"calls", critical.calls}, {"time", stage_summary_json(critical.time)}};
    json["stages"] = ordered_json::array();
    for (const auto& [stage, cost] : critical.stages) {
        auto one = stage_json(index, stage);
        put_critical_cost(one, cost);
        json["stages"].push_back(std::move(one));
    }
    const auto nodes = [&](const std::vector<tree::CriticalNode>& entries) {
        auto array = ordered_json::array();
        for (const auto& [node, cost] : entries) {
            auto one = node_json(index, node);
            put_critical_cost(one, cost);
            array.push_back(std::move(one));
        }
        return array;
    };
    json["edges"] = nodes(critical.edges);
    json["joins"] = nodes(critical.joins);
    json["ranks"] = ordered_json::array();
    for (const auto& [rank, cost] : critical.ranks) {
        ordered_json one{{"rank", rank}};
        put_critical_cost(one, cost);
        json["ranks"].push_back(std::move(one));
    }
    json["begins"] = leaf_shares_json(index, critical.begins);
    json["ends"] = leaf_shares_json(index, critical.ends);
    json["slowest_paths"] = leaf_shares_json(index, critical.slowest);
    json["slowest_path"] = stage_summary_json(critical.slowest_ns);
    return json;
}

ordered_json late_json(const NodeIndex& index, const tree::LateLeaf& late) {
    auto json = node_json(index, late.leaf);
    json["share"] = late.share;
    json["rate"] = late.rate;
    json["chance"] = late.chance;
    json["late_ns"] = late.late_ns;
    json["p_value"] = late.p_value;
    json["follows_rank"] = late.follows ? ordered_json(index.rank(*late.follows)) : ordered_json(nullptr);
    return json;
}

ordered_json balance_json(const NodeIndex& index, const tree::LoadBalance& balance) {
    ordered_json json{{"calls", balance.calls},
                      {"entry_spread", stage_summary_json(balance.entry_spread)},
                      {"program_wait", stage_summary_json(balance.program_wait)},
                      {"imbalance_ns", balance.imbalance_ns},
                      {"program_share", balance.program_share},
                      {"fastest_factor", or_null(balance.fastest_factor)},
                      {"clock_bound_ns", balance.clock_bound.count},
                      {"false_alarm_rate", tree::late_false_alarms}};
    json["busiest"] = nullptr;
    if (balance.busiest) {
        json["busiest"] = node_json(index, balance.busiest->leaf);
        json["busiest"]["times_middle"] = balance.busiest->times_middle;
        json["busiest"]["more_ns"] = balance.busiest->more_ns;
        json["busiest"]["saved_ns"] = balance.busiest->saved_ns;
    }
    json["heaviest_path"] = ordered_json::array();
    for (std::size_t i = 0; i < balance.heaviest.nodes.size(); ++i) {
        auto one = node_json(index, balance.heaviest.nodes[i]);
        one["last_arrivals"] = balance.heaviest.weights[i];
        json["heaviest_path"].push_back(std::move(one));
    }
    json["late_subtrees"] = ordered_json::array();
    for (const Node join : balance.late_subtrees) {
        json["late_subtrees"].push_back(index.name(join));
    }
    return json;
}

ordered_json clusters_json(const tree::TreeAnalysis& analysis) {
    auto json = ordered_json::array();
    for (std::size_t i = 0; i < analysis.clusters.size(); ++i) {
        const auto& cluster = analysis.clusters[i];
        ordered_json one{{"mean_ns", cluster.mean_ns},
                         {"slowest_share", cluster.slowest_share},
                         {"fast", cluster.fast},
                         {"representative", node_json(analysis.index, cluster.representative)}};
        one["leaves"] = ordered_json::array();
        for (const int leaf : cluster.leaves) {
            one["leaves"].push_back(node_json(analysis.index, leaf));
        }
        one["breakdown"] = breakdown_json(analysis.index, analysis.breakdowns[i]);
        json.push_back(std::move(one));
    }
    return json;
}

ordered_json stage_outliers_json(const NodeIndex& index, const std::vector<tree::StageOutliers>& outliers) {
    auto json = ordered_json::array();
    for (const auto& found : outliers) {
        auto one = stage_json(index, found.stage);
        one["calls"] = found.calls;
        one["outliers"] = found.outliers;
        one["usual_ns"] = found.usual_ns;
        one["threshold_ns"] = found.threshold_ns;
        one["mean_ns"] = found.mean_ns;
        one["max_ns"] = found.worst_ns;
        one["times_usual"] = or_null(found.times_usual);
        one["slowdown"] = found.slowdown;
        one["lost_ns"] = found.lost_ns;
        one["slowest_trial"] = found.worst_launch;
        one["slowest_call"] = found.worst_call;
        one["causes"] = ordered_json::array();
        for (const auto& cause : found.causes) {
            one["causes"].push_back({{"kind", cause.kind},
                                     {"outliers", cause.outliers},
                                     {"usual_share", cause.usual_share},
                                     {"p_value", cause.p_value}});
        }
        json.push_back(std::move(one));
    }
    return json;
}

ordered_json periodic_json(const std::vector<tree::PeriodicDisturbance>& periodic) {
    auto json = ordered_json::array();
    for (const auto& found : periodic) {
        json.push_back({{"rank", or_null(found.rank)},
                        {"trial", found.launch},
                        {"period_ns", found.period.length},
                        {"events", found.events},
                        {"periods", found.period.cycles},
                        {"hit_share", found.period.hit_share},
                        {"p_value", found.period.p_value}});
    }
    return json;
}

ordered_json timemap_json(const NodeIndex& index, const std::vector<tree::TimemapLine>& lines) {
    const auto points = [](const std::vector<tree::TimemapPoint>& all) {
        auto json = ordered_json::array();
        for (const auto& point : all) {
            json.push_back({{"x_ns", point.x_ns}, {"depth", point.depth}});
        }
        return json;
    };
    auto json = ordered_json::array();
    for (const auto& line : lines) {
        auto one = node_json(index, line.leaf);
        one["down"] = points(line.down);
        one["up"] = points(line.up);
        json.push_back(std::move(one));
    }
    return json;
}

ordered_json advice_json(const NodeIndex& index, const std::vector<tree::Advice>& advice) {
    auto json = ordered_json::array();
    for (const auto& one : advice) {
        ordered_json entry{{"kind", one.kind}, {"sentence", sentence(index, one)}};
        if (one.node) {
            put_node(entry, index, *one.node);
        }
        entry["share"] = one.share;
        entry["time_ns"] = one.time_ns;
        if (one.period_ns) {
            entry["period_ns"] = *one.period_ns;
        }
        json.push_back(std::move(entry));
    }
    return json;
}

}  // namespace

ordered_json breakdown_json(const NodeIndex& index, const tree::Breakdown& breakdown) {
    auto json = node_json(index, breakdown.node);
    json["mean_ns"] = breakdown.mean_ns;
    json["stages"] = ordered_json::array();
    for (const auto& cost : breakdown.in_order) {
        auto one = stage_json(index, cost.stage);
        one["share"] = cost.share;
        one["time"] = stage_summary_json(cost.time);
        json["stages"].push_back(std::move(one));
    }
    return json;
}

ordered_json kind_costs_json(const NodeIndex& index, const std::vector<tree::KindCost>& costs) {
    auto json = ordered_json::array();
    for (const auto& cost : costs) {
        ordered_json one{{"stage", cost.kind},
                         {"stages", cost.stages},
                         {"mean_ns", cost.mean_ns},
                         {"slowest_ns", cost.worst_ns},
                         {"slowest", node_json(index, cost.worst)}};
        json.push_back(std::move(one));
    }
    return json;
}

ordered_json tree_analysis_json(const tree::TreeAnalysis& analysis) {
    const auto& index = analysis.index;
    ordered_json json{{"tree", index.tree().name},
                      {"calls", analysis.calls},
                      {"complete_calls", analysis.complete},
                      {"dropped_events", analysis.dropped},
                      {"stray_events", analysis.strays},
                      {"tree_time", stage_summary_json(analysis.tree)},
                      {"store", stage_summary_json(analysis.store)}};
    json["edges"] = ordered_json::array();
    for (const auto& edge : analysis.edges) {
        json["edges"].push_back(edge_json(index, edge));
    }
    json["joins"] = ordered_json::array();
    for (const auto& join : analysis.joins) {
        json["joins"].push_back(join_json(index, join));
    }
    json["late"] = ordered_json::array();
    if (analysis.balance) {
        for (const auto& late : analysis.balance->late) {
            json["late"].push_back(late_json(index, late));
        }
    }
    json["load_balance"] = analysis.balance ? balance_json(index, *analysis.balance) : ordered_json(nullptr);
    json["subtrees"] = ordered_json::array();
    for (const auto& subtree : analysis.subtrees) {
        json["subtrees"].push_back({{"join", index.name(subtree.node)},
                                    {"down", stage_summary_json(subtree.down)},
                                    {"up", stage_summary_json(subtree.up)},
                                    {"departure_wait", stage_summary_json(subtree.departure_wait)},
                                    {"clock_bound_ns", subtree.clock_bound.count}});
    }
    json["paths"] = ordered_json::array();
    for (const auto& path : analysis.paths) {
        auto one = node_json(index, path.leaf);
        one["in_call"] = stage_summary_json(path.in_call);
        one["without_arrival_waits"] = stage_summary_json(path.without_waits);
        json["paths"].push_back(std::move(one));
    }
    json["critical_paths"] = critical_json(index, analysis.critical);
    json["clusters"] = clusters_json(analysis);
    json["outliers"] = stage_outliers_json(index, analysis.outliers);
    json["periodic"] = periodic_json(analysis.periodic);
    json["timemap"] = {{"with_arrival_waits", timemap_json(index, analysis.timemap)},
                       {"without_arrival_waits", timemap_json(index, analysis.timemap_without_waits)}};
    json["advice"] = advice_json(index, analysis.advice);
    return json;
}

ordered_json tree_page_json(const tree::TreeAnalysis& analysis) {
    constexpr std::size_t most_stages = 20;  // the others cost little; `tree analyze` has all
    const auto& index = analysis.index;
    ordered_json json{{"text", analysis.balance ? conclusion(index, *analysis.balance) : std::string()}};
    json["advice"] = ordered_json::array();
    for (const auto& advice : analysis.advice) {
        json["advice"].push_back(sentence(index, advice));
    }
    json["stages"] = ordered_json::array();
    for (const auto& [stage, cost] : analysis.critical.stages) {
        if (json["stages"].size() < most_stages) {
            const auto calls = static_cast<double>(cost.calls);
            json["stages"].push_back({{"stage", stage_text(index, stage)},
                                      {"calls_share", calls / static_cast<double>(analysis.critical.calls)},
                                      {"mean_ns", cost.total_ns / calls},
                                      {"share", cost.share}});
        }
    }
    const auto named_lines = [&](const std::vector<tree::TimemapLine>& lines) {
        auto named = timemap_json(index, lines);
        for (std::size_t i = 0; i < lines.size(); ++i) {
            named[i]["name"] = node_text(index, lines[i].leaf);
            named[i]["cluster"] = cluster_of(analysis.clusters, lines[i].leaf);
        }
        return named;
    };
    json["timemap"] = named_lines(analysis.timemap_without_waits);
    json["timemap_with_waits"] = named_lines(analysis.timemap);
    json["departures"] = ordered_json::array();
    for (const auto& join : analysis.joins) {
        if (join.serialisation.size() > 1) {
            json["departures"].push_back(
                {{"join", index.name(join.node)}, {"places", places_json(join.serialisation)}});
        }
    }
    return json;
}

ordered_json tree_comparison_json(const TreeNames& names, const tree::TreeComparison& comparison) {
    const auto* const whole = tree::whole_tree(comparison);
    const auto faster = faster_name(names, comparison);
    const auto speedup = whole == nullptr ? std::nullopt : tree::speedup_of(*whole);
    ordered_json json{{"verdict", whole == nullptr ? ordered_json(nullptr) : ordered_json(whole->change)},
                      {"faster", faster.empty() ? ordered_json(nullptr) : ordered_json(faster)},
                      {"speedup", speedup ? ordered_json(speedup->factor) : ordered_json(nullptr)},
                      {"speedup_ci95", speedup ? or_null(speedup->ci95) : ordered_json(nullptr)},
                      {"text", conclusion(names, comparison)},
                      {"paths_faster", comparison.paths_faster},
                      {"paths_slower", comparison.paths_slower},
                      {"means_mislead", comparison.means_mislead},
                      {"only_first", comparison.only_first},
                      {"only_second", comparison.only_second}};
    json["parts"] = ordered_json::array();
    for (const auto& part : comparison.parts) {
        json["parts"].push_back({{"part", part.kind},
                                 {"name", part.name},
                                 {"reconfigured", !part.unchanged},
                                 {"first_median_ns", part.first_ns},
                                 {"second_median_ns", part.second_ns},
                                 {"first_mean_ns", part.first_mean_ns},
                                 {"second_mean_ns", part.second_mean_ns},
                                 {"ratio", or_null(part.ratio)},
                                 {"ratio_ci95", or_null(part.ratio_ci95)},
                                 {"p_value", part.p_value},
                                 {"verdict", part.change}});
    }
    const auto lone_json = [](const std::vector<tree::LonePart>& parts) {
        auto array = ordered_json::array();
        for (const auto& part : parts) {
            array.push_back({{"part", part.kind},
                             {"name", part.name},
                             {"median_ns", part.median_ns},
                             {"mean_ns", part.mean_ns}});
        }
        return array;
    };
    json["parts_only_first"] = lone_json(comparison.parts_of_first);
    json["parts_only_second"] = lone_json(comparison.parts_of_second);
    return json;
}

}  // namespace fathom::report
