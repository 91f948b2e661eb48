#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "launch/command.hpp"
#include "launch/follower.hpp"
#include "store/rows.hpp"

namespace fathom::launch {

/// How a job ended.
struct Outcome {
    enum class Kind {
        done,
        died,         ///< by itself, while it measured
        hung,         ///< likewise
        interrupted,  ///< by the user
        cut_off,  ///< by something else than what it measured: fathom was killed, a link or the disk failed
    };
    Kind kind = Kind::done;
    std::string reason = {};     ///< a clause for the user; empty if done
    std::string remark = {};     ///< about the ending of a job that is done; empty if there is nothing to say
    bool finalize_hung = false;  ///< it was done, but never returned from MPI_Finalize
    std::optional<int> open_point = {};  ///< position of the point that was being measured
    std::optional<int> last_point = {};  ///< that, or the one before it ended
    std::string losses = {};             ///< what of its journal could not be read, as a clause

    /// Whether the point that was being measured has to do with the end.
    [[nodiscard]] bool blames_point() const { return kind == Kind::died || kind == Kind::hung; }
};

/// How long a job may take.
struct Patience {
    std::chrono::seconds step;        ///< from one step to the next
    std::chrono::seconds ending{15};  ///< to end after the probe has reported that everything is measured
};

/// Starts the command, follows its journal and watches it until it ends: by itself, because it took longer
/// than patience allows, or because `interrupted` says so. Leaves no process behind.
Outcome supervise(const Command& command, Follower& follower, Patience patience,
                  const std::function<bool()>& interrupted,
                  const std::function<std::vector<store::RankRow>()>& ranks,
                  const std::function<void()>& tick);

}  // namespace fathom::launch
