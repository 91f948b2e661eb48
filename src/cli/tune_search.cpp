#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <unistd.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/run/run_result.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/printable.hpp"
#include "base/text.hpp"
#include "cli/given_settings.hpp"
#include "cli/measure.hpp"
#include "cli/search_runs.hpp"
#include "cli/stored_run.hpp"
#include "cli/tune.hpp"
#include "cli/tune_contest.hpp"
#include "cli/tune_proof.hpp"
#include "launch/interruption.hpp"
#include "launch/library_offers.hpp"
#include "plan/grid.hpp"
#include "plan/implementations.hpp"
#include "plan/library_algorithms.hpp"
#include "plan/presets.hpp"
#include "report/json.hpp"
#include "report/output.hpp"
#include "report/page/tuning_page.hpp"
#include "report/tuning.hpp"
#include "tune/files/library_files.hpp"
#include "tune/files/proof_request.hpp"
#include "tune/search/proposal.hpp"
#include "tune/search/race.hpp"

namespace fathom::cli {
namespace {

using launch::Outcome;

/// The tag by which the runs of a tuning are found again.
constexpr std::string_view tuning_tag = "tune";
constexpr std::string_view proof_tag = "proof";
constexpr double tuning_budget_s = 120;

struct TuneOptions {
    GivenSettings given;
    MeasureOptions measure;
    bool resume = false;
    bool all = false;
    bool no_files = false;
    std::string output;
    std::string prove;
    std::vector<std::string> parameters;
};

plan::Plan plan_of_tuning() {
    plan::Plan plan;
    plan::apply_preset(plan, plan::default_preset);
    plan.operations = {"bcast", "allreduce", "alltoall", "allgather", "reduce_scatter"};
    plan.sizes = {"8",   "32",  "128", "512",  "1k",   "2k",   "4k", "8k",
                  "16k", "32k", "64k", "128k", "256k", "512k", "1M"};
    return plan;
}

ExitStatus status_of(const Outcome& outcome) {
    if (outcome.kind == Outcome::Kind::done) {
        return ExitStatus::done;
    }
    report::print(stderr, "fathom: {}; the same command with --resume goes on.\n", printable(outcome.reason));
    return outcome.kind == Outcome::Kind::interrupted ? ExitStatus::interrupted : ExitStatus::not_measured;
}

void check_tuning_settings(const plan::Plan& plan) {
    for (const auto& operation : plan.operations) {
        if (!plan::has_library_algorithms(plan::find_operation(operation)) ||
            plan::find_operation(operation).overlaps()) {
            throw BadInput(fmt::format("{} has no algorithms to choose from; give collectives.", operation));
        }
    }
    if (!plan::size_grid(plan.sizes).refined.empty() || !plan::process_grid(plan.procs).refined.empty()) {
        throw BadInput(
            "--sizes and -n take fixed values here, such as 8,256,4k; sizes in between are added where "
            "algorithms change over.");
    }
}

/// The library as it decides itself, and everything that it offers, with the parameters that are asked for.
std::vector<std::string> ways_of(const plan::LibraryOffer& offer,
                                 const std::vector<std::string>& parameters) {
    std::vector<std::string> ways{"library"};
    for (const auto& name : offer.algorithms) {
        ways.push_back("library:" + name);
    }
    for (const auto& text : parameters) {
        const auto equals = text.find('=');
        const auto name = text.substr(0, equals);
        for (const auto& value : split(std::string_view(text).substr(equals + 1), ',')) {
            for (const auto& algorithm : offer.algorithms) {
                if (offer.numbers.contains(algorithm) &&
                    std::ranges::find(offer.parameters, name) != offer.parameters.end()) {
                    ways.push_back(fmt::format("library:{}+{}={}", algorithm, name, value));
                }
            }
        }
    }
    return ways;
}

void check_parameters(const std::vector<std::string>& parameters) {
    for (const auto& text : parameters) {
        const auto equals = text.find('=');
        if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
            throw BadInput(
                fmt::format("--parameter takes NAME=VALUE,VALUE, such as segmentsize=8192,65536, not '{}'.",
                            printable(text)));
        }
    }
}

/// One tuning from its first round to the proof of its files.
class Tuner {
  public:
    Tuner(const plan::Plan& plan, const TuneOptions& options)
        : options_(options),
          runs_(plan, options.measure, tuning_tag, options.resume, tuning_budget_s),
          library_(launch::offered_library(runs_.resolved().here, runs_.resolved().flavour())),
          files_(runs_.resolved().flavour(), library_,
                 library_.file.empty() ? std::string() : read_file_or_empty(library_.file)) {
        tuning_.library = library_.version;
        tuning_.flavour = runs_.resolved().flavour();
        tuning_.platform = runs_.plan().platform;
        tuning_.metric = runs_.plan().over_reps;
    }

