#include "launch/child.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/error.hpp"
#include "launch/guardian.hpp"

namespace fathom::launch {
namespace {

constexpr std::chrono::milliseconds poll_step{20};
constexpr std::chrono::seconds guardian_patience{20};

struct Pipe {
    FileDescriptor read;
    FileDescriptor write;
};

Pipe make_pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
        throw NotMeasured(fmt::format("cannot create a pipe: {}", std::strerror(errno)));
    }
    return {FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

}  // namespace

Child::Child(const Command& command) {
    // Should even the guardian be killed, its processes become our children.
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    auto leash = make_pipe();
    auto status = make_pipe();
    auto output = make_pipe();
    auto failure = make_pipe();
    guardian_ = ::fork();
    if (guardian_ < 0) {
        throw NotMeasured(fmt::format("cannot start a process: {}", std::strerror(errno)));
    }
    if (guardian_ == 0) {
        leash.write.close();
        guard(command, {leash.read.get(), status.write.get(), output.write.get(), failure.write.get()});
    }
    failure.write.close();
    int reason = 0;
    if (::read(failure.read.get(), &reason, sizeof reason) == static_cast<ssize_t>(sizeof reason)) {
        leash.write.close();
        ::waitpid(guardian_, nullptr, 0);
        throw NotMeasured(fmt::format("cannot start '{}': {}; check --launcher.", command.words.front(),
                                      std::strerror(reason)));
    }
    leash_ = std::move(leash.write);
    status_ = std::move(status.read);
    output_ = std::move(output.read);
    ::fcntl(output_.get(), F_SETFL, O_NONBLOCK);
    ::fcntl(status_.get(), F_SETFL, O_NONBLOCK);
}

Child::~Child() {
    terminate();
}

std::string Child::read_output(std::chrono::milliseconds patience) {
    std::string text;
    // poll ignores descriptors below zero.
    std::array waiting{pollfd{output_.is_open() ? output_.get() : -1, POLLIN, 0},
                       pollfd{status_.is_open() ? status_.get() : -1, POLLIN, 0}};
    if (::poll(waiting.data(), waiting.size(), static_cast<int>(patience.count())) <= 0 ||
        waiting[0].revents == 0) {
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
    const auto got = status_.is_open() ? ::read(status_.get(), &status, sizeof status) : -1;
    if (got == static_cast<ssize_t>(sizeof status)) {
        ended_ = status;
    } else if (got == 0) {
        status_.close();
        ended_ = ended_.value_or(SIGKILL);  // gone without reporting a status: somebody killed the guardian
    }
    return ended_;
}

void Child::terminate() {
    if (guardian_ < 0) {
        return;
    }
    leash_.close();
    const auto deadline = std::chrono::steady_clock::now() + guardian_patience;
    // Its end of the pipe closes when it ends, and not before.
    while (::waitpid(guardian_, nullptr, status_.is_open() ? WNOHANG : 0) == 0 &&
           std::chrono::steady_clock::now() < deadline) {
        ended();                 // what was read no longer wakes us
        read_output(poll_step);  // a full pipe must not keep it from ending
    }
    kill_descendants();
    guardian_ = -1;
}

std::string output_of(const Command& command) {
    constexpr std::chrono::minutes longest{1};
    constexpr std::chrono::milliseconds look_every{20};
    std::string output;
    Child child(command);
    const auto end = std::chrono::steady_clock::now() + longest;
    while (!child.ended() && std::chrono::steady_clock::now() < end) {
        output += child.read_output(look_every);
    }
    return output + child.read_output(std::chrono::milliseconds(0));
}

std::string status_text(int wait_status) {
    if (WIFSIGNALED(wait_status)) {
        return fmt::format("signal {} ({})", WTERMSIG(wait_status), strsignal(WTERMSIG(wait_status)));
    }
    return fmt::format("exit status {}", WEXITSTATUS(wait_status));
}

}  // namespace fathom::launch
