#include <cerrno>
#include <cstdio>
#include <memory>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/point/point_result.hpp"
#include "analysis/samples/sample_time.hpp"
#include "base/file.hpp"
#include "base/printable.hpp"
#include "cli/command_line.hpp"
#include "cli/stored_run.hpp"
#include "journal/json.hpp"
#include "report/csv.hpp"
#include "report/gnuplot.hpp"
#include "report/json.hpp"
#include "report/output.hpp"
#include "store/store.hpp"

namespace fathom::cli {
namespace {

struct ExportOptions {
    std::vector<std::string> runs;
    std::string db;
    std::string output;
    std::string gnuplot;
    bool csv = false;
    bool json = false;
    bool samples = false;
    bool steps = false;
    bool raw = false;
};

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

File open_output(const std::string& path) {
    if (path.empty()) {
        return {stdout, [](std::FILE*) { return 0; }};
    }
    File file(std::fopen(path.c_str(), "w"), std::fclose);
    if (!file) {
        fail_to_write(path, errno, "name another with -o.");
    }
    return file;
}

/// Those that were named, in this order; the last one without a name.
std::vector<store::RunRow> runs_of(const store::Store& store, const ExportOptions& options) {
    std::vector<store::RunRow> runs;
    for (const auto& name : options.runs) {
        runs.push_back(store.find_run(name));
    }
    if (runs.empty()) {
        runs.push_back(store.find_run("last"));
    }
    return runs;
}

/// Samples as JSON, streamed one rank at a time to bound memory.
void write_samples_json(std::FILE* out, const store::Store& store, const store::RunRow& run) {
    fmt::print(out, "{{\"schema\": \"fathom.samples/1\", \"run\": {}, \"blocks\": [", run.id);
    const char* separator = "\n";
    analysis::visit_points(store, run.id, [&](const store::PointRow& point) {
        const analysis::SampleTime time(store, point);
        const auto clock = analysis::global_time_of(store, point);
        store.visit_samples(
            point.id, [&](int rank, std::int64_t first_rep, const std::vector<journal::Sample>& samples) {
                nlohmann::ordered_json block{{"point", point.position},
                                             {"operation", point.key.operation},
                                             {"procs", point.key.procs},
                                             {"size_bytes", point.key.size.count},
                                             {"trial", point.launch},
                                             {"scheme", point.key.scheme},
                                             {"progress", point.key.progress},
                                             {"setting", point.key.setting},
                                             {"implementation", point.key.implementation},
                                             {"rank", rank},
                                             {"first_rep", first_rep}};
                auto starts = nlohmann::ordered_json::array();
                auto durations = nlohmann::ordered_json::array();
                auto valid = nlohmann::ordered_json::array();
                for (const auto& sample : samples) {
                    starts.push_back(clock.global(rank, sample.start).count);
                    durations.push_back(time.of(rank, sample));
                    valid.push_back(sample.valid);
                }
                block["start_ns"] = std::move(starts);
                block["duration_ns"] = std::move(durations);
                block["valid"] = std::move(valid);
                fmt::print(out, "{}{}", separator, report::document_line(block));
                separator = ",\n";
            });
    });
    fmt::print(out, "\n]}}\n");
}

ExitStatus write_gnuplot(const ExportOptions& options) {
    if (options.csv || options.json || options.samples || options.steps || options.raw ||
        !options.output.empty()) {
        throw BadInput("--gnuplot cannot be combined with other formats or -o; all files go to its DIR.");
    }
    const auto store = store::Store::open(options.db);
    report::GnuplotFigures figures;
    if (options.runs.size() > 1) {
        throw BadInput("--gnuplot draws one run; name one.");
    }
    const auto result = analysis::evaluate(store, runs_of(store, options).front(), {},
                                           {.analyses = true, .visit = [&](const auto& samples) {
                                                figures.add(samples.point, samples.repetitions);
                                            }});
    const auto scripts = figures.write(options.gnuplot, result);
    report::print(stderr, "Wrote {} for run {} into {}; run 'gnuplot {}' there to draw.\n",
                  scripts.empty() ? "nothing to draw" : fmt::format("{}", fmt::join(scripts, ", ")),
                  result.run.id, printable(options.gnuplot), scripts.empty() ? "FILE" : scripts.front());
    return status_of_reading(store);
}

void write_csv(std::FILE* out, const store::Store& store, const store::RunRow& run,
               const ExportOptions& options, report::CsvForm form) {
    if (options.steps) {
        report::write_steps_csv(out, store, run, form);
    } else if (options.samples) {
        report::write_samples_csv(out, store, run, form);
    } else {
        report::write_points_csv(out, analysis::evaluate(store, run), form);
    }
}

ExitStatus write(const ExportOptions& options) {
    if (!options.gnuplot.empty()) {
        return write_gnuplot(options);
    }
    if (options.csv == options.json) {
        throw BadInput("choose a format: --csv, --json or --gnuplot DIR.");
    }
    if (options.steps && (options.json || options.samples)) {
        throw BadInput("--steps needs --csv and cannot be combined with --samples.");
    }
    if (options.raw && !options.csv) {
        throw BadInput("--raw needs --csv.");
    }
    if (options.json && options.samples && options.runs.size() > 1) {
        throw BadInput("--json --samples writes one run; name one, or use --csv.");
    }
    const auto store = store::Store::open(options.db);
    const auto runs = runs_of(store, options);
    const auto file = open_output(options.output);
    if (options.csv) {
        report::CsvForm form{.texts = options.raw ? report::CsvTexts::raw : report::CsvTexts::safe};
        for (const auto& run : runs) {
            write_csv(file.get(), store, run, options, form);
            form.titles = false;
        }
    } else if (options.samples) {
        write_samples_json(file.get(), store, runs.front());
    } else if (runs.size() == 1) {
        fmt::print(file.get(), "{}",
                   report::document(report::run_json(store, whole_run(store, runs.front()))));
    } else {
        nlohmann::ordered_json all{{"schema", "fathom.runs/1"}, {"runs", nlohmann::ordered_json::array()}};
        for (const auto& run : runs) {
            all["runs"].push_back(report::run_json(store, whole_run(store, run)));
        }
        fmt::print(file.get(), "{}", report::document(all));
    }
    if (std::fflush(file.get()) != 0 || std::ferror(file.get()) != 0) {
        fail_to_write(options.output.empty() ? "to stdout" : options.output, errno);
    }
    return status_of_reading(store);
}

}  // namespace

void add_export(const Command& program, Invocation& invocation) {
    const auto options = std::make_shared<ExportOptions>();
    const auto command = program.subcommand("export", "Write stored runs for other programs",
                                            "fathom export last --csv --samples -o samples.csv",
                                            [options, &invocation] { invocation.status = write(*options); });
    (void)command.option("run", options->runs, "numbers, labels or 'last' (default last)").value_name("RUN");
    command.db_option(options->db);
    command.flag("--csv", options->csv, "comma-separated rows");
    command.flag("--raw", options->raw, report::csv_raw_help);
    command.flag("--json", options->json, "one JSON document");
    command.flag("--samples", options->samples, "every sample of every rank instead of one row per point");
    command.flag("--steps", options->steps,
                 "every repetition of overlap studies instead of one row per point; with --csv");
    command
        .option("--gnuplot", options->gnuplot,
                "folder for data files and scripts that draw the classic figures with gnuplot")
        .value_name("DIR");
    command.option("-o,--output", options->output, "file to write (default: stdout)").value_name("FILE");
}

}  // namespace fathom::cli
