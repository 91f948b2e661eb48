#include "launch/trees.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/file.hpp"
#include "plan/grid.hpp"
#include "plan/participants.hpp"
#include "tree/file.hpp"

namespace fathom::launch {

void settle_trees(plan::Plan& plan, int procs, bool simulated) {
    plan::take_trees(plan, simulated, [](const std::string& file) { return read_file(file, longest_input); });
    auto counts = plan::process_grid(plan.procs).values;
    if (counts.empty()) {
        counts.push_back(procs);
    }
    for (const auto& file : plan.trees) {
        for (const auto count : counts) {
            const int ranks = plan::procs_of_point(plan.operation, static_cast<int>(count));
            tree::read_tree(file.text, file.file, {.procs = ranks});  // throws
        }
    }
}

namespace {

/// A tree of the plan that has leaves for threads; none: nothing.
const plan::TreeText* tree_with_threads(const plan::Plan& plan) {
    const auto found = std::ranges::find_if(plan.trees, [](const plan::TreeText& file) {
        return std::ranges::any_of(tree::read_tree(file.text, file.file).leaves,
                                   [](const tree::Leaf& leaf) { return leaf.thread > 0; });
    });
    return found == plan.trees.end() ? nullptr : &*found;
}

}  // namespace

void settle_thread_level(plan::Plan& plan, bool simulated) {
    using plan::ThreadLevel;
    auto& levels = plan.thread_levels;
    const auto* const tree = simulated ? nullptr : tree_with_threads(plan);
    const auto least = tree != nullptr ? ThreadLevel::funneled : ThreadLevel::single;
    if (plan.settled_thread_level && levels == std::vector{*plan.settled_thread_level}) {
        levels.clear();  // of a stored plan, whose trees may be others now
    }
    plan.settled_thread_level.reset();
    if (levels.empty()) {
        levels = {least};
        plan.settled_thread_level = least;
    }
    const auto lowest = *std::ranges::min_element(levels);
    if (lowest < least) {
        throw BadInput(fmt::format(
            "tree '{}' has threads as leaves, which --thread-level {} excludes; omit it or give funneled.",
            tree->name, to_text(lowest)));
    }
    if (simulated && levels != std::vector{ThreadLevel::single}) {
        throw BadInput("simulated processes have no threads; omit --thread-level.");
    }
}

}  // namespace fathom::launch
