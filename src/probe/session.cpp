#include "probe/session.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <mpi.h>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/plain_bytes.hpp"
#include "journal/journal.hpp"
#include "machine/facts.hpp"
#include "plan/pairing.hpp"
#include "plan/participants.hpp"
#include "plan/plan_toml.hpp"
#include "plan/schemes.hpp"
#include "plan/varied_settings.hpp"
#include "probe/agenda/agenda.hpp"
#include "probe/clock/tasks.hpp"
#include "probe/environment.hpp"
#include "probe/loops/slowest_pair.hpp"
#include "probe/loops/system_counters.hpp"
#include "probe/loops/timed_loop.hpp"
#include "probe/mpi/flavour.hpp"
#include "probe/mpi/local_clock.hpp"
#include "probe/mpi/mpi_group.hpp"
#include "probe/mpi/progress_thread.hpp"
#include "probe/mpi/thread_level.hpp"
#include "probe/point_run.hpp"
#include "probe/start/binomial.hpp"
#include "probe/teams.hpp"
#include "tree/file.hpp"

namespace fathom::probe {
namespace {

constexpr const char* end_order = "end";
constexpr const char* compare_order = "compare clocks";
constexpr const char* first_and_last = "first-last";
constexpr const char* slowest = "max-latency";

// What the first rank of a team without rank 0 sends to it: records, and at last the result of the visit.
constexpr char record_mark = 'r';
constexpr char visit_mark = 'v';

class Session {
  public:
    Session(const std::string& job_file, plan::ThreadLevel level)
        : level_(level),
          oversubscription_(Oversubscription::of(MPI_COMM_WORLD)),
          world_(MPI_COMM_WORLD, oversubscription_.here) {
        // Only rank 0 needs to see the file.
        const auto text = world().first_of(world().rank() == 0 ? read_file(job_file) : std::string());
        job_ = plan::read_job(text, job_file);
        if (job_.plan.thread_levels.empty()) {
            job_.plan.thread_levels = {level_};  // started by hand, with a plan that does not name one
        }
        if (world().rank() == 0) {
            open_journal();
        }
        keeper_ = std::make_unique<ClockKeeper>(journal_.get());
    }

    void run() {
        check_processes();
        check_setting();
        take_trees();
        local_ = mpi::make_local_clock(world(), job_.plan.clock);
        constexpr std::int64_t reps_if_alike = 11;
        empty_ =
            mpi::simulated ? empty_repetition(*local_.clock, reps_if_alike) : empty_repetition(*local_.clock);
        if (job_.progress == plan::progress_thread) {
            progress_ = mpi::find_progress_thread();
        }
        record_environment(world(), local_, empty_, job_.plan, progress_.text, journal_.get());
        if (!job_.clock.kind) {
            measure_points();
        } else {
            study_clock(job_.clock);
        }
        // After its end is recorded, only MPI_Finalize is left to do.
        runs_.clear();
        teams_ = {};
        const auto peak = machine::peak_memory().count;
        const auto others = world().largest(world().rank() == 0 ? 0 : peak);
        emit(journal::JobEnd{.rank_0_peak_bytes = peak, .other_peak_bytes = others});
    }

    /// Leaves a message for the front end that the launcher cannot lose.
    void give_up(const std::string& reason) {
        try {
            emit(journal::JobEnd{.complete = false,
                                 .reason = fmt::format("rank 0 on {}: {}", mpi::processor_name(), reason)});
        } catch (const Error&) {  // NOLINT(bugprone-empty-catch): the journal itself may be what failed
        }
    }

  private:
    Group& world() { return world_; }

    void open_journal() {
        try {
            journal_ = std::make_unique<journal::Writer>(job_.journal);
        } catch (const NotMeasured&) {
            // Processes that each believe to be alone, since the launcher belongs to another MPI library.
            check_processes();
            throw;
        }
    }

    void check_processes() {
        const int requested = plan::most_procs(job_.plan);
        if (requested > 0 && requested != world().size()) {
            throw BadInput(fmt::format("the plan asks for {} processes, the launcher started {}", requested,
                                       world().size()));
        }
    }

    void emit(const journal::Record& record) {
        if (journal_) {
            journal_->write(record);
        }
    }

