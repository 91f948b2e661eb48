#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "journal/journal.hpp"
#include "probe/mpi/flavour.hpp"
#include "probe/mpi/local_worker.hpp"
#include "probe/point_run.hpp"
#include "probe/start/dissemination.hpp"

/// The part of a point that only studies of overlap have.
namespace fathom::probe {

/// What can be done during the call, after what it takes by itself is known.
std::optional<Refusal> PointRun::study(std::unique_ptr<Operation>& operation) {
    constexpr std::int64_t ns_per_ms = 1'000'000;
    constexpr int simulated_rounds = 6;
    auto& group = team_.group();
    const Nanoseconds at_once{group.largest(loop_->typical_time().count)};
    // New memory is slow at first.
    constexpr std::int64_t time_to_settle_ns = 20 * ns_per_ms;
    const auto calls_to_settle =
        mpi::simulated
            ? std::int64_t{1}
            : std::clamp<std::int64_t>(time_to_settle_ns / std::max<std::int64_t>(1, at_once.count), 3, 30);
    const auto worker = mpi::make_worker(settings_.overlap.work, *bench_.local.clock);
    const auto renew = [&](StepLoop& loop) -> std::string {
        emit(journal::PointBegin{point_.index});  // a sign of life: rounds may take long
        std::unique_ptr<Operation> other;
        if (auto reason = group.first_of(make(other)); !reason.empty()) {
            return reason;
        }
        operation = std::move(other);
        DisseminationBarrier barrier(group);
        warm_up_by(group, *bench_.local.clock, barrier, *operation, calls_to_settle);
        loop.use(*operation, dynamic_cast<Nonblocking&>(*operation));
        return {};
    };
    const StudyBench bench{.group = group,
                           .clock = *bench_.local.clock,
                           .worker = *worker,
                           .empty = bench_.empty,
                           .resolution = bench_.local.place.resolution,
                           .global = [&](Nanoseconds own) { return bench_.keeper.model().global(own); },
                           .make_start = [&](Nanoseconds longest) { return make_start(longest); },
                           .renew = renew,
                           .pause =
                               [&](Nanoseconds per_call) {
                                   if (bench_.compare_clocks_if_unsure) {
                                       bench_.compare_clocks_if_unsure(team_, per_call);
                                   }
                               }};
    StudyRules rules{.settings = settings_.overlap,
                     .size = point_.key.size,
                     .at_once = at_once,
                     .budget = budget(),
                     .reps = settings_.reps,
                     .simulated = mpi::simulated};
    rules.rounds = mpi::simulated ? simulated_rounds : rules.rounds;
    const auto result = info_.of_two() ? study_message(bench, rules) : study_collective(bench, rules);
    if (auto refusal = Refusal::from(result.failure)) {
        return refusal;
    }
    deliver_study(result);
    tally_.insert(result.tally.begin(), result.tally.end());
    const auto wrong =
        result.wrong.empty() || !settings_.verify
            ? std::string()
            : Refusal{journal::PointStatus::failed, fmt::format("wrong data during work on rank {}: {}",
                                                                team_.world_rank(group.rank()), result.wrong)}
                  .text();
    return Refusal::from(group.first_of(wrong));
}

/// Gives rank 0 the repetitions of all ranks.
void PointRun::deliver_study(const StudyResult& result) {
    auto& group = team_.group();
    const auto own = journal::pack_study(result.samples);
    if (group.rank() != 0) {
        group.send(0, own);
        return;
    }
    for (std::size_t i = 0; i < result.steps.size(); ++i) {
        const auto& step = result.steps[i];
        emit(journal::StudyStep{.point = point_.index,
                                .step = static_cast<int>(i),
                                .scheme = step.scheme,
                                .work_ns = step.work.count,
                                .tests = step.tests,
                                .interval_bytes = step.interval_bytes});
    }
    const auto count = static_cast<std::int64_t>(result.samples.size());
    end_.samples += count * group.size();
    for (int rank = 0; rank < group.size(); ++rank) {
        emit(journal::StudyBlock{.point = point_.index,
                                 .rank = team_.world_rank(rank),
                                 .count = count,
                                 .data = rank == 0 ? own : group.receive(rank)});
    }
}

}  // namespace fathom::probe
