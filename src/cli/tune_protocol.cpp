#include <algorithm>
#include <cmath>
#include <memory>
#include <set>
#include <unistd.h>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/printable.hpp"
#include "cli/given_settings.hpp"
#include "cli/measure.hpp"
#include "cli/search_runs.hpp"
#include "cli/tune.hpp"
#include "cli/tune_proof.hpp"
#include "launch/interruption.hpp"
#include "launch/library_offers.hpp"
#include "plan/grid.hpp"
#include "plan/presets.hpp"
#include "plan/protocol_parameters.hpp"
#include "plan/varied_settings.hpp"
#include "report/json.hpp"
#include "report/output.hpp"
#include "report/protocol.hpp"
#include "tune/files/library_files.hpp"
#include "tune/search/protocol.hpp"

namespace fathom::cli {
namespace {

using launch::Outcome;
using plan::VariedSetting;

constexpr std::string_view protocol_tag = "protocol";
constexpr double protocol_budget_s = 180;

struct ProtocolOptions {
    GivenSettings given;
    MeasureOptions measure;
    bool resume = false;
    bool all = false;
    std::vector<std::string> parameters;
};

plan::Plan plan_of_protocol() {
    plan::Plan plan;
    plan::apply_preset(plan, plan::default_preset);
    plan.operations = {"pingpong", "exchange"};
    plan.sizes = {"8", "1k", "4k", "8k", "16k", "32k", "64k", "128k", "256k", "1M"};
    return plan;
}

/// The library's value, and others to try: `NAME=unset,VALUE,...`.
VariedSetting trial_of(std::string variable, std::vector<std::string> values) {
    values.insert(values.begin(), std::string(plan::unset_value));
    return {.variable = std::move(variable), .name = {}, .values = std::move(values)};
}

/// One that was given, `NAME=VALUE,...`. The library's own value need not be named.
VariedSetting given_trial(const std::string& text) {
    const auto equals = text.find('=');
    const auto with_unset =
        equals == std::string::npos
            ? text
            : fmt::format("{}={}{}{}", text.substr(0, equals), plan::unset_value,
                          text.find(';') == std::string::npos ? ',' : ';', text.substr(equals + 1));
    return plan::varied_setting(with_unset);
}

/// Tries parameters of the library one by one, and then the best of all together.
class ProtocolTuner {
  public:
    ProtocolTuner(const plan::Plan& plan, const ProtocolOptions& options)
        : options_(options),
          runs_(plan, options.measure, protocol_tag, options.resume, protocol_budget_s, options.parameters),
          library_(launch::offered_library(runs_.resolved().here, runs_.resolved().flavour())) {
        tuning_.library = library_.version;
        tuning_.flavour = runs_.resolved().flavour();
        tuning_.procs = runs_.procs();
        tuning_.metric = runs_.plan().over_reps;
    }

    ExitStatus run() {
        if (runs_.simulated()) {
            throw BadInput("a simulation reads no parameters of a library; give --mpi.");
        }
        const auto trials = chosen_trials();
        if (trials.empty()) {
            throw BadInput(
                fmt::format("{} names no parameter of its protocols; give --parameter NAME=VALUES.",
                            tune::short_version(library_.version)));
        }
        const double each_s = (1 - proof_share) * runs_.budget_s() / static_cast<double>(trials.size());
        if (each_s < least_trial_s) {
            throw BadInput(fmt::format(
                "--budget is too short for {} {}; give {:.0f}s or more, or fewer with --parameter.",
                trials.size(), trials.size() == 1 ? "parameter" : "parameters",
                std::ceil(least_trial_s * static_cast<double>(trials.size()) / (1 - proof_share))));
        }
        for (const auto& trial : trials) {
            if (runs_.outcome().kind == Outcome::Kind::done) {
                try_values(trial, each_s);
            }
        }
        tuning_.propose();
        if (!proven()) {
            tuning_.leave_unproven();
        }
        return finish();
    }

  private:
    /// Of the time: for jobs with all that is proposed.
    static constexpr double proof_share = 0.3;
    static constexpr int most_proofs = 2;
    /// For a parameter: two launches for each of four values, most of a second each.
    static constexpr double least_trial_s = 6;

    /// Whether what is left of the proposals was measured together and lost nowhere.
    bool proven() {
        for (int round = 1; round <= most_proofs && !tuning_.proposed.empty(); ++round) {
            if (runs_.outcome().kind != Outcome::Kind::done) {
                return false;
            }
            say("all that is proposed together");
            const auto proof = prove(runs_, request(), fmt::format("proof-{}", round),
                                     proof_share * runs_.budget_s() / most_proofs);
            if (runs_.outcome().kind != Outcome::Kind::done) {
                return false;
            }
            tuning_.proof = proof.points;
            if (proof.stands()) {
                return true;
            }
            tuning_.take_out();
        }
        return false;
    }

    [[nodiscard]] std::vector<VariedSetting> chosen_trials() const {
        std::vector<VariedSetting> trials;
        for (const auto& text : options_.parameters) {
            trials.push_back(given_trial(text));
            const auto same = std::ranges::count(trials, trials.back().variable, &VariedSetting::variable);
            if (same > 1) {
                throw BadInput(fmt::format("--parameter names {} twice; give all its values at once.",
                                           printable_name(trials.back().variable)));
            }
        }
        if (!trials.empty()) {
            return trials;
        }
        for (const auto& parameter : library_.protocol) {
            if (auto values = plan::values_to_try(parameter); !values.empty()) {
                trials.push_back(
                    trial_of(plan::protocol_variable(tuning_.flavour, parameter.name), std::move(values)));
            }
        }
        return trials;
    }

