#include <memory>
#include <set>
#include <unistd.h>

#include <fmt/format.h>

#include "base/units.hpp"
#include "cli/command_line.hpp"
#include "cli/run_reference.hpp"
#include "cli/stored_run.hpp"
#include "cli/write_page.hpp"
#include "journal/json.hpp"
#include "report/json.hpp"
#include "report/output.hpp"
#include "report/page/page.hpp"
#include "report/page/page_data.hpp"
#include "report/progress.hpp"

namespace fathom::cli {
namespace {

struct ReportOptions {
    std::vector<std::string> runs;
    std::string db;
    std::string output = "report.html";
    bool json = false;
};

/// `run 7`, `baseline`, and where two names would be the same, the file too.
std::vector<std::string> names_of(const std::vector<RunReference>& references) {
    std::vector<std::string> names;
    std::multiset<std::string> all;
    for (const auto& [store, run] : references) {
        names.push_back(run.label.empty() ? fmt::format("run {}", run.id)
                                          : fmt::format("{} (run {})", run.label, run.id));
        all.insert(names.back());
    }
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (all.count(names[i]) > 1) {
            names[i] += " of " + references[i].store.path().string();
        }
    }
    return names;
}

nlohmann::ordered_json data_of(const ReportOptions& options, ExitStatus& status) {
    const auto references =
        find_runs(options.runs.empty() ? std::vector<std::string>{"last"} : options.runs, options.db);
    int total = 0;
    std::size_t processes = 0;
    for (const auto& [store, run] : references) {
        for (const auto& point : store.points(run.id)) {
            ++total;
            processes += static_cast<std::size_t>(point.key.procs);
        }
    }
    const auto names = names_of(references);
    report::Progress progress(report::Terminal::of(STDERR_FILENO), total, report::Lines::some);
    std::vector<report::PageRun> runs;
    report::Allowance allowance(report::details_of_a_page, static_cast<std::size_t>(total), processes);
    int done = 0;
    for (std::size_t i = 0; i < references.size(); ++i) {
        const auto& [store, run] = references[i];
        const auto tell = [&](const auto& point) {
            progress.reached(++done, fmt::format("reading {}, {}", names[i], to_text(point.key)));
        };
        runs.push_back(report::page_run(store, run, names[i], tell, options.json ? nullptr : &allowance));
    }
    for (const auto& [store, run] : references) {
        status = status_of_reading(store, status);
    }
    return report::page_data(std::move(runs));
}

std::string title_of(const nlohmann::ordered_json& data) {
    std::string title = "fathom";
    for (const auto& run : data["runs"]) {
        title += (title == "fathom" ? ": " : ", ") + run["name"].get<std::string>();
    }
    return title;
}

void report_runs(const ReportOptions& options, ExitStatus& status) {
    if (options.json) {
        report::print("{}", report::document(data_of(options, status)));
        return;
    }
    need_page("--json gives the data, and 'fathom show' the figures.");
    auto data = data_of(options, status);
    const auto title = title_of(data);
    const auto what = data["runs"].size() == 1 ? data["runs"][0]["name"].get<std::string>()
                                               : fmt::format("{} runs", data["runs"].size());
    write_page(options.output, report::page_html(std::move(data), title), what);
}

}  // namespace

void add_report(const Command& program, Invocation& invocation) {
    const auto options = std::make_shared<ReportOptions>();
    const auto command = program.subcommand(
        "report", "Write runs as one HTML page", "fathom report last baseline -o report.html",
        [options, &invocation] { report_runs(*options, invocation.status); });
    command
        .option("runs", options->runs,
                std::string(run_reference_help) + "; several are overlaid (default: last)")
        .value_name("RUN");
    command.option("-o,--output", options->output, "page to write").value_name("FILE").with_default();
    command.db_option(options->db);
    command.flag("--json", options->json, "the data of the page as one JSON document on stdout");
}

}  // namespace fathom::cli
