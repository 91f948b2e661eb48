#include "analysis/samples/measures.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "analysis/samples/duplex.hpp"
#include "base/units.hpp"
#include "plan/operations.hpp"

namespace fathom::analysis {
namespace {

/// Counts of one rank by name.
using Counts = std::map<std::string, double>;
using Tallies = std::map<int, Counts>;

constexpr double ns_per_s = 1e9;

double value_of(const Counts& counts, const std::string& name) {
    const auto found = counts.find(name);
    return found == counts.end() ? 0 : found->second;
}

/// `43 %`
std::string percent_text(double share) {
    constexpr double percent = 100;
    return fmt::format("{:.0f} %", percent * share);
}

/// The ranks with the smallest and the largest of some values; the first of equals.
struct Extremes {
    std::pair<int, double> least;
    std::pair<int, double> most;
};

Extremes extremes_of(const std::map<int, double>& by_rank) {
    const auto [least, most] = std::minmax_element(
        by_rank.begin(), by_rank.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    return {.least = *least, .most = *most};
}

/// Jain's index of fairness: 1 if all had as much, 1/n if one had all.
Measure fairness_of(const std::map<int, double>& pieces) {
    double sum = 0;
    double squares = 0;
    for (const auto& [worker, count] : pieces) {
        sum += count;
        squares += count * count;
    }
    const double index = sum * sum / (static_cast<double>(pieces.size()) * squares);
    const auto [least, most] = extremes_of(pieces);
    const auto who =
        least.second == most.second
            ? "every worker had the same number of pieces"
            : fmt::format("rank {} had the fewest pieces, {}; rank {} the most, {}", least.first,
                          percent_text(least.second / sum), most.first, percent_text(most.second / sum));
    return {.name = "fairness",
            .value = index,
            .ci95 = {},
            .text = fmt::format("fairness {:.3f} ({})", index, who)};
}

/// `2 950` or `2.95`
std::string number_text(double number) {
    constexpr double large = 100;
    return number >= large ? count_text(std::llround(number)) : fmt::format("{:.3g}", number);
}

/// The master is the one that counted its time.
std::vector<Measure> measures_of_farm(const Tallies& tallies) {
    std::vector<Measure> measures;
    std::map<int, double> by_worker;
    double handed_out = 0;
    for (const auto& [rank, counts] : tallies) {
        const double pieces = value_of(counts, "pieces");
        const double total_ns = value_of(counts, "total_ns");
        if (!counts.contains("total_ns")) {
            by_worker[rank] = pieces;
            handed_out += pieces;
        } else if (total_ns > 0) {
            const double per_s = pieces * ns_per_s / total_ns;
            const double busy = value_of(counts, "busy_ns") / total_ns;
            measures.push_back({.name = "pieces_per_s",
                                .value = per_s,
                                .ci95 = {},
                                .text = number_text(per_s) + " pieces/s"});
            measures.push_back(
                {.name = "master_busy_share",
                 .value = busy,
                 .ci95 = {},
                 .text = fmt::format("the master was busy {} of the time", percent_text(busy))});
        }
    }
    if (handed_out > 0) {
        measures.push_back(fairness_of(by_worker));
    }
    return measures;
}

/// What ranks spent their time on: the name that it was counted by, the measure's and that for people.
struct Part {
    const char* counted;
    const char* share;
    const char* text;
};
constexpr Part computing{"compute_ns", "compute_share", "computing"};
constexpr Part point_to_point{"point_to_point_ns", "point_to_point_share", "point-to-point"};
constexpr Part allreduce{"allreduce_ns", "allreduce_share", "allreduce"};

/// By rank, of its own time.
std::map<int, double> shares_of(const Tallies& tallies, const Part& part) {
    std::map<int, double> shares;
    for (const auto& [rank, counts] : tallies) {
        if (const double total_ns = value_of(counts, "total_ns"); total_ns > 0) {
            shares[rank] = value_of(counts, part.counted) / total_ns;
        }
    }
    return shares;
}

/// Which ranks stand out, ` (rank 0 most, 41 %; rank 3 least, 12 %)`; empty if there is little between them.
/// A rank that computes most and waits least in a collective call is the one that the others wait for there.
std::string extremes_text(const Tallies& tallies, const Part& part) {
    constexpr double notable = 0.05;
    const auto [least, most] = extremes_of(shares_of(tallies, part));
    if (most.second - least.second < notable) {
        return {};
    }
    const bool waited_for =
        &part == &allreduce && extremes_of(shares_of(tallies, computing)).most.first == least.first;
    return fmt::format(" (rank {} most, {}; rank {} least, {}{})", most.first, percent_text(most.second),
                       least.first, percent_text(least.second), waited_for ? ": the others wait for it" : "");
}

/// Shares of the time that all ranks spent.
std::vector<Measure> measures_of_kernel(const Tallies& tallies) {
    Counts sums;
    for (const auto& [rank, counts] : tallies) {
        for (const auto& [name, value] : counts) {
            sums[name] += value;
        }
    }
    const double total_ns = value_of(sums, "total_ns");
    std::vector<Measure> measures;
    for (const auto* part : {&computing, &point_to_point, &allreduce}) {
        if (total_ns > 0 && sums.contains(part->counted)) {
            const double share = sums.at(part->counted) / total_ns;
            // How long neighbours wait for each other depends on how many a rank has: no news.
            const auto who = part == &point_to_point ? "" : extremes_text(tallies, *part);
            measures.push_back({.name = part->share,
                                .value = share,
                                .ci95 = {},
                                .text = fmt::format("{} {}{}", part->text, percent_text(share), who)});
        }
    }
    return measures;
}

}  // namespace

std::vector<Measure> measures_of(const store::Store& store, const store::PointRow& point) {
    const auto& operation = plan::find_operation(point.key.operation);
    if (operation.kind == plan::Kind::duplex) {
        return duplex_measures(store, point);
    }
    if (operation.group == plan::Group::master_worker) {
        return measures_of_farm(store.tallies(point.id));
    }
    if (operation.group == plan::Group::kernel) {
        return measures_of_kernel(store.tallies(point.id));
    }
    return {};
}

}  // namespace fathom::analysis
