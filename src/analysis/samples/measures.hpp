#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "stats/summary.hpp"
#include "store/store.hpp"

namespace fathom::analysis {

/// What is measured besides the time; the names, with their units, are those of the JSON.
enum class MeasureKind {
    pieces_per_s,
    master_busy_share,
    fairness,  ///< Jain's index: 1 if all workers had as much, 1/n if one had all
    compute_share,
    point_to_point_share,
    allreduce_share,
    messages_per_s,
    duplex_ratio,  ///< both ways simultaneously against one way
    overhead_ns,
    availability
};
constexpr std::array<std::string_view, 10> enum_names(MeasureKind /*unused*/) {
    return {"pieces_per_s",    "master_busy_share", "fairness", "compute_share", "point_to_point_share",
            "allreduce_share", "messages_per_s",    "ratio",    "overhead_ns",   "availability"};
}

struct RankShare {
    int rank = 0;
    double share = 0;
};

/// The ranks with the smallest and the largest share of something; the first of equals.
struct ShareExtremes {
    RankShare least;
    RankShare most;
    bool waited_for = false;  ///< the others wait for the one with the least
};

/// A result of a point besides its time: a rate, a share, a ratio.
struct Measure {
    MeasureKind kind = MeasureKind::duplex_ratio;
    double value = 0;
    std::optional<stats::Interval> ci95;
    std::optional<ShareExtremes> extremes = {};  ///< where ranks differ by enough to be named
    int pairs = 1;                               ///< of messages: how many pairs exchange them
};

/// The measures derived from what an operation counted on its ranks.
std::vector<Measure> measures_of(const store::Store& store, const store::PointRow& point);

}  // namespace fathom::analysis
