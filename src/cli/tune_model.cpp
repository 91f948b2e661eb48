#include "report/tune_model.hpp"

#include <algorithm>
#include <memory>
#include <set>
#include <unistd.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/run/run_result.hpp"
#include "base/printable.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "cli/model_sources.hpp"
#include "cli/stored_run.hpp"
#include "cli/tune.hpp"
#include "plan/grid.hpp"
#include "plan/operations.hpp"
#include "report/json.hpp"
#include "report/output.hpp"
#include "tune/measured/parameters.hpp"
#include "tune/measured/prediction.hpp"

namespace fathom::cli {
namespace {

/// Sizes where neither the user nor a run says: those that most programs send.
constexpr const char* usual_sizes = "1:4M";
/// Segments of a chain that a prediction follows one by one.
constexpr std::int64_t most_chain_segments = std::int64_t{1} << 22;

struct TuneModelOptions {
    std::string operation;
    int procs = 0;
    int hosts = 0;
    std::vector<std::string> sizes;
    std::vector<std::string> from;
    std::string alpha;
    std::string beta;
    std::string overhead;
    std::string alpha_inside;
    std::string beta_inside;
    std::string overhead_inside;
    std::string beta_interface;
    std::string gamma;
    std::string segment;
    std::string db;
    bool json = false;
};

template <typename Parse>
auto parsed(const char* option, const std::string& text, Parse parse) {
    try {
        return parse(text);
    } catch (const BadInput& error) {
        throw BadInput(fmt::format("{}: {}.", option, error.what()));
    }
}

/// Replaces what was measured of a link by what was given.
void put_given(std::optional<tune::Link>& link, const std::string& alpha, const std::string& beta,
               const std::string& overhead, const char* suffix) {
    const auto option = [&](const char* name) { return fmt::format("--{}{}", name, suffix); };
    if (!alpha.empty() || !beta.empty()) {
        if (!link && (alpha.empty() || beta.empty())) {
            throw BadInput(fmt::format("{} is missing: give it together with {}.",
                                       option(alpha.empty() ? "alpha" : "beta"),
                                       option(alpha.empty() ? "beta" : "alpha")));
        }
        // One of them alone replaces that one in all ranges of sizes.
        if (!link || (!alpha.empty() && !beta.empty())) {
            link = tune::simple_link(0, 0);
        }
        const bool overlaps = link->overhead_ns != link->message.ranges.front().time.fixed_ns;
        for (auto& range : link->message.ranges) {
            if (!alpha.empty()) {
                range.time.fixed_ns = parsed(option("alpha").c_str(), alpha, parse_short_time);
            }
            if (!beta.empty()) {
                range.time.per_byte_ns = parsed(option("beta").c_str(), beta, parse_time_per_byte);
            }
        }
        if (!overlaps) {
            link->overhead_ns = link->message.ranges.front().time.fixed_ns;
        }
    }
    if (link && !overhead.empty()) {
        link->overhead_ns = parsed(option("overhead").c_str(), overhead, parse_short_time);
    }
}

tune::Network network_of(const TuneModelOptions& options, const tune::Layout& layout,
                         const SourceRuns& runs) {
    auto found = tune::parameters_of(runs.sources);
    put_given(found.between, options.alpha, options.beta, options.overhead, "");
    put_given(found.inside, options.alpha_inside, options.beta_inside, options.overhead_inside, "-inside");
    if (!found.between && !found.inside && runs.sources.empty()) {
        throw BadInput("--alpha and --beta are missing: give them, or a run with ping-pong by --from.");
    }
    auto network = network_from(found, layout.hosts(), ", or give --alpha and --beta");
    if (!options.beta_interface.empty()) {
        network.interface_ns_per_byte =
            parsed("--beta-interface", options.beta_interface, parse_time_per_byte);
    }
    if (!options.gamma.empty()) {
        network.reduce_ns_per_byte = parsed("--gamma", options.gamma, parse_time_per_byte);
    }
    return network;
}

/// Points of the runs that a prediction can be compared with.
template <typename Visit>
void visit_measured(const TuneModelOptions& options, const SourceRuns& runs, Visit visit) {
    for (const auto& run : runs.results) {
        for (const auto& point : run.points) {
            if (point.key.operation == options.operation &&
                point.key.implementation.starts_with("reference:")) {
                visit(point);
            }
        }
    }
}

int procs_of(const TuneModelOptions& options, const SourceRuns& runs) {
    if (options.procs > 0) {
        return options.procs;
    }
    std::set<int> measured;
    visit_measured(options, runs, [&](const auto& point) { measured.insert(point.key.procs); });
    if (measured.size() == 1) {
        return *measured.begin();
    }
    throw BadInput(measured.empty()
                       ? "-n is missing: give the number of processes."
                       : fmt::format("-n is missing: {} was measured with {} processes; give one of these.",
                                     printable_name(options.operation), fmt::join(measured, ", ")));
}

tune::Layout layout_of(const TuneModelOptions& options, int procs, const SourceRuns& runs) {
    if (options.hosts > procs) {
        throw BadInput(
            fmt::format("--hosts is {} for {} processes; every host needs one.", options.hosts, procs));
    }
    if (options.hosts > 0) {
        return tune::Layout::blocks(procs, options.hosts);
    }
    return runs.sources.empty() ? tune::Layout::flat(procs) : tune::layout_like(runs.sources.front(), procs);
}

std::vector<Bytes> sizes_of(const TuneModelOptions& options, int procs, const SourceRuns& runs) {
    const auto* operation = plan::known_operation(options.operation);
    if (operation != nullptr && !operation->sized) {
        return {Bytes{0}};
    }
    std::set<std::int64_t> sizes;
    if (!options.sizes.empty()) {
        std::vector<std::string> specifications;
        for (const auto& list : options.sizes) {
            const auto parts = split(list, ',');
            specifications.insert(specifications.end(), parts.begin(), parts.end());
        }
        const auto grid = plan::size_grid(specifications);
        if (grid.values.empty()) {
            throw BadInput("--sizes is empty; give sizes such as 8,64k or 1:1M.");
        }
        if (!grid.refined.empty()) {
            throw BadInput(
                "--sizes takes fixed sizes here, such as 8,64k or 1:1M, not a range that is refined.");
        }
        sizes.insert(grid.values.begin(), grid.values.end());
    } else {
        visit_measured(options, runs, [&](const auto& point) {
            if (point.key.procs == procs && point.size_as != plan::SizeAs::total) {
                sizes.insert(point.key.size.count);
            }
        });
    }
    if (sizes.empty()) {
        const auto usual = plan::size_grid({usual_sizes}).values;
        sizes.insert(usual.begin(), usual.end());
    }
    std::vector<Bytes> made;
    for (const auto size : sizes) {
        made.push_back({size});
    }
    return made;
}

ExitStatus predict_times(TuneModelOptions options) {
    const auto runs = source_runs(options.from, options.db, options.json);
    if (tune::algorithms_of(options.operation).empty()) {
        options.operation = plan::operation_given(options.operation).name;
    }
    const int procs = procs_of(options, runs);
    const auto layout = layout_of(options, procs, runs);
    tune::PredictionTask task{.operation = options.operation,
                              .layout = layout,
                              .network = network_of(options, layout, runs),
                              .settings = {},
                              .sizes = sizes_of(options, procs, runs)};
    if (!options.segment.empty()) {
        const auto segment = parsed("--segment", options.segment, parse_bytes);
        if (segment.count < 1 || task.sizes.back().count / segment.count > most_chain_segments) {
            throw BadInput(fmt::format("--segment is \"{}\"; give at least {} for messages of up to {}.",
                                       printable_name(options.segment),
                                       exact_text({task.sizes.back().count / most_chain_segments + 1}),
                                       exact_text(task.sizes.back())));
        }
        task.settings.chain_segment = segment;
    }
    auto prediction = tune::predict(std::move(task));
    for (const auto& run : runs.results) {
        tune::compare_with(prediction, run);
    }
    if (options.json) {
        report::print("{}", report::document(report::tune_model_json(prediction)));
    } else {
        report::print("{}", report::tune_model_text(prediction, report::Terminal::of(STDOUT_FILENO)));
    }
    auto status = ExitStatus::done;
    for (const auto& reference : runs.references) {
        status = status_of_reading(reference.store, status);
    }
    return status;
}

}  // namespace

void add_tune_model(const Command& tune, Invocation& invocation) {
    const auto options = std::make_shared<TuneModelOptions>();
    const auto command = tune.subcommand(
        "model", "Predict times of the algorithms of a collective, and where the best one changes",
        "fathom tune model bcast -n 64 --hosts 16 --alpha 10us --beta 1.2GB/s --alpha-inside 500ns "
        "--beta-inside 6GB/s",
        [options, &invocation] { invocation.status = predict_times(*options); });
    command
        .option("operation", options->operation,
                fmt::format("one of {}", fmt::join(tune::modelled_operations(), ", ")))
        .value_name("OP")
        .required();
    command.option("-n,--procs", options->procs, "number of processes (default: as measured in --from)")
        .value_name("P")
        .between(1, tune::most_modelled_ranks);
    command
        .option("--hosts", options->hosts,
                "number of hosts, ranks by block (default: one for each process, or as in --from)")
        .value_name("H")
        .between(1, tune::most_modelled_ranks);
    command
        .option("--sizes", options->sizes,
                fmt::format("message sizes, as of 'fathom run' (default: as measured in --from, or {})",
                            usual_sizes))
        .value_name("LIST")
        .repeatable();
    command
        .option("--from", options->from,
                "run that parameters come from (pingpong, matrix, message-rate, reduce_local), and times of "
                "reference:NAME to compare with; may be given several times")
        .value_name("RUN")
        .repeatable();
    const auto text_option = [&](const char* name, std::string& value, const char* help, const char* unit) {
        command.option(name, value, help).value_name(unit).not_empty();
    };
    text_option("--alpha", options->alpha, "latency of a message between hosts, e.g. 10us", "TIME");
    text_option("--beta", options->beta, "per byte: 0.8ns, or a rate such as 1.25GB/s", "PER-BYTE");
    text_option("--overhead", options->overhead,
                "after which a rank sends the next message without waiting (default: alpha)", "TIME");
    text_option("--alpha-inside", options->alpha_inside,
                "the same between ranks of a host (default: --alpha)", "TIME");
    text_option("--beta-inside", options->beta_inside, "the same between ranks of a host (default: --beta)",
                "PER-BYTE");
    text_option("--overhead-inside", options->overhead_inside, "the same between ranks of a host", "TIME");
    text_option("--beta-interface", options->beta_interface,
                "of a host's network interface, which its ranks share (default: one message saturates it; 0: "
                "not shared)",
                "PER-BYTE");
    text_option("--gamma", options->gamma, "reducing a byte (default: as measured, or 0)", "PER-BYTE");
    text_option("--segment", options->segment, "of the chain (default: 32 KiB)", "SIZE");
    command.db_option(options->db);
    command.flag("--json", options->json, "one JSON document on stdout");
}

}  // namespace fathom::cli
