#include "report/json.hpp"

#include <algorithm>
#include <map>

#include "analysis/samples/pair_level.hpp"
#include "base/printable.hpp"
#include "journal/json.hpp"
#include "plan/operations.hpp"
#include "plan/pairing.hpp"
#include "plan/varied_settings.hpp"
#include "report/clock_json.hpp"
#include "report/json_values.hpp"
#include "report/matrix_text.hpp"
#include "report/overlap_json.hpp"
#include "report/point_key.hpp"
#include "report/scaling.hpp"
#include "report/schemes_text.hpp"
#include "report/sentences/between_runs.hpp"
#include "report/sentences/insights.hpp"
#include "report/sentences/matrix.hpp"
#include "report/sentences/measures.hpp"
#include "report/sentences/point_warning.hpp"
#include "report/sentences/run.hpp"
#include "report/sentences/verdict.hpp"
#include "report/settings_text.hpp"
#include "report/switches_text.hpp"
#include "report/trace_text.hpp"
#include "tree/tree.hpp"

namespace fathom::report {
namespace {

using nlohmann::ordered_json;

ordered_json switch_json(const analysis::FoundSwitch& at) {
    return with_curve_key(at.key, {{"size_bytes", at.found.last_below},
                                   {"last_below_bytes", at.found.last_below},
                                   {"first_above_bytes", at.found.first_above},
                                   {"exact", at.found.first_above == at.found.last_below + at.element},
                                   {"kind", at.found.jump ? "jump" : "bend"},
                                   {"before_ns", at.found.before},
                                   {"after_ns", at.found.after},
                                   {"ratio", at.found.before > 0 ? at.found.after / at.found.before : 0},
                                   {"significance_sigma", at.found.significance},
                                   {"text", stats::switch_text(at.found, at.element)}});
}

/// Numbers of places are -1 where they are not known.
ordered_json number_or_null(int number) {
    return number < 0 ? ordered_json(nullptr) : ordered_json(number);
}

/// What lies between the ranks of each pair, in their order.
ordered_json pair_levels_json(const std::vector<std::string>& pairs,
                              const std::vector<store::RankRow>& ranks) {
    std::map<int, analysis::RankPlace> places;
    for (const auto& rank : ranks) {
        places[rank.rank] = {.host = rank.host, .socket = rank.socket, .numa_node = rank.numa_node};
    }
    auto json = ordered_json::array();
    for (const auto& text : pairs) {
        const auto [a, b] = plan::parse_pair(text);
        const bool known = places.contains(a) && places.contains(b);
        json.push_back(known ? ordered_json(to_text(level_of(places[a], places[b]))) : ordered_json(nullptr));
    }
    return json;
}

/// What its repetitions took, all together and by rank.
void put_times(ordered_json& json, const analysis::PointResult& point) {
    const auto& time = point.time_ns;
    const auto number = [&](double stats::Summary::*field) -> ordered_json {
        return time ? ordered_json((*time).*field) : ordered_json(nullptr);
    };
    json["median_ns"] = number(&stats::Summary::median);
    json["median_ci95_ns"] = or_null(time ? time->median_ci95 : std::nullopt);
    json["min_ns"] = number(&stats::Summary::min);
    json["mean_ns"] = number(&stats::Summary::mean);
    json["p99_ns"] = number(&stats::Summary::p99);
    json["max_ns"] = number(&stats::Summary::max);
    json["over_ranks"] = to_text(point.over_ranks);
    json["over_reps"] = point.over_reps;
    if (point.round_trip) {
        json["round_trip"] = to_text(*point.round_trip);
    }
    json["value_ns"] = point.value_ns ? ordered_json(point.value_ns->value) : ordered_json(nullptr);
    json["value_ci95_ns"] = or_null(point.value_ns ? point.value_ns->ci95 : std::nullopt);
    json["subtracted_ns"] = point.empty_ns;
    if (!point.by_rank.empty()) {
        json["ranks"] = ordered_json::array();
        for (const auto& rank : point.by_rank) {
            json["ranks"].push_back({{"rank", rank.rank},
                                     {"value_ns", rank.value_ns.value},
                                     {"value_ci95_ns", or_null(rank.value_ns.ci95)},
                                     {"median_ns", rank.time_ns.median},
                                     {"min_ns", rank.time_ns.min},
                                     {"mean_ns", rank.time_ns.mean},
                                     {"p99_ns", rank.time_ns.p99},
                                     {"max_ns", rank.time_ns.max}});
        }
    }
}

ordered_json point_json(const analysis::PointResult& point, const PointFields& more) {
    ordered_json json{{"point", point.position}};
    put_key(json, point.key);
    json.update({{"datatype", point.datatype},
                 {"status", point.status},
                 {"reason", reason_of(point)},
                 {"start", point.start},
                 {"warmup_calls", point.warmup_calls},
                 {"cache", to_text(point.cache)},
                 {"calls_in_a_row", point.calls},
                 {"reps", point.reps},
                 {"invalid_reps", point.invalid_reps},
                 {"set_aside_reps", point.set_aside},
                 {"quality", point.value_ns ? ordered_json(point.quality) : ordered_json()}});
    if (point.size_as) {
        json["size_as"] = to_text(point.size_as);
    }
    if (!point.pairs.empty()) {
        json["pairs"] = point.pairs;
    }
    if (!point.purpose.empty()) {
        json["purpose"] = point.purpose;
    }
    put_times(json, point);
    if (point.launch_counts.all() > 1) {
        json["launches"] = launches_json(point.launch_counts);
    }
    if (const auto& launches = point.launches) {
        json["starts"] = {{"values_ns", launches->values_ns},
                          {"variance_between_ns2", launches->variance_between_ns2},
                          {"variance_within_ns2", launches->variance_within_ns2},
                          {"median_ci95_ns", or_null(std::optional(launches->median_ci95))},
                          {"set_aside", point.launch_counts.set_aside}};
        if (const auto& levels = launches->levels) {
            json["starts"]["levels"] = {{"low_ns", levels->low_ns},
                                        {"low_starts", levels->low_launches},
                                        {"high_ns", levels->high_ns},
                                        {"high_starts", levels->high_launches}};
        }
    }
    const auto known = [](const std::optional<double>& value) {
        return value ? ordered_json(*value) : ordered_json(nullptr);
    };
    if (!point.measures.empty()) {
        json["measures"] = ordered_json::array();
        for (const auto& measure : point.measures) {
            json["measures"].push_back({{"name", measure.kind},
                                        {"value", measure.value},
                                        {"ci95", or_null(measure.ci95)},
                                        {"text", sentence(measure)}});
        }
    }
    if (point.overlap) {
        json["overlap"] = overlap_json(point);
    }
    if (const auto& trace = point.trace) {
        json["trace"] = {{"every", trace->every},
                         {"events", trace->events},
                         {"dropped", trace->dropped},
                         {"stored_bytes", trace->stored_bytes},
                         {"bytes_per_event", bytes_per_event(*trace)},
                         {"ring_bytes_per_event", sizeof(tree::Event)}};
    }
    json["rate_bytes_per_s"] = known(point.rate_bytes_per_s);
    json["start_skew_median_ns"] = known(point.start_skew_median_ns);
    json["clock_bound_ns"] = known(point.clock_bound_ns);
    json["warnings"] = ordered_json::array();
    for (const auto& warning : point.warnings) {
        json["warnings"].push_back(sentence(warning));
    }
    if (const auto own = more.find(point.position); own != more.end()) {
        json.update(own->second);
    }
    return json;
}

void put_matrix(ordered_json& json, const analysis::PointResult& point,
                const std::vector<analysis::MatrixResult>& matrices) {
    const auto* operation = plan::known_operation(point.key.operation);
    if (operation == nullptr || operation->kind != plan::Kind::matrix) {
        return;
    }
    const auto found = std::find_if(matrices.begin(), matrices.end(),
                                    [&](const auto& matrix) { return matrix.key == point.key; });
    if (found != matrices.end()) {
        json["matrix"] = matrix_json(*found);
    }
}

ordered_json insights_json(const std::vector<analysis::Insight>& insights) {
    auto json = ordered_json::array();
    for (const auto& insight : insights) {
        auto own = with_key(insight.key, {{"kind", insight.kind()},
                                          {"weight", insight.weight},
                                          {"warned", insight.warned},
                                          {"text", sentence(insight)},
                                          {"remedy", fix_of(insight)}});
        if (!insight.sized) {
            own["size_bytes"] = nullptr;
        }
        json.push_back(std::move(own));
    }
    return json;
}

}  // namespace

ordered_json launches_json(const analysis::LaunchCounts& counts) {
    return {{"used", counts.used}, {"set_aside", counts.set_aside}, {"failed", counts.failed}};
}

ordered_json between_runs_json(const analysis::BetweenRuns& between_runs) {
    return {{"source", between_runs.source},
            {"percent", between_runs.percent()},
            {"stored_runs", between_runs.runs},
            {"changes", between_runs.changes},
            {"text", sentence_on(between_runs)}};
}

ordered_json warning_json(const store::WarningRow& warning) {
    return {{"severity", warning.severity},
            {"code", warning.code},
            {"text", warning.text},
            {"remedy", warning.remedy}};
}

namespace {

ordered_json ranks_json(const std::vector<store::RankRow>& ranks) {
    auto json = ordered_json::array();
    for (const auto& rank : ranks) {
        json.push_back({{"rank", rank.rank},
                        {"host", rank.host},
                        {"pid", rank.pid},
                        {"binding", rank.binding},
                        {"socket", number_or_null(rank.socket)},
                        {"numa_node", number_or_null(rank.numa_node)},
                        {"empty_repetition_ns", rank.empty_ns}});
    }
    return json;
}

/// What is said of curves over sizes: switches, and searches for them that were cut short.
void put_switches(ordered_json& json, const analysis::RunResult& result) {
    if (result.switches_sought) {
        json["switches"] = ordered_json::array();
        for (const auto& at : result.switches) {
            json["switches"].push_back(switch_json(at));
        }
    }
    if (!result.cut_searches.empty()) {
        json["cut_searches"] = cut_searches_json(result.cut_searches);
    }
}

/// Values by name, for a point with varied settings.
void put_settings(ordered_json& json, const analysis::PointResult& point, const plan::Plan& plan) {
    if (point.key.setting.empty()) {
        return;
    }
    const auto names = plan::varied_names(plan.vary, plan.thread_levels);
    for (const auto& combination : plan::combinations(plan.vary, plan.thread_levels)) {
        for (std::size_t i = 0; combination.text == point.key.setting && i < names.size(); ++i) {
            json["settings"][names[i]] = combination.values[i];
        }
    }
}

void put_clock(ordered_json& json, const analysis::RunResult& result) {
    if (const auto& clock = result.clock) {
        json["clock"] = {{"scheme", clock->scheme},
                         {"synchronisations", clock->synchronisations},
                         {"shared", clock->shared},
                         {"bound_ns", clock->bound_ns},
                         {"drift_ppm", clock->drift_ppm}};
    }
}

}  // namespace

ordered_json run_json(const store::Store& store, const analysis::RunResult& result, const PointFields& more) {
    const auto& run = result.run;
    ordered_json json{{"schema", "fathom.run/1"},
                      {"run", run.id},
                      {"label", run.label},
                      {"tags", run.tags},
                      {"status", run.status},
                      {"reason", run.reason},
                      {"created_utc", run.created_utc},
                      {"mpi", run.mpi_flavour},
                      {"mpi_version", run.mpi_version},
                      {"simulated", run.simulated},
                      {"procs", run.procs},
                      {"time_source", run.time_source},
                      {"fathom_version", run.fathom_version},
                      {"fathom_commit", run.fathom_commit},
                      {"command_line", run.command_line},
                      {"plan_toml", run.plan_toml}};
    const auto ranks = store.ranks(run.id);
    json["ranks"] = ranks_json(ranks);
    json["environment"] = ordered_json::object();
    for (const auto& [host, facts] : store.environment(run.id)) {
        json["environment"][host.empty() ? "job" : host] = facts;
    }
    if (!result.plan.thread_levels.empty()) {
        json["thread_levels"] = result.plan.thread_levels;
    }
    if (const auto told = store.progress_thread(run.id); !told.empty()) {
        json["progress_thread"] = told;
    }
    put_clock(json, result);
    if (!store.damage().empty()) {
        json["damage"] = store.damage();
    }
    json["between_runs"] = between_runs_json(result.between_runs);
    json["points"] = ordered_json::array();
    for (const auto& point : result.points) {
        json["points"].push_back(point_json(point, more));
        put_settings(json["points"].back(), point, result.plan);
        if (!point.pairs.empty()) {
            json["points"].back()["pair_levels"] = pair_levels_json(point.pairs, ranks);
        }
        put_matrix(json["points"].back(), point, result.matrices);
    }
    if (!result.matrices.empty()) {
        json["findings"] = ordered_json::array();
        for (const auto& finding : result.slow_components.found) {
            json["findings"].push_back(slow_component_json(finding));
        }
        json["findings_remark"] = remark_on(result.slow_components);
    }
    put_overlap_of_run(json, result);
    if (result.schemes_compared) {
        json["scheme_comparison"] = schemes_json(analysis::compare_schemes(store, result));
    }
    if (!result.settings.empty()) {
        json["vary"] = settings_json(result.settings);
    }
    put_switches(json, result);
    json["scaling"] = scaling_json(result.scaling);
    json["insights"] = insights_json(result.insights);
    json["warnings"] = ordered_json::array();
    for (const auto& warning : warnings_of(result)) {
        json["warnings"].push_back(warning_json(warning));
    }
    if (const auto& verdict = result.verdict) {
        json["verdict"] = {{"accepted", verdict->accepted},
                           {"decided", verdict->decided},
                           {"reasons", verdict_reasons(*verdict)},
                           {"remarks", verdict_remarks(*verdict)}};
    }
    if (!result.clock_check.empty()) {
        json["clock_check"] = check_moments_json(result.clock_check);
    }
    return json;
}

std::string document(const ordered_json& json) {
    return printable_json(json.dump(2, ' ', false, ordered_json::error_handler_t::replace)) + "\n";
}

std::string document_line(const ordered_json& json) {
    return printable_json(json.dump(-1, ' ', false, ordered_json::error_handler_t::replace));
}

}  // namespace fathom::report
