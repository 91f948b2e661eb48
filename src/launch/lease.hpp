#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

#include "store/store.hpp"

/// One process measures a run at a time: the one that has its lease in the result file.
namespace fathom::launch {

/// How to find out whether the owner of a lease lives that cannot be seen from here.
struct LeaseWatch {
    /// An owner that has not renewed its lease within this is gone. Four renewals may be missed: by a slow
    /// network file system, by the ten seconds that a write waits for a lock, or by a look for points to
    /// revisit.
    std::chrono::seconds stale_after{90};
    std::chrono::milliseconds look_every{1000};
    std::function<void(std::chrono::milliseconds)> pause;  ///< lets time pass; std::this_thread's without one
    std::function<bool()> interrupted = [] { return false; };
    std::function<void(const std::string&)> say = [](const auto&) {};  ///< tells the user a sentence
};

/// Makes this process the owner of a run, until it is closed or the store goes. A lease whose owner is gone
/// is taken over, which is said: at once if the owner could be seen from here, otherwise if its heartbeat
/// does not change while we watch. Clocks of hosts are not compared. Throws BadInput that names the owner if
/// it lives.
void own_run(store::Store& store, std::int64_t run, const LeaseWatch& watch = {});

/// Throws BadInput if the owner of a run can be seen from here and lives.
void refuse_in_progress(const store::Store& store, std::int64_t run);

}  // namespace fathom::launch
