#include "report/progress.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "plan/operations.hpp"

namespace fathom::report {
namespace {

constexpr std::chrono::milliseconds redraw_every{100};
constexpr int bar_width = 30;

std::string short_text(const plan::PointSpec& point) {
    const bool sized = plan::find_operation(point.key.operation).sized;
    return fmt::format("{}{}  {} {}", point.key.operation,
                       sized ? fmt::format(" {}", to_text(point.key.size)) : "", point.key.procs,
                       point.key.procs == 1 ? "proc" : "procs");
}

}  // namespace

Progress::Progress(Terminal terminal, int total, bool silent)
    : terminal_(terminal), total_(total), silent_(silent) {}

void Progress::begin(const plan::PointSpec& point) {
    current_ = short_text(point);
    draw();
}

void Progress::end(const plan::PointSpec& point, const std::string& result) {
    ++done_;
    if (!terminal_.interactive && !silent_) {
        fmt::print(stderr, "[{}/{}] {}: {}\n", done_, total_, short_text(point), result);
    }
    draw();
}

void Progress::reached(int done, const std::string& what) {
    constexpr std::chrono::seconds say_every{5};
    done_ = done;
    current_ = what;
    if (!terminal_.interactive && !silent_ && Clock::now() - said_ >= say_every) {
        said_ = Clock::now();
        fmt::print(stderr, "[{}/{}] {}\n", done_, total_, what);
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
    fmt::print(stderr, "{}\n", line);
}

void Progress::clear() {
    if (bar_shown_) {
        fmt::print(stderr, "\r\x1b[K");
        std::fflush(stderr);
        bar_shown_ = false;
    }
}

void Progress::draw() {
    if (silent_ || !terminal_.interactive || current_.empty()) {
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
