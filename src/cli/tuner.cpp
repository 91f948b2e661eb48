#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <unistd.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/printable.hpp"
#include "base/text.hpp"
#include "cli/model_sources.hpp"
#include "cli/search_runs.hpp"
#include "cli/tune_contest.hpp"
#include "cli/tune_files.hpp"
#include "cli/tune_predictions.hpp"
#include "cli/tune_search.hpp"
#include "launch/library_offers.hpp"
#include "plan/grid.hpp"
#include "plan/library_algorithms.hpp"
#include "plan/settings.hpp"
#include "report/json.hpp"
#include "report/output.hpp"
#include "report/tuning.hpp"
#include "tune/files/library_files.hpp"
#include "tune/search/proposal.hpp"
#include "tune/search/race.hpp"

namespace fathom::cli {
namespace {

using launch::Outcome;

/// The tag by which the runs of a tuning are found again.
constexpr std::string_view tuning_tag = "tune";

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

/// Throws BadInput for a parameter that no operation of the library has.
void check_parameters(const std::vector<std::string>& parameters, const plan::OfferedLibrary& library,
                      const std::vector<std::string>& operations) {
    for (const auto& text : parameters) {
        const auto equals = text.find('=');
        if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
            throw BadInput(
                fmt::format("--parameter takes NAME=VALUE,VALUE, such as segmentsize=8192,65536, not '{}'.",
                            printable(text)));
        }
        std::set<std::string> known;
        for (const auto& operation : operations) {
            const auto offer = library.operations.find(operation);
            if (offer != library.operations.end()) {
                known.insert(offer->second.parameters.begin(), offer->second.parameters.end());
            }
        }
        if (!known.contains(text.substr(0, equals))) {
            throw BadInput(fmt::format(
                "no algorithm here takes the parameter '{}'; {}.", printable(text.substr(0, equals)),
                known.empty() ? "they take none" : fmt::format("give {}", fmt::join(known, ", "))));
        }
    }
}

/// One tuning from its first round to the proof of its files.
class Tuner {
  public:
    Tuner(const plan::Plan& plan, const TuneOptions& options)
        : options_(options),
          sources_(source_runs(options.from, options.measure.db, true)),
          runs_(plan, options.measure, tuning_tag, options.resume, tuning_budget_s, options.parameters),
          library_(launch::offered_library(runs_.resolved().here, runs_.resolved().flavour())),
          files_(runs_.resolved().flavour(), library_,
                 library_.file.empty() ? std::string() : read_file_or_empty(library_.file)) {
        tuning_.library = library_.version;
        tuning_.flavour = runs_.resolved().flavour();
        tuning_.platform = runs_.plan().platform;
        tuning_.metric = runs_.plan().over_reps;
        tuning_.reduce_op = runs_.plan().operation.reduce_op;
        for (const auto& setting : plan::settings()) {
            if (std::ranges::find(proven_settings, setting.key) != proven_settings.end()) {
                tuning_.settings.emplace_back(setting.key, std::get<std::string>(setting.get(runs_.plan())));
            }
        }
        if (!library_.rule_files.empty()) {
            throw BadInput(fmt::format(
                "the library takes its decisions from {} already, by a variable of the environment or a "
                "file of parameters; take that away first.",
                printable(fmt::format("{}", fmt::join(library_.rule_files, " and ")))));
        }
        check_parameters(options.parameters, library_, runs_.plan().operations);
        if (!sources_.sources.empty()) {  // what is missing is said before anything is measured
            // Where the processes of the tuning will be is not known yet.
            const auto& known = sources_.sources.front();
            const auto layout = tune::layout_like(known, static_cast<int>(known.hosts.size()));
            (void)network_from(tune::parameters_of(sources_.sources), layout.hosts(), "");
        }
    }

    ExitStatus run(bool budget_given) {
        const auto procs = plan::process_grid(runs_.plan().procs).values;
        const auto counts = procs.empty() ? std::vector<std::int64_t>{runs_.procs()} : procs;
        const double share = proves() ? 1 - proof_share : 1;
        const auto contests = static_cast<double>(counts.size() * runs_.plan().operations.size());
        const double each_s = share * runs_.budget_s() / contests;
        if (!runs_.simulated() && each_s < least_contest_s) {
            throw BadInput(fmt::format(
                "--budget is too short for {} operations with {} numbers of processes; give {:.0f}s or more.",
                runs_.plan().operations.size(), counts.size(),
                std::ceil(least_contest_s * contests / share)));
        }
        for (const auto& operation : runs_.plan().operations) {
            for (const auto count : counts) {
                if (runs_.outcome().kind == Outcome::Kind::done) {
                    tune_one(operation, static_cast<int>(count), each_s, budget_given);
                }
            }
        }
        if (tuning_.operations.empty()) {
            const auto status = status_of_search(runs_.outcome());
            if (status == ExitStatus::done) {
                report::print(
                    stderr, "fathom: {}.\n",
                    measured_something()
                        ? "no point had enough repetitions for an interval; give a longer --budget, "
                          "fewer --sizes or fewer launches (--runs)"
                        : "nothing could be measured; 'fathom show last' says why");
            }
            return status == ExitStatus::done ? ExitStatus::not_measured : status;
        }
        if (!options_.measure.json) {
            report::print("{}", report::tuning_text(tuning_, terminal(), options_.all));
            std::fflush(stdout);
        }
        return finish();
    }

