#include <algorithm>
#include <functional>
#include <memory>
#include <unistd.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/run/clock_study.hpp"
#include "base/printable.hpp"
#include "base/text.hpp"
#include "cli/command_line.hpp"
#include "cli/given_settings.hpp"
#include "journal/json.hpp"
#include "launch/follower.hpp"
#include "launch/interruption.hpp"
#include "launch/job.hpp"
#include "launch/supervisor.hpp"
#include "plan/grid.hpp"
#include "plan/presets.hpp"
#include "report/clock_json.hpp"
#include "report/clock_text.hpp"
#include "report/json.hpp"
#include "report/output.hpp"
#include "report/progress.hpp"

namespace fathom::cli {
namespace {

using launch::Outcome;

/// What the probe has reported of a study.
class ClockFollower : public launch::Follower {
  public:
    using Follower::Follower;

    [[nodiscard]] std::string_view step_name() const override { return "comparison of clocks"; }

    [[nodiscard]] report::ClockHead head() const {
        report::ClockHead head{
            .mpi = job.mpi_flavour, .source = job.time_source, .description = "", .hosts = {}};
        for (const auto& rank : ranks) {
            head.hosts[rank.rank] = rank.host;
        }
        if (!hosts.empty()) {
            const auto& facts = hosts.front().facts;
            const auto description = facts.find("clock." + job.time_source);
            head.description = description == facts.end() ? "" : description->second;
        }
        return head;
    }

    /// The seed of the plan that the probe was given.
    [[nodiscard]] std::uint64_t seed() const {
        plan::Plan plan;
        plan::read_plan(plan, job.plan_toml, "plan of the probe");
        return static_cast<std::uint64_t>(plan.seed);
    }

    [[nodiscard]] std::vector<store::RankRow> rank_rows() const {
        std::vector<store::RankRow> rows;
        for (const auto& rank : ranks) {
            rows.push_back({rank.rank, rank.host, rank.pid, rank.binding});
        }
        return rows;
    }

    journal::JobInfo job;
    std::vector<journal::RankInfo> ranks;
    std::vector<journal::HostInfo> hosts;
    std::vector<journal::ClockSync> syncs;
    std::vector<journal::ClockPings> pings;
    std::vector<journal::ClockEvent> events;

