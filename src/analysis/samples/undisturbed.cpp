#include "analysis/samples/undisturbed.hpp"

#include <algorithm>
#include <cstddef>

#include "analysis/samples/coincidence.hpp"

namespace fathom::analysis {
namespace {

/// Those of a list that runs parallel to the times; another list is left alone.
template <typename Value>
void leave_out(std::vector<Value>& values, const std::vector<bool>& marked) {
    if (values.size() != marked.size()) {
        return;
    }
    std::size_t kept = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (!marked[i]) {
            values[kept++] = values[i];
        }
    }
    values.resize(kept);
}

}  // namespace

std::vector<bool> preempted(const Repetitions& repetitions, const Evidence& evidence) {
    std::vector<bool> marked(repetitions.times.size());
    if (repetitions.when.size() != repetitions.times.size()) {
        return marked;
    }
    const RepetitionsInTime in_time(repetitions);
    for (const auto& window : evidence.windows) {
        if (window.counts.preempted == 0 && window.counts.waited_ns == 0) {
            continue;
        }
        const auto reps = in_time.during(window.when);
        for (auto i = reps.first; i < reps.end; ++i) {
            marked[i] = true;
        }
    }
    return marked;
}

Repetitions without(const Repetitions& repetitions, const std::vector<bool>& marked) {
    auto kept = repetitions;
    leave_out(kept.times, marked);
    leave_out(kept.when, marked);
    leave_out(kept.last_ranks, marked);
    leave_out(kept.skews, marked);
    for (auto& [rank, times] : kept.by_rank) {
        leave_out(times, marked);
    }
    kept.set_aside += std::count(marked.begin(), marked.end(), true);
    return kept;
}

}  // namespace fathom::analysis
