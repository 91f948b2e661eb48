#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/file.hpp"
#include "cli/tune.hpp"
#include "cli/write_page.hpp"
#include "report/page/page.hpp"
#include "report/page/tuning_page.hpp"

namespace fathom::cli {
namespace {

/// More columns than this are too narrow to read.
constexpr std::size_t most_tunings = 8;

struct TuneReportOptions {
    std::vector<std::string> files;
    std::string output = "tuning.html";
};

void report_tunings(const TuneReportOptions& options) {
    if (options.files.size() > most_tunings) {
        throw BadInput(fmt::format("{} files are too many for one page; give at most {}.",
                                   options.files.size(), most_tunings));
    }
    need_page("The file of the tuning has the figures.");
    std::vector<nlohmann::ordered_json> tunings;
    for (const auto& file : options.files) {
        tunings.push_back(
            report::check_tuning_document(read_file(file, report::longest_tuning_document), file));
    }
    const auto names = fmt::format("{}", fmt::join(options.files, ", "));
    const auto what =
        options.files.size() == 1 ? options.files.front() : fmt::format("{} tunings", options.files.size());
    write_page(options.output,
               report::page_html(report::tuning_page_data(std::move(tunings)), "fathom: tuning " + names,
                                 "the file of the tuning has the same figures"),
               what);
}

}  // namespace

void add_tune_report(const Command& tune, Invocation& /*invocation*/) {
    const auto options = std::make_shared<TuneReportOptions>();
    const auto command = tune.subcommand("report", "Write tunings as one HTML page",
                                         "fathom tune report openmpi.json mpich.json -o tuning.html",
                                         [options] { report_tunings(*options); });
    command
        .option("files", options->files,
                "tunings, as 'fathom tune' writes them; several are shown side by side")
        .value_name("FILE")
        .required();
    command.option("-o,--output", options->output, "page to write").value_name("FILE").with_default();
}

}  // namespace fathom::cli
