#include "report/merging.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/printable.hpp"
#include "base/text.hpp"
#include "journal/json.hpp"
#include "report/medians_only.hpp"
#include "report/point_key.hpp"
#include "report/run_differences.hpp"
#include "report/sentences/point_warning.hpp"
#include "report/table.hpp"

namespace fathom::report {
namespace {

using nlohmann::ordered_json;
using Align = Table::Align;

std::string names_of(const analysis::Merging& merging) {
    std::vector<std::string> names;
    for (const auto& run : merging.runs) {
        names.push_back(run.name);
    }
    return and_list(names);
}

/// `run 1 and run 2 differ in hosts: a (2) and b (2)`
std::string text_of(const analysis::MergedDifference& found) {
    return fmt::format("{} and {} differ in {}", found.first, found.other, difference_text(found.difference));
}

/// `run 3: failed, rank 1 died`
std::string text_of(const analysis::MissingPoint& missing) {
    if (!missing.status) {
        return fmt::format("{}: not measured", missing.run);
    }
    const auto reason = reason_of(missing.reason, missing.no_times);
    return fmt::format("{}: {}{}", missing.run,
                       missing.status == store::PointStatus::ok ? "without a time" : to_text(*missing.status),
                       reason.empty() ? "" : ", " + reason);
}

template <typename Fact>
std::vector<std::string> texts_of(const std::vector<Fact>& facts) {
    std::vector<std::string> texts;
    for (const auto& fact : facts) {
        texts.push_back(text_of(fact));
    }
    return texts;
}

}  // namespace

std::string merging_refusal(const analysis::Merging& merging) {
    const auto& all = merging.differences;
    const auto harmful =
        std::find_if(all.begin(), all.end(), [](const auto& each) { return !each.harmless; });
    return harmful == all.end()
               ? std::string()
               : fmt::format("these runs do not measure the same thing: {}. --anyway merges them.",
                             text_of(*harmful));
}

std::string merging_text(const analysis::Merging& merging, const Terminal& terminal) {
    const auto& row = merging.runs.front().result.run;
    std::string text = fmt::format(
        "{} merged: {}{}, {} {}\n", printable(names_of(merging)), printable_name(analysis::library_of(row)),
        row.simulated ? ", simulated" : "", row.procs, row.procs == 1 ? "process" : "processes");
    for (const auto& difference : merging.differences) {
        text += fmt::format("Note: {}.\n", printable(text_of(difference)));
    }
    std::vector<const analysis::MeasuredRun*> runs;
    for (const auto& run : merging.runs) {
        runs.push_back(&run);
    }
    text += medians_only("merged", runs);
    const KeyColumns<analysis::PointKey> keys(
        merging.points, [](const auto& point) -> const auto& { return point.key; });
    auto columns = keys.titles();
    for (const auto* title : {"runs", "reps", "median", "95% interval", "min", "max", "spread", "rate"}) {
        columns.push_back({title, Align::right});
    }
    Table table(columns);
    for (const auto& point : merging.points) {
        auto cells = keys.cells(point.key);
        if (point.runs() == 0) {
            table.add(std::move(cells), "no run has it", Ink::red);
            continue;
        }
        const auto& interval = point.median_ci95_ns;
        for (auto& cell : std::vector<std::string>{
                 fmt::format("{}", point.runs()), count_text(point.reps),
                 marked(time_text(point.median_ns), point.quality),
                 interval ? time_interval_text(interval->low, interval->high) : "-", time_text(point.min_ns),
                 time_text(point.max_ns),
                 point.relative_spread ? fmt::format("{:.1f} %", *point.relative_spread * 100) : "-",
                 point.rate_bytes_per_s ? rate_text(*point.rate_bytes_per_s) : ""}) {
            cells.push_back(std::move(cell));
        }
        table.add(std::move(cells));
    }
    text += "\n" + table.text(terminal);
    if (std::ranges::any_of(merging.points,
                            [](const auto& point) { return point.quality != analysis::Quality::good; })) {
        text += fmt::format("{} unreliable in one of the runs ('fathom show')\n", doubt_mark);
    }
    std::string missing;
    for (const auto& point : merging.points) {
        for (const auto& why : point.missing) {
            missing += fmt::format("Missing: {}: {}.\n", to_text(point.key), printable(text_of(why)));
        }
    }
    return text + (missing.empty() ? "" : "\n" + missing) +
           "\nThe median is that of the runs' medians, with Student's interval over the runs; min, max and "
           "spread (standard deviation) are those of the runs' medians.\n";
}

ordered_json merging_json(const analysis::Merging& merging) {
    const auto known = [](const std::optional<double>& value) {
        return value ? ordered_json(*value) : ordered_json(nullptr);
    };
    ordered_json json{{"schema", "fathom.merge/1"}};
    json["runs"] = ordered_json::array();
    for (const auto& run : merging.runs) {
        const auto& row = run.result.run;
        json["runs"].push_back({{"name", run.name},
                                {"run", row.id},
                                {"label", row.label},
                                {"created_utc", row.created_utc},
                                {"mpi", row.mpi_flavour},
                                {"mpi_version", row.mpi_version},
                                {"simulated", row.simulated},
                                {"procs", row.procs},
                                {"hosts", run.hosts}});
    }
    json["remarks"] = texts_of(merging.differences);
    json["points"] = ordered_json::array();
    for (const auto& point : merging.points) {
        const bool any = point.runs() > 0;
        const auto& interval = point.median_ci95_ns;
        json["points"].push_back(with_key(
            point.key, {{"runs", point.runs()},
                        {"reps", point.reps},
                        {"median_ns", any ? ordered_json(point.median_ns) : ordered_json(nullptr)},
                        {"median_ci95_ns", interval ? ordered_json::array({interval->low, interval->high})
                                                    : ordered_json(nullptr)},
                        {"min_median_ns", any ? ordered_json(point.min_ns) : ordered_json(nullptr)},
                        {"max_median_ns", any ? ordered_json(point.max_ns) : ordered_json(nullptr)},
                        {"relative_spread", known(point.relative_spread)},
                        {"medians_ns", point.medians_ns},
                        {"quality", any ? ordered_json(point.quality) : ordered_json(nullptr)},
                        {"rate_bytes_per_s", known(point.rate_bytes_per_s)},
                        {"missing", texts_of(point.missing)}}));
    }
    return json;
}

void write_merging_csv(std::FILE* out, const analysis::Merging& merging, CsvTexts texts) {
    fmt::print(
        out,
        "{},{},runs,reps,median_ns,median_ci95_low_ns,"
        "median_ci95_high_ns,min_median_ns,max_median_ns,relative_spread,rate_bytes_per_s,missing,quality\n",
        csv_place_titles, csv_extra_titles<analysis::PointKey>());
    const auto known = [](const std::optional<double>& value) {
        return value ? fmt::format("{}", *value) : std::string();
    };
    for (const auto& point : merging.points) {
        const bool any = point.runs() > 0;
        const auto number = [&](double value) { return any ? fmt::format("{}", value) : std::string(); };
        const auto& interval = point.median_ci95_ns;
        std::string missing;
        for (const auto& why : point.missing) {
            missing += (missing.empty() ? "" : "; ") + text_of(why);
        }
        fmt::print(out, "{},{},{},{},{},{},{},{},{},{},{},{},{}\n", csv_place_cells(point.key, texts),
                   csv_extra_cells(point.key, texts), point.runs(), point.reps, number(point.median_ns),
                   interval ? fmt::format("{}", interval->low) : "",
                   interval ? fmt::format("{}", interval->high) : "", number(point.min_ns),
                   number(point.max_ns), known(point.relative_spread), known(point.rate_bytes_per_s),
                   csv_cell(missing, texts), any ? to_text(point.quality) : "");
    }
}

}  // namespace fathom::report
