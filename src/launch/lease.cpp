#include "launch/lease.hpp"

#include <random>
#include <thread>

#include <fmt/format.h>

#include "base/error.hpp"

namespace fathom::launch {
namespace {

std::string random_name() {
    std::random_device random;
    return fmt::format("{:08x}{:08x}{:08x}{:08x}", random(), random(), random(), random());
}

std::string owner_text(const store::LeaseRow& lease) {
    return fmt::format("process {} on {}", lease.process.pid, lease.process.host);
}

[[noreturn]] void refuse(std::int64_t run, const store::LeaseRow& lease) {
    throw BadInput(fmt::format(
        "run {0} is still being measured by {1}, since {2}; wait for it, or end that process and then "
        "continue with 'fathom run --resume {0}'.",
        run, owner_text(lease), lease.taken_utc));
}

/// Whether the heartbeat of a lease stands still for as long as we watch.
bool stands_still(const store::Store& store, std::int64_t run, const store::LeaseRow& before,
                  const LeaseWatch& watch) {
    const auto pause =
        watch.pause ? watch.pause : [](std::chrono::milliseconds time) { std::this_thread::sleep_for(time); };
    for (std::chrono::milliseconds waited{0}; waited < watch.stale_after; waited += watch.look_every) {
        if (watch.interrupted()) {
            throw NotMeasured("interrupted; nothing was changed.");
        }
        pause(watch.look_every);
        const auto now = store.lease(run);
        if (!now || now->owner != before.owner || now->heartbeat != before.heartbeat) {
            return false;
        }
    }
    return true;
}

}  // namespace

void own_run(store::Store& store, std::int64_t run, const LeaseWatch& watch) {
    const store::LeaseRow mine{
        .owner = random_name(), .process = machine::this_process(), .taken_utc = {}, .heartbeat = 0};
    while (true) {
        const auto held = store.lease(run);
        if (!held) {
            if (store.take_lease(run, mine)) {
                return;
            }
            continue;  // another was faster: look who
        }
        const auto alive = machine::is_alive(held->process);
        if (alive == true) {
            refuse(run, *held);
        }
        if (!alive) {
            watch.say(
                fmt::format("Run {} was being measured by {}, which cannot be seen from here; watching "
                            "for {} s whether it still is.",
                            run, owner_text(*held), watch.stale_after.count()));
            if (!stands_still(store, run, *held, watch)) {
                if (const auto now = store.lease(run)) {
                    refuse(run, *now);
                }
                continue;  // it has just been released
            }
        }
        if (store.take_lease(run, mine, held)) {
            watch.say(fmt::format(
                "Taking over run {} from {}, which {}.", run, owner_text(*held),
                alive ? std::string("has ended")
                      : fmt::format("has shown no sign of life for {} s", watch.stale_after.count())));
            return;
        }
    }
}

void refuse_in_progress(const store::Store& store, std::int64_t run) {
    if (const auto held = store.lease(run); held && machine::is_alive(held->process) == true) {
        refuse(run, *held);
    }
}

}  // namespace fathom::launch