    ExitStatus run(bool budget_given) {
        const auto procs = plan::process_grid(runs_.plan().procs).values;
        const auto counts = procs.empty() ? std::vector<std::int64_t>{runs_.procs()} : procs;
        const double share = proves() ? 1 - proof_share : 1;
        const double each_s =
            share * runs_.budget_s() / static_cast<double>(counts.size() * runs_.plan().operations.size());
        for (const auto& operation : runs_.plan().operations) {
            for (const auto count : counts) {
                if (runs_.outcome().kind == Outcome::Kind::done) {
                    tune_one(operation, static_cast<int>(count), each_s, budget_given);
                }
            }
        }
        if (tuning_.operations.empty()) {
            return status_of(runs_.outcome());
        }
        place();
        if (!options_.measure.json) {
            report::print("{}", report::tuning_text(tuning_, terminal(), options_.all));
            std::fflush(stdout);
        }
        if (proves() && runs_.outcome().kind == Outcome::Kind::done) {
            write_and_prove();
        }
        return finish();
    }

  private:
    /// Of the time: for fresh jobs with the files and without.
    static constexpr double proof_share = 0.3;
    /// Of that: for the first proof. Later ones are made only if sizes were taken out.
    static constexpr double first_share = 0.7;
    static constexpr int most_proofs = 3;

    [[nodiscard]] bool proves() const { return files_.obstacle().empty() && !options_.no_files; }
    static report::Terminal terminal() { return report::Terminal::of(STDOUT_FILENO); }

    void tune_one(const std::string& operation, int procs, double budget_s, bool budget_given) {
        const auto offer = library_.operations.find(operation);
        tune::TunedOperation tuned{
            .operation = operation,
            .procs = procs,
            .ways = ways_of(offer == library_.operations.end() ? plan::LibraryOffer{} : offer->second,
                            options_.parameters),
            .race = {},
            .proposals = {}};
        const auto& info = plan::find_operation(operation);
        tune::RaceSettings settings{.ways = tuned.ways.size(), .sizes = {}, .granule = info.element};
        for (const auto size :
             info.sized ? plan::size_grid(runs_.plan().sizes).values : std::vector<std::int64_t>{0}) {
            settings.sizes.push_back(Bytes{size});
        }
        Contest contest(runs_, options_.measure, operation, procs, tuned.ways, budget_s,
                        budget_given || !runs_.simulated());
        tuned.race =
            tune::race(settings, [&](const tune::RaceRound& round) { return contest.measure(round); });
        tuned.proposals = tune::proposals(tuned.race, [&](std::size_t way) {
            return runs_.simulated() || files_.has(operation, tuned.ways[way]);
        });
        if (!tuned.race.best.empty()) {
            tuning_.operations.push_back(std::move(tuned));
        }
    }

    /// Where and when it was measured, from the newest run of it.
    void place() {
        const auto run = runs_.last_run();
        if (!run) {
            return;
        }
        const auto row = runs_.store().find_run(fmt::format("{}", *run));
        tuning_.date = row.created_utc;
        std::map<std::string, int> hosts;
        for (const auto& rank : runs_.store().ranks(*run)) {
            ++hosts[rank.host];
        }
        tuning_.hosts = std::max(1, static_cast<int>(hosts.size()));
        for (const auto& [host, ranks] : hosts) {
            tuning_.procs_per_host = std::max(tuning_.procs_per_host, ranks);
        }
    }

    [[nodiscard]] std::string prefix() const {
        return std::filesystem::absolute(options_.output.empty()
                                             ? fmt::format("tuned-{}", to_text(tuning_.flavour))
                                             : options_.output)
            .string();
    }
    [[nodiscard]] std::string document() const { return prefix() + ".tuning.json"; }

    void write() {
        files_.put(tuning_, prefix());
        for (const auto& file : tuning_.files) {
            write_file(file.path, file.text);
        }
        write_file(document(), report::document(report::tuning_json(tuning_)));
    }

