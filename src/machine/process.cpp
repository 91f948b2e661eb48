#include "machine/process.hpp"

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <sstream>
#include <unistd.h>

#include <fmt/format.h>

#include "base/file.hpp"
#include "machine/facts.hpp"

namespace fathom::machine {
namespace {

/// What /proc/PID/stat says of a process that matters here.
struct ProcessState {
    char state = 0;
    std::int64_t start_ticks = 0;
};

std::optional<ProcessState> state_of(const std::string& process) {
    const auto stat = read_file_or_empty("/proc/" + process + "/stat");
    const auto after_name = stat.rfind(')');  // the name may hold blanks and brackets
    if (after_name == std::string::npos) {
        return std::nullopt;
    }
    std::istringstream words(stat.substr(after_name + 1));
    ProcessState found;
    words >> found.state;
    constexpr int fields_between = 18;  // state is the third field, the start time the 22nd
    std::string ignored;
    for (int i = 0; i < fields_between; ++i) {
        words >> ignored;
    }
    words >> found.start_ticks;
    return words ? std::optional(found) : std::nullopt;
}

/// Start times are shifted in a time namespace, numbers are given again in one of processes.
std::string own_namespaces() {
    const auto name_of = [](const char* kind) {
        std::error_code none;
        return std::filesystem::read_symlink(std::string("/proc/self/ns/") + kind, none).string();
    };
    return fmt::format("{} {}", name_of("pid"), name_of("time"));
}

}  // namespace

Process this_process() {
    const auto own = state_of("self");
    return {.host = host_name(),
            .boot_id = boot_id(),
            .namespaces = own_namespaces(),
            .pid = ::getpid(),
            .start_ticks = own ? own->start_ticks : 0};
}

std::optional<bool> is_alive(const Process& process) {
    if (process.boot_id.empty() || process.boot_id != boot_id() || process.namespaces != own_namespaces() ||
        process.pid <= 0) {
        return std::nullopt;
    }
    if (const auto found = state_of(fmt::format("{}", process.pid))) {
        const bool ended = found->state == 'Z' || found->state == 'X';
        return !ended && (process.start_ticks == 0 || found->start_ticks == process.start_ticks);
    }
    if (::kill(static_cast<pid_t>(process.pid), 0) != 0 && errno == ESRCH) {
        return false;
    }
    return std::nullopt;
}

}  // namespace fathom::machine