  private:
    void take(const journal::Record& record) override {
        count_step();
        std::visit([&](const auto& content) { keep(content); }, record);
    }
    void keep(const journal::JobInfo& info) { job = info; }
    void keep(const journal::RankInfo& info) { ranks.push_back(info); }
    void keep(const journal::HostInfo& info) { hosts.push_back(info); }
    void keep(const journal::ClockSync& sync) { syncs.push_back(sync); }
    void keep(const journal::ClockPings& exchange) { pings.push_back(exchange); }
    void keep(const journal::ClockEvent& event) { events.push_back(event); }
    template <typename Other>
    void keep(const Other& /*of no use here*/) {}
};

struct Options {
    GivenSettings given;
    plan::ClockTask task;
    bool json = false;
    bool quiet = false;
    bool allow_root = false;
    std::string length = "60s";
    std::string every = "1s";
    std::string after = "0,1s,10s,60s";
    std::string limit;
};

/// One study: what it needs and how it evaluates the probe's records.
struct ClockTask {
    /// Steps of which progress shows, and how many of them are done.
    std::function<int()> total;
    std::function<int(const ClockFollower&)> done;
    std::function<void(const ClockFollower&)> print;
    int least_procs = 1;
    Nanoseconds longest_pause{0};  ///< in which nothing is reported
};

Nanoseconds time_option(const char* option, const std::string& text) {
    try {
        return parse_duration(text);
    } catch (const BadInput& error) {
        throw BadInput(fmt::format("{}: {}.", option, error.what()));
    }
}

plan::Plan plan_of(const Options& options) {
    plan::Plan plan;
    plan::apply_preset(plan, plan::default_preset);
    options.given.apply_to(plan);
    return plan;
}

/// One launch of the probe, and what it reported.
struct Launch {
    Outcome outcome;
    std::unique_ptr<ClockFollower> records;
};

/// Starts the probe for a study. Progress goes on from the steps of earlier launches.
Launch start_probe(const Options& options, const launch::ResolvedJob& resolved, const ClockTask& parts,
                   report::Progress& progress, int steps_before) {
    if (parts.least_procs > resolved.procs) {
        throw BadInput(
            fmt::format("clock {} needs two processes; give -n 2 or more.", to_text(options.task.kind)));
    }
    const launch::JobFiles files(fmt::format("fathom-clock-{}", ::getpid()), resolved.platform.has_value());
    launch::catch_interruptions();
    plan::Job job;
    job.clock = options.task;
    const auto command = launch::prepare(resolved, files, job);
    Launch launched{.outcome = {}, .records = std::make_unique<ClockFollower>(files.journal)};
    auto& follower = *launched.records;
    launched.outcome = launch::supervise(
        command, follower,
        {.step =
             std::chrono::seconds(resolved.plan.point_timeout_s + parts.longest_pause.count / 1'000'000'000)},
        launch::interrupted, [&] { return follower.rank_rows(); },
        [&] {
            progress.reached(steps_before + parts.done(follower),
                             fmt::format("{} of clocks", to_text(options.task.kind)));
        });
    files.remove_journal();
    return launched;
}

/// Says how the last launch ended, after what it measured was printed.
ExitStatus concluded(const Outcome& outcome) {
    if (outcome.kind != Outcome::Kind::done) {
        std::fflush(stdout);
        report::print(stderr, "fathom: {}.\n", printable(outcome.reason));
        return outcome.kind == Outcome::Kind::interrupted ? ExitStatus::interrupted
                                                          : ExitStatus::not_measured;
    }
    if (!outcome.remark.empty()) {
        report::print(stderr, "warning: {} after everything was measured.\n", printable(outcome.remark));
    }
    return ExitStatus::done;
}

/// A study with one number of processes; prints the result even if it was interrupted.
ExitStatus study(const Options& options, const ClockTask& parts) {
    const auto resolved = launch::resolve(plan_of(options), options.allow_root);
    const auto grid = plan::process_grid(resolved.plan.procs);
    if (grid.values.size() > 1 || !grid.refined.empty()) {
        throw BadInput(fmt::format("clock {} takes one number of processes; 'clock sync' takes several.",
                                   to_text(options.task.kind)));
    }
    Launch launched;
    {
        report::Progress progress(report::Terminal::of(STDERR_FILENO), parts.total(),
                                  report::lines_for(options.quiet));
        launched = start_probe(options, resolved, parts, progress, 0);
    }
    if (launched.outcome.kind == Outcome::Kind::done || parts.done(*launched.records) > 0) {
        parts.print(*launched.records);
    }
    return concluded(launched.outcome);
}

/// Prints a result as JSON or for people.
void print(const Options& options, bool complete, nlohmann::ordered_json json,
           const std::function<std::string(const report::Terminal&)>& text) {
    if (options.json) {
        json["complete"] = complete;
        report::print("{}", report::document(json));
    } else {
        report::print("{}", text(report::Terminal::of(STDOUT_FILENO)));
    }
}

/// One launch for each number of processes, so that every one is placed as a job of that size is.
ExitStatus sync(Options& options) {
    options.task.kind = plan::ClockStudy::sync;
    const auto plan = launch::resolve(plan_of(options), options.allow_root).plan;
    const auto grid = plan::process_grid(plan.procs);
    if (!grid.refined.empty()) {
        throw BadInput("clock sync takes process counts such as 2,4,8 or 2:64; leave out 'auto'.");
    }
    const int steps = static_cast<int>(options.task.repeat) + 1;
    const ClockTask parts{.total = [&] { return steps * static_cast<int>(grid.values.size()); },
                          .done =
                              [](const ClockFollower& records) {
                                  return records.syncs.empty() ? 0 : records.syncs.back().sync + 1;
                              },
                          .print = {}};
    std::vector<report::SyncOfProcs> counts;
    Outcome outcome;
    bool complete = true;
    {
        report::Progress progress(report::Terminal::of(STDERR_FILENO), parts.total(),
                                  report::lines_for(options.quiet));
        for (std::size_t i = 0; i < grid.values.size() && complete; ++i) {
            auto of_count = plan;
            of_count.procs = {fmt::format("{}", grid.values[i])};
            const auto launched =
                start_probe(options, launch::resolve(std::move(of_count), options.allow_root), parts,
                            progress, static_cast<int>(i) * steps);
            outcome = launched.outcome;
            complete = outcome.kind == Outcome::Kind::done && launched.records->complete();
            if (outcome.kind == Outcome::Kind::done || parts.done(*launched.records) > 0) {
                auto head = launched.records->head();
                auto result = analysis::study_sync(launched.records->syncs,
                                                   static_cast<std::size_t>(options.task.repeat), head.hosts);
                counts.push_back({.head = std::move(head), .study = std::move(result)});
            }
        }
    }
    if (!counts.empty()) {
        const bool one = grid.values.size() == 1;
        const auto& last = counts.back();
        print(options, complete,
              one ? report::clock_sync_json(last.head, last.study) : report::clock_cost_json(counts),
              [&](const auto& terminal) {
                  return one ? report::clock_sync_text(last.head, last.study, terminal)
                             : report::clock_cost_text(counts, terminal);
              });
    }
    return concluded(outcome);
}

ExitStatus drift(Options& options) {
    options.task.kind = plan::ClockStudy::drift;
    options.task.length = time_option("--for", options.length);
    options.task.every = time_option("--every", options.every);
    if (options.task.every.count < 1 || options.task.every > options.task.length) {
        throw BadInput(fmt::format("--every is {}, --for is {}; give a shorter --every, above 0.",
                                   options.every, options.length));
    }
    return study(
        options,
        {.total = [&] { return static_cast<int>(options.task.length.count / options.task.every.count) + 1; },
         .done =
             [](const ClockFollower& records) {
                 return records.pings.empty() ? 0 : records.pings.back().round + 1;
             },
         .print =
             [&](const ClockFollower& records) {
                 const auto head = records.head();
                 const auto pairs = analysis::study_drift(records.pings);
                 print(options, records.complete(), report::clock_drift_json(head, pairs),
                       [&](const auto& terminal) { return report::clock_drift_text(head, pairs, terminal); });
             },
         .least_procs = 2,
         .longest_pause = options.task.every});
}

ExitStatus quality(Options& options) {
    options.task.kind = plan::ClockStudy::quality;
    return study(options,
                 {.total = [&] { return static_cast<int>((options.task.pings + 999) / 1000); },
                  .done = [](const ClockFollower& records) { return static_cast<int>(records.pings.size()); },
                  .print =
                      [&](const ClockFollower& records) {
                          const auto head = records.head();
                          const auto result = analysis::study_quality(records.pings, records.seed());
                          if (result) {
                              print(options, records.complete(), report::clock_quality_json(head, *result),
                                    [&](const auto& terminal) {
                                        return report::clock_quality_text(head, *result, terminal);
                                    });
                          }
                      },
                  .least_procs = 2});
}

ExitStatus check(Options& options) {
    options.task.kind = plan::ClockStudy::check;
    options.task.after.clear();
    for (const auto& time : split(options.after, ',')) {
        options.task.after.push_back(time_option("--after", time));
    }
    if (options.task.after.empty()) {
        throw BadInput("--after is empty; give times such as 0,1s,10s.");
    }
    auto& after = options.task.after;
    std::sort(after.begin(), after.end());
    after.erase(std::unique(after.begin(), after.end()), after.end());
    const auto limit = options.limit.empty() ? Nanoseconds{INT64_MAX} : time_option("--limit", options.limit);
    bool holds = true;
    const auto status = study(
        options,
        {.total = [&] { return static_cast<int>(after.size()); },
         .done =
             [&](const ClockFollower& records) {
                 // A moment is complete once its last event has been reported.
                 int done = 0;
                 for (const auto& event : records.events) {
                     done += event.rank == 0 && event.event + 1 == options.task.events ? 1 : 0;
                 }
                 return done;
             },
         .print =
             [&](const ClockFollower& records) {
                 const auto head = records.head();
                 const auto moments = analysis::study_check(records.events, records.syncs);
                 print(
                     options, records.complete(), report::clock_check_json(head, moments),
                     [&](const auto& terminal) { return report::clock_check_text(head, moments, terminal); });
                 for (const auto& moment : moments) {
                     holds = holds && moment.holds;
                     if (moment.skew_median_ns > static_cast<double>(limit.count)) {
                         holds = false;
                         report::print(stderr, "fathom: start skew {} after {} exceeds --limit {}.\n",
                                       time_text(moment.skew_median_ns),
                                       time_text(static_cast<double>(moment.after_ns)), options.limit);
                     }
                 }
             },
         .longest_pause = after.back()});
    return status == ExitStatus::done && !holds ? ExitStatus::check_failed : status;
}

/// Adds one study with the options that all have in common.
Command add_study(const Command& clock, Invocation& invocation, const std::string& name,
                  const std::string& help, const std::string& example, ExitStatus (*body)(Options&),
                  const std::shared_ptr<Options>& options) {
    const auto command = clock.subcommand(
        name, help, example, [options, &invocation, body] { invocation.status = body(*options); });
    options->given.add_for_clock(command);
    command.flag("--json", options->json, "one JSON document on stdout");
    command.flag("-q,--quiet", options->quiet, "no progress");
    command.flag("--allow-run-as-root", options->allow_root, "let Open MPI run as root");
    return command;
}

}  // namespace

void add_clock(const Command& program, Invocation& invocation) {
    const auto clock = program.group("clock", "Compare the clocks of all processes, with error bounds",
                                     "fathom clock sync -n 4", "study");
    constexpr std::int64_t most = 1'000'000;

    const auto for_sync = std::make_shared<Options>();
    add_study(clock, invocation, "sync",
              "Synchronise: offset, bound and drift of every rank, and the cost; with several process counts "
              "(-n 2,4,8) the cost of each",
              "fathom clock sync -n 4 --scheme tree --repeat 20", sync, for_sync)
        .option("--repeat", for_sync->task.repeat, "number of synchronisations; several show the spread")
        .value_name("K")
        .with_default()
        .between(1, most);

    const auto for_drift = std::make_shared<Options>();
    auto command = add_study(clock, invocation, "drift",
                             "Watch pairs of clocks: difference over time, drift, round trips",
                             "fathom clock drift -n 2 --for 60s --every 1s", drift, for_drift);
    command.option("--for", for_drift->length, "how long").value_name("TIME").with_default();
    command.option("--every", for_drift->every, "how often").value_name("TIME").with_default();
    command
        .option("--pairs", for_drift->task.pairs,
                "maximum number of pairs of ranks; a random choice if there are more")
        .value_name("N")
        .with_default()
        .between(1, most);

    const auto for_quality = std::make_shared<Options>();
    add_study(clock, invocation, "quality",
              "Show what more patience gains and costs: how close pings get to the shortest round trip",
              "fathom clock quality -n 2", quality, for_quality)
        .option("--pings", for_quality->task.pings, "round trips to measure")
        .value_name("N")
        .with_default()
        .between(100, 100 * most);

    const auto for_check = std::make_shared<Options>();
    command =
        add_study(clock, invocation, "check", "Test the clocks: all ranks act at one instant, now and later",
                  "fathom clock check -n 4 --after 0,1s,10s", check, for_check);
    command.option("--after", for_check->after, "times since the clocks were synchronised")
        .value_name("LIST")
        .with_default();
    command.option("--events", for_check->task.events, "common instants at each of these times")
        .value_name("N")
        .with_default()
        .between(1, 10'000);
    command.option("--limit", for_check->limit, "exit 1 if the median start skew exceeds this")
        .value_name("TIME");
    command.add_footer(
        "Exit status 1 if a clock exceeded its error bound, or the start skew exceeds --limit.");
}

}  // namespace fathom::cli
