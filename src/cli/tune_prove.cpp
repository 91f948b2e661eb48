#include <algorithm>
#include <unistd.h>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/printable.hpp"
#include "base/sha256.hpp"
#include "cli/search_runs.hpp"
#include "cli/tune_proof.hpp"
#include "cli/tune_search.hpp"
#include "launch/interruption.hpp"
#include "launch/library_offers.hpp"
#include "plan/settings.hpp"
#include "report/json.hpp"
#include "report/output.hpp"
#include "report/page/tuning_page.hpp"
#include "report/tuning.hpp"
#include "tune/files/library_files.hpp"
#include "tune/files/proof_request.hpp"

namespace fathom::cli {
namespace {

constexpr std::string_view proof_tag = "proof";
/// Selections of MPICH for many sizes of communicators have some megabytes.
constexpr std::size_t longest_library_file = 256 << 20;

/// Refuses files of another library than the one that runs here.
void check_library(const tune::ProofRequest& request, const SearchRuns& runs) {
    const auto here = launch::offered_library(runs.resolved().here, runs.resolved().flavour());
    const auto theirs = tune::short_version(request.library);
    const auto ours = tune::short_version(here.version);
    if (theirs != ours) {
        throw BadInput(fmt::format(
            "these files are for {}, and {} runs here: algorithms and their numbers differ between versions. "
            "Tune this one with 'fathom tune'.",
            printable(theirs), ours));
    }
}

/// Throws BadInput unless the library's files are those that the tuning wrote: a library says nothing if it
/// cannot read one.
void check_files(const nlohmann::ordered_json& document, const std::string& name) {
    for (const auto& file : document["files"]) {
        const auto path = file["path"].get<std::string>();
        const auto text = read_file(path, longest_library_file);
        if (!file["sha256"].is_null() && file["sha256"] != hexadecimal(sha256(text))) {
            throw BadInput(
                fmt::format("{} is not the file that {} was written with.", printable(path), name));
        }
    }
}

/// What was measured by the tuning.
void apply_settings(const nlohmann::ordered_json& document, plan::Plan& plan, const std::string& name) {
    const auto take = [&](const plan::Setting& setting, const std::string& text) {
        try {
            setting.set(plan, text);
        } catch (const BadInput& error) {
            throw BadInput(
                fmt::format("{}: {} is '{}'; {}", name, setting.key, printable(text), error.what()));
        }
    };
    for (const auto& setting : plan::settings()) {
        const std::string key(setting.key);
        const bool proven = std::ranges::find(proven_settings, setting.key) != proven_settings.end();
        if (proven && document["settings"].contains(key)) {
            take(setting, document["settings"][key].get<std::string>());
        }
        if (key == "over_reps") {
            take(setting, document["metric"].get<std::string>());
        }
    }
}

}  // namespace

ExitStatus prove_tuning(TuneOptions& options) {
    const auto text = read_file(options.prove, report::longest_tuning_document);
    const auto document = report::check_tuning_document(text, options.prove);
    const auto request = tune::proof_request(document);
    if (request.variables.empty()) {
        throw BadInput(
            fmt::format("{} names no files of a library, so there is nothing to prove.", options.prove));
    }
    check_files(document, options.prove);
    auto plan = plan_of_tuning();
    apply_settings(document, plan, options.prove);
    if (options.given.has({"operations", "procs", "sizes", "over_reps", "root", "cache", "over_ranks", "type",
                           "reduce_op"}) ||
        !options.parameters.empty() || !options.output.empty()) {
        throw BadInput("--prove measures what the tuning did; leave out what says otherwise.");
    }
    options.given.apply_to(plan);
    if (plan.mpi && plan.mpi != request.flavour) {
        throw BadInput(fmt::format("{} is of {}; leave out --mpi.", options.prove, to_text(request.flavour)));
    }
    plan.mpi = request.flavour;
    plan.procs.clear();
    for (const auto& one : request.operations) {
        plan.procs.push_back(fmt::format("{}", one.procs));
    }
    launch::catch_interruptions();
    // Another document, or this one written again, is another proof.
    SearchRuns runs(plan, options.measure, proof_tag, options.resume, tuning_budget_s,
                    {hexadecimal(sha256(text))});
    check_library(request, runs);
    const auto proof = prove(runs, request, "proof", runs.budget_s());
    if (options.measure.json) {
        report::print("{}", report::document(report::proof_json(request.library, proof)));
    } else {
        report::print("{}{}", report::proof_text(proof.points, report::Terminal::of(STDOUT_FILENO)),
                      report::failed_rules_text(proof.failed));
    }
    std::fflush(stdout);
    const auto status = status_of_search(runs.outcome());
    const bool harmed = std::ranges::any_of(proof.points, [](const auto& point) { return point.harmed(); });
    return status == ExitStatus::done && (harmed || !proof.failed.empty()) ? ExitStatus::check_failed
                                                                           : status;
}

}  // namespace fathom::cli
