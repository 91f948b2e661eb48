#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace fathom::journal {

/// What the probe knows of the whole job.
struct JobInfo {
    int procs = 0;
    bool simulated = false;
    std::string mpi_flavour;
    std::string mpi_version;   ///< MPI_Get_library_version
    std::string mpi_standard;  ///< `3.1`
    std::string time_source;
    std::string plan_toml;                     ///< so that a journal stands alone
    std::map<std::string, std::string> facts;  ///< build of the probe, MPI-related environment variables
};

/// One rank of the job.
struct RankInfo {
    int rank = 0;
    std::string host;
    std::int64_t pid = 0;
    std::string binding;  ///< processors it may run on, `0-3,8`
};

/// What a host is; keys as in machine::Facts.
struct HostInfo {
    std::string host;
    std::map<std::string, std::string> facts;
};

struct PointBegin {
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

/// How a point ended. Status is `ok`, `failed` or `unavailable`; the last two have a reason.
struct PointEnd {
    int index = 0;
    std::string status;
    std::string reason;
    std::string datatype;
};

/// The job came to its regular end, or rank 0 gives up and says why.
struct JobEnd {
    bool complete = true;
    std::string reason;
};

}  // namespace fathom::journal
