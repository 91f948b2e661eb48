#include "report/progress.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/printable.hpp"
#include "plan/operations.hpp"
#include "report/output.hpp"

namespace fathom::report {
namespace {

constexpr std::chrono::milliseconds redraw_every{100};
constexpr std::chrono::minutes sign_of_life_every{1};  // in the log of a long launch
constexpr int bar_width = 30;

}  // namespace

Progress::Progress(Terminal terminal, int total, Lines lines)
    : terminal_(terminal), total_(total), lines_(lines) {}

std::string Progress::short_text(const plan::PointSpec& point) const {
    const bool sized = plan::find_operation(point.key.operation).sized;
    auto text = fmt::format("{}{}  {} {}", printable_name(point.key.operation),
                            sized ? fmt::format(" {}", exact_text(point.key.size)) : "", point.key.procs,
                            point.key.procs == 1 ? "proc" : "procs");
    for (const auto& extra : plan::extra_dimensions<plan::PointKey>) {
        const auto& value = point.key.*extra.value;
        const auto name = value.empty() && used_.contains(extra.name) ? std::string(extra.when_empty) : value;
        if (!name.empty()) {
            text += fmt::format(", {}{}", extra.said_as, printable_name(name));
        }
    }
    return text;
}

void Progress::tell_apart(const std::vector<plan::PointSpec>& points) {
    for (const auto& extra : plan::extra_dimensions<plan::PointKey>) {
        if (std::ranges::any_of(points,
                                [&](const auto& point) { return !(point.key.*extra.value).empty(); })) {
            used_.insert(extra.name);
        }
    }
}

void Progress::begin(const plan::PointSpec& point) {
    current_ = short_text(point);
    draw();
}

void Progress::end(const plan::PointSpec& point, const std::string& result, bool succeeded) {
    ++done_;
    const bool of_note = !terminal_.interactive && (!succeeded || Clock::now() - said_ >= sign_of_life_every);
    if (lines_ == Lines::all_points || (lines_ == Lines::some && of_note)) {
        say(fmt::format("[{}/{}] {}: {}", done_, total_, short_text(point), result));
    }
    draw();
}

void Progress::reached(int done, const std::string& what) {
    constexpr std::chrono::seconds say_every{5};
    done_ = done;
    current_ = printable(what);
    if (!terminal_.interactive && lines_ != Lines::none && Clock::now() - said_ >= say_every) {
        say(fmt::format("[{}/{}] {}", done_, total_, current_));
    }
    draw();
}

void Progress::tick() {
    if (Clock::now() - drawn_ >= redraw_every) {
        draw();
    }
}

void Progress::say(const std::string& line) {
    clear();
    print(stderr, "{}\n", printable(line));
    said_ = Clock::now();
}

void Progress::clear() {
    if (bar_shown_) {
        fmt::print(stderr, "\r\x1b[K");
        std::fflush(stderr);
        bar_shown_ = false;
    }
}

void Progress::draw() {
    if (!shows_bar() || current_.empty()) {
        return;
    }
    drawn_ = Clock::now();
    const double elapsed = std::chrono::duration<double>(drawn_ - started_).count();
    const int filled = total_ > 0 ? bar_width * done_ / total_ : 0;
    auto line =
        fmt::format("  [{}{}]  {}/{}  {}", std::string(static_cast<std::size_t>(filled), '#'),
                    std::string(static_cast<std::size_t>(bar_width - filled), '-'), done_, total_, current_);
    if (end_) {
        const auto left = std::chrono::duration<double>(*end_ - drawn_).count();
        line += fmt::format("  at most {} left", duration_text(std::max(0.0, left)));
    } else if (done_ > 0 && elapsed > 1) {
        line += fmt::format("  about {} left", duration_text(elapsed / done_ * (total_ - done_)));
    }
    line.resize(std::min(line.size(), static_cast<std::size_t>(std::max(10, terminal_.columns - 1))));
    fmt::print(stderr, "\r\x1b[K{}", line);
    std::fflush(stderr);
    bar_shown_ = true;
}

}  // namespace fathom::report
