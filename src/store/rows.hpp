#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/units.hpp"

namespace fathom::store {

/// A run as it is stored.
struct RunRow {
    std::int64_t id = 0;
    std::string label;
    std::string created_utc;
    std::string status;  ///< running, done, interrupted, failed
    std::string plan_toml;
    int procs = 0;
    std::string mpi_flavour;
    std::string mpi_version;
    std::string time_source;
    bool simulated = false;
    std::string command_line;
    std::string fathom_version;
    std::string fathom_commit;
};

/// A point as it is stored. A point that killed the job once is `died`; it is tried once more on resume.
struct PointRow {
    std::int64_t id = 0;
    int position = 0;
    std::string operation;
    std::string pattern;
    int procs = 0;
    Bytes size;
    std::string status;  ///< pending, ok, failed, died, unavailable
    std::string reason;
    std::string datatype;
    int deaths = 0;
    std::optional<std::int64_t> job;  ///< that measured it
    std::string start;                ///< how its repetitions started together
    std::int64_t warmup_calls = 0;
    std::string remark;      ///< a limit that was hit
    int trial = 0;           ///< which start of the whole job it belongs to
    std::string scheme;      ///< where schemes are compared: by which
    std::string purpose;     ///< why it is there if it was not planned
    std::int64_t calls = 1;  ///< in a row within one repetition
    std::string cache;       ///< where message data were: warm or cold
    std::string pairs;       ///< who communicated with whom, the sender first
    std::string progress;    ///< who made communication go on: `thread`, or empty
};

/// What a job's ranks take for an empty repetition, by rank.
using EmptyTimes = std::map<int, Nanoseconds>;

/// One moment on rank 0's clock and in time of day (since 1970).
struct Moment {
    Nanoseconds clock;
    Nanoseconds utc;
};

struct RankRow {
    int rank = 0;
    std::string host;
    std::int64_t pid = 0;
    std::string binding;
    std::int64_t empty_ns = 0;
};

struct WarningRow {
    std::string severity;  ///< serious, note
    std::string code;
    std::string text;
    std::string remedy;
    std::vector<std::string> hosts = {};  ///< that it is about; none: all of the run

    friend bool operator==(const WarningRow&, const WarningRow&) = default;
};

/// One start of the probe for a run.
struct JobRow {
    std::int64_t id = 0;
    std::string journal;
    std::string supervisor_host;
    std::int64_t supervisor_pid = 0;
    std::string outcome;  ///< empty while it runs
};

/// Facts by host; host '' holds what is true of the whole job.
using EnvironmentRows = std::map<std::string, std::map<std::string, std::string>>;

}  // namespace fathom::store
