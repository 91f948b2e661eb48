#include "plan/plan.hpp"

#include <algorithm>
#include <random>
#include <utility>

#include <fmt/format.h>

#include "base/error.hpp"
#include "plan/grid.hpp"
#include "plan/participants.hpp"
#include "plan/schemes.hpp"
#include "plan/varied_settings.hpp"

namespace fathom::plan {

std::string pattern_of(const OperationInfo& operation, const OperationSettings& settings) {
    if (operation.of_two()) {
        return settings.pair;
    }
    if (operation.kind == Kind::matrix && settings.contended) {
        return std::string(operation.name);
    }
    return operation.is(Fact::in_pairs) && !settings.pairs.empty() ? "pairs-file"
                                                                   : std::string(operation.pattern());
}

int most_procs(const Plan& plan) {
    const auto grid = process_grid(plan.procs);
    return grid.values.empty() ? static_cast<int>(2 * plan.operation.pairs.size())
                               : static_cast<int>(grid.values.back());
}

namespace {

std::vector<std::string> named_operations(const Plan& plan) {
    std::vector<std::string> names;
    for (const auto& name : plan.operations) {
        const auto more = name == all_operations ? single_operation_names() : std::vector{name};
        names.insert(names.end(), more.begin(), more.end());
    }
    return names;
}

/// Overlap studies are made for each requested kind; everything else is measured once.
std::vector<std::string> progress_of(const Plan& plan, const OperationInfo& operation) {
    if (plan.overlap.progress == Progress::both) {
        return operation.overlaps() ? std::vector<std::string>{"", progress_thread}
                                    : std::vector<std::string>{""};
    }
    return {plan.overlap.progress == Progress::thread ? progress_thread : ""};
}

template <typename Which>
bool has_operation(const Plan& plan, const Which& which) {
    return std::any_of(plan.operations.begin(), plan.operations.end(), [&](const auto& name) {
        return name != all_operations && which(find_operation(name));
    });
}

bool studies_overlap(const Plan& plan) {
    return has_operation(plan, [](const OperationInfo& operation) { return operation.overlaps(); });
}

/// A matrix is as long as all its pairs, and each launch would have to warm up every one of them.
bool surveys_pairs(const Plan& plan) {
    return has_operation(plan, [](const OperationInfo& operation) { return operation.kind == Kind::matrix; });
}

}  // namespace

namespace {

/// Student's factor for the interval of five values is 2.8, for three 4.3, for two 12.7; from nine on another
/// launch gains little. bench/launch_coverage.py shows what five cover.
constexpr std::int64_t usual_launches = 5;

}  // namespace

bool fixes_repetitions(const Plan& plan) {
    return plan.reps || plan.stop == StopMode::fixed || !plan.scheme.empty() || plan.compare_schemes;
}

bool searches(const Plan& plan) {
    return plan.locate_switches || !size_grid(plan.sizes).refined.empty() ||
           !process_grid(plan.procs).refined.empty();
}

bool varies(const Plan& plan) {
    return !plan.vary.empty() || plan.thread_levels.size() > 1;
}

bool interleaves(const Plan& plan) {
    return plan.interleave || plan.compare_schemes || plan.via.size() > 1;
}

std::int64_t launches_of(const Plan& plan, bool simulated) {
    if (plan.runs) {
        return *plan.runs;
    }
    constexpr std::int64_t of_long_ones = 3;  // with the whole effort in each, or in the first
    if (studies_overlap(plan) && !simulated) {
        return of_long_ones;
    }
    if (simulated || ((fixes_repetitions(plan) || surveys_pairs(plan)) && !varies(plan))) {
        return 1;
    }
    return searches(plan) ? of_long_ones : usual_launches;
}

double effort_of_launch(const Plan& plan, int launch) {
    // A study's launches are complete in themselves; a search decides by the times of the first launch.
    const bool whole = studies_overlap(plan) || (searches(plan) && launch == 0);
    const auto launches = plan.runs.value_or(1);
    return whole ? 1 : 1 / static_cast<double>(std::min(launches, usual_launches));
}

double revisit_percent_of(const Plan& plan, bool simulated) {
    constexpr double as_long_again = 100;
    const bool fixed =
        simulated || plan.runs || fixes_repetitions(plan) || studies_overlap(plan) || surveys_pairs(plan);
    return plan.revisit_percent.value_or(fixed ? 0 : as_long_again);
}

std::vector<PointSpec> points_of(const Plan& plan, int procs) {
    constexpr std::size_t most_planned = 1'000'000;  // no machine is free for as long as they take
    const auto sizes = size_grid(plan.sizes).values;
    auto counts = process_grid(plan.procs).values;
    if (counts.empty()) {
        counts.push_back(procs);
    }
    const auto settings = combinations(plan.vary, plan.thread_levels);
    const auto implementations = implementations_of(plan);
    auto without_trees = plan;  // is copied for every point
    without_trees.trees.clear();
    std::vector<PointSpec> points;
    const auto add_one = [&](const OperationInfo& operation, PointKey key) {
        if (points.size() >= most_planned) {
            throw BadInput(
                fmt::format("the plan has more than {} points; give fewer sizes, process "
                            "counts or operations.",
                            most_planned));
        }
        key.pattern = pattern_of(operation, settings_of(without_trees, key).operation);
        points.push_back({.index = static_cast<int>(points.size()), .key = std::move(key)});
    };
    const auto add = [&](const OperationInfo& operation, std::int64_t count, std::int64_t size) {
        const auto schemes =
            plan.compare_schemes ? compared_schemes(operation) : std::vector<std::string>{""};
        for (const auto& scheme : schemes) {
            for (const auto& progress : progress_of(plan, operation)) {
                for (const auto& setting : settings) {
                    for (const auto& implementation : implementations) {
                        add_one(operation, {.operation = std::string(operation.name),
                                            .procs = static_cast<int>(count),
                                            .size = {size},
                                            .scheme = scheme,
                                            .progress = progress,
                                            .setting = setting.text,
                                            .implementation = implementation});
                    }
                }
            }
        }
    };
    for (auto& count : counts) {
        count = procs_of_point(plan.operation, static_cast<int>(count));
    }
    for (const auto& name : named_operations(plan)) {
        const bool seen_before = std::any_of(points.begin(), points.end(),
                                             [&](const auto& point) { return point.key.operation == name; });
        if (seen_before) {
            continue;
        }
        const auto& operation = find_operation(name);
        for (const auto count : counts) {
            for (const auto size : operation.sized ? sizes : std::vector<std::int64_t>{0}) {
                add(operation, count, size);
            }
        }
    }
    return points;
}

std::vector<PointSpec> in_order(const Plan& plan, std::vector<PointSpec> points, int launch) {
    if (plan.order == Order::random && !points.empty()) {
        // std::shuffle may differ from library to library: by hand, an order is the same everywhere.
        std::mt19937_64 random(static_cast<std::uint64_t>(plan.seed) + static_cast<std::uint64_t>(launch));
        for (std::size_t i = points.size() - 1; i > 0; --i) {
            std::swap(points[i], points[random() % (i + 1)]);
        }
    }
    return points;
}

namespace {

/// Whether what is requested can be done in groups, or by some ranks, if that is requested.
void check_participants(const Plan& plan) {
    const auto& settings = plan.operation;
    if (settings.groups == 1 && settings.ranks.empty()) {
        return;
    }
    if (!settings.pairs.empty()) {
        throw BadInput("--pairs names all processes of the job; leave out --groups and --ranks.");
    }
    const auto procs = process_grid(plan.procs);
    if (!procs.refined.empty() || (!settings.ranks.empty() && procs.values.size() > 1)) {
        throw BadInput("--groups takes process counts one by one, and --ranks a single one; change -n.");
    }
    for (const auto& name : plan.operations) {
        if (const auto lack = name == all_operations ? "" : lack_of_groups(find_operation(name), settings);
            !lack.empty()) {
            throw BadInput(lack + ".");
        }
    }
}

}  // namespace

void check_whole(const Plan& plan) {
    check_participants(plan);
    combinations(plan.vary, plan.thread_levels);  // throws
    check_implementations(plan);
    if (const auto pairs = plan.operation.pairs.size(); pairs > 0) {
        for (const auto count : process_grid(plan.procs).values) {
            if (count != static_cast<std::int64_t>(2 * pairs)) {
                throw BadInput(
                    fmt::format("{} pairs need {} processes, but -n is {}.", pairs, 2 * pairs, count));
            }
        }
    }
    const bool sizes_refined = !size_grid(plan.sizes).refined.empty();
    const bool procs_refined = !process_grid(plan.procs).refined.empty();
    if (sizes_refined && procs_refined) {
        throw BadInput("--sizes and --procs are both 'auto'; refine one at a time.");
    }
    if (procs_refined && plan.locate_switches) {
        throw BadInput("--locate-switches looks between sizes; leave it out where --procs is 'auto'.");
    }
    if (plan.compare_schemes && (sizes_refined || procs_refined || plan.locate_switches)) {
        throw BadInput(
            "--compare-schemes takes fixed sizes and process counts; leave out 'auto' and "
            "--locate-switches.");
    }
    if (plan.judge && !plan.verify) {
        throw BadInput("a verdict includes the data check; remove --no-verify or --judge.");
    }
    if (plan.compare_schemes && !plan.scheme.empty()) {
        throw BadInput("--scheme and --compare-schemes exclude each other; give one.");
    }
    const bool overlaps = studies_overlap(plan);
    if (overlaps && plan.compare_schemes) {
        throw BadInput("overlap.* has only one scheme; leave out --compare-schemes.");
    }
    if (overlaps && plan.in_a_row > 1) {
        throw BadInput("overlap.* times single calls; leave out --in-a-row.");
    }
    const bool refined = sizes_refined || procs_refined || plan.locate_switches;
    if (plan.interleave && refined) {
        const bool by_user = plan.scheme.empty() || std::ranges::find(plan.scheme_overrides, "interleave") !=
                                                        plan.scheme_overrides.end();
        throw BadInput(by_user ? "--interleave needs all points in advance; remove it, or 'auto' and "
                                 "--locate-switches."
                               : fmt::format("--scheme {} measures all points in rounds and needs them in "
                                             "advance; leave out 'auto' and --locate-switches.",
                                             plan.scheme));
    }
    // A scheme of another benchmark may request it; its points then say that there are no caches.
    if (!plan.platform.empty() && plan.cache == Cache::cold && plan.scheme.empty()) {
        throw BadInput("a simulated platform has no caches; leave out --cache cold.");
    }
}

}  // namespace fathom::plan
