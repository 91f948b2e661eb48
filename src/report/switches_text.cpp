#include "report/switches_text.hpp"

#include <cmath>

#include <fmt/format.h>

#include "journal/json.hpp"
#include "report/point_key.hpp"
#include "report/table.hpp"
#include "stats/summary.hpp"

namespace fathom::report {

using nlohmann::ordered_json;

std::string switches_text(const std::vector<analysis::FoundSwitch>& switches, const Terminal& terminal) {
    using Align = Table::Align;
    if (switches.empty()) {
        return {};
    }
    Table table({{"switch in", Align::left},
                 {"last below", Align::right},
                 {"first above", Align::right},
                 {"below", Align::right},
                 {"above", Align::right},
                 {"change", Align::right},
                 {"kind", Align::left}});
    bool exact = true;
    for (const auto& at : switches) {
        const auto& found = at.found;
        exact = exact && found.first_above == found.last_below + at.element;
        table.add({plan::curve_text(at.key), fmt::format("{} B", found.last_below),
                   fmt::format("{} B", found.first_above), time_text(found.before), time_text(found.after),
                   found.before > 0 ? fmt::format("{:+.1f} %", 100 * (found.after / found.before - 1)) : "-",
                   found.jump ? "jump" : "bend"});
    }
    return table.text(terminal) +
           (exact ? "" : "(Between two sizes that are not neighbours, a switch may lie anywhere.)\n") + "\n";
}

std::string cut_search_sentence(const analysis::CutSearch& search, const plan::Plan& plan) {
    auto text = search.over_sizes ? plan::curve_text(search.key) : search.key.operation;
    text += search.at_limit ? fmt::format(": the search ended at --max-points {} ({} points)",
                                          plan.max_points, search.points)
                            : fmt::format(": the search ended early ({} points)", search.points);
    if (search.too_few_reps > 0) {
        text += fmt::format("; {} of them were ignored (fewer than {} repetitions)", search.too_few_reps,
                            stats::least_to_bound_median);
    }
    if (const auto& gap = search.coarse) {
        const auto error = std::isfinite(gap->error)
                               ? fmt::format("is off by up to {:.1f} % of the time", 100 * gap->error)
                               : std::string("has no bound on its error");
        text += fmt::format("; interpolation between {} and {}{} {}, the goal was {:g} %", gap->from, gap->to,
                            search.over_sizes ? " B" : " processes", error, plan.refine_percent);
    }
    if (search.switches_open) {
        text += "; switches may be missing, or lie anywhere between the two sizes of their row";
    }
    return text;
}

ordered_json cut_searches_json(const std::vector<analysis::CutSearch>& searches) {
    auto json = ordered_json::array();
    for (const auto& search : searches) {
        auto own = with_key(search.key, {{"points", search.points},
                                         {"at_limit", search.at_limit},
                                         {"too_few_reps", search.too_few_reps},
                                         {"switches_open", search.switches_open}});
        own[search.over_sizes ? "size_bytes" : "procs"] = nullptr;
        if (const auto& gap = search.coarse) {
            own["interpolation"] = {
                {"error", std::isfinite(gap->error) ? ordered_json(gap->error) : ordered_json(nullptr)},
                {"from", gap->from},
                {"to", gap->to}};
        }
        json.push_back(std::move(own));
    }
    return json;
}

bool is_in_curve_of(const analysis::FoundSwitch& at, plan::PointKey point) {
    point.size = at.key.size;
    return point == at.key;
}

}  // namespace fathom::report