    /// The library's own value of what a variable sets.
    [[nodiscard]] std::string standard_of(const std::string& variable) const {
        for (const auto& parameter : library_.protocol) {
            if (plan::protocol_variable(tuning_.flavour, parameter.name) == variable) {
                return parameter.standard;
            }
        }
        return {};
    }

    /// Transports between hosts carry nothing on one host. Which hosts there are, the first trial says.
    [[nodiscard]] bool carries_nothing(const std::string& variable) const {
        return options_.parameters.empty() && runs_.last_run() && tuning_.hosts == 1 &&
               !plan::within_hosts(variable);
    }

    void try_values(const VariedSetting& trial, double budget_s) {
        if (carries_nothing(trial.variable)) {
            tuning_.left_out.push_back(trial.variable);
            return;
        }
        say(trial.variable);
        auto plan = runs_.plan();
        plan.vary = {plan::to_text(trial)};
        plan.between_runs_percent = 0;  // all that is compared is in one run
        plan.budget_s = std::max(budget_s, plan::shortest_budget_s);
        plan.point_timeout_s = patience_of_round(plan);
        const auto run = runs_.measure({.number = trial.variable,
                                        .plan = plan,
                                        .wanted = {},
                                        .same_kind = [](const auto& ended, const auto& other) {
                                            return ended.setting == other.setting;
                                        }});
        if (!run) {
            return;
        }
        find_hosts(*run);
        const auto result =
            analysis::evaluate(runs_.store(), runs_.store().find_run(fmt::format("{}", *run)));
        const auto settings = plan::combinations(plan.vary);
        tune::ParameterTrial tried{
            .variable = trial.variable, .standard = standard_of(trial.variable), .values = {}};
        for (std::size_t at = 1; at < settings.size(); ++at) {
            tried.values.push_back(
                {.value = settings[at].values.front(),
                 .points = compare_settings(result, settings.front().text, settings[at].text)});
        }
        tuning_.parameters.push_back(std::move(tried));
    }

    void find_hosts(std::int64_t run) {
        std::set<std::string> hosts;
        for (const auto& rank : runs_.store().ranks(run)) {
            hosts.insert(rank.host);
        }
        tuning_.hosts = std::max(1, static_cast<int>(hosts.size()));
    }

    [[nodiscard]] tune::ProofRequest request() const {
        tune::ProofRequest request{.library = tuning_.library,
                                   .flavour = tuning_.flavour,
                                   .metric = tuning_.metric,
                                   .operations = {},
                                   .variables = tuning_.proposed};
        std::vector<Bytes> sizes;
        for (const auto size : plan::size_grid(runs_.plan().sizes).values) {
            sizes.push_back(Bytes{size});
        }
        for (const auto& operation : runs_.plan().operations) {
            request.operations.push_back({.operation = operation,
                                          .procs = runs_.procs(),
                                          .sizes = sizes,
                                          .ruled = std::vector<bool>(sizes.size(), true)});
        }
        return request;
    }

    void say(std::string_view what) const {
        if (!options_.measure.quiet) {
            report::print(stderr, "{}\n", printable(what));
        }
    }

    ExitStatus finish() {
        if (options_.measure.json) {
            report::print("{}", report::document(report::protocol_json(tuning_)));
        } else if (!tuning_.parameters.empty()) {
            report::print("{}",
                          report::protocol_text(tuning_, report::Terminal::of(STDOUT_FILENO), options_.all));
        }
        std::fflush(stdout);
        return status_of_search(runs_.outcome());
    }

    const ProtocolOptions& options_;
    SearchRuns runs_;
    plan::OfferedLibrary library_;
    tune::ProtocolTuning tuning_;
};

void check_protocol_settings(const plan::Plan& plan) {
    for (const auto& operation : plan.operations) {
        if (!plan::find_operation(operation).sized) {
            throw BadInput(fmt::format("{} has no sizes, so no protocol to tune.", operation));
        }
    }
    if (!plan::size_grid(plan.sizes).refined.empty() || plan::process_grid(plan.procs).values.size() > 1 ||
        !plan::process_grid(plan.procs).refined.empty()) {
        throw BadInput("--sizes takes fixed values here, such as 8,4k,64k, and -n takes one.");
    }
}

}  // namespace

void add_tune_protocol(const Command& tune, Invocation& invocation) {
    const auto options = std::make_shared<ProtocolOptions>();
    const auto command = tune.subcommand(
        "protocol",
        "Find values of the library's parameters that carry messages faster, such as eager limits",
        "fathom tune protocol -n 2 --budget 180s", [options, &invocation] {
            auto plan = plan_of_protocol();
            options->given.apply_to(plan);
            check_protocol_settings(plan);
            launch::catch_interruptions();
            invocation.status = ProtocolTuner(plan, *options).run();
        });
    options->measure.command_line = invocation.command_line;
    options->given.add_for_tuning(command, plan_of_protocol());
    command.flag("--resume", options->resume, "go on with the newest tuning that has these settings");
    command.flag("--all", options->all, "also print every measured time");
    command
        .option("--parameter", options->parameters,
                "only this one, as --vary takes it: mca:btl_tcp_eager_limit=16384,262144 (default: all that "
                "the library names)")
        .value_name("NAME=VALUES")
        .repeatable();
    command.db_option(options->measure.db);
    command.flag("--json", options->measure.json, "one JSON document on stdout");
    add_progress_options(command, options->measure);
    command.flag("--allow-run-as-root", options->measure.allow_root, "let Open MPI run as root");
}

}  // namespace fathom::cli
