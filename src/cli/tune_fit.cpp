#include "report/tune_fit.hpp"

#include <memory>
#include <unistd.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/file.hpp"
#include "base/printable.hpp"
#include "base/text.hpp"
#include "cli/run_reference.hpp"
#include "cli/stored_run.hpp"
#include "cli/tune.hpp"
#include "plan/operations.hpp"
#include "report/json.hpp"
#include "report/output.hpp"
#include "tune/fit/fit.hpp"

namespace fathom::cli {
namespace {

struct TuneFitOptions {
    std::string run = "last";
    std::string operation;
    int procs = 0;
    std::string via;
    std::string format{to_text(report::FitFormat::table)};
    std::string output;
    std::string db;
};

report::FitFormat format_of(const TuneFitOptions& options) {
    if (const auto found = from_text<report::FitFormat>(options.format)) {
        return *found;
    }
    const std::vector<std::string> known(fathom::names_of<report::FitFormat>.begin(),
                                         fathom::names_of<report::FitFormat>.end());
    throw BadInput(fmt::format("--format is \"{}\".{} Give one of {}.", printable_name(options.format),
                               did_you_mean(options.format, known), fmt::join(known, ", ")));
}

std::function<bool(const plan::PointKey&)> chosen_curves(const TuneFitOptions& options) {
    const auto operation =
        options.operation.empty() ? std::string_view() : plan::operation_given(options.operation).name;
    return [options, operation](const plan::PointKey& key) {
        const bool via = options.via.empty() ||
                         key.implementation == (options.via == "library" ? std::string() : options.via);
        return via && (operation.empty() || key.operation == operation) &&
               (options.procs == 0 || key.procs == options.procs);
    };
}

ExitStatus fit_times(const TuneFitOptions& options) {
    const auto format = format_of(options);
    const auto [store, run] = find_run(options.run, options.db);
    const auto result =
        whole_run(store, run,
                  {.wanted = {.select = chosen_curves(options)}, .quiet = format == report::FitFormat::json});
    const auto fits = tune::fits_of(result.points, run.simulated);
    if (fits.empty()) {
        throw BadInput(
            fmt::format("run {} has no times of one operation at two sizes or more that --op, -n and --via "
                        "choose; 'fathom "
                        "show {}' shows what it has.",
                        run.id, run.id));
    }
    const auto source = fmt::format("run {}", run.id);
    const auto text = [&] {
        switch (format) {
            case report::FitFormat::c:
                return report::tune_fit_c(fits, source);
            case report::FitFormat::python:
                return report::tune_fit_python(fits, source);
            case report::FitFormat::json:
                return report::document(report::tune_fit_json(fits));
            case report::FitFormat::table:
                break;
        }
        return report::tune_fit_text(
            fits, options.output.empty() ? report::Terminal::of(STDOUT_FILENO) : report::Terminal{});
    }();
    if (options.output.empty()) {
        report::print("{}", text);
    } else {
        write_file(options.output, text, "name another with -o.");
    }
    return status_of_reading(store);
}

}  // namespace

void add_tune_fit(const Command& tune, Invocation& invocation) {
    const auto options = std::make_shared<TuneFitOptions>();
    const auto command =
        tune.subcommand("fit", "Fit closed forms to measured times: few lines over the message size",
                        "fathom tune fit last --op bcast --format c -o bcast.c",
                        [options, &invocation] { invocation.status = fit_times(*options); });
    command.option("run", options->run, run_reference_help).value_name("RUN").with_default();
    command.option("--op", options->operation, "only this operation").value_name("NAME").not_empty();
    command.option("-n,--procs", options->procs, "only this number of processes")
        .value_name("P")
        .between(1, INT32_MAX);
    command.option("--via", options->via, "only this implementation, e.g. library or reference:ring")
        .value_name("NAME")
        .not_empty();
    command
        .option("--format", options->format,
                fmt::format("one of {}", fmt::join(fathom::names_of<report::FitFormat>, ", ")))
        .value_name("FORMAT")
        .with_default()
        .not_empty();
    command.option("-o,--output", options->output, "file to write (default: stdout)")
        .value_name("FILE")
        .not_empty();
    command.db_option(options->db);
}

}  // namespace fathom::cli
