#include "launch/supervisor.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "launch/child.hpp"
#include "launch/obituary.hpp"

namespace fathom::launch {
namespace {

constexpr std::chrono::milliseconds look_every{50};
constexpr std::size_t words_kept = 64 * 1024;

/// The last lines a launcher said, for when nothing better is known.
std::string last_words(const std::string& output) {
    std::string last;
    for (const auto& line : split(output, '\n')) {
        const bool text = line.find_first_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") != std::string::npos;
        if (text) {
            last = line;
        }
    }
    return last;
}

}  // namespace

Outcome supervise(const Command& command, Collector& collector, std::chrono::seconds point_timeout,
                  const std::function<bool()>& interrupted, const std::function<std::vector<store::RankRow>()>& ranks,
                  const std::function<void()>& tick) {
    Child child(command);
    std::string output;
    auto last_progress = std::chrono::steady_clock::now();
    auto open_before = collector.open_point();
    const auto ended_as = [&](Outcome::Kind kind, const std::string& reason) {
        child.terminate();
        collector.advance();
        return Outcome{kind, reason, collector.open_point()};
    };
    while (true) {
        const auto status = child.ended();
        output += child.read_output(status ? std::chrono::milliseconds(0) : look_every);
        if (output.size() > words_kept) {
            output.erase(0, output.size() - words_kept);
        }
        collector.advance();
        if (collector.open_point() != open_before) {
            open_before = collector.open_point();
            last_progress = std::chrono::steady_clock::now();
        }
        tick();
        if (interrupted()) {
            return ended_as(Outcome::Kind::interrupted, "interrupted");
        }
        if (status) {
            auto outcome = ended_as(Outcome::Kind::done, "");
            output += child.read_output(std::chrono::milliseconds(0));
            if (collector.complete() && *status == 0) {
                return outcome;
            }
            outcome.kind = Outcome::Kind::died;
            const auto cause = cause_of_death(output, ranks());
            const auto words = last_words(output);
            outcome.reason = cause ? *cause
                                   : fmt::format("the launcher ended with {}{}", status_text(*status),
                                                 words.empty() ? "" : fmt::format(" (its last words: {})", words));
            return outcome;
        }
        if (std::chrono::steady_clock::now() - last_progress > point_timeout) {
            return ended_as(Outcome::Kind::hung,
                            fmt::format("no point was finished within {} s (--point-timeout)", point_timeout.count()));
        }
    }
}

}  // namespace fathom::launch
