#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.hpp"
#include "journal/records.hpp"
#include "machine/process.hpp"
#include "plan/point_key.hpp"

namespace fathom::store {

using journal::PointStatus;

enum class RunStatus { running, done, interrupted, failed };
constexpr std::array<std::string_view, 4> enum_names(RunStatus /*unused*/) {
    return {"running", "done", "interrupted", "failed"};
}

/// Who wanted a run: the user, or a search (tune, tree optimize) that measures in rounds, each of which is a
/// run.
enum class RunOrigin { user, search };
constexpr std::array<std::string_view, 2> enum_names(RunOrigin /*unused*/) {
    return {"user", "search"};
}

/// How much a warning matters: serious ones make times doubtful.
enum class Severity { serious, note };
constexpr std::array<std::string_view, 2> enum_names(Severity /*unused*/) {
    return {"serious", "note"};
}

/// A run as it is stored.
struct RunRow {
    std::int64_t id = 0;
    std::string label;
    std::string created_utc;
    RunStatus status = RunStatus::running;
    std::string reason;  ///< why it is not complete, as its last job ended
    std::string plan_toml;
    int procs = 0;
    std::string mpi_flavour;
    std::string mpi_version;
    std::string time_source;
    bool simulated = false;
    std::string command_line;
    std::string fathom_version;
    std::string fathom_commit;
    RunOrigin origin = RunOrigin::user;
    /// The run with which one command measured this one in turn, as its launches came; 0: none; absent: not
    /// recorded, of an earlier fathom.
    std::optional<std::int64_t> in_turn_with = {};
    std::map<std::string, std::string> tags;  ///< of the user, by key
};

/// A point as it is stored.
struct PointRow {
    std::int64_t id = 0;
    int position = 0;
    plan::PointKey key;
    PointStatus status = PointStatus::pending;
    std::string reason;
    std::string datatype;
    int deaths = 0;
    std::optional<std::int64_t> job;  ///< that measured it
    std::string start;                ///< how its repetitions started together
    std::int64_t warmup_calls = 0;
    std::string remark;      ///< a limit that was hit
    int launch = 0;          ///< the launch it belongs to
    std::string purpose;     ///< why it is there if it was not planned
    std::int64_t calls = 1;  ///< in a row within one repetition
    std::string cache;       ///< where message data were: warm or cold
    std::string pairs;       ///< who communicated with whom, the sender first
    std::string damage;      ///< what is wrong with its row, if anything: then nothing else of it counts
};

/// How much a point recorded inside its calls, over all ranks.
struct TraceRow {
    std::int64_t every = 1;  ///< of this many calls, one left events
    std::int64_t events = 0;
    std::int64_t dropped = 0;       ///< events that found no room
    std::int64_t stored_bytes = 0;  ///< that the events take in the file

    friend bool operator==(const TraceRow&, const TraceRow&) = default;
};

/// The cost of an empty repetition, by rank.
using EmptyTimes = std::map<int, Nanoseconds>;

/// One moment on rank 0's clock and in time of day (since 1970).
struct Moment {
    Nanoseconds clock;
    Nanoseconds utc;

    friend bool operator==(const Moment&, const Moment&) = default;
};

struct RankRow {
    int rank = 0;
    std::string host;
    std::int64_t pid = 0;
    std::string binding;
    std::int64_t empty_ns = 0;
    int socket = -1;     ///< of all its processors; -1: several, or not known
    int numa_node = -1;  ///< the same
};

struct WarningRow {
    Severity severity = Severity::note;
    std::string code;
    std::string text;
    std::string remedy;
    std::vector<std::string> hosts = {};  ///< that it is about; none: all of the run

    friend bool operator==(const WarningRow&, const WarningRow&) = default;
};

/// Whether a job is running, has finished normally, or ended otherwise.
enum class JobState { running, complete, failed };

/// One start of the probe for a run.
struct JobRow {
    std::int64_t id = 0;
    std::string journal;
    JobState state = JobState::running;
    std::string reason;  ///< why it failed
};

/// Who measures a run: one process at a time may write to it.
struct LeaseRow {
    std::string owner;           ///< random: never given again, unlike numbers of processes
    machine::Process process;    ///< that has it
    std::string taken_utc;       ///< since when
    std::int64_t heartbeat = 0;  ///< grows while the owner lives
};

/// What says that a run was made by the user who holds a key: hashes of its plan, and of that and the
/// variables of its jobs (launch/trust.hpp).
struct RunMark {
    std::string plan;
    std::string variables;
};

/// Facts by host; host '' holds what is true of the whole job.
using EnvironmentRows = std::map<std::string, std::map<std::string, std::string>>;

}  // namespace fathom::store
