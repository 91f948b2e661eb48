#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <numeric>
#include <set>
#include <unistd.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/printable.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"
#include "cli/model_sources.hpp"
#include "cli/search_runs.hpp"
#include "cli/tune_contest.hpp"
#include "cli/tune_order.hpp"
#include "cli/tune_proof.hpp"
#include "cli/tune_search.hpp"
#include "launch/library_offers.hpp"
#include "plan/grid.hpp"
#include "plan/library_algorithms.hpp"
#include "plan/settings.hpp"
#include "report/json.hpp"
#include "report/output.hpp"
#include "report/page/tuning_page.hpp"
#include "report/tuning.hpp"
#include "tune/files/library_files.hpp"
#include "tune/files/proof_request.hpp"
#include "tune/measured/prediction.hpp"
#include "tune/model/library_models.hpp"
#include "tune/search/proposal.hpp"
#include "tune/search/race.hpp"

namespace fathom::cli {
namespace {

using launch::Outcome;

/// The tag by which the runs of a tuning are found again.
constexpr std::string_view tuning_tag = "tune";
constexpr std::string_view library_prefix = "library:";

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
            const auto layout = tune::layout_like(sources_.sources.front(), runs_.procs());
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
        if (!options_.no_files && runs_.outcome().kind == Outcome::Kind::done) {
            proves() ? write_and_prove() : write_document();
        }
        return finish();
    }

