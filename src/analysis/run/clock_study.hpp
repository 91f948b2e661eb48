#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "clock/drift.hpp"
#include "clock/patience.hpp"
#include "journal/records.hpp"
#include "stats/distributions/histogram.hpp"
#include "stats/summary.hpp"

/// The results of clock studies, from the records of a probe.
namespace fathom::analysis {

/// One rank in one synchronisation.
struct RankClock {
    int rank = 0;
    std::string host;
    std::int64_t offset_ns = 0;  ///< its clock minus rank 0's
    std::int64_t bound_ns = 0;
    std::int64_t round_trip_ns = 0;
    int pings = 0;
    bool shared = false;  ///< demonstrably the same clock as rank 0's
};

struct SyncRepeat {
    std::int64_t cost_ns = 0;
    std::int64_t pings = 0;
    std::vector<RankClock> ranks;
};

/// One rank over all synchronisations.
struct RankDrift {
    int rank = 0;
    double drift_ppm = 0;  ///< of its clock against rank 0's
    double drift_error_ppm = 0;
    bool steady = true;             ///< an even drift explains all offsets
    stats::Summary detrended_ns{};  ///< offsets without the drift: the spread of the method
};

struct SyncStudy {
    std::string scheme;
    std::vector<SyncRepeat> repeats;
    std::vector<RankDrift> ranks;
};

/// `syncs` in order of time; the first `repeats` were requested, those after them show the drift.
SyncStudy study_sync(std::span<const journal::ClockSync> syncs, std::size_t repeats,
                     const std::map<int, std::string>& hosts);

/// What a synchronisation costs and gives.
struct SyncCost {
    stats::Summary cost_ns{};   ///< over repeats
    std::int64_t pings = 0;     ///< of the last one
    std::int64_t bound_ns = 0;  ///< largest of the last one
};

/// Nothing if no synchronisation was completed.
std::optional<SyncCost> sync_cost(const SyncStudy& study);

/// The global clock of a run's last job.
struct ClockSummary {
    std::string scheme;
    int synchronisations = 0;
    bool shared = false;        ///< all processes demonstrably read one clock
    std::int64_t bound_ns = 0;  ///< largest over ranks and synchronisations
    bool steady = true;         ///< an even drift explains all offsets
    double drift_ppm = 0;       ///< largest of a rank against rank 0, by size
};

/// Of all synchronisations but those of tests; nothing if there are none.
std::optional<ClockSummary> clock_summary(std::vector<journal::ClockSync> syncs);

/// Two ranks over some time.
struct PairDrift {
    int asking = 0;
    int answering = 0;
    std::vector<clock::Link> offsets;  ///< answering minus asking rank's clock
    std::optional<clock::DriftFit> fit;
    bool steady = true;
    stats::Summary round_trips{};
    stats::Histogram histogram;  ///< of round trips, 200 bins up to the 99th percentile
};

std::vector<PairDrift> study_drift(std::span<const journal::ClockPings> pings);

/// What patience gains on this network.
struct QualityStudy {
    int asking = 0;
    int answering = 0;
    stats::Summary round_trips{};
    std::size_t pings = 0;
    std::vector<clock::PatienceResult> results;
    int recommended = 0;
};

std::optional<QualityStudy> study_quality(std::span<const journal::ClockPings> pings, std::uint64_t seed);

/// The accuracy at one time after the clocks were synchronised.
struct CheckMoment {
    std::int64_t after_ns = 0;
    std::int64_t events = 0;
    double skew_median_ns = 0;  ///< between the first and the last rank to act
    double skew_max_ns = 0;
    double skew_bound_ns = 0;  ///< largest error of these skews
    double error_max_ns = 0;   ///< largest difference of believed and verified global time; of
                               ///< those that break their claim, if any does
    int worst_rank = 0;
    double claimed_ns = 0;      ///< what that rank said its error was at most
    double verified_to_ns = 0;  ///< how well the fresh synchronisation knows it
    bool holds = true;          ///< on every rank, the error is within what was claimed
};

/// From events and the synchronisations around them.
std::vector<CheckMoment> study_check(std::span<const journal::ClockEvent> events,
                                     std::span<const journal::ClockSync> syncs);

}  // namespace fathom::analysis
