#pragma once

#include <chrono>
#include <cstdio>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "plan/plan.hpp"
#include "report/style.hpp"

namespace fathom::report {

/// How much Progress says where it shows no bar.
enum class Lines {
    none,        ///< and no bar either
    some,        ///< a point that did not succeed, and one a minute
    all_points,  ///< also besides a bar
};

constexpr Lines lines_for(bool quiet, bool verbose = false) {
    return quiet ? Lines::none : verbose ? Lines::all_points : Lines::some;
}

/// Shows the progress of a run on stderr: a bar on a terminal, plain lines elsewhere.
class Progress {
  public:
    Progress(Terminal terminal, int total, Lines lines);
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;
    ~Progress() { clear(); }

    /// Points that are measured together: what one of them is measured with is said of all, as in
    /// `via library` beside `via tree:flat`.
    void tell_apart(const std::vector<plan::PointSpec>& points);
    void begin(const plan::PointSpec& point);
    /// One point more than was planned.
    void grow() { ++total_; }
    /// So many are left from now on.
    void expect(int left) { total_ = done_ + left; }
    /// The whole takes at most this long from now on, however many points are left.
    void limit(std::chrono::duration<double> longest) {
        end_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(longest);
    }
    /// `succeeded`: does not need a line at once.
    void end(const plan::PointSpec& point, const std::string& result, bool succeeded);
    [[nodiscard]] bool shows_bar() const { return terminal_.interactive && lines_ != Lines::none; }
    /// For jobs that are not a list of points: how many of the total are done, and what is being done. Off a
    /// terminal this is a line every few seconds.
    void reached(int done, const std::string& what);
    /// Redraws the bar if it is time.
    void tick();
    /// A line of its own that does not disturb the bar.
    void say(const std::string& line);
    void clear();

  private:
    using Clock = std::chrono::steady_clock;
    void draw();
    [[nodiscard]] std::string short_text(const plan::PointSpec& point) const;

    Terminal terminal_;
    int total_;
    Lines lines_;
    std::set<std::string_view> used_;  // extra dimensions of the points
    int done_ = 0;
    std::string current_;
    Clock::time_point started_ = Clock::now();
    Clock::time_point drawn_;
    std::optional<Clock::time_point> end_;
    bool bar_shown_ = false;
    Clock::time_point said_ = Clock::now();
};

}  // namespace fathom::report
