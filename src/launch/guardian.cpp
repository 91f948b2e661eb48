#include "launch/guardian.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <poll.h>
#include <sstream>
#include <string>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "base/file.hpp"

namespace fathom::launch {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds step{20};
constexpr milliseconds seldom{1000};
constexpr milliseconds grace{5000};
constexpr milliseconds leftover_grace{1000};

/// All living descendants of this process, according to the kernel.
std::vector<pid_t> descendants() {
    std::multimap<pid_t, pid_t> children;
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator("/proc", none)) {
        const auto name = entry.path().filename().string();
        if (name.find_first_not_of("0123456789") != std::string::npos) {
            continue;
        }
        const auto stat = read_file_or_empty(entry.path() / "stat");
        const auto after_name = stat.rfind(')');  // the name may hold blanks and brackets
        if (after_name == std::string::npos) {
            continue;
        }
        char state = 0;
        pid_t parent = 0;
        std::istringstream(stat.substr(after_name + 1)) >> state >> parent;
        if (state != 'Z') {
            children.emplace(parent, static_cast<pid_t>(std::stol(name)));
        }
    }
    std::vector<pid_t> found;
    std::vector<pid_t> open{::getpid()};
    while (!open.empty()) {
        const auto [first, last] = children.equal_range(open.back());
        open.pop_back();
        for (auto child = first; child != last; ++child) {
            found.push_back(child->second);
            open.push_back(child->second);
        }
    }
    return found;
}

/// Reaps what has ended; returns the status of `launcher` if it is among them.
std::optional<int> reap(pid_t launcher) {
    std::optional<int> found;
    int status = 0;
    pid_t gone = 0;
    while ((gone = ::waitpid(-1, &status, WNOHANG)) > 0) {
        if (gone == launcher) {
            found = status;
        }
    }
    return found;
}

/// Waits until no descendant is left, at most this long.
bool alone_within(milliseconds patience) {
    const auto deadline = std::chrono::steady_clock::now() + patience;
    // Usually they end with the launcher, so the first looks are soon after each other.
    for (milliseconds pause{1};; pause = std::min(2 * pause, step)) {
        reap(-1);
        if (descendants().empty()) {
            return true;
        }
        if (std::chrono::steady_clock::now() >= deadline) {
            return false;
        }
        std::this_thread::sleep_for(pause);
    }
}

[[noreturn]] void become(const Command& command, const GuardianPipes& pipes) {
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    for (const auto& name : command.removed) {
        ::unsetenv(name.c_str());
    }
    for (const auto& [name, value] : command.environment) {
        ::setenv(name.c_str(), value.c_str(), 1);
    }
    ::dup2(pipes.output, STDOUT_FILENO);
    ::dup2(pipes.output, STDERR_FILENO);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) {
        ::signal(signal, SIG_DFL);
    }
    std::vector<char*> words;
    words.reserve(command.words.size() + 1);
    for (const auto& word : command.words) {
        words.push_back(const_cast<char*>(word.c_str()));
    }
    words.push_back(nullptr);
    ::execvp(words[0], words.data());
    const int reason = errno;
    [[maybe_unused]] const auto written = ::write(pipes.failure, &reason, sizeof reason);
    ::_exit(127);
}

}  // namespace

void kill_descendants() {
    for (const pid_t process : descendants()) {
        ::kill(process, SIGKILL);
    }
    alone_within(grace);
}

void guard(const Command& command, const GuardianPipes& pipes) {
    // A session of its own: a Ctrl-C at the terminal reaches the supervisor alone, which then decides.
    ::setsid();
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) {
        ::signal(signal, SIG_IGN);
    }
    const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        ::dup2(null, standard);
    }
    const pid_t launcher = ::fork();
    if (launcher == 0) {
        become(command, pipes);
    }
    // Readers of these must see their end when the launcher ends, not when we do.
    ::close(pipes.output);
    ::close(pipes.failure);
    std::optional<int> status;
    bool leashed = true;
    // Frequent wake-ups would preempt the ranks: the kernel notifies us when the launcher has ended.
    const int end = launcher > 0 ? static_cast<int>(::syscall(SYS_pidfd_open, launcher, 0)) : -1;
    const auto patience = end >= 0 ? seldom : step;
    while (launcher > 0 && leashed && !status) {
        std::array waiting{pollfd{pipes.leash, POLLIN, 0}, pollfd{end, POLLIN, 0}};
        ::poll(waiting.data(), waiting.size(), static_cast<int>(patience.count()));
        leashed = waiting[0].revents == 0;
        status = reap(launcher);
    }
    if (status) {
        [[maybe_unused]] const auto written = ::write(pipes.status, &*status, sizeof *status);
        alone_within(leftover_grace);
    } else {
        ::kill(launcher, SIGTERM);  // the launcher first: it knows where its ranks are
        alone_within(grace);
    }
    kill_descendants();
    std::error_code ignored;
    for (const auto& path : command.litter) {
        std::filesystem::remove_all(path, ignored);
    }
    ::_exit(0);
}

}  // namespace fathom::launch
