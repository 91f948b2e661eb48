#include "launch/supervisor.hpp"

#include <fmt/format.h>

#include "base/printable.hpp"
#include "base/text.hpp"
#include "launch/child.hpp"
#include "launch/failure_cause.hpp"

namespace fathom::launch {
namespace {

/// Where ranks fill all processors, each look preempts one of them: often enough for a reader of the
/// progress, but no more. The end of the job and Ctrl-C are seen at once.
constexpr std::chrono::milliseconds look_every{250};
/// Before anything is measured, how long launching takes is of interest.
constexpr std::chrono::milliseconds look_first{10};
constexpr std::size_t words_kept = 65'536;

/// The last line of the launcher's output, for when nothing better is known: as much of it as fits three
/// lines of a terminal.
std::string last_words(const std::string& output) {
    constexpr std::size_t three_lines = 240;
    std::string last;
    for (const auto& line : split(output, '\n')) {
        const bool text =
            line.find_first_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") != std::string::npos;
        if (text) {
            last = line;
        }
    }
    return printable(last, three_lines);
}

}  // namespace

Outcome supervise(const Command& command, Follower& follower, Patience patience,
                  const std::function<bool()>& interrupted,
                  const std::function<std::vector<store::RankRow>()>& ranks,
                  const std::function<void()>& tick) {
    Child child(command);
    std::string output;
    auto last_progress = std::chrono::steady_clock::now();
    auto steps_before = follower.steps();
    // What a job that we end ourselves still says while it dies is not taken: the point stands as it was
    // found.
    const auto ended_as = [&](Outcome::Kind kind, const std::string& reason) {
        child.terminate();
        return Outcome{.kind = kind,
                       .reason = reason,
                       .open_point = follower.open_point(),
                       .last_point = follower.last_point()};
    };
    while (true) {
        const auto status = child.ended();
        output += child.read_output(status                  ? std::chrono::milliseconds(0)
                                    : follower.steps() == 0 ? look_first
                                                            : look_every);
        if (output.size() > words_kept) {
            output.erase(0, output.size() - words_kept);
        }
        follower.advance();
        if (follower.steps() != steps_before) {
            steps_before = follower.steps();
            last_progress = std::chrono::steady_clock::now();
        }
        tick();
        if (interrupted()) {
            return ended_as(Outcome::Kind::interrupted, "interrupted");
        }
        if (status) {
            output += child.read_output(std::chrono::milliseconds(0));
            child.terminate();
            follower.finish();
            // The journal loses no messages; launchers may.
            const auto said = printable_lines(output, false);
            const auto cause = follower.failure().empty() ? failure_cause(said, ranks()) : follower.failure();
            const auto words = last_words(said);
            const auto reason =
                cause ? *cause
                      : fmt::format("the launcher ended with {}{}", status_text(*status),
                                    words.empty() ? "" : fmt::format(" (last output: {})", words));
            if (!follower.whole()) {
                return {
                    .kind = Outcome::Kind::cut_off, .reason = follower.losses(), .losses = follower.losses()};
            }
            if (follower.complete()) {
                // Everything is measured and stored, so a failure to end cleanly is only a remark.
                return {.kind = Outcome::Kind::done, .remark = *status == 0 ? cause.value_or("") : reason};
            }
            return {.kind = follower.failure().empty() && lost_a_link(output) ? Outcome::Kind::cut_off
                                                                              : Outcome::Kind::died,
                    .reason = reason,
                    .open_point = follower.open_point(),
                    .last_point = follower.last_point()};
        }
        const auto silence = std::chrono::steady_clock::now() - last_progress;
        if (follower.complete() && silence > patience.ending) {
            child.terminate();
            return {
                .kind = Outcome::Kind::done,
                .remark = fmt::format("MPI_Finalize of {} did not return within {} s, so the job was ended",
                                      follower.library(), patience.ending.count()),
                .finalize_hung = true};
        }
        if (!follower.complete() && silence > patience.step) {
            if (follower.stuck()) {
                child.terminate();
                follower.finish();
                return {
                    .kind = Outcome::Kind::cut_off, .reason = follower.losses(), .losses = follower.losses()};
            }
            return ended_as(Outcome::Kind::hung,
                            fmt::format("no {} was finished within {} s (--point-timeout)",
                                        follower.step_name(), patience.step.count()));
        }
    }
}

}  // namespace fathom::launch