    /// Times would be those of another level than results say.
    void check_thread_level(plan::ThreadLevel wanted) const {
        if (level_ != wanted) {
            throw BadInput(
                fmt::format("the plan measures at thread level {}, MPI was initialised at {}; start it as "
                            "'fathom-probe-{} PLAN{}'",
                            to_text(wanted), to_text(level_), to_text(mpi::flavour),
                            wanted == plan::ThreadLevel::single
                                ? std::string()
                                : fmt::format(" {} {}", plan::thread_level_option, to_text(wanted))));
        }
        if (const auto provided = mpi::provided_thread_level(); provided < wanted) {
            throw NotMeasured(
                fmt::format("the MPI library provides {} where {} was requested; give a lower {}",
                            mpi::constant_of(provided), mpi::constant_of(wanted), plan::thread_level_option));
        }
    }

    /// A launcher may not pass variables on, and then all combinations would measure the same.
    void check_setting() {
        const auto all = plan::combinations(job_.plan.vary, job_.plan.thread_levels);
        const auto own = std::find_if(all.begin(), all.end(), [&](const auto& combination) {
            return combination.text == job_.setting;
        });
        if (own == all.end()) {
            throw BadInput(
                "the plan varies settings, each of which needs a job of its own; start it with 'fathom run'");
        }
        check_thread_level(own->thread_level);
        std::vector<std::int64_t> missing;
        for (const auto& [name, value] : own->environment) {
            const char* const here = std::getenv(name.c_str());
            missing.push_back(here == nullptr || here != value ? 1 : 0);
        }
        if (missing.empty()) {
            return;
        }
        world().largest_each(missing);
        for (std::size_t i = 0; i < missing.size(); ++i) {
            if (missing[i] != 0) {
                const auto& name = own->environment[i].first;
                throw BadInput(fmt::format(
                    "{}={} did not reach all processes; let the launcher pass it on (mpirun -x {})", name,
                    own->environment[i].second, name));
            }
        }
    }

    /// Where the job was started by hand, only rank 0 needs to see the files of trees.
    void take_trees() {
        plan::take_trees(job_.plan, mpi::simulated, [this](const std::string& file) {
            return world().first_of(world().rank() == 0 ? read_file(file, longest_input) : std::string());
        });
        for (const auto& file : job_.plan.trees) {
            auto& tree = trees_.emplace(file.name, tree::read_tree(file.text, file.file)).first->second;
            tree.name = file.name;  // what tables call it: messages are to name the same
        }
        if (world().rank() != 0) {
            job_.plan.trees.clear();  // a thousand simulated ranks share one memory
        }
    }

    [[nodiscard]] SyncRules sync_rules() const {
        SyncRules rules;
        rules.scheme = job_.plan.clock_scheme;
        rules.arity = static_cast<int>(job_.plan.clock_arity);
        rules.pings.patience = static_cast<int>(job_.plan.clock_patience);
        constexpr int most_per_patience = 100;
        rules.pings.most = most_per_patience * rules.pings.patience;
        rules.pings.resolution = local_.place.resolution;
        rules.take_turns = oversubscription_.anywhere;
        return rules;
    }

    void study_clock(const plan::ClockTask& task) {
        ClockBench bench{.world = world(),
                         .clock = *local_.clock,
                         .place = local_.place,
                         .rules = sync_rules(),
                         .keeper = *keeper_,
                         .journal = journal_.get(),
                         .seed = static_cast<std::uint64_t>(job_.plan.seed)};
        switch (task.kind.value()) {
            case plan::ClockStudy::sync:
                run_clock_sync(bench, task);
                break;
            case plan::ClockStudy::drift:
                run_clock_drift(bench, task);
                break;
            case plan::ClockStudy::quality:
                run_clock_quality(bench, task);
                break;
            case plan::ClockStudy::check:
                run_clock_check(bench, task);
                break;
        }
    }

