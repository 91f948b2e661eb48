#include "launch/trees.hpp"

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

}  // namespace fathom::launch
