#include "report/analyses.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "base/units.hpp"
#include "journal/json.hpp"
#include "report/distribution.hpp"
#include "report/explanation.hpp"
#include "report/point_key.hpp"
#include "report/processes.hpp"
#include "report/tails.hpp"
#include "report/timeouts.hpp"

namespace fathom::report {
namespace {

using nlohmann::ordered_json;

std::string point_text(const analysis::PointAnalyses& analyses, const Terminal& terminal) {
    std::string text;
    if (analyses.distribution) {
        text += distribution_text(*analyses.distribution, terminal);
    }
    for (const auto& [rank, distribution] : analyses.distribution_by_rank) {
        text += fmt::format("\nrank {}\n", rank) + distribution_text(distribution, terminal);
    }
    if (analyses.tails) {
        text += tails_text(*analyses.tails, terminal);
    }
    if (analyses.processes) {
        text += processes_text(*analyses.processes, terminal);
    }
    if (analyses.timeouts) {
        text += timeouts_text(*analyses.timeouts, terminal);
    }
    if (analyses.explanation) {
        text += explanation_text(*analyses.explanation, terminal);
    }
    return text;
}

}  // namespace

std::string analyses_text(const analysis::RunResult& result, const Terminal& terminal) {
    std::string text;
    for (const auto& point : result.points) {
        const auto own = point_text(point.analyses, terminal);
        if (!own.empty()) {
            text += "\n" + bold(to_text(point.key), terminal) + "\n" + own;
        }
    }
    return text;
}

void put_analyses(ordered_json& json, const analysis::PointAnalyses& analyses) {
    if (analyses.distribution) {
        json["distribution"] = distribution_json(*analyses.distribution);
    }
    if (!analyses.distribution_by_rank.empty()) {
        json["distribution"]["ranks"] = ordered_json::array();
        for (const auto& [rank, distribution] : analyses.distribution_by_rank) {
            auto own = distribution_json(distribution);
            own["rank"] = rank;
            json["distribution"]["ranks"].push_back(std::move(own));
        }
    }
    if (analyses.tails) {
        json["tails"] = tails_json(*analyses.tails);
    }
    if (analyses.processes) {
        json["processes"] = processes_json(*analyses.processes);
    }
    if (analyses.timeouts) {
        json["timeouts"] = timeouts_json(*analyses.timeouts);
    }
    if (analyses.explanation) {
        json["explanation"] = explanation_json(*analyses.explanation);
    }
}

ordered_json insights_json(const std::vector<analysis::Insight>& insights) {
    auto json = ordered_json::array();
    for (const auto& insight : insights) {
        auto own = with_key(insight.key, {{"kind", insight.kind},
                                          {"weight", insight.weight},
                                          {"text", insight.text},
                                          {"remedy", insight.remedy}});
        if (!insight.sized) {
            own["size_bytes"] = nullptr;
        }
        json.push_back(std::move(own));
    }
    return json;
}

}  // namespace fathom::report