  private:
    /// Of the time: for fresh jobs with the files and without, at least.
    static constexpr double proof_share = 0.3;
    /// Of the time: kept for another proof, which is made only if sizes were taken out.
    static constexpr double kept_share = 0.08;
    static constexpr int most_proofs = 3;
    /// Ways that change the order of operands make room for the next best, which is checked in its turn.
    static constexpr int most_order_checks = 3;
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
                                    .granule = std::lcm(std::int64_t{info.element}, type_bytes)};
        for (const auto size :
             info.sized ? plan::size_grid(runs_.plan().sizes).values : std::vector<std::int64_t>{0}) {
            settings.sizes.push_back(Bytes{size});
        }
        Contest contest(runs_, options_.measure, operation, procs, tuned.ways, budget_s,
                        budget_given || !runs_.simulated());
        if (!runs_.simulated()) {
            settings.usable = [&](std::size_t way) { return files_.has(operation, tuned.ways[way]); };
        }
        tuned.race =
            tune::race(settings, [&](const tune::RaceRound& round) { return contest.measure(round); });
        tuned.proposals = proposals_of(tuned, tuned.race);
        if (tuned.race.best.empty()) {
            return;
        }
        tuned.placement = placement();
        predict(tuned);
        tuning_.date = runs_.store().find_run(fmt::format("{}", runs_.last_run().value())).created_utc;
        const bool most = std::ranges::none_of(tuning_.operations,
                                               [&](const auto& other) { return other.procs > tuned.procs; });
        if (most) {
            tuning_.placement = tuned.placement;
        }
        tuning_.operations.push_back(std::move(tuned));
    }

    [[nodiscard]] std::vector<tune::Proposal> proposals_of(const tune::TunedOperation& tuned,
                                                           const tune::RaceResult& race) const {
        if (runs_.simulated()) {
            return tune::proposals(race);
        }
        return tune::proposals(race,
                               [&](std::size_t way) { return files_.has(tuned.operation, tuned.ways[way]); });
    }

    /// Times of the algorithms that have a model, by the parameters of runs that were named.
    void predict(tune::TunedOperation& tuned) const {
        if (sources_.sources.empty() || tune::algorithms_of(tuned.operation).empty()) {
            return;
        }
        tune::PredictionTask task{.operation = tuned.operation,
                                  .layout = tune::Layout::of(hosts_of_ranks()),
                                  .network = {},
                                  .settings = {},
                                  .sizes = {}};
        try {
            task.network = network_from(tune::parameters_of(sources_.sources), task.layout.hosts(), "");
        } catch (const BadInput& error) {  // the processes are not where those of the runs were
            report::print(stderr, "fathom: {} is not predicted: {}\n", tuned.operation, error.what());
            return;
        }
        for (const auto& at : tuned.race.best) {
            task.sizes.push_back(at.size);
        }
        const auto prediction = tune::predict(task);
        for (std::size_t way = 0; way < tuned.ways.size(); ++way) {
            const auto name = tuned.ways[way].substr(std::min(tuned.ways[way].size(), library_prefix.size()));
            const auto* const model = tune::model_of_library(tuning_.flavour, tuned.operation, name);
            const auto found = std::ranges::find(prediction.algorithms, model);
            if (found == prediction.algorithms.end()) {
                continue;
            }
            const auto& curve =
                prediction.curves[static_cast<std::size_t>(found - prediction.algorithms.begin())];
            for (const auto size : task.sizes) {
                const double time_ns = curve.at(size);
                tuned.predictions.push_back(
                    {.point = {way, size}, .time_ns = time_ns, .ci95_ns = {time_ns, time_ns}});
            }
        }
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

    [[nodiscard]] std::string prefix() const {
        return std::filesystem::absolute(options_.output.empty()
                                             ? fmt::format("tuned-{}", to_text(tuning_.flavour))
                                             : options_.output)
            .string();
    }
    [[nodiscard]] std::string document() const { return prefix() + ".tuning.json"; }

    /// The library's files, as their paths begin.
    void write(const std::string& begin) {
        files_.put(tuning_, begin);
        for (const auto& file : tuning_.files) {
            write_file(file.path, file.text);
        }
    }
    void remove_files() {
        for (const auto& file : tuning_.files) {
            std::error_code ignored;
            std::filesystem::remove(file.path, ignored);
        }
        tuning_.files.clear();
        tuning_.variables.clear();
    }

    /// Until no size is slower by its rule. Files get their names when they are proven, and no others are
    /// left.
    void write_and_prove() {
        const auto earlier = earlier_files();
        leave_out_unordered();
        bool proven = false;
        for (int round = 1; round <= most_proofs && !proven && proposes(); ++round) {
            if (runs_.outcome().kind != Outcome::Kind::done) {
                break;
            }
            const double kept = (most_proofs - round) * kept_share / (most_proofs - 1);
            const auto proof = proof_of_files((1 - kept) * runs_.budget_s() - runs_.elapsed_s());
            if (runs_.outcome().kind != Outcome::Kind::done) {
                break;
            }
            tuning_.proof = proof.points;
            proven = proof.stands();
            take_out_harmed(proof);
        }
        if (proven) {
            leave_out_unproven();
            write(prefix());
        } else {
            tuning_.proof.clear();
        }
        for (const auto& file : earlier) {
            if (std::ranges::find(tuning_.files, file, &tune::LibraryFile::path) == tuning_.files.end()) {
                std::error_code ignored;
                std::filesystem::remove(file, ignored);
            }
        }
        write_document();
    }

    void write_document() {
        write_file(document(), report::document(report::tuning_json(tuning_)));
        written_ = true;
    }

    /// That an earlier tuning wrote under these names: a job script would go on using them.
    [[nodiscard]] std::vector<std::string> earlier_files() const {
        std::vector<std::string> found;
        try {
            const auto text = read_file(document(), report::longest_tuning_document);
            const auto before = report::check_tuning_document(text, document());
            for (const auto& file : before["files"]) {
                auto path = file["path"].get<std::string>();
                const bool as_written = path.starts_with(prefix() + ".") &&
                                        file["sha256"] == hexadecimal(sha256(read_file_or_empty(path)));
                if (as_written) {
                    found.push_back(std::move(path));
                }
            }
        } catch (const Error&) {  // NOLINT(bugprone-empty-catch): there was none, or none that can be read
        }
        return found;
    }

    /// Rules that no size was certainly faster with gain nothing that anybody knows of.
    void leave_out_unproven() {
        for (auto& tuned : tuning_.operations) {
            std::vector<tune::Proposal> kept;
            for (auto& proposal : tuned.proposals) {
                const auto in_it = [&](const tune::ProofPoint& point) {
                    return point.operation == tuned.operation && point.procs == tuned.procs &&
                           proposal.first <= point.size && point.size <= proposal.last;
                };
                const bool faster = std::ranges::any_of(tuning_.proof, [&](const auto& point) {
                    return in_it(point) && point.verdict() == tune::ProofVerdict::faster;
                });
                if (!faster) {
                    std::erase_if(tuning_.proof, in_it);
                }
                (faster ? kept : tuned.unproven).push_back(std::move(proposal));
            }
            tuned.proposals = std::move(kept);
        }
    }

    /// By files that are there no longer than it takes.
    tune::Proof proof_of_files(double budget_s) {
        write(prefix() + ".unproven");
        try {
            auto proof = prove(runs_, tune::proof_request(tuning_), number_of_proof(), budget_s);
            remove_files();
            return proof;
        } catch (...) {
            remove_files();
            throw;
        }
    }

    [[nodiscard]] bool proposes() const {
        return std::ranges::any_of(tuning_.operations,
                                   [](const auto& tuned) { return !tuned.proposals.empty(); });
    }

    /// Other rules need another proof.
    [[nodiscard]] std::string number_of_proof() const {
        constexpr std::size_t bytes = 6;
        auto text = prefix() + "\n";  // settings of its points name the files
        for (const auto& tuned : tuning_.operations) {
            for (const auto& proposal : tuned.proposals) {
                text += fmt::format("{} {} {} {} {}\n", tuned.operation, tuned.procs,
                                    tuned.ways[proposal.way], proposal.first.count, proposal.last.count);
            }
        }
        return fmt::format("proof-{}", hexadecimal(sha256(text).substr(0, bytes)));
    }

    /// Where a file's rules hold for operators that do not commute too, algorithms that change the order of
    /// operands are left out.
    void leave_out_unordered() {
        if (options_.commutative) {
            return;
        }
        for (auto& tuned : tuning_.operations) {
            if (tuned.proposals.empty() || !files_.holds_for_any_order(tuned.operation)) {
                continue;
            }
            if (!leave_out_unordered(tuned)) {
                return;
            }
        }
    }
    /// False if it was interrupted: nothing is known of the order then.
    bool leave_out_unordered(tune::TunedOperation& tuned) {
        auto ordered = tuned.race;  // without times of what changes the order
        std::set<tune::RacePoint> kept;
        for (int attempt = 1; attempt <= most_order_checks; ++attempt) {
            std::set<tune::RacePoint> asked;
            for (const auto& proposal : tuned.proposals) {
                for (const auto& at : proposal.sizes) {
                    asked.insert({proposal.way, at.size});
                }
            }
            std::erase_if(asked, [&](const auto& point) { return kept.contains(point); });
            if (asked.empty()) {
                return true;
            }
            const auto found = order_of(runs_, tuned, asked, attempt);
            if (runs_.outcome().kind != Outcome::Kind::done) {
                return false;
            }
            kept.insert(found.kept.begin(), found.kept.end());
            const auto holds = [&](const tune::Proposal& proposal, const std::set<tune::RacePoint>& points) {
                return std::ranges::any_of(proposal.sizes, [&](const tune::BestWay& at) {
                    return points.contains({proposal.way, at.size});
                });
            };
            for (const auto& proposal : tuned.proposals) {
                if (holds(proposal, found.changed)) {
                    tuned.unordered.push_back(proposal);
                }
            }
            std::erase_if(ordered.times, [&](const tune::RaceTime& time) {
                return asked.contains(time.point) && !kept.contains(time.point);
            });
            tuned.proposals = proposals_of(tuned, ordered);
        }
        // Others would have to be checked too.
        std::erase_if(tuned.proposals, [&](const tune::Proposal& proposal) {
            return !std::ranges::all_of(proposal.sizes, [&](const tune::BestWay& at) {
                return kept.contains({proposal.way, at.size});
            });
        });
        return true;
    }

    void take_out_harmed(const tune::Proof& proof) {
        for (const auto& point : proof.points) {
            if (point.ruled && point.harmed()) {
                tuning_.taken_out.push_back(point);
                take_out(point.operation, point.procs, point.size);
            }
        }
        for (const auto& failed : proof.failed) {
            tuning_.failed_rules.push_back(failed);
            take_out(failed.operation, failed.procs, failed.size);
        }
    }
    void take_out(const std::string& operation, int procs, Bytes size) {
        for (auto& tuned : tuning_.operations) {
            if (tuned.operation == operation && tuned.procs == procs) {
                tune::take_out(tuned.proposals, size);
            }
        }
    }

    ExitStatus finish() {
        if (options_.measure.json) {
            report::print("{}", report::document(report::tuning_json(tuning_)));
        } else if (written_) {
            report::print("{}", report::files_text(tuning_, files_.obstacle(), document(), terminal()));
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
    bool written_ = false;  // the document
};

}  // namespace

ExitStatus tune_library(const plan::Plan& plan, const TuneOptions& options) {
    return Tuner(plan, options).run(plan.budget_s.has_value());
}

}  // namespace fathom::cli
