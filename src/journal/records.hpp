#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/named_enum.hpp"
#include "plan/plan.hpp"

namespace fathom::journal {

/// The fact of a job that requested a progress thread: by which settings, and with what result.
inline constexpr const char* progress_thread_fact = "progress_thread";

/// The fact of a job: the thread level that its library provides. Not there where several are compared.
inline constexpr const char* thread_level_fact = "thread_level";

/// The fact of a job with varied settings: the variables whose parameters its library does not have.
inline constexpr const char* unknown_parameters_fact = "unknown_parameters";

/// What the facts of a job begin with that are environment variables.
inline constexpr std::string_view variable_fact = "env.";

/// What the probe knows of the whole job.
struct JobInfo {
    int procs = 0;
    bool simulated = false;
    std::string mpi_flavour;
    std::string mpi_version;   ///< MPI_Get_library_version
    std::string mpi_standard;  ///< `3.1`
    std::string time_source;
    std::string plan_toml;                     ///< so that a journal is self-contained
    std::map<std::string, std::string> facts;  ///< build of the probe, MPI-related environment variables
    std::int64_t clock_ns = 0;                 ///< a reading of rank 0's clock,
    std::int64_t utc_ns = 0;                   ///< and the time of day at that moment, since 1970
};

/// One rank of the job.
struct RankInfo {
    int rank = 0;
    std::string host;
    std::int64_t pid = 0;
    std::string binding;        ///< processors it may run on, `0-3,8`
    std::int64_t empty_ns = 0;  ///< what an empty repetition takes: to be subtracted from every duration
    int socket = -1;            ///< that holds all its processors, by number; -1: several, or not known
    int numa_node = -1;         ///< the same
};

/// What a host is; keys as in machine::Facts.
struct HostInfo {
    std::string host;
    std::map<std::string, std::string> facts;
};

/// A point that was not planned: added where the times required it.
struct PointAdded {
    plan::PointSpec point = {};
};

/// A visit to a point begins.
struct PointBegin {
    int index = 0;
};

/// A visit ends, and the point with it or not: with interleaved points others come in between.
struct PointPause {
    int index = 0;
};

/// Samples of one rank and a run of consecutive repetitions, packed by pack_samples.
struct SampleBlock {
    int point = 0;
    int rank = 0;
    std::int64_t first_rep = 0;
    std::int64_t count = 0;
    std::string data;
};

/// How far a point has come. One that ended the job once is `died`; it is tried once more.
enum class PointStatus { pending, ok, failed, died, unavailable };
constexpr std::array<std::string_view, 5> enum_names(PointStatus /*unused*/) {
    return {"pending", "ok", "failed", "died", "unavailable"};
}

/// How a point ended: ok, failed or unavailable; the last two have a reason.
struct PointEnd {
    int index = 0;
    PointStatus status = PointStatus::ok;
    std::string reason = {};
    std::string datatype = {};
    std::string start = {};  ///< how its repetitions started together
    std::int64_t warmup_calls = 0;
    std::int64_t calls = 1;  ///< in a row within one repetition
    std::string cache = {};  ///< where message data were: `warm` or `cold`
    std::string pairs =
        {};  ///< who communicated with whom, `0-2,1-3`, the sender first; where there are pairs
    std::string remark = {};  ///< what a reader of the result should know: a limit that was hit
    /// Of all ranks, in the blocks that were written for this point: samples, and events of a trace.
    std::int64_t samples = 0;
};

/// A stretch of time in which a rank was preempted.
struct Disturbance {
    int point = 0;
    int rank = 0;
    std::int64_t begin_ns = 0;  ///< own clock
    std::int64_t end_ns = 0;
    std::int64_t waited_ns = 0;  ///< of that, as the kernel counted it
};

/// The count of a rank that is what an MPI_Barrier takes it, where one ends the timed part of a repetition.
inline constexpr const char* finish_barrier_tally = "finish_barrier_ns";

/// What an operation counted on one rank in all timed repetitions of a point, besides their times.
struct RankTally {
    int point = 0;
    int rank = 0;
    std::map<std::string, double> counts;
};

/// What is done and timed in the repetitions of a step.
enum class StepScheme {
    at_once,  ///< post and wait, timed as one
    work,     ///< post, a fixed amount of work, wait, timed as one
    alone,    ///< the same work without communication
    time,     ///< post, work until the clock says so, wait; each timed by itself
};
constexpr std::array<std::string_view, 4> enum_names(StepScheme /*unused*/) {
    return {"at-once", "work", "alone", "time"};
}

/// One setting of a study of overlap, which its repetitions refer to by number.
struct StudyStep {
    int point = 0;
    int step = 0;
    StepScheme scheme = StepScheme::at_once;
    std::int64_t work_ns = 0;         ///< that was requested
    std::int64_t tests = 0;           ///< calls to MPI_Test spread over the work
    std::int64_t interval_bytes = 0;  ///< that determined their number; 0: given by number
};

/// All repetitions of a study on one rank, packed by pack_study.
struct StudyBlock {
    int point = 0;
    int rank = 0;
    std::int64_t count = 0;
    std::string data;
};

/// What the operating system counted on one rank between deliveries of its samples, packed by pack_evidence.
struct EvidenceBlock {
    int point = 0;
    int rank = 0;
    int block = 0;           ///< number within the point and rank, from 0
    std::int64_t count = 0;  ///< of stretches in which anything happened
    std::int64_t readings = 0;
    std::int64_t spent_ns = 0;     ///< on them
    std::int64_t measured_ns = 0;  ///< time in which they were made
    bool network = false;          ///< whether it read for its host's network too
    std::int64_t rto_ns = 0;       ///< smallest retransmission timeout of its TCP connections; 0: unknown
    std::int64_t rto_min_ns = 0;   ///< the kernel's least one; 0: unknown
    std::string data;
};

/// Time stamps inside calls of one of our own collectives on one rank, packed by pack_events.
struct EventBlock {
    int point = 0;
    int rank = 0;
    int block = 0;                ///< number within the point and rank, from 0
    int every = 1;                ///< of this many calls, one left events
    std::int64_t first_call = 0;  ///< that it has events of, as CallEvent::call
    std::int64_t count = 0;
    std::int64_t dropped = 0;  ///< events that found no room since the block before
    std::string data;
};

/// The clock of one rank against rank 0's, from one synchronisation.
struct ClockSync {
    int sync = 0;  ///< number of the synchronisation within the job, from 0
    int rank = 0;
    std::int64_t at_ns = 0;      ///< own clock when it held
    std::int64_t offset_ns = 0;  ///< own clock minus rank 0's
    std::int64_t low_ns = 0;     ///< hard bounds of the offset, summed along the path to rank 0
    std::int64_t high_ns = 0;
    std::int64_t round_trip_ns = 0;  ///< smallest on the last hop
    int pings = 0;                   ///< that this rank sent
    bool shared = false;             ///< demonstrably the same clock as rank 0's
    std::int64_t cost_ns = 0;        ///< of the whole synchronisation
    std::string scheme;
    bool test = false;  ///< made to test the clock, not to set it
};

/// An exchange of pings between two ranks, with every round trip.
struct ClockPings {
    int round = 0;
    int asking = 0;
    int answering = 0;
    std::int64_t at_ns = 0;      ///< asking rank's clock
    std::int64_t offset_ns = 0;  ///< answering minus asking rank's clock
    std::int64_t low_ns = 0;
    std::int64_t high_ns = 0;
    std::vector<std::int64_t> round_trips_ns;
};

/// One rank's part in an event that all ranks were to act on at one global instant. It lies between the
/// synchronisations `sync` and `sync` + 1, from which the truth is known.
struct ClockEvent {
    std::int64_t after_ns = 0;  ///< since the clocks were set
    int event = 0;
    int rank = 0;
    std::int64_t planned_ns = 0;  ///< global time
    std::int64_t acted_ns = 0;    ///< own clock
    std::int64_t global_ns = 0;   ///< acted_ns on the global clock as the rank believed
    std::int64_t claimed_ns = 0;  ///< largest error that the rank believed it had
    int sync = 0;
};

/// The job finished normally and only MPI_Finalize is left to do; or rank 0 gives up and says
/// why.
struct JobEnd {
    bool complete = true;
    std::string reason = {};
    std::int64_t rank_0_peak_bytes = 0;  ///< peak memory of rank 0
    std::int64_t other_peak_bytes = 0;   ///< peak memory of any other rank
};

}  // namespace fathom::journal
