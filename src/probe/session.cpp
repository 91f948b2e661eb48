#include "probe/session.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <sstream>
#include <unistd.h>

#include <fmt/format.h>
#include <mpi.h>

#include "base/error.hpp"
#include "base/file.hpp"
#include "journal/journal.hpp"
#include "machine/facts.hpp"
#include "plan/plan.hpp"
#include "plan/plan_toml.hpp"
#include "probe/clock/identity.hpp"
#include "probe/clock/tasks.hpp"
#include "probe/environment.hpp"
#include "probe/loops/point_loop.hpp"
#include "probe/loops/timed_loop.hpp"
#include "probe/loops/warm_up.hpp"
#include "probe/mpi/check.hpp"
#include "probe/mpi/flavour.hpp"
#include "probe/mpi/local_clock.hpp"
#include "probe/mpi/mpi_barrier.hpp"
#include "probe/mpi/mpi_group.hpp"
#include "probe/ops/registry.hpp"
#include "probe/start/dissemination.hpp"
#include "probe/start/none.hpp"
#include "probe/start/roundtime.hpp"
#include "probe/start/window.hpp"

namespace fathom::probe {
namespace {

/// Ranks of this job on this machine: they share its processors and memory. Containers with names of their
/// own still share the kernel that was booted.
int ranks_here() {
    int size = 0;
    FATHOM_MPI(MPI_Comm_size, MPI_COMM_WORLD, &size);
    if constexpr (mpi::simulated) {
        return size;
    }
    const auto mine = number_of(machine::boot_id());
    std::vector<std::int64_t> all(static_cast<std::size_t>(size));
    FATHOM_MPI(MPI_Allgather, &mine, 1, MPI_INT64_T, all.data(), 1, MPI_INT64_T, MPI_COMM_WORLD);
    return static_cast<int>(std::count(all.begin(), all.end(), mine));
}

std::int64_t free_memory_bytes() {
    std::istringstream lines(read_file_or_empty("/proc/meminfo"));
    std::string key;
    std::int64_t kib = 0;
    while (lines >> key) {
        if (key == "MemAvailable:" && lines >> kib) {
            return kib * 1024;
        }
        lines.ignore(INT32_MAX, '\n');
    }
    return INT64_MAX;
}

/// Ranks that measure together: our own messages, and a communicator for the measured operation alone.
class Team {
  public:
    Team(MPI_Comm members, bool yielding) : group_(members, yielding) {
        FATHOM_MPI(MPI_Comm_dup, members, &measured_);
        FATHOM_MPI(MPI_Comm_set_errhandler, measured_, MPI_ERRORS_RETURN);
    }
    Team(const Team&) = delete;
    Team& operator=(const Team&) = delete;
    ~Team() { MPI_Comm_free(&measured_); }

    [[nodiscard]] mpi::MpiGroup& group() { return group_; }
    [[nodiscard]] MPI_Comm measured() const { return measured_; }

  private:
    mpi::MpiGroup group_;
    MPI_Comm measured_ = MPI_COMM_NULL;
};

/// The team of the first and the last rank, on those two; nothing on others or where they are one.
std::unique_ptr<Team> pair_team(const mpi::MpiGroup& world, bool yielding) {
    if (world.size() < 2) {
        return nullptr;
    }
    const bool member = world.rank() == 0 || world.rank() == world.size() - 1;
    MPI_Comm pair = MPI_COMM_NULL;
    FATHOM_MPI(MPI_Comm_split, world.communicator(), member ? 0 : MPI_UNDEFINED, world.rank(), &pair);
    if (!member) {
        return nullptr;
    }
    auto team = std::make_unique<Team>(pair, yielding);
    FATHOM_MPI(MPI_Comm_free, &pair);
    return team;
}

/// Why a point has no result; travels between ranks as text.
struct Refusal {
    std::string status;
    std::string reason;