    /// Until no size is slower by its rule.
    void write_and_prove() {
        write();
        for (int proof = 1; proof <= most_proofs && !tuning_.files.empty(); ++proof) {
            const double share = proof == 1 ? first_share : (1 - first_share) / (most_proofs - 1);
            tuning_.proof = prove(runs_, tune::proof_request(tuning_), fmt::format("proof-{}", proof),
                                  share * proof_share * runs_.budget_s());
            if (runs_.outcome().kind != Outcome::Kind::done || !take_out_harmed()) {
                break;
            }
            tuning_.proof.clear();
            write();
        }
        write();
    }

    bool take_out_harmed() {
        bool any = false;
        for (const auto& point : tuning_.proof) {
            if (!point.ruled || !point.harmed()) {
                continue;
            }
            any = true;
            tuning_.taken_out.push_back(point);
            for (auto& tuned : tuning_.operations) {
                if (tuned.operation == point.operation && tuned.procs == point.procs) {
                    tune::take_out(tuned.proposals, point.size);
                }
            }
        }
        return any;
    }

    ExitStatus finish() {
        if (options_.measure.json) {
            report::print("{}", report::document(report::tuning_json(tuning_)));
        } else if (proves()) {
            report::print("{}", report::files_text(tuning_, document(), terminal()));
        } else {
            report::print("{}", report::no_files_text(options_.no_files ? "" : files_.obstacle()));
        }
        std::fflush(stdout);
        return status_of(runs_.outcome());
    }

    const TuneOptions& options_;
    SearchRuns runs_;
    plan::OfferedLibrary library_;
    tune::LibraryFiles files_;
    tune::Tuning tuning_;
};

ExitStatus tune_library(TuneOptions& options) {
    auto plan = plan_of_tuning();
    options.given.apply_to(plan);
    check_tuning_settings(plan);
    check_parameters(options.parameters);
    launch::catch_interruptions();
    return Tuner(plan, options).run(plan.budget_s.has_value());
}

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

ExitStatus prove_file(TuneOptions& options) {
    const auto document = report::check_tuning_document(
        read_file(options.prove, report::longest_tuning_document), options.prove);
    const auto request = tune::proof_request(document);
    if (request.variables.empty()) {
        throw BadInput(fmt::format("{} proposes nothing, so there is nothing to prove.", options.prove));
    }
    auto plan = plan_of_tuning();
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
    SearchRuns runs(plan, options.measure, proof_tag, options.resume, tuning_budget_s);
    check_library(request, runs);
    const auto proof = prove(runs, request, "proof", runs.budget_s());
    if (options.measure.json) {
        report::print("{}", report::document(report::proof_json(request.library, proof)));
    } else {
        report::print("{}", report::proof_text(proof, report::Terminal::of(STDOUT_FILENO)));
    }
    std::fflush(stdout);
    const auto status = status_of(runs.outcome());
    const bool harmed = std::ranges::any_of(proof, [](const auto& point) { return point.harmed(); });
    return status == ExitStatus::done && harmed ? ExitStatus::check_failed : status;
}

}  // namespace

Command add_tune_search(const Command& program, Invocation& invocation) {
    const auto options = std::make_shared<TuneOptions>();
    const auto command = program.subcommand(
        "tune", "Find the best algorithm of the MPI library for every size, predict it, or fit closed forms",
        "fathom tune allreduce -n 8 --budget 120s", [options, &invocation] {
            invocation.status = options->prove.empty() ? tune_library(*options) : prove_file(*options);
        });
    options->measure.command_line = invocation.command_line;
    options->given.add_for_tuning(command, plan_of_tuning());
    command.flag("--resume", options->resume, "go on with the newest tuning that has these settings");
    command.flag("--all", options->all, "every time that was measured");
    command
        .option("-o,--output", options->output,
                "begins the names of the files that are written (default tuned-LIBRARY)")
        .value_name("PREFIX")
        .not_empty();
    command.flag("--no-files", options->no_files, "write no files and prove nothing");
    command
        .option("--parameter", options->parameters,
                "also algorithms with a parameter of theirs: segmentsize=8192,65536")
        .value_name("NAME=VALUES")
        .repeatable();
    command
        .option("--prove", options->prove,
                "measure with the files of a tuning (its .tuning.json) and without, and tune nothing")
        .value_name("FILE")
        .not_empty();
    command.db_option(options->measure.db);
    command.flag("--json", options->measure.json, "one JSON document on stdout");
    command.flag("-q,--quiet", options->measure.quiet, "no progress");
    command.flag("--allow-run-as-root", options->measure.allow_root, "let Open MPI run as root");
    return command;
}

}  // namespace fathom::cli
