#include "machine/counters.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <linux/tcp.h>
#include <memory>
#include <netinet/in.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

namespace fathom::machine {
namespace {

constexpr std::int64_t ns_per_us = 1'000;
constexpr int established = 1;  // TCP_ESTABLISHED, which <linux/tcp.h> has not

/// The line that begins with `group` and a colon, from `from` on, without that beginning.
std::string_view line_of(std::string_view table, std::string_view group, std::size_t& from) {
    while (from < table.size()) {
        const auto end = std::min(table.find('\n', from), table.size());
        const auto line = table.substr(from, end - from);
        from = end + 1;
        if (line.starts_with(group) && line.substr(group.size()).starts_with(':')) {
            return line.substr(group.size() + 1);
        }
    }
    return {};
}

/// Takes the next word off a line.
std::string_view word_of(std::string_view& line) {
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    const auto word = line.substr(0, line.find(' '));
    line.remove_prefix(word.size());
    return word;
}

std::optional<tcp_info> connection(int descriptor) {
    tcp_info info{};
    socklen_t size = sizeof info;
    if (::getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &info, &size) != 0 ||
        size < offsetof(tcp_info, tcpi_data_segs_out) + sizeof info.tcpi_data_segs_out) {
        return std::nullopt;
    }
    return info;
}

}  // namespace

ThreadCounts thread_counts() {
    rusage usage{};
    if (::getrusage(RUSAGE_THREAD, &usage) != 0) {
        return {};
    }
    return {.preempted = usage.ru_nivcsw,
            .blocked = usage.ru_nvcsw,
            .minor_faults = usage.ru_minflt,
            .major_faults = usage.ru_majflt,
            .processor = ::sched_getcpu()};
}

RunDelay::RunDelay() : file_(::open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC)) {}

Nanoseconds RunDelay::read() const {
    // Time on a processor, time in a queue for one, and how often.
    std::array<char, 128> text{};
    const auto got = ::pread(file_.get(), text.data(), text.size(), 0);
    std::string_view words(text.data(), got > 0 ? static_cast<std::size_t>(got) : 0);
    word_of(words);
    const auto waited = word_of(words);
    std::int64_t ns = 0;
    const auto read = std::from_chars(waited.data(), waited.data() + waited.size(), ns);
    return {read.ec == std::errc() ? ns : 0};
}

std::optional<std::int64_t> counter_in(std::string_view table, std::string_view group,
                                       std::string_view name) {
    std::size_t from = 0;
    auto names = line_of(table, group, from);
    auto numbers = line_of(table, group, from);
    while (!names.empty() && !numbers.empty()) {
        const auto title = word_of(names);
        const auto number = word_of(numbers);
        std::int64_t value = 0;
        if (title == name && !number.empty() &&
            std::from_chars(number.data(), number.data() + number.size(), value).ec == std::errc()) {
            return value;
        }
    }
    return std::nullopt;
}

NetworkCounters::NetworkCounters() {
    constexpr std::size_t room = 16'384;  // it has about 4 KiB today
    // Of the thread's own namespace: /proc/net is that of the process's first thread.
    file_ = FileDescriptor(::open("/proc/thread-self/net/netstat", O_RDONLY | O_CLOEXEC));
    text_.resize(room);
}

NetworkCounts NetworkCounters::read() {
    const auto got = ::pread(file_.get(), text_.data(), text_.size(), 0);
    const std::string_view table(text_.data(), got > 0 ? static_cast<std::size_t>(got) : 0);
    const auto counter = [&](std::string_view name) { return counter_in(table, "TcpExt", name).value_or(0); };
    return {.timeouts = counter("TCPTimeouts"),
            .probes = counter("TCPLossProbes"),
            .repairs = counter("TCPFastRetrans") + counter("TCPLossProbeRecovery")};
}

std::optional<Nanoseconds> smallest_rto() {
    const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir("/proc/self/fd"), ::closedir);
    std::optional<Nanoseconds> smallest;
    while (const auto* entry = folder ? ::readdir(folder.get()) : nullptr) {
        int descriptor = -1;
        const char* const name = entry->d_name;
        if (std::from_chars(name, name + std::strlen(name), descriptor).ec != std::errc()) {
            continue;
        }
        const auto info = connection(descriptor);
        // One that waits for a segment already has a timeout that has been doubled.
        if (info && info->tcpi_state == established && info->tcpi_data_segs_out > 0 &&
            info->tcpi_backoff == 0) {
            const Nanoseconds rto{info->tcpi_rto * ns_per_us};
            smallest = std::min(smallest.value_or(rto), rto);
        }
    }
    return smallest;
}

std::optional<Nanoseconds> kernel_least_rto() {
    const auto text = read_file_or_empty("/proc/sys/net/ipv4/tcp_rto_min_us");
    std::int64_t us = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), us);
    return read.ec == std::errc() && us > 0 ? std::optional(Nanoseconds{us * ns_per_us}) : std::nullopt;
}

}  // namespace fathom::machine