    [[nodiscard]] std::string text() const { return status + ":" + reason; }
    static std::optional<Refusal> from(const std::string& text) {
        const auto colon = text.find(':');
        return colon == std::string::npos
                   ? std::nullopt
                   : std::optional(Refusal{text.substr(0, colon), text.substr(colon + 1)});
    }
};

class Session {
  public:
    explicit Session(const std::string& job_file)
        : host_ranks_(ranks_here()),
          oversubscribed_(!mpi::simulated && host_ranks_ > ::sysconf(_SC_NPROCESSORS_ONLN)),
          all_(MPI_COMM_WORLD, oversubscribed_),
          pair_(pair_team(all_.group(), oversubscribed_)) {
        // Only rank 0 needs to see the file.
        const auto text = world().first_of(world().rank() == 0 ? read_file(job_file) : std::string());
        job_ = plan::read_job(text, job_file);
        if (world().rank() == 0) {
            journal_ = std::make_unique<journal::Writer>(job_.journal);
        }
        keeper_ = std::make_unique<ClockKeeper>(journal_.get());
        oversubscribed_anywhere_ = world().largest(oversubscribed_ ? 1 : 0) != 0;
    }

    void run() {
        if (job_.plan.procs && *job_.plan.procs != world().size()) {
            throw BadInput(fmt::format("the plan asks for {} processes, the launcher started {}",
                                       *job_.plan.procs, world().size()));
        }
        local_ = mpi::make_local_clock(world(), job_.plan.clock);
        record_environment(world(), local_, plan::write_plan(job_.plan), journal_.get());
        if (job_.clock.kind.empty()) {
            measure_points();
        } else {
            study_clock(job_.clock);
        }
        tell(journal::JobEnd{});
    }

    /// Leaves word for the front end, which the launcher cannot lose.
    void give_up(const std::string& reason) {
        try {
            tell(journal::JobEnd{.complete = false,
                                 .reason = fmt::format("rank 0 on {}: {}", mpi::processor_name(), reason)});
        } catch (const Error&) {  // NOLINT(bugprone-empty-catch): the journal itself may be what failed
        }
    }

  private:
    Group& world() { return all_.group(); }

