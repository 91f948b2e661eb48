#include "report/tune_model.hpp"

#include <cmath>

#include <fmt/format.h>

#include "base/text.hpp"
#include "base/units.hpp"
#include "plan/point_key.hpp"
#include "report/json_values.hpp"
#include "report/table.hpp"

namespace fathom::report {
namespace {

using nlohmann::ordered_json;
using Align = Table::Align;

/// Rows of a table of ranges: where segments and protocols make a winner change back and forth, more are not
/// read. JSON has all.
constexpr std::size_t most_ranges = 24;

std::string per_byte_text(double ns_per_byte) {
    constexpr double ns_per_s = 1e9;
    return ns_per_byte > 0 ? rate_text(ns_per_s / ns_per_byte) : "no time per byte";
}

std::string link_text(const tune::Link& link) {
    std::vector<std::string> ranges;
    for (const auto& range : link.message.ranges) {
        const bool is_last = range.up_to == tune::endless;
        ranges.push_back(fmt::format("{} and {}{}", time_text(range.time.fixed_ns),
                                     per_byte_text(range.time.per_byte_ns),
                                     is_last ? "" : fmt::format(" up to {}", exact_text(range.up_to))));
    }
    std::string text;
    for (const auto& range : ranges) {
        text += (text.empty() ? "" : "; ") + range;
    }
    if (link.overhead_ns != link.message.ranges.front().time.fixed_ns) {
        text += fmt::format("; {} until the next message", time_text(link.overhead_ns));
    }
    return text;
}

bool has_levels(const tune::PredictionTask& task) {
    return task.layout.hosts() < task.layout.procs();
}

std::string parameters_text(const tune::PredictionTask& task) {
    std::string text;
    const auto line = [&](const char* what, const std::string& value) {
        text += fmt::format("  {:<14}{}\n", what, value);
    };
    if (task.layout.hosts() > 1 || task.layout.procs() == 1) {
        line(has_levels(task) ? "between hosts" : "a message", link_text(task.network.between));
    }
    if (has_levels(task)) {
        line("inside hosts", link_text(task.network.inside));
    }
    if (has_levels(task) && task.layout.hosts() > 1) {
        const auto interface = task.network.interface_ns_per_byte;
        line("an interface", !interface       ? "shared; one message saturates it"
                             : *interface > 0 ? "shared, " + per_byte_text(*interface) + " each way"
                                              : "not shared");
    }
    if (task.network.reduce_ns_per_byte > 0) {
        line("reducing", per_byte_text(task.network.reduce_ns_per_byte));
    }
    return text;
}

Table times_table(const tune::Prediction& prediction) {
    std::vector<Table::Column> columns{{"bytes", Align::right}};
    for (const auto* algorithm : prediction.algorithms) {
        columns.push_back({std::string(algorithm->name), Align::right});
    }
    Table table(columns);
    for (const auto size : prediction.task.sizes) {
        const auto best = prediction.best_at(size);
        std::vector<std::string> cells{exact_text(size)};
        for (std::size_t i = 0; i < prediction.curves.size(); ++i) {
            cells.push_back((i == best ? "* " : "") + time_text(prediction.curves[i].at(size)));
        }
        table.add(cells);
    }
    return table;
}

std::string best_text(const tune::Prediction& prediction, const Terminal& terminal) {
    Table table({{"from", Align::right}, {"to", Align::right}, {"algorithm", Align::left}});
    for (std::size_t i = 0; i < std::min(prediction.best.size(), most_ranges); ++i) {
        const auto& range = prediction.best[i];
        table.add({exact_text(range.first), exact_text(range.last),
                   std::string(prediction.algorithms[range.curve]->name)});
    }
    auto text = fmt::format("\n{}\n{}", bold("Fastest by prediction", terminal), table.text(terminal));
    if (prediction.best.size() > most_ranges) {
        text += fmt::format("{} more ranges with --json.\n", prediction.best.size() - most_ranges);
    }
    return text;
}

std::string signed_error_text(double share) {
    constexpr double percent = 100;
    return fmt::format("{:+.1f} %", percent * share);
}

std::string mean_error_text(double share) {
    constexpr double percent = 100;
    return fmt::format("{:.2f} %", percent * share);
}

std::string compared_text(const tune::Prediction& prediction, const Terminal& terminal) {
    const bool levels = has_levels(prediction.task);
    std::vector<Table::Column> columns{{"algorithm", Align::left},
                                       {"bytes", Align::right},
                                       {"measured", Align::right},
                                       {"predicted", Align::right},
                                       {"error", Align::right}};
    std::vector<Table::Column> mean_columns{
        {"algorithm", Align::left}, {"sizes", Align::right}, {"mean error", Align::right}};
    if (levels) {
        columns.push_back({"flat model", Align::right});
        columns.push_back({"error", Align::right});
        mean_columns.push_back({"of the flat model", Align::right});
    }
    Table table(columns);
    for (const auto& time : prediction.compared) {
        std::vector<std::string> cells{std::string(prediction.algorithms[time.algorithm]->name),
                                       exact_text(time.size), time_text(time.measured_ns),
                                       time_text(time.predicted_ns), signed_error_text(time.error())};
        if (levels) {
            cells.push_back(time_text(time.flat_ns));
            cells.push_back(signed_error_text(time.flat_error()));
        }
        table.add(cells);
    }
    Table means(mean_columns);
    const auto add_mean = [&](const std::string& name, const tune::MeanErrors& errors) {
        std::vector<std::string> cells{name, fmt::format("{}", errors.times), mean_error_text(errors.model)};
        if (levels) {
            cells.push_back(mean_error_text(errors.flat));
        }
        means.add(cells);
    };
    for (std::size_t i = 0; i < prediction.algorithms.size(); ++i) {
        if (const auto errors = prediction.mean_errors(i); errors.times > 0) {
            add_mean(std::string(prediction.algorithms[i]->name), errors);
        }
    }
    add_mean("all", prediction.mean_errors());
    return fmt::format("\n{}\n{}\n{}", bold("Predicted against measured", terminal), table.text(terminal),
                       means.text(terminal));
}

ordered_json link_json(const tune::Link& link) {
    ordered_json json{{"ranges", ordered_json::array()}, {"overhead_ns", link.overhead_ns}};
    for (const auto& range : link.message.ranges) {
        json["ranges"].push_back(
            {{"up_to_bytes",
              range.up_to == tune::endless ? ordered_json(nullptr) : ordered_json(range.up_to.count)},
             {"alpha_ns", range.time.fixed_ns},
             {"beta_ns_per_byte", range.time.per_byte_ns}});
    }
    return json;
}

ordered_json parameters_json(const tune::PredictionTask& task) {
    ordered_json json{{"gamma_ns_per_byte", task.network.reduce_ns_per_byte},
                      {"interface_ns_per_byte", or_null(task.network.interface_ns_per_byte)},
                      {"chain_segment_bytes", task.settings.chain_segment.count}};
    // Of a job on one host, what is between hosts may not be known, and the other way round.
    if (!task.network.between.message.ranges.empty()) {
        json["between"] = link_json(task.network.between);
    }
    if (has_levels(task)) {
        json["inside"] = link_json(task.network.inside);
    }
    return json;
}

ordered_json errors_json(const tune::MeanErrors& errors) {
    return {{"times", errors.times}, {"mean_error", errors.model}, {"mean_error_of_flat_model", errors.flat}};
}

}  // namespace

std::string tune_model_text(const tune::Prediction& prediction, const Terminal& terminal) {
    const auto& task = prediction.task;
    auto text = fmt::format(
        "{}\n{}\n{}",
        bold(fmt::format("{}, {}{}, predicted", task.operation, plan::processes_text(task.layout.procs()),
                         has_levels(task) ? fmt::format(" on {} host{}", task.layout.hosts(),
                                                        task.layout.hosts() == 1 ? "" : "s")
                                          : ""),
             terminal),
        parameters_text(task), times_table(prediction).text(terminal));
    if (prediction.algorithms.size() > 1) {
        text += best_text(prediction, terminal);
    }
    if (!prediction.compared.empty()) {
        text += compared_text(prediction, terminal);
    }
    if (!prediction.without_model.empty()) {
        text += fmt::format("\nMeasured, but without a model: {}.\n", and_list(prediction.without_model));
    }
    if (const auto count = prediction.unreliable; count > 0) {
        text += fmt::format("\nNot compared: {} {} disturbed or imprecise.\n", count,
                            count == 1 ? "time that was" : "times that were");
    }
    return text;
}

ordered_json tune_model_json(const tune::Prediction& prediction) {
    const auto& task = prediction.task;
    ordered_json json{{"schema", "fathom.tune-model/1"},     {"operation", task.operation},
                      {"procs", task.layout.procs()},        {"hosts", task.layout.hosts()},
                      {"parameters", parameters_json(task)}, {"algorithms", ordered_json::array()},
                      {"points", ordered_json::array()},     {"ranges", ordered_json::array()},
                      {"compared", ordered_json::array()}};
    for (std::size_t i = 0; i < prediction.algorithms.size(); ++i) {
        const auto& algorithm = *prediction.algorithms[i];
        ordered_json one{{"name", algorithm.name},
                         {"implementation", "reference:" + std::string(algorithm.name)},
                         {"flat_cost_for_powers_of_two", algorithm.formula}};
        if (const auto errors = prediction.mean_errors(i); errors.times > 0) {
            one["errors"] = errors_json(errors);
        }
        json["algorithms"].push_back(std::move(one));
    }
    for (const auto size : task.sizes) {
        const auto best = prediction.best_at(size);
        for (std::size_t i = 0; i < prediction.curves.size(); ++i) {
            json["points"].push_back({{"algorithm", prediction.algorithms[i]->name},
                                      {"size_bytes", size.count},
                                      {"predicted_ns", prediction.curves[i].at(size)},
                                      {"best", i == best}});
        }
    }
    for (const auto& range : prediction.best) {
        json["ranges"].push_back({{"algorithm", prediction.algorithms[range.curve]->name},
                                  {"from_bytes", range.first.count},
                                  {"to_bytes", range.last.count}});
    }
    for (const auto& time : prediction.compared) {
        json["compared"].push_back({{"algorithm", prediction.algorithms[time.algorithm]->name},
                                    {"size_bytes", time.size.count},
                                    {"measured_ns", time.measured_ns},
                                    {"predicted_ns", time.predicted_ns},
                                    {"error", time.error()},
                                    {"flat_model_ns", time.flat_ns},
                                    {"flat_model_error", time.flat_error()}});
    }
    json["errors"] =
        prediction.compared.empty() ? ordered_json(nullptr) : errors_json(prediction.mean_errors());
    json["without_model"] = prediction.without_model;
    json["unreliable"] = prediction.unreliable;
    return json;
}

}  // namespace fathom::report
