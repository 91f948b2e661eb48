#include "cli/job_progress.hpp"

#include <algorithm>
#include <chrono>
#include <string>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/point/point_result.hpp"
#include "base/printable.hpp"
#include "plan/progress_thread.hpp"
#include "plan/varied_settings.hpp"
#include "report/output.hpp"
#include "report/sentences/point_warning.hpp"

namespace fathom::cli {
namespace {

/// One line per point for streams that show no bar.
std::string end_text(const analysis::PointResult& result) {
    return result.time_ns && result.status == store::PointStatus::ok
               ? "median " + time_text(result.time_ns->median)
               : fmt::format("{}: {}", to_text(result.status), report::reason_of(result));
}

/// The message before a job that requests a progress thread.
std::string progress_thread_text(const launch::ResolvedJob& resolved) {
    std::vector<std::string> settings;
    for (const auto& [name, value] : plan::progress_variables(resolved.flavour())) {
        settings.push_back(fmt::format("{}={}", name, value));
    }
    std::vector<std::string> remarks;
    if (const auto remark = plan::progress_thread_remark(resolved.flavour()); !remark.empty()) {
        remarks.emplace_back(remark);
    }
    if (resolved.plan.launcher.empty() && !resolved.room.has_cores_for_progress()) {
        remarks.emplace_back(
            "it shares the core of its process, since there are fewer than two cores per process");
    }
    return fmt::format("progress thread: {}{}{}", fmt::join(settings, " "), remarks.empty() ? "" : "; ",
                       fmt::join(remarks, "; "));
}

}  // namespace

std::string warning_line(const store::WarningRow& warning) {
    return warning.severity == store::Severity::serious
               ? fmt::format("warning: {} Fix: {}", warning.text, warning.remedy)
               : std::string();
}

void JobProgress::job_begins(const launch::ResolvedJob& resolved, const launch::Part& part,
                             const std::vector<plan::PointSpec>& order) {
    const auto launches = static_cast<int>(resolved.plan.runs.value_or(1));
    if (!progress_) {
        progress_.emplace(report::Terminal::of(STDERR_FILENO), 0, report::lines_for(quiet_, verbose_));
        if (resolved.plan.budget_s) {
            progress_->limit(std::chrono::duration<double>(*resolved.plan.budget_s));
        }
    }
    jobs_of_launch_ = part.launch == std::exchange(launch_, part.launch) ? jobs_of_launch_ + 1 : 1;
    const auto settings =
        static_cast<int>(plan::combinations(resolved.plan.vary, resolved.plan.thread_levels).size());
    const int jobs_left =
        std::max(1, settings - jobs_of_launch_ + 1) + settings * std::max(0, launches - part.launch - 1);
    progress_->tell_apart(order);
    progress_->expect(static_cast<int>(order.size()) * jobs_left);
    if (const auto line = launch_line(part, launches, order.size()); !quiet_ && !line.empty()) {
        progress_->say(line);
    }
    if (part.progress == plan::progress_thread && !quiet_) {
        progress_->say(progress_thread_text(resolved));
    }
}

/// Empty for points that are visited again, and where a bar or another line says as much.
std::string JobProgress::launch_line(const launch::Part& part, int launches, std::size_t points) const {
    const bool several = launches > 1 || count_ == LaunchCount::open_ended;
    if (part.launch >= launches ||
        (!several && (progress_->shows_bar() || count_ == LaunchCount::of_round))) {
        return "";
    }
    const auto of = count_ == LaunchCount::open_ended ? "" : fmt::format(" of {}", launches);
    return fmt::format("launch {}{}: {}{} {}", part.launch + 1, of,
                       part.setting.empty() ? "" : part.setting + ", ", points,
                       points == 1 ? "point" : "points");
}

void JobProgress::points_revisited(std::size_t points, std::size_t of) {
    if (!quiet_ && !std::exchange(revisiting_, true)) {
        progress_->say(
            fmt::format("again: {} of {} points were disturbed or missed their precision", points, of));
    }
}

void JobProgress::hosts_known(const std::vector<store::WarningRow>& fresh) {
    for (const auto& warning : fresh) {
        if (const auto line = warning_line(warning); !line.empty()) {
            progress_->say(line);
        }
    }
}

void JobProgress::point_added(const plan::PointSpec& /*point*/) {
    progress_->grow();
}

void JobProgress::point_begun(const plan::PointSpec& point) {
    progress_->begin(point);
}

void JobProgress::point_ended(const plan::PointSpec& point, const store::PointRow& stored) {
    const bool tells =
        stored.status == store::PointStatus::failed || stored.status == store::PointStatus::died;
    progress_->end(point, end_text(analysis::evaluate_times(store_, stored)), !tells);
}

void JobProgress::journal_damaged(const std::string& losses) {
    if (!quiet_) {
        report::print(stderr, "note: {}. What could be read is stored.\n", printable(losses));
    }
}

void JobProgress::tick() {
    progress_->tick();
}

void JobProgress::job_ended() {
    progress_->clear();
}

}  // namespace fathom::cli
