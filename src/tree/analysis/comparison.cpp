#include "tree/analysis/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <utility>

#include "stats/comparison/bootstrap.hpp"
#include "stats/comparison/mann_whitney.hpp"
#include "stats/comparison/multiple_tests.hpp"
#include "stats/mean.hpp"
#include "stats/quantile.hpp"
#include "tree/analysis/paths.hpp"

namespace fathom::tree {
namespace {

using analysis::Change;

/// The times of a part, launch by launch.
using LaunchSeries = std::map<int, std::vector<double>>;

/// What a tree has to compare, by kind and name.
struct ComparableParts {
    std::map<std::pair<ComparedKind, std::string>, LaunchSeries> series;
};

std::vector<double> all_of_series(const LaunchSeries& launches) {
    std::vector<double> all;
    for (const auto& [launch, times] : launches) {
        all.insert(all.end(), times.begin(), times.end());
    }
    return all;
}

ComparableParts parts_of(const StageTimes& times) {
    ComparableParts found;
    const auto& index = times.index();
    const auto gather = [&](ComparedKind kind, const std::string& name, const auto& time_in) {
        LaunchSeries series;
        for (std::size_t call = 0; call < times.size(); ++call) {
            if (const auto ns = time_in(call)) {
                series[times.calls().calls[call].launch].push_back(static_cast<double>(*ns));
            }
        }
        if (!series.empty()) {
            found.series[{kind, name}] = std::move(series);
        }
    };
    const auto gather_stage = [&](ComparedKind kind, const std::string& name, const Stage& stage) {
        gather(kind, name, [&](std::size_t call) { return times.time(call, stage); });
    };
    for (Node node = 0; node < index.nodes(); ++node) {
        const auto name = index.name(node);
        if (node != index.root()) {
            gather(ComparedKind::edge, name, [&](std::size_t call) { return times.two_way(call, node); });
            gather_stage(ComparedKind::departure_wait, name, {StageKind::departure_wait, node});
        }
        if (!index.is_leaf(node)) {
            gather_stage(ComparedKind::join_down, name, {StageKind::join_down, node});
            gather_stage(ComparedKind::join_up, name, {StageKind::join_up, node});
        }
    }
    gather_stage(ComparedKind::store, "", {StageKind::store, index.root()});  // roots may have other names
    const auto paths = path_times(times);
    std::vector<double> slowest(paths.tree_ns.size(), 0);
    const auto put_path = [&](ComparedKind kind, const std::string& name,
                              const std::vector<double>& complete) {
        for (std::size_t i = 0; i < complete.size(); ++i) {
            const auto launch = times.calls().calls[times.complete()[i]].launch;
            found.series[{kind, name}][launch].push_back(complete[i]);
        }
    };
    for (int leaf = 0; leaf < index.leaves(); ++leaf) {
        const auto& path = paths.without_waits[static_cast<std::size_t>(leaf)];
        put_path(ComparedKind::path, index.name(leaf), path);
        std::ranges::transform(path, slowest, slowest.begin(),
                               [](double one, double other) { return std::max(one, other); });
    }
    put_path(ComparedKind::tree, "", paths.tree_ns);
    put_path(ComparedKind::slowest_path, "", slowest);
    return found;
}

/// What decides how a part of a tree is configured.
std::vector<std::string> configuration_of(const NodeIndex& index, ComparedKind kind,
                                          const std::string& name) {
    const Node node = name.empty() ? index.root() : index.find(name);
    const auto describe = [&](Node at) {
        const Node above = index.parent(at);
        return index.name(at) + "@" + std::to_string(index.rank(at)) +
               (above < 0 ? std::string()
                          : "-" + std::string(to_text(index.edge(at))) + "-" + index.name(above) + "@" +
                                std::to_string(index.rank(above)));
    };
    std::vector<std::string> described;
    switch (kind) {
        case ComparedKind::tree:
        case ComparedKind::slowest_path:
            for (Node at = 0; at < index.nodes(); ++at) {
                described.push_back(describe(at));
            }
            break;
        case ComparedKind::path:
            for (const Node at : index.way_to_root(node)) {
                described.push_back(describe(at));
                for (const Node child : index.children(at)) {
                    described.push_back(describe(child));
                }
            }
            break;
        case ComparedKind::edge:
            described.push_back(describe(node));
            break;
        case ComparedKind::departure_wait:
            described.push_back(describe(node));
            for (const Node other : index.children(index.parent(node))) {
                described.push_back(describe(other));
            }
            break;
        case ComparedKind::join_down:
        case ComparedKind::join_up:
            for (const Node child : index.children(node)) {
                described.push_back(describe(child));
            }
            break;
        case ComparedKind::store:
            described.push_back(std::to_string(index.rank(index.root())));
            break;
    }
    std::ranges::sort(described);
    return described;
}

stats::RunSample sample_of_launches(const LaunchSeries& launches) {
    stats::RunSample run;
    for (const auto& [launch, times] : launches) {
        run.launches.emplace_back(times);
    }
    // One launch says nothing of how launches differ.
    const bool all_take_time =
        std::ranges::all_of(run.launches, [](const auto& launch) { return launch.median() > 0; });
    if (run.launches.size() > 1 && all_take_time) {
        run.variance_between = stats::variance_of_starts(run);
        run.freedom_between = static_cast<double>(run.launches.size() - 1);
    }
    return run;
}

/// The p value of a rank test, with effective sample sizes.
double rank_p(const std::vector<double>& first, const std::vector<double>& second) {
    const auto size_of = [](const std::vector<double>& times) {
        return stats::effective_sample_for_median(times, stats::median_of(times)).size;
    };
    auto a = first;
    auto b = second;
    std::ranges::sort(a);
    std::ranges::sort(b);
    if (a.front() == b.front() && a.back() == b.back() && a.front() == a.back()) {
        return 1;
    }
    return stats::mann_whitney(a, b, size_of(first), size_of(second)).p_value;
}

ComparedPart compared_part(const LaunchSeries& first, const LaunchSeries& second) {
    constexpr std::uint64_t seed = 0x74726565;
    ComparedPart part;
    const auto a = all_of_series(first);
    const auto b = all_of_series(second);
    part.first_ns = stats::median_of(a);
    part.second_ns = stats::median_of(b);
    part.first_mean_ns = stats::mean(a);
    part.second_mean_ns = stats::mean(b);
    part.p_value = rank_p(a, b);
    const auto of_first = sample_of_launches(first);
    const auto of_second = sample_of_launches(second);
    if (of_first.median() > 0 && of_second.median() > 0) {
        const auto ratio = stats::ratio_of_medians(of_first, of_second, seed);
        part.ratio = ratio.value;
        part.ratio_ci95 = ratio.ci95;
        part.p_value = std::max(part.p_value, ratio.p_value);
    }
    return part;
}

Change change_of(const ComparedPart& part) {
    const analysis::ComparisonLimits limits;  // as in comparisons of runs
    const double change = part.second_ns - part.first_ns;
    const bool negligible = std::abs(change) <= limits.negligible * std::max(part.first_ns, part.second_ns);
    if (part.p_value < stats::significance_level && !negligible) {
        return change > 0 ? Change::slower : Change::faster;
    }
    const auto& ci = part.ratio_ci95;
    const bool narrow = ci && ci->low >= 1 - limits.limit && ci->high <= 1 + limits.limit;
    return negligible || narrow ? Change::same : Change::undecided;
}

std::vector<std::string> joins_without(const NodeIndex& index, const NodeIndex& other) {
    std::vector<std::string> names;
    for (const auto& join : index.tree().joins) {
        if (other.find(join.name) < 0) {
            names.push_back(join.name);
        }
    }
    return names;
}

std::vector<LonePart> parts_without(const ComparableParts& of, const ComparableParts& other) {
    std::vector<LonePart> lone;
    for (const auto& [key, launches] : of.series) {
        if (!other.series.contains(key)) {
            const auto times = all_of_series(launches);
            lone.push_back({.kind = key.first,
                            .name = key.second,
                            .median_ns = stats::median_of(times),
                            .mean_ns = stats::mean(times)});
        }
    }
    std::ranges::stable_sort(lone, std::greater<>(), &LonePart::median_ns);
    return lone;
}

/// Whether means of paths say the opposite of what calls do.
bool do_means_mislead(const std::vector<ComparedPart>& parts) {
    double first_worst = 0;
    double second_worst = 0;
    auto slowest = Change::undecided;
    for (const auto& part : parts) {
        if (part.kind == ComparedKind::path) {
            first_worst = std::max(first_worst, part.first_mean_ns);
            second_worst = std::max(second_worst, part.second_mean_ns);
        } else if (part.kind == ComparedKind::slowest_path) {
            slowest = part.change;
        }
    }
    return (slowest == Change::slower && second_worst < first_worst) ||
           (slowest == Change::faster && second_worst > first_worst);
}

}  // namespace

std::optional<Speedup> speedup_of(const ComparedPart& part) {
    if (!part.ratio || (part.change != Change::faster && part.change != Change::slower)) {
        return std::nullopt;
    }
    if (part.change == Change::slower) {
        return Speedup{.factor = *part.ratio, .ci95 = part.ratio_ci95};
    }
    Speedup speedup{.factor = 1 / *part.ratio};
    if (part.ratio_ci95 && part.ratio_ci95->low > 0) {
        speedup.ci95 = {.low = 1 / part.ratio_ci95->high, .high = 1 / part.ratio_ci95->low};
    }
    return speedup;
}

const ComparedPart* whole_tree(const TreeComparison& comparison) {
    const auto whole = std::ranges::find(comparison.parts, ComparedKind::tree, &ComparedPart::kind);
    return whole == comparison.parts.end() ? nullptr : &*whole;
}

TreeComparison compare_trees(const StageTimes& first, const StageTimes& second) {
    const auto of_first = parts_of(first);
    const auto of_second = parts_of(second);
    TreeComparison comparison;
    std::vector<double> p_values;
    for (const auto& [key, launches] : of_first.series) {
        const auto other = of_second.series.find(key);
        if (other == of_second.series.end()) {
            continue;
        }
        auto part = compared_part(launches, other->second);
        part.kind = key.first;
        part.name = key.second;
        part.unchanged = configuration_of(first.index(), part.kind, part.name) ==
                         configuration_of(second.index(), part.kind, part.name);
        p_values.push_back(part.p_value);
        comparison.parts.push_back(std::move(part));
    }
    const auto corrected = stats::holm(p_values);
    for (std::size_t i = 0; i < comparison.parts.size(); ++i) {
        auto& part = comparison.parts[i];
        part.p_value = corrected[i];
        part.change = change_of(part);
        if (part.kind == ComparedKind::path) {
            comparison.paths_faster += part.change == Change::faster ? 1 : 0;
            comparison.paths_slower += part.change == Change::slower ? 1 : 0;
        }
    }
    comparison.means_mislead = do_means_mislead(comparison.parts);
    const auto group = [](const ComparedPart& part) {
        return part.kind == ComparedKind::tree ? 0 : part.kind == ComparedKind::slowest_path ? 1 : 2;
    };
    std::stable_sort(comparison.parts.begin(), comparison.parts.end(), [&](const auto& a, const auto& b) {
        return group(a) != group(b) ? group(a) < group(b)
                                    : std::abs(a.second_ns - a.first_ns) > std::abs(b.second_ns - b.first_ns);
    });
    comparison.parts_of_first = parts_without(of_first, of_second);
    comparison.parts_of_second = parts_without(of_second, of_first);
    comparison.only_first = joins_without(first.index(), second.index());
    comparison.only_second = joins_without(second.index(), first.index());
    return comparison;
}

}  // namespace fathom::tree
