#include <fmt/format.h>

#include "base/error.hpp"
#include "probe/clock/tasks.hpp"
#include "probe/start/binomial.hpp"

namespace fathom::probe {
namespace {

constexpr Nanoseconds millisecond{1'000'000};

/// Synchronisations for the model, spaced out so that it learns the drift.
constexpr int base_syncs = static_cast<int>(clock::DriftModel::memory);
constexpr Nanoseconds base_distance{100 * millisecond.count};

struct Act {
    Nanoseconds planned;
    Nanoseconds acted;
    Nanoseconds global;
    Nanoseconds claimed;
};

/// Events at which all ranks act at one instant. One that reached some rank too late is done again with more
/// time ahead.
std::vector<Act> act_together(ClockBench& bench, std::int64_t events) {
    auto& world = bench.world;
    const auto& model = bench.keeper.model();
    const auto patience = bench.rules.pings.answer_within;
    constexpr Nanoseconds longest_lead{1'000 * millisecond.count};
    Nanoseconds lead{millisecond.count / 2};
    std::vector<Act> acts;
    while (static_cast<std::int64_t>(acts.size()) < events) {
        const Nanoseconds planned{
            broadcast_word(world, (model.global(bench.clock.now()) + lead).count, patience)};
        const auto target = model.own(planned);
        const bool late = bench.clock.now() >= target;
        const auto acted = bench.clock.wait_until(target);
        acts.push_back({planned, acted, model.global(acted), bench.keeper.claimed_error(acted)});
        if (world.largest(late ? 1 : 0) != 0) {
            acts.pop_back();
            lead = lead + lead;
            if (lead > longest_lead) {
                throw NotMeasured(
                    "a rank learned of a common instant more than 1 s too late: a link was down, the rank "
                    "stood still or it shares its core");
            }
        }
    }
    return acts;
}

void record(ClockBench& bench, const std::vector<Act>& acts, Nanoseconds after, int sync) {
    auto& world = bench.world;
    const auto write = [&](int event, int rank, const Act& act) {
        bench.journal->write(journal::ClockEvent{.after_ns = after.count,
                                                 .event = event,
                                                 .rank = rank,
                                                 .planned_ns = act.planned.count,
                                                 .acted_ns = act.acted.count,
                                                 .global_ns = act.global.count,
                                                 .claimed_ns = act.claimed.count,
                                                 .sync = sync});
    };
    for (int event = 0; event < static_cast<int>(acts.size()); ++event) {
        const auto& own = acts[static_cast<std::size_t>(event)];
        if (world.rank() != 0) {
            send_value(world, 0, own);
            continue;
        }
        write(event, 0, own);
        for (int rank = 1; rank < world.size(); ++rank) {
            const auto act = receive_value<Act>(world, rank, bench.rules.pings.answer_within);
            if (!act) {
                throw NotMeasured(fmt::format("rank {} did not report when it acted", rank));
            }
            write(event, rank, *act);
        }
    }
}

}  // namespace

void run_clock_check(ClockBench& bench, const plan::ClockTask& task) {
    Synchroniser setting(bench.world, bench.clock, bench.place, bench.rules);
    auto fresh = bench.rules;
    fresh.use_shared_clocks = false;
    Synchroniser testing(bench.world, bench.clock, bench.place, fresh);
    auto next = bench.clock.now();
    for (int i = 0; i < base_syncs; ++i) {
        bench.clock.wait_until(next);
        bench.keeper.synchronise(setting);
        next = next + base_distance;
        if (bench.keeper.all_shared()) {
            break;
        }
    }
    const auto set = bench.clock.now();
    for (const auto after : task.after) {
        bench.clock.wait_until(set + after);
        const int sync = bench.keeper.next_sync();
        bench.keeper.verify(testing);
        const auto acts = act_together(bench, task.events);
        bench.keeper.verify(testing);
        record(bench, acts, after, sync);
    }
}

}  // namespace fathom::probe
