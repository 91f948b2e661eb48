#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/file.hpp"
#include "base/units.hpp"

/// What the kernel counts, read cheaply enough to be read between repetitions.
namespace fathom::machine {

/// Of the calling thread since it began: the one that makes the measured calls. What other threads of the
/// process do (such as a library's progress thread) is not included.
struct ThreadCounts {
    std::int64_t preempted = 0;     ///< involuntary context switches
    std::int64_t blocked = 0;       ///< voluntary ones
    std::int64_t minor_faults = 0;  ///< page faults without and with reading from a disk
    std::int64_t major_faults = 0;
    int processor = -1;  ///< it is on now

    friend bool operator==(const ThreadCounts&, const ThreadCounts&) = default;
};

/// One system call. Zeros where the kernel does not report them.
ThreadCounts thread_counts();

/// How long the thread that creates it has been ready to run but preempted, as the kernel
/// counts it. Keeps its file open, so that a reading is one system call and allocates nothing.
class RunDelay {
  public:
    RunDelay();
    /// Whether the kernel reports it.
    [[nodiscard]] bool known() const { return file_.is_open(); }
    /// 0 where the kernel does not report it.
    [[nodiscard]] Nanoseconds read() const;

  private:
    FileDescriptor file_;
};

/// Of all TCP connections in this process's network namespace, since it was made.
struct NetworkCounts {
    std::int64_t timeouts = 0;  ///< TcpExt TCPTimeouts
    std::int64_t probes =
        0;  ///< TcpExt TCPLossProbes, most of them unnecessary if a process is slow to answer
    /// Losses repaired before a timeout: TcpExt TCPFastRetrans and TCPLossProbeRecovery. Tcp RetransSegs
    /// would also include unnecessary probes.
    std::int64_t repairs = 0;

    friend bool operator==(const NetworkCounts&, const NetworkCounts&) = default;
};

/// A number in a table of /proc/net (a line of names, then a line of numbers, both after the same word and
/// colon); nothing if it is not there.
std::optional<std::int64_t> counter_in(std::string_view table, std::string_view group, std::string_view name);

/// Keeps the kernel's table open, so that a reading is one system call and allocates nothing.
class NetworkCounters {
  public:
    NetworkCounters();
    /// Whether there is anything to read.
    [[nodiscard]] bool known() const { return file_.is_open(); }
    NetworkCounts read();

  private:
    FileDescriptor file_;
    std::vector<char> text_;
};

/// The smallest retransmission timeout of this process's TCP connections that have carried data; nothing
/// without such connections.
std::optional<Nanoseconds> smallest_rto();

/// The least that the kernel takes (net.ipv4.tcp_rto_min_us), where it says so.
std::optional<Nanoseconds> kernel_least_rto();

}  // namespace fathom::machine
