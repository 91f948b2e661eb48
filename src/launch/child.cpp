#include "launch/child.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <thread>
#include <vector>

#include "base/error.hpp"

namespace fathom::launch {
namespace {

constexpr std::chrono::milliseconds poll_step{20};
constexpr std::chrono::seconds grace{5};

struct Pipe {
    FileDescriptor read;
    FileDescriptor write;
};

Pipe make_pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
        throw NotMeasured(fmt::format("cannot make a pipe: {}", std::strerror(errno)));
    }
    return {FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

/// All living processes below this one, by the kernel's word.
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

[[noreturn]] void become(const Command& command, int output, int failure) {
    ::setpgid(0, 0);  // a Ctrl-C at the terminal reaches us, not the launcher
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    for (const auto& [name, value] : command.environment) {
        ::setenv(name.c_str(), value.c_str(), 1);
    }
    const int null = ::open("/dev/null", O_RDONLY);
    ::dup2(null, STDIN_FILENO);
    ::dup2(output, STDOUT_FILENO);
    ::dup2(output, STDERR_FILENO);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) {
        ::signal(signal, SIG_DFL);
    }
    std::vector<char*> words;
    for (const auto& word : command.words) {
        words.push_back(const_cast<char*>(word.c_str()));
    }
    words.push_back(nullptr);
    ::execvp(words[0], words.data());
    const int reason = errno;
    [[maybe_unused]] const auto told = ::write(failure, &reason, sizeof reason);
    ::_exit(127);
}

}  // namespace

Child::Child(const Command& command) {
    // Processes whose parent dies become our children, so that none can escape.
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    auto output = make_pipe();
    auto failure = make_pipe();
    pid_ = ::fork();
    if (pid_ < 0) {
        throw NotMeasured(fmt::format("cannot start a process: {}", std::strerror(errno)));
    }
    if (pid_ == 0) {
        become(command, output.write.get(), failure.write.get());
    }
    ::setpgid(pid_, pid_);
    failure.write.close();
    int reason = 0;
    if (::read(failure.read.get(), &reason, sizeof reason) == static_cast<ssize_t>(sizeof reason)) {
        ::waitpid(pid_, nullptr, 0);
        throw NotMeasured(fmt::format("cannot start '{}': {}; check --launcher.", command.words.front(),
                                      std::strerror(reason)));
    }
    output_ = std::move(output.read);
    ::fcntl(output_.get(), F_SETFL, O_NONBLOCK);
}

Child::~Child() {
    terminate();
}

std::string Child::read_output(std::chrono::milliseconds patience) {
    std::string text;
    if (!output_.is_open()) {
        std::this_thread::sleep_for(patience);
        return text;
    }
    pollfd waiting{output_.get(), POLLIN, 0};
    if (::poll(&waiting, 1, static_cast<int>(patience.count())) <= 0) {
        return text;
    }
    std::array<char, 4096> piece{};
    while (true) {
        const auto got = ::read(output_.get(), piece.data(), piece.size());
        if (got > 0) {
            text.append(piece.data(), static_cast<std::size_t>(got));
        } else {
            if (got == 0) {
                output_.close();
            }
            return text;
        }
    }
}

std::optional<int> Child::ended() {
    int status = 0;
    pid_t gone = 0;
    while ((gone = ::waitpid(-1, &status, WNOHANG)) > 0) {  // adopted orphans are reaped on the way
        if (gone == pid_) {
            status_ = status;
        }
    }
    return status_;
}

void Child::signal_all(int signal) {
    if (!status_) {
        ::kill(-pid_, signal);
    }
    for (const pid_t process : descendants()) {
        ::kill(process, signal);
    }
}

void Child::terminate() {
    const auto wait_until_alone = [&](std::chrono::milliseconds patience) {
        const auto deadline = std::chrono::steady_clock::now() + patience;
        while (std::chrono::steady_clock::now() < deadline) {
            read_output(std::chrono::milliseconds(0));  // a full pipe must not keep it from ending
            ended();
            if (descendants().empty()) {
                return true;
            }
            std::this_thread::sleep_for(poll_step);
        }
        return false;
    };
    ended();
    if (!status_) {
        ::kill(pid_, SIGTERM);  // the launcher first: it knows where its ranks are
        ::kill(pid_, SIGCONT);
    }
    if (wait_until_alone(status_ ? std::chrono::seconds(1) : grace)) {
        return;
    }
    signal_all(SIGKILL);
    wait_until_alone(grace);
}

std::string status_text(int wait_status) {
    if (WIFSIGNALED(wait_status)) {
        return fmt::format("signal {} ({})", WTERMSIG(wait_status), strsignal(WTERMSIG(wait_status)));
    }
    return fmt::format("exit status {}", WEXITSTATUS(wait_status));
}

}  // namespace fathom::launch
