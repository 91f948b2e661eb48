#include <algorithm>
#include <memory>

#include <climits>
#include <fmt/format.h>

#include "base/file.hpp"
#include "base/printable.hpp"
#include "base/units.hpp"
#include "cli/stored_run.hpp"
#include "cli/tree_analysis.hpp"
#include "report/output.hpp"
#include "report/tree_trace.hpp"

namespace fathom::cli {
namespace {

struct TreeExportOptions {
    std::string run = "last";
    std::string db;
    int point = any_point;
    std::string perfetto;
    std::int64_t calls = 1'000;  // some 20 MB for 60 ranks, which browsers still open
};

ExitStatus export_trace(const TreeExportOptions& options) {
    const auto store = store::Store::open(options.db);
    const auto run = store.find_run(options.run);
    const auto point = one_trace(store, run, options.point);
    const auto trace = tree::read_trace(store, run, point);
    const tree::StageTimes times(trace.index, trace.calls);
    // Launches have clocks of their own: the first one is written.
    const auto first = static_cast<std::size_t>(
        std::ranges::count(trace.calls.calls, 0, [](const tree::TracedCall& call) { return call.launch; }));
    const auto most = options.calls == 0 ? first : std::min(first, static_cast<std::size_t>(options.calls));
    write_file(options.perfetto,
               report::tree_trace_json(times, trace.evidence.hosts, point.key.operation, most),
               "name another with --perfetto.");
    report::print(stderr,
                  "Wrote {} of {} calls into {}. Open it at https://ui.perfetto.dev or chrome://tracing.\n",
                  count_text(static_cast<std::int64_t>(most)),
                  count_text(static_cast<std::int64_t>(times.size())), printable(options.perfetto));
    return status_of_reading(store);
}

}  // namespace

void add_tree_export(const Command& tree, Invocation& invocation) {
    const auto options = std::make_shared<TreeExportOptions>();
    const auto command = tree.subcommand(
        "export", "Write traced calls for a trace viewer", "fathom tree export last --perfetto trace.json",
        [options, &invocation] { invocation.status = export_trace(*options); });
    command.option("run", options->run, "number, label or 'last'").value_name("RUN").with_default();
    command.db_option(options->db);
    command.option("--point", options->point, "the traced point of this number")
        .value_name("NUMBER")
        .between(0, INT_MAX);
    command
        .option("--perfetto", options->perfetto,
                "file to write in the Trace Event Format, which Perfetto and Chrome open")
        .value_name("FILE")
        .required()
        .not_empty();
    command.option("--calls", options->calls, "the first calls only; 0: all")
        .value_name("N")
        .with_default()
        .between(0, INT64_MAX);
}

}  // namespace fathom::cli
