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
    enum class Kind { done, died, hung, interrupted };
    Kind kind = Kind::done;
    std::string reason = {};  ///< a clause for the user; empty if done
    std::string remark = {};  ///< about the ending of a job that is done; empty if there is nothing to say
    std::optional<int> open_point = {};  ///< position of the point that was being measured
};

/// Starts the command, follows its journal and watches it until it ends: by itself, because it came no step
/// further for longer than `timeout`, or because `interrupted` says so. Leaves no process behind.
Outcome supervise(const Command& command, Follower& follower, std::chrono::seconds timeout,
                  const std::function<bool()>& interrupted,
                  const std::function<std::vector<store::RankRow>()>& ranks,
                  const std::function<void()>& tick);

}  // namespace fathom::launch
