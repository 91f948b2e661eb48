#include "report/tree_optimization.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/units.hpp"
#include "report/paragraph.hpp"
#include "report/sentences/tree_optimization.hpp"
#include "report/table.hpp"
#include "report/tree_json.hpp"

namespace fathom::report {
namespace {

using nlohmann::ordered_json;
using Align = Table::Align;

std::string interval_cell(const std::optional<stats::Interval>& ci95_ns) {
    return ci95_ns ? time_interval_text(ci95_ns->low, ci95_ns->high) : "none";
}

ordered_json interval_json(const std::optional<stats::Interval>& interval) {
    return interval ? ordered_json{interval->low, interval->high} : ordered_json(nullptr);
}

/// As `show` marks a time that cannot be relied on.
std::string time_cell(double time_ns, bool reliable) {
    return marked(time_text(time_ns), reliable ? analysis::Quality::good : analysis::Quality::imprecise);
}

/// What the mark means, if there is one.
std::string mark_text(const tree::Optimization& found) {
    const auto unreliable = [](const auto& measured) { return !measured.reliable; };
    const bool any = std::any_of(found.trials.begin(), found.trials.end(), unreliable) ||
                     std::any_of(found.best.begin(), found.best.end(),
                                 [&](const auto& size) { return unreliable(size.best); });
    return any ? fmt::format("{} unreliable: disturbed, or interval wide or missing\n", doubt_mark) : "";
}

std::string speedup_cell(const tree::RoundTime& best, const std::optional<tree::RoundTime>& other) {
    if (!other) {
        return "-";
    }
    const auto interval = tree::speedup_interval(best, *other);
    const auto ratio = fmt::format("{:.2f}", other->median_ns / best.median_ns);
    return interval ? fmt::format("{} ({:.2f} .. {:.2f})", ratio, interval->low, interval->high)
                    : ratio + " (too few)";
}

Table best_table(const tree::Optimization& found) {
    Table table({{"bytes", Align::right},
                 {"tree", Align::left},
                 {"median", Align::right},
                 {"95% interval", Align::right},
                 {"standard shape", Align::left},
                 {"faster than it", Align::right},
                 {"than flat", Align::right},
                 {"than the library", Align::right}});
    for (const auto& best : found.best) {
        table.add({exact_text(best.size), best.best.name, time_cell(best.best.median_ns, best.best.reliable),
                   interval_cell(best.best.ci95_ns), best.standard ? best.standard->name : "-",
                   speedup_cell(best.best, best.standard), speedup_cell(best.best, best.flat),
                   speedup_cell(best.best, best.library)});
    }
    return table;
}

Table trial_table(const tree::Optimization& found, bool all, std::size_t& left_out) {
    Table table({{"round", Align::right},
                 {"run", Align::right},
                 {"bytes", Align::right},
                 {"tree", Align::left},
                 {"predicted", Align::right},
                 {"measured", Align::right},
                 {"95% interval", Align::right}});
    for (const auto& trial : found.trials) {
        if (!all && !trial.accepted) {
            ++left_out;
            continue;
        }
        table.add({fmt::format("{}", trial.round), fmt::format("{}", trial.run), exact_text(trial.size),
                   trial.name, trial.predicted_ns ? time_text(*trial.predicted_ns) : "-",
                   time_cell(trial.measured_ns, trial.reliable), interval_cell(trial.ci95_ns)},
                  trial.accepted && all ? "the best so far" : "");
    }
    return table;
}

ordered_json time_json(const tree::RoundTime& time) {
    return {{"tree", time.name},
            {"median_ns", time.median_ns},
            {"median_ci95_ns", interval_json(time.ci95_ns)},
            {"reliable", time.reliable}};
}

ordered_json compared_json(const tree::RoundTime& best, const std::optional<tree::RoundTime>& other) {
    if (!other) {
        return nullptr;
    }
    auto json = time_json(*other);
    const auto interval = tree::speedup_interval(best, *other);
    json["speedup"] = other->median_ns / best.median_ns;
    json["speedup_interval"] = interval_json(interval);
    return json;
}

}  // namespace

std::string tree_optimization_text(const tree::Optimization& found, const Terminal& terminal, bool all) {
    std::string text = best_table(found).text(terminal);
    text += "\n" + paragraph(sentence(found));
    std::size_t left_out = 0;
    const auto trials = trial_table(found, all, left_out);
    if (all || left_out < found.trials.size()) {
        text += fmt::format("\n{}\n{}", bold("What was tried", terminal), trials.text(terminal));
    }
    text += mark_text(found);
    if (left_out > 0) {
        text += fmt::format("{} more with --all.\n", left_out);
    }
    return text;
}

ordered_json tree_optimization_json(const tree::Optimization& found) {
    ordered_json json{
        {"schema", "fathom.tree-optimization/1"}, {"stop", to_text(found.stop)}, {"sites", found.sites}};
    json["best"] = ordered_json::array();
    for (const auto& best : found.best) {
        auto one = time_json(best.best);
        one["size_bytes"] = best.size.count;
        one["standard"] = compared_json(best.best, best.standard);
        one["flat"] = compared_json(best.best, best.flat);
        one["library"] = compared_json(best.best, best.library);
        json["best"].push_back(std::move(one));
    }
    json["ranges"] = ordered_json::array();
    for (const auto& range : found.ranges) {
        json["ranges"].push_back({{"first_bytes", range.first.count},
                                  {"last_bytes", range.last.count},
                                  {"name", range.tree.name},
                                  {"tree", tree_json(range.tree.tree, range.tree.tree.hosts)}});
    }
    json["model"] = {{"mean_error_of_fit", found.error_of_fit},
                     {"mean_error_of_prediction",
                      found.predictions > 0 ? ordered_json(found.error_of_prediction) : nullptr},
                     {"predictions", found.predictions},
                     {"costs_ns", ordered_json::object()}};
    for (const auto cost : values_of<tree::Cost>) {
        json["model"]["costs_ns"][std::string(to_text(cost))] = found.costs[cost];
    }
    json["trials"] = ordered_json::array();
    for (const auto& trial : found.trials) {
        json["trials"].push_back(
            {{"round", trial.round},
             {"run", trial.run},
             {"size_bytes", trial.size.count},
             {"tree", trial.name},
             {"predicted_ns", trial.predicted_ns ? ordered_json(*trial.predicted_ns) : nullptr},
             {"measured_ns", trial.measured_ns},
             {"measured_ci95_ns", interval_json(trial.ci95_ns)},
             {"reliable", trial.reliable},
             {"accepted", trial.accepted}});
    }
    return json;
}

}  // namespace fathom::report
