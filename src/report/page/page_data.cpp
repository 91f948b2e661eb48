#include "report/page/page_data.hpp"

#include <map>
#include <utility>

#include "analysis/across_runs/comparison.hpp"
#include "base/build_info.hpp"
#include "base/error.hpp"
#include "journal/json.hpp"
#include "plan/operations.hpp"
#include "report/comparison.hpp"
#include "report/json.hpp"
#include "report/page/spread.hpp"
#include "report/point_analyses/point_analyses.hpp"
#include "report/point_key.hpp"
#include "report/sentences/curves.hpp"
#include "report/tree_analysis_json.hpp"
#include "tree/analysis/stored_calls.hpp"
#include "tree/analysis/tree_analysis.hpp"

namespace fathom::report {
namespace {

using nlohmann::ordered_json;

/// Whether a time is that of one message, one way. All others are times of a call, or of what a rank does.
bool is_latency(const plan::OperationInfo& operation, const plan::Plan& plan) {
    switch (operation.kind) {
        case plan::Kind::round_trip:
            return plan.round_trip == plan::RoundTrip::half;
        case plan::Kind::one_way:
        case plan::Kind::matrix:
            return true;
        default:
            return false;
    }
}

/// What the page says of the operations of a run, besides their figures.
ordered_json operations_json(const analysis::RunResult& result) {
    ordered_json json = ordered_json::object();
    for (const auto& point : result.points) {
        if (const auto* operation = plan::known_operation(point.key.operation); operation != nullptr) {
            json[point.key.operation] = {{"sized", operation->sized},
                                         {"latency", is_latency(*operation, result.plan)},
                                         {"calls", operation->calls},
                                         {"summary", operation->summary}};
        }
    }
    return json;
}

template <typename Told>
ordered_json note_json(const char* kind, const Told& told) {
    return with_key(told.key, {{"kind", kind}, {"text", sentence(told)}});
}

/// What is said of the curves of operations, for their sections.
ordered_json notes_json(const analysis::Scaling& scaling) {
    auto notes = ordered_json::array();
    for (const auto& curve : scaling.sizes) {
        notes.push_back(note_json("curve", curve));
        notes.back()["size_bytes"] = nullptr;
    }
    for (const auto& anomaly : scaling.anomalies) {
        notes.push_back(note_json("anomaly", anomaly));
    }
    for (const auto& violation : scaling.violations) {
        notes.push_back(note_json("guideline", violation));
    }
    return notes;
}

/// As many digits of all times and shares as a page can show.
void shorten(ordered_json& json) {
    if (json.is_number_float()) {
        json = shortened(json.get<double>());
    } else if (json.is_structured()) {
        for (auto& part : json) {
            shorten(part);
        }
    }
}

/// What points may differ in besides operation, processes and size.
ordered_json dimensions_json() {
    auto json = ordered_json::array();
    for (const auto& extra : plan::extra_dimensions<plan::PointKey>) {
        json.push_back({{"name", extra.name}, {"said_as", extra.said_as}, {"when_empty", extra.when_empty}});
    }
    return json;
}

/// What traced calls over trees say, by the key of their point; damaged ones are left out and said so.
std::map<plan::PointKey, ordered_json> trees_json(const store::Store& store, const store::RunRow& run) {
    std::map<plan::PointKey, ordered_json> trees;
    for (const auto& point : tree::traced_points(store, run)) {
        try {
            const auto trace = tree::read_trace(store, run, point);
            const tree::StageTimes times(trace.index, trace.calls);
            trees[point.key] = tree_page_json(tree::analyse(times, &trace.evidence));
            shorten(trees[point.key]);
        } catch (const BadInput& error) {
            store.note_damage(error.what());
        }
    }
    return trees;
}

/// Every later run against the first; those without a point in common are left out.
ordered_json comparisons_json(const std::vector<PageRun>& runs) {
    auto comparisons = ordered_json::array();
    for (std::size_t i = 1; i < runs.size(); ++i) {
        try {
            const auto comparison = analysis::compare(runs.front().measured, runs[i].measured, {});
            auto json = comparison_json(comparison);
            std::erase_if(json["points"].get_ref<ordered_json::array_t&>(),
                          [](const auto& point) { return point["ratio"].is_null(); });
            json["run_index"] = i;
            json["text"] = comparison_summary(comparison);
            comparisons.push_back(std::move(json));
        } catch (const BadInput&) {
            continue;
        }
    }
    return comparisons;
}

}  // namespace

PageRun page_run(const store::Store& store, const store::RunRow& run, const std::string& name,
                 const Tell& tell, Allowance* allowance) {
    PointFields fields;
    int trimmed = 0;
    auto trees = trees_json(store, run);
    const auto look = [&](const PointSamples& samples) {
        auto& own = fields[samples.point.position];
        own = analyses_json(samples, [](const auto& /*row*/) { return true; });
        shorten(own);
        if (auto spread = spread_json(samples.point, samples.repetitions); !spread.is_null()) {
            own["spread"] = std::move(spread);
        }
        if (const auto tree = trees.find(samples.point.key); tree != trees.end()) {
            own["tree"] = std::move(tree->second);
        }
        trimmed += allowance != nullptr && allowance->trim(own) ? 1 : 0;
        tell(samples.point);
    };
    auto measured = analysis::measured_run(store, run, name, true, {.analyses = true, .visit = look});
    auto json = run_json(store, measured.result, fields);
    json["name"] = name;
    json["trimmed_points"] = trimmed;
    json["operations"] = operations_json(measured.result);
    json["notes"] = notes_json(measured.result.scaling);
    return {.json = std::move(json), .measured = std::move(measured)};
}

ordered_json page_data(std::vector<PageRun> runs) {
    ordered_json json{{"schema", "fathom.report/1"},
                      {"fathom_version", build_info().version},
                      {"dimensions", dimensions_json()},
                      {"runs", ordered_json::array()},
                      {"comparisons", comparisons_json(runs)}};
    for (auto& run : runs) {
        json["runs"].push_back(std::move(run.json));
    }
    return json;
}

}  // namespace fathom::report
