#include "analysis/samples/measures.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

#include "analysis/samples/duplex.hpp"
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

ShareExtremes extremes_of(const std::map<int, double>& by_rank) {
    const auto [least, most] = std::minmax_element(
        by_rank.begin(), by_rank.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    return {.least = {.rank = least->first, .share = least->second},
            .most = {.rank = most->first, .share = most->second}};
}

Measure fairness_of(const std::map<int, double>& pieces) {
    double sum = 0;
    double squares = 0;
    for (const auto& [worker, count] : pieces) {
        sum += count;
        squares += count * count;
    }
    Measure measure{.kind = MeasureKind::fairness,
                    .value = sum * sum / (static_cast<double>(pieces.size()) * squares),
                    .ci95 = {}};
    auto shares = pieces;
    for (auto& [worker, share] : shares) {
        share /= sum;
    }
    const auto extremes = extremes_of(shares);
    if (extremes.least.share != extremes.most.share) {
        measure.extremes = extremes;
    }
    return measure;
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
            measures.push_back(
                {.kind = MeasureKind::pieces_per_s, .value = pieces * ns_per_s / total_ns, .ci95 = {}});
            measures.push_back({.kind = MeasureKind::master_busy_share,
                                .value = value_of(counts, "busy_ns") / total_ns,
                                .ci95 = {}});
        }
    }
    if (handed_out > 0) {
        measures.push_back(fairness_of(by_worker));
    }
    return measures;
}

/// What ranks spent their time on: the name that it was counted by, and the measure.
struct Part {
    const char* counted;
    MeasureKind share;
};
constexpr Part computing{"compute_ns", MeasureKind::compute_share};
constexpr Part point_to_point{"point_to_point_ns", MeasureKind::point_to_point_share};
constexpr Part allreduce{"allreduce_ns", MeasureKind::allreduce_share};

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

/// Which ranks stand out; nothing if there is little between them. A rank that computes most and waits least
/// in a collective call is the one that the others wait for there.
std::optional<ShareExtremes> standing_out(const Tallies& tallies, const Part& part) {
    constexpr double notable = 0.05;
    auto extremes = extremes_of(shares_of(tallies, part));
    if (extremes.most.share - extremes.least.share < notable) {
        return std::nullopt;
    }
    extremes.waited_for = part.share == MeasureKind::allreduce_share &&
                          extremes_of(shares_of(tallies, computing)).most.rank == extremes.least.rank;
    return extremes;
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
            measures.push_back({.kind = part->share, .value = sums.at(part->counted) / total_ns, .ci95 = {}});
            // How long neighbours wait for each other depends on how many a rank has: no news.
            if (part != &point_to_point) {
                measures.back().extremes = standing_out(tallies, *part);
            }
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