    void tell(const journal::Record& record) {
        if (journal_) {
            journal_->write(record);
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
        rules.take_turns = oversubscribed_anywhere_;
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
        if (task.kind == "sync") {
            run_clock_sync(bench, task);
        } else if (task.kind == "drift") {
            run_clock_drift(bench, task);
        } else if (task.kind == "quality") {
            run_clock_quality(bench, task);
        } else if (task.kind == "check") {
            run_clock_check(bench, task);
        } else {
            throw BadInput(fmt::format("the job asks for an unknown study of the clock, '{}'", task.kind));
        }
    }

    void measure_points() {
        // Simulated ranks have one clock by construction, and one rank has only its own.
        if (!mpi::simulated && world().size() > 1) {
            world_sync_.emplace(world(), *local_.clock, local_.place, sync_rules());
            if (pair_) {
                pair_sync_.emplace(pair_->group(), *local_.clock, local_.place, sync_rules());
            }
            compare_clocks();
        } else {
            keeper_->set_shared();
        }
        const auto points = plan::points_of(job_.plan, world().size());
        auto order = job_.points;
        if (order.empty()) {
            order.resize(points.size());
            std::iota(order.begin(), order.end(), 0);
        }
        for (const int index : order) {
            if (index < 0 || index >= static_cast<int>(points.size())) {
                throw BadInput(fmt::format("the job asks for point {} of {}", index, points.size()));
            }
            run_point(points[static_cast<std::size_t>(index)]);
            if (!keeper_->all_shared()) {
                compare_clocks();
            }
        }
        if (keeper_->all_shared()) {
            compare_clocks();  // that they are one is shown again at the end
        }
        if (job_.plan.check_clock) {
            constexpr Nanoseconds second{1'000'000'000};
            study_clock({.kind = "check", .after = {{0}, second}});
        }
    }

    /// Before and after every phase.
    void compare_clocks() {
        if (world_sync_) {
            keeper_->synchronise(*world_sync_);
        }
    }

    /// Within a phase: when the ranks that measure are no longer sure enough of the global clock.
    void compare_clocks_if_unsure(Team& team, bool pair, Nanoseconds per_rep) {
        constexpr std::int64_t least_budget_ns = 100;
        const auto share = static_cast<double>(per_rep.count) * job_.plan.clock_budget_percent / 100;
        const Nanoseconds budget{std::max<std::int64_t>(least_budget_ns, std::llround(share))};
        if (keeper_->unsure(team.group(), *local_.clock, budget)) {
            if (pair) {
                const int last = world().size() - 1;
                keeper_->synchronise_some(*pair_sync_, [&](int rank) { return rank == 1 ? last : rank; });
            } else {
                keeper_->synchronise(*world_sync_);
            }
        }
    }

    void run_point(const plan::PointSpec& point) {
        tell(journal::PointBegin{point.index});
        const auto& info = plan::find_operation(point.operation);
        journal::PointEnd end;
        end.index = point.index;
        end.status = "ok";
        if (world().size() < info.min_procs()) {
            end.status = "unavailable";
            end.reason = fmt::format("needs at least {} processes", info.min_procs());
            tell(end);
            return;
        }
        const bool pair = info.family == plan::Family::pair;
        Team* const team = pair ? pair_.get() : &all_;
        if (team == nullptr) {
            world().receive_idle(0);  // rank 0 tells when the pair is done
            return;
        }
        if (const auto refusal = measure(*team, pair, point, end)) {
            end.status = refusal->status;
            end.reason = refusal->reason;
        }
        tell(end);
        if (pair && world().rank() == 0) {
            for (int idle = 1; idle + 1 < world().size(); ++idle) {
                world().send(idle, "done");
            }
        }
    }

    std::optional<Refusal> measure(Team& team, bool pair, const plan::PointSpec& point,
                                   journal::PointEnd& end) {
        auto& group = team.group();
        std::unique_ptr<Operation> operation;
        const auto refusal = Refusal::from(group.first_of(make(team, point, operation)));
        if (refusal) {
            return refusal;
        }
        end.datatype = operation->datatype();
        DisseminationBarrier barrier(group);
        if (auto wrong = verified(group, barrier, *operation, "before")) {
            return wrong;
        }
        const auto warmth = job_.plan.warmup
                                ? warm_up(group, *local_.clock, barrier, *operation, *job_.plan.warmup)
                                : warm_up(group, *local_.clock, barrier, *operation);
        end.warmup_calls = warmth.calls;
        end.start = start_name(pair);
        const auto start = make_start(end.start, team, warmth.longest);
        const auto rule = make_rule();
        LoopEvents events;
        events.deliver = [&](journal::SampleBlock block) {
            block.point = point.index;
            block.rank = pair && block.rank == 1 ? world().size() - 1 : block.rank;
            tell(block);
        };
        if (world_sync_ && !keeper_->all_shared()) {
            events.pause = [&](Nanoseconds per_rep) { compare_clocks_if_unsure(team, pair, per_rep); };
        }
        try {
            const auto result =
                measure_point(group, *local_.clock, *start, *operation, *rule, pair, limits(), events);
            end.remark = remark(result, *rule, warmth);
        } catch (const NoCommonStart& error) {
            return Refusal{"failed", error.what()};
        }
        return verified(group, barrier, *operation, "after");
    }

    /// `auto` announces starts on the global clock. A pair's own messages keep it in step; and with more
    /// ranks than cores no clock helps, a barrier at least waits for everybody.
    [[nodiscard]] std::string start_name(bool pair) const {
        if (job_.plan.start != "auto") {
            return job_.plan.start;
        }
        return pair ? "none" : oversubscribed_anywhere_ ? "barrier" : "roundtime";
    }

    std::unique_ptr<Start> make_start(const std::string& name, Team& team, Nanoseconds longest_call) {
        auto& group = team.group();
        if (name == "none") {
            return std::make_unique<NoStart>();
        }
        if (name == "barrier") {
            return std::make_unique<DisseminationBarrier>(group);
        }
        if (name == "mpi-barrier") {
            return std::make_unique<mpi::MpiBarrier>(team.measured());
        }
        if (name == "window") {
            constexpr std::int64_t head_room = 2;
            return std::make_unique<Window>(group, *local_.clock, keeper_->model(),
                                            Nanoseconds{head_room * longest_call.count});
        }
        return std::make_unique<RoundTime>(group, *local_.clock, keeper_->model(), longest_call);
    }

    [[nodiscard]] std::unique_ptr<stats::StopRule> make_rule() const {
        const auto& plan = job_.plan;
        const double goal = plan.precision_percent / 100;
        if (plan.reps || plan.stop == "fixed") {
            return stats::fixed_rule(plan.reps.value_or(plan.max_reps));
        }
        return plan.stop == "skampi"
                   ? stats::skampi_rule(goal, static_cast<double>(local_.place.resolution.count))
                   : stats::median_ci_rule(goal);
    }

    [[nodiscard]] LoopLimits limits() const {
        const auto& plan = job_.plan;
        if (plan.reps) {
            return {.min_reps = *plan.reps, .max_reps = *plan.reps, .budget = {INT64_MAX}};
        }
        constexpr std::int64_t ns_per_ms = 1'000'000;
        return {.min_reps = std::min(plan.min_reps, plan.max_reps),
                .max_reps = plan.max_reps,
                .budget = {plan.point_budget_ms * ns_per_ms}};
    }

    /// What a reader of the result should know.
    [[nodiscard]] static std::string remark(const LoopResult& result, const stats::StopRule& rule,
                                            const WarmUp& warmth) {
        std::string text;
        if (result.end != LoopResult::End::goal) {
            text = fmt::format(
                "stopped at the limit of {} before its goal: {}",
                result.end == LoopResult::End::budget ? "time (--point-budget)" : "repetitions (--max-reps)",
                rule.state());
        }
        if (!warmth.stationary) {
            text += fmt::format("{}times were still changing after {} warm-up calls",
                                text.empty() ? "" : "; ", warmth.calls);
        }
        return text;
    }

    /// Makes the operation, or says why not.
    std::string make(const Team& team, const plan::PointSpec& point, std::unique_ptr<Operation>& operation) {
        const auto share = free_memory_bytes() / host_ranks_;
        const auto needs = [&] {
            return fmt::format("needs two buffers of {} on every rank", to_text(point.size));
        };
        try {
            if (point.size.count > share / 2) {
                throw mpi::Unavailable(fmt::format("{}, and {} are free for each of {} ranks here", needs(),
                                                   to_text(Bytes{share}), host_ranks_));
            }
            int rank = 0;
            int procs = 0;
            FATHOM_MPI(MPI_Comm_rank, team.measured(), &rank);
            FATHOM_MPI(MPI_Comm_size, team.measured(), &procs);
            operation = make_operation(point.operation, {.communicator = team.measured(),
                                                         .rank = rank,
                                                         .procs = procs,
                                                         .size = point.size,
                                                         .seed = static_cast<std::uint64_t>(job_.plan.seed)});
        } catch (const mpi::Unavailable& error) {
            return Refusal{"unavailable", error.what()}.text();
        } catch (const std::bad_alloc&) {
            return Refusal{"unavailable", needs() + ", which this machine did not give"}.text();
        }
        return {};
    }

    /// One repetition with checked data, outside the timed ones.
    std::optional<Refusal> verified(Group& group, Start& start, Operation& operation, const char* when) {
        if (!job_.plan.verify) {
            return std::nullopt;
        }
        operation.prepare_check();
        run_untimed(start, operation, 1);
        auto wrong = operation.check();
        if (!wrong.empty()) {
            wrong = Refusal{"failed",
                            fmt::format("wrong data {} timing on rank {}: {}", when, world().rank(), wrong)}
                        .text();
        }
        return Refusal::from(group.first_of(wrong));
    }

    int host_ranks_;
    bool oversubscribed_;
    bool oversubscribed_anywhere_ = false;
    Team all_;
    std::unique_ptr<Team> pair_;
    plan::Job job_;
    std::unique_ptr<journal::Writer> journal_;
    mpi::LocalClock local_;
    std::unique_ptr<ClockKeeper> keeper_;
    std::optional<Synchroniser> world_sync_;
    std::optional<Synchroniser> pair_sync_;
};

}  // namespace

void run_session(const std::string& job_file) {
    Session session(job_file);
    try {
        session.run();
    } catch (const std::exception& error) {
        session.give_up(error.what());
        throw;
    }
}

}  // namespace fathom::probe
