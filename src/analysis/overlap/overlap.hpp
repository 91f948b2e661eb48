#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/samples/global_time.hpp"
#include "analysis/samples/measures.hpp"
#include "stats/reduction.hpp"
#include "store/store.hpp"

/// The results of overlap studies. Every figure is the median over rounds with its interval over rounds,
/// unless it says otherwise, as it was measured: availability may be above 1 and overhead below 0.
namespace fathom::analysis {

using stats::Reduced;

/// One step of post, work, wait: the amount of work and the time of the iteration.
struct WorkStep {
    double work_ns = 0;
    Reduced iteration_ns;
};

/// The processor time that communication takes, and the share that it leaves.
struct Overhead {
    std::optional<Reduced> overhead_ns;
    std::optional<Reduced> availability;
};

/// A message that one rank sends or receives while it works (Doerfler and Brightwell).
struct MessageOverlap {
    int rank = 0;                        ///< that works
    std::optional<Reduced> base_ns;      ///< from post to the end of wait while work hides behind the message
    std::optional<Reduced> transfer_ns;  ///< sender's start to receiver's end on the global clock
    bool against_transfer = false;       ///< availability is: the base could not be resolved
    Overhead plain;
    std::optional<Reduced> knee_ns;  ///< work that hides behind the message: base - overhead
    std::vector<WorkStep> curve;
    std::optional<Reduced> work_alone_ns;  ///< the largest work without a message
    double base_threshold = 0;
    double stop_threshold = 0;
    std::int64_t tests = 0;  ///< of the variant with calls to MPI_Test; 0: there is none
    Overhead with_tests;
};

/// A collective with work on all ranks by both schemes (Hoefler, Schneider and Lumsdaine): calls timed while
/// work runs for a time, and a fixed amount of work timed with its calls. What only the second includes is
/// stolen.
struct SchemesOverlap {
    std::int64_t tests = 0;
    std::int64_t interval_bytes = 0;  ///< between tests; 0: given by number
    Overhead time_based;              ///< largest over ranks in each repetition
    Overhead work_based;
    std::optional<Reduced> difference_ns;  ///< work-based minus time-based
    std::optional<Reduced> stolen_share;  ///< of the whole time, from means, so that rare interruptions count
};

/// One rank of a collective, without tests.
struct RankOverlap {
    int rank = 0;
    std::optional<Reduced> own_time_ns;  ///< start and wait without work
    std::optional<Reduced> time_based_overhead_ns;
    std::optional<Reduced> work_based_overhead_ns;
    std::optional<Reduced> availability;   ///< by the work-based overhead
    std::optional<Reduced> overlap_share;  ///< of the shorter of call and work, that was hidden
    std::optional<Reduced> stolen_share;
};

struct CollectiveOverlap {
    std::optional<Reduced> t_b_ns;  ///< start and wait without work, largest over ranks
    SchemesOverlap plain;
    std::vector<SchemesOverlap> intervals;  ///< with tests, the fewest first
    std::optional<std::size_t> best;        ///< of them, by work-based overhead
    std::vector<RankOverlap> ranks;
};

/// Whether communication progresses while the program computes.
enum class ProgressVerdict { unknown, undecided, needs_calls, none, in_part, by_itself };

/// What a progress thread of the library changes.
struct ProgressThreadEffect {
    enum class Kind { helps, no_difference, worse };
    Kind kind = Kind::no_difference;
    Reduced availability;  ///< with it
};

/// Why a study lacks figures, or what they are relative to.
enum class OverlapReasonKind {
    no_study,
    incomplete,
    no_valid_repetition,
    empty_message,
    longer_later,      ///< the message took longer in later rounds than in those by which work was chosen
    work_limit,        ///< reached before the work clearly exceeded the message
    against_transfer,  ///< the base cannot be resolved: availability is relative to the transfer
    no_reference,      ///< the same, and the transfer is not known either
    short_work,        ///< of a collective: shorter than the call
    no_call_time,      ///< the call takes no time
    coarse             ///< the call is too short for the clock
};

struct OverlapReason {
    OverlapReasonKind kind = OverlapReasonKind::incomplete;
    double time_ns = 0;                      ///< base of a message, t_b of a collective
    double resolution_ns = 0;                ///< of the clock
    double work_ns = 0;                      ///< the longest
    double iteration_ns = 0;                 ///< with it
    double threshold = 0;                    ///< times the base that an iteration must take
    std::optional<double> transfer_ns = {};  ///< where it is known

    friend bool operator==(const OverlapReason&, const OverlapReason&) = default;
};

/// Work that took more than 1 % longer or shorter than requested.
struct WorkOff {
    int rank = 0;
    double requested_ns = 0;
    double took_ns = 0;

    friend bool operator==(const WorkOff&, const WorkOff&) = default;
};

/// Work whose speed changed by more than 1 % during the study.
struct WorkDrifted {
    int rank = 0;
    double change = 0;  ///< of the time of a unit, as a fraction: above 0, it took longer afterwards

    friend bool operator==(const WorkDrifted&, const WorkDrifted&) = default;
};

/// The results of one point of a study. Where a figure is missing, a reason says why.
struct OverlapResult {
    std::optional<MessageOverlap> message;
    std::optional<CollectiveOverlap> collective;
    std::vector<OverlapReason> reasons;
    std::optional<WorkOff> work_off;          ///< the rank that was off most
    std::optional<WorkDrifted> work_drifted;  ///< the rank whose work changed most
    ProgressVerdict progress = ProgressVerdict::unknown;
    bool tests_help = false;                     ///< calls to MPI_Test make a difference
    std::optional<ProgressThreadEffect> thread;  ///< where both were measured

    /// What a program has without calls in its work: of a collective by the work-based scheme.
    [[nodiscard]] const Overhead* plain() const;
    /// With the best number of tests that was tried; null if none was.
    [[nodiscard]] const Overhead* with_tests() const;
    [[nodiscard]] std::int64_t best_tests() const;
};

/// Reads a study from the store. `clock` gives the time of transfers, where it is known.
OverlapResult overlap_of(const store::Store& store, const store::PointRow& point, const GlobalTime& clock);

/// Overhead and availability as measures of a point, where they are known.
std::vector<Measure> overlap_measures(const OverlapResult& result);

}  // namespace fathom::analysis