  private:
    /// Of the time: for fresh jobs with the files and without, at least.
    static constexpr double proof_share = 0.3;
    /// For an operation with one number of processes: a round to scout and one to race, a second each.
    static constexpr double least_contest_s = 2.5;

    [[nodiscard]] bool measured_something() const {
        const auto& run = runs_.last_run();
        return run && std::ranges::any_of(runs_.store().points(*run), [](const auto& point) {
                   return point.status == store::PointStatus::ok;
               });
    }
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
        const bool of_doubles = runs_.plan().operation.type == plan::ElementType::double_;
        const std::int64_t type_bytes = of_doubles ? sizeof(double) : 1;
        tune::RaceSettings settings{.ways = tuned.ways.size(),
                                    .sizes = {},
                                    .granule = std::lcm(std::int64_t{info.element}, type_bytes),
                                    .simulated = runs_.simulated()};
        for (const auto size :
             info.sized ? plan::size_grid(runs_.plan().sizes).values : std::vector<std::int64_t>{0}) {
            settings.sizes.push_back(Bytes{size});
        }
        Contest contest(runs_, options_.measure, operation, procs, tuned.ways, budget_s,
                        budget_given || !runs_.simulated());
        settings.usable = files_.usable(tuned);
        tuned.race =
            tune::race(settings, [&](const tune::RaceRound& round) { return contest.measure(round); });
        tuned.proposals = tune::proposals(tuned.race, files_.usable(tuned));
        if (tuned.race.best.empty()) {
            return;
        }
        tuned.placement = placement();
        add_predictions(sources_, hosts_of_ranks(), tuning_.flavour, tuned);
        tuning_.date = runs_.store().find_run(fmt::format("{}", runs_.last_run().value())).created_utc;
        const bool most = std::ranges::none_of(tuning_.operations,
                                               [&](const auto& other) { return other.procs > tuned.procs; });
        if (most) {
            tuning_.placement = tuned.placement;
        }
        tuning_.operations.push_back(std::move(tuned));
    }

    /// Of the newest run.
    [[nodiscard]] std::vector<std::string> hosts_of_ranks() const {
        std::vector<std::string> hosts;
        for (const auto& rank : runs_.store().ranks(runs_.last_run().value())) {
            hosts.push_back(rank.host);
        }
        return hosts;
    }

    [[nodiscard]] tune::Placement placement() const {
        std::map<std::string, int> hosts;
        for (const auto& host : hosts_of_ranks()) {
            ++hosts[host];
        }
        tune::Placement found{.hosts = std::max(1, static_cast<int>(hosts.size()))};
        for (const auto& [host, ranks] : hosts) {
            found.procs_per_host = std::max(found.procs_per_host, ranks);
        }
        return found;
    }

    ExitStatus finish() {
        TunedFiles left(
            runs_, files_, tuning_,
            options_.output.empty() ? fmt::format("tuned-{}", to_text(tuning_.flavour)) : options_.output,
            rule_model(sources_, tuning_));
        const bool writes = !options_.no_files && runs_.outcome().kind == Outcome::Kind::done;
        if (writes) {
            proves() ? left.write_and_prove(options_.commutative) : left.write_document();
        }
        if (options_.measure.json) {
            report::print("{}", report::document(report::tuning_json(tuning_)));
        } else if (writes) {
            report::print("{}", report::files_text(tuning_, files_.obstacle(), left.document(), terminal()));
        }
        std::fflush(stdout);
        return status_of_search(runs_.outcome());
    }

    const TuneOptions& options_;
    SourceRuns sources_;
    SearchRuns runs_;
    plan::OfferedLibrary library_;
    tune::LibraryFiles files_;
    tune::Tuning tuning_;
};

}  // namespace

ExitStatus tune_library(const plan::Plan& plan, const TuneOptions& options) {
    return Tuner(plan, options).run(plan.budget_s.has_value());
}

}  // namespace fathom::cli