    void measure_points() {
        // Simulated ranks have one clock by construction, and one rank has only its own.
        if (!mpi::simulated && world().size() > 1) {
            world_sync_.emplace(world(), *local_.clock, local_.place, sync_rules());
            compare_clocks();
        } else {
            keeper_->set_shared();
        }
        if (!mpi::simulated) {
            run_delay_.emplace();
            if (job_.plan.counters == plan::Counters::on) {
                counters_.emplace(*local_.clock);
            }
        }
        bench_.emplace(Bench{.local = local_,
                             .keeper = *keeper_,
                             .emit = [this](const auto& record) { pass_on(record); },
                             .empty = empty_,
                             .effort = job_.effort,
                             .progress = progress_,
                             .counters = counters_ ? &*counters_ : nullptr,
                             .run_delay = run_delay_ ? &*run_delay_ : nullptr,
                             .trees = trees_,
                             .compare_clocks_if_unsure = {}});
        if (world_sync_ && !keeper_->all_shared()) {
            bench_->compare_clocks_if_unsure = [this](Team& team, Nanoseconds per_call) {
                compare_clocks_if_unsure(team, per_call);
            };
        }
        if (world().rank() == 0) {
            conduct();
        } else {
            follow();
        }
        if (keeper_->all_shared()) {
            compare_clocks();  // that they are one is shown again at the end
        }
        if (job_.plan.check_clock) {
            constexpr Nanoseconds second{1'000'000'000};
            study_clock({.kind = plan::ClockStudy::check, .after = {{0}, second}});
        }
    }

    /// Rank 0 decides what all do next.
    void conduct() {
        auto points = job_.points;
        if (points.empty() && job_.next_index == 0) {
            points = plan::in_order(job_.plan, plan::points_of(job_.plan, world().size()));
        }
        Agenda agenda(job_, points, mpi::simulated ? 0 : stats::point_scatter);
        const auto begun = local_.clock->now();
        while (const auto errand = agenda.next()) {
            const auto& point = errand->point;
            if (errand->added) {
                emit(journal::PointAdded{point});
            }
            const auto most = share_of_point(local_.clock->now() - begun, agenda.waiting());
            broadcast_text_idle(world(), bytes_of(most) + journal::packed(journal::PointAdded{point}));
            const auto visit = attend(point, most);
            if (visit.spoilt_job) {
                break;  // another job measures the rest
            }
            agenda.visited(point, visit);
            if (!keeper_->all_shared()) {
                broadcast_text_idle(world(), compare_order);
                compare_clocks();
            }
        }
        broadcast_text_idle(world(), end_order);
    }

    /// The time that the next point may take of what the job was allowed; what it leaves is shared by those
    /// that wait.
    [[nodiscard]] Nanoseconds share_of_point(Nanoseconds spent, std::size_t waiting) const {
        constexpr double ns_per_s = 1e9;
        constexpr double least_ns = 1e6;  // so that it is measured at all
        if (job_.allowance_s <= 0) {
            return {INT64_MAX};
        }
        const double left = job_.allowance_s * ns_per_s - static_cast<double>(spent.count);
        return {std::llround(std::max(least_ns, left / static_cast<double>(waiting + 1)))};
    }

    /// The others follow, and leave their processors to the measuring ranks.
    void follow() {
        while (true) {
            const auto order = broadcast_text_idle(world(), {});
            if (order == end_order) {
                return;
            }
            if (order == compare_order) {
                compare_clocks();
            } else {
                const auto most =
                    value_from<Nanoseconds>(std::string_view(order).substr(0, sizeof(Nanoseconds)));
                const auto record =
                    journal::unpacked(std::string_view(order).substr(sizeof(Nanoseconds))).value();
                attend(std::get<journal::PointAdded>(record).point, most);
            }
        }
    }

    /// Before and after every phase.
    void compare_clocks() {
        if (world_sync_) {
            keeper_->synchronise(*world_sync_);
        }
    }

    /// Within a phase: when the measuring ranks are too uncertain of the global clock.
    void compare_clocks_if_unsure(Team& team, Nanoseconds per_call) {
        constexpr std::int64_t least_budget_ns = 100;
        const auto share = static_cast<double>(per_call.count) * job_.plan.clock_budget_percent / 100;
        const Nanoseconds budget{std::max<std::int64_t>(least_budget_ns, std::llround(share))};
        // Without rank 0 there is nobody to compare with: the clocks are compared after the point.
        if (team.world_rank(0) != 0 || !keeper_->unsure(team.group(), *local_.clock, budget)) {
            return;
        }
        if (team.group().size() == world().size()) {
            keeper_->synchronise(*world_sync_);
        } else {
            keeper_->synchronise_some(team.synchroniser(*local_.clock, local_.place, sync_rules()),
                                      [&](int rank) { return team.world_rank(rank); });
        }
    }

    /// This rank's part in a visit to a point: none, if it does not belong to its team.
    Visit attend(const plan::PointSpec& point, Nanoseconds most) {
        const auto& info = plan::find_operation(point.key.operation);
        emit(journal::PointBegin{point.index});
        const int least = least_procs(info, point);
        const auto lack = point.key.procs < least ? fmt::format("needs at least {} processes", least)
                                                  : plan::lack_of_groups(info, job_.plan.operation);
        if (!lack.empty()) {
            emit(journal::PointEnd{
                .index = point.index, .status = journal::PointStatus::unavailable, .reason = lack});
            return {};
        }
        const auto groups = members(info, point);
        const int first = groups.front().front();
        Team* const team = teams_.in_groups(groups);
        if (team == nullptr) {
            return world().rank() == 0 ? listen(first) : Visit{};
        }
        auto& run = runs_[point.index];
        if (!run) {
            run = std::make_unique<PointRun>(*bench_, *team, point, plan::settings_of(job_.plan, point.key),
                                             most);
        }
        auto visit = run->visit(!plan::interleaves(job_.plan));
        if (visit.ended) {
            runs_.erase(point.index);
        }
        if (world().rank() == first && world().rank() != 0) {
            world().send(0, visit_mark + bytes_of(visit));
        }
        return visit;
    }

    /// The records of a team's first rank, which only rank 0 can write.
    void pass_on(const journal::Record& record) {
        if (journal_) {
            journal_->write(record);
        } else {
            world().send(0, record_mark + journal::packed(record));
        }
    }

    /// Rank 0 while others measure: writes what their first rank reports, until the visit is over.
    Visit listen(int first) {
        while (true) {
            const auto text = world().receive_idle(first);
            if (text.starts_with(visit_mark)) {
                return value_from<Visit>(std::string_view(text).substr(1));
            }
            if (const auto record = journal::unpacked(std::string_view(text).substr(1))) {
                journal_->write(*record);
            }
        }
    }

    /// A pair that is requested by number must be there.
    static int least_procs(const plan::OperationInfo& info, const plan::PointSpec& point) {
        const bool numbered =
            info.of_two() && point.key.pattern != first_and_last && point.key.pattern != slowest;
        if (!numbered) {
            return info.min_procs;
        }
        const auto [a, b] = plan::parse_pair(point.key.pattern);
        return std::max(info.min_procs, std::max(a, b) + 1);
    }

    /// The ranks that take part, by group. Collective over the job.
    std::vector<std::vector<int>> members(const plan::OperationInfo& info, const plan::PointSpec& point) {
        auto groups = plan::groups_of(job_.plan.operation, point.key.procs);
        for (auto& group : groups) {
            group = members(info, point, group);
        }
        return groups;
    }

    /// Those of one group. A pair is numbered within it.
    std::vector<int> members(const plan::OperationInfo& info, const plan::PointSpec& point,
                             const std::vector<int>& group) {
        if (info.kind == plan::Kind::single) {
            return {group.front()};
        }
        if (!info.of_two()) {
            return group;
        }
        if (point.key.pattern == first_and_last) {
            return {group.front(), group.back()};
        }
        const auto pair =
            point.key.pattern == slowest ? find_slowest(group) : plan::parse_pair(point.key.pattern);
        return {group[static_cast<std::size_t>(std::min(pair.first, pair.second))],
                group[static_cast<std::size_t>(std::max(pair.first, pair.second))]};
    }

    /// Searched once, by number within these ranks, and sent to those that did not take part.
    std::pair<int, int> find_slowest(const std::vector<int>& ranks) {
        auto& found = slowest_pairs_[ranks];
        if (found.empty()) {
            if (Team* const team = teams_.of(ranks)) {
                const auto pair = slowest_pair(team->group(), *local_.clock);
                found = fmt::format("{}-{}", pair.first, pair.second);
                if (world().rank() == ranks.front() && world().rank() != 0) {
                    world().send(0, found);
                }
            } else if (world().rank() == 0) {
                found = world().receive_idle(ranks.front());
            }
            found = broadcast_text_idle(world(), found);
        }
        return plan::parse_pair(found);
    }

    plan::ThreadLevel level_;
    Oversubscription oversubscription_;
    mpi::MpiGroup world_;
    Teams teams_;
    plan::Job job_;
    std::unique_ptr<journal::Writer> journal_;
    mpi::LocalClock local_;
    std::unique_ptr<ClockKeeper> keeper_;
    std::optional<Synchroniser> world_sync_;
    Nanoseconds empty_{0};
    mpi::ProgressThread progress_;
    std::optional<SystemCounters> counters_;
    std::optional<machine::RunDelay> run_delay_;
    std::map<std::string, tree::Tree> trees_;  // by name
    std::optional<Bench> bench_;
    std::map<std::vector<int>, std::string> slowest_pairs_;  // by ranks
    std::map<int, std::unique_ptr<PointRun>> runs_;          // of points that have not ended
};

}  // namespace

void run_session(const std::string& job_file, plan::ThreadLevel level) {
    Session session(job_file, level);
    try {
        session.run();
    } catch (const std::exception& error) {
        session.give_up(error.what());
        throw;
    }
}

}  // namespace fathom::probe
