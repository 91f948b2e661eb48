#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "base/named_enum.hpp"
#include "base/units.hpp"
#include "stats/summary.hpp"

/// The best of several ways to perform an operation for each message size, found without measuring all of
/// them everywhere.
namespace fathom::tune {

/// Ways are numbered; the first is what all others must beat.
struct RaceSettings {
    std::size_t ways = 1;
    std::vector<Bytes> sizes;     ///< where the best is asked for; rising, without repetitions
    double resolution = 1.41422;  ///< change-overs between sizes further apart are located to this factor
    std::int64_t granule = 1;     ///< sizes in between are multiples of this many bytes
    bool simulated = false;       ///< any job would find the same times
    /// Ways that can be proposed: the best of these is decided too. All without it.
    std::function<bool(std::size_t way)> usable = {};
};

/// One way at one size.
struct RacePoint {
    std::size_t way = 0;
    Bytes size;

    friend auto operator<=>(const RacePoint&, const RacePoint&) = default;
};

/// All ways at few sizes; those that may be best at the others; those that are nearly best again, with more
/// effort; both sides of a change-over in between.
enum class RaceStage { scout, race, decide, locate };
constexpr std::array<std::string_view, 4> enum_names(RaceStage /*unused*/) {
    return {"scout", "race", "decide", "locate"};
}

/// What is measured in alternation in one job.
struct RaceRound {
    int number = 0;
    RaceStage stage = RaceStage::scout;
    std::vector<RacePoint> points;  ///< in order
};

struct RaceTime {
    RacePoint point;
    double time_ns = 0;
    stats::Interval ci95_ns = {};  ///< where it may lie
    int round = 0;                 ///< that it was measured in
    bool exact = false;            ///< any job would find the same: simulated
};

/// Whether one can be said to be faster: jobs differ by more than what they measure varies within one.
bool comparable(const RaceTime& a, const RaceTime& b);

struct RaceOutcome {
    std::vector<RaceTime> times;
    std::vector<std::size_t> broken = {};  ///< ways that ended the job or gave wrong data: not tried again
};
/// Nothing: no more can be measured, since the time is up or somebody interrupted it.
using MeasureRace = std::function<std::optional<RaceOutcome>(const RaceRound& round)>;

/// What was found at a size.
struct BestWay {
    Bytes size;
    RaceTime first;                ///< of way 0
    std::optional<RaceTime> best;  ///< of the fastest other way; none was measured to the end otherwise
    /// How many times as fast the best is, from the low to the high end of both intervals.
    [[nodiscard]] double gain() const { return best ? first.time_ns / best->time_ns : 1; }
    [[nodiscard]] stats::Interval gain_interval() const;
};

struct RaceResult {
    std::vector<Bytes> sizes = {};  ///< all that were asked for or located, rising
    std::vector<BestWay> best;      ///< by size, as far as they were measured
    std::vector<RaceTime> times;    ///< all that was measured, the latest of each point, in order
    std::vector<std::size_t> broken;
    bool finished = true;  ///< else the time was up before
    int rounds = 0;
};

RaceResult race(const RaceSettings& settings, const MeasureRace& measure);

}  // namespace fathom::tune
