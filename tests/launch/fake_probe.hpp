#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <limits>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/file.hpp"
#include "launch/measurement.hpp"
#include "launch/sample_journal.hpp"
#include "plan/plan_toml.hpp"

namespace fathom::testing {

/// What a job does: measures points of its list from the first, finds more, and ends.
struct FakeJob {
    enum class End { done, dies, interrupted, cannot_start };

    End end = End::done;
    std::size_t measures = std::numeric_limits<std::size_t>::max();
    std::vector<std::int64_t> finds = {};  ///< sizes of points that it adds and measures
    bool between_points = false;           ///< ends there, not while measuring the next point
    std::string remark = {};               ///< about its ending
};

/// Stands in for launcher and probe: reads the job file that was prepared for them and writes the journal
/// that they would have written.
class FakeProbe {
  public:
    /// What the next jobs do; after those, jobs measure everything.
    void will(const std::vector<FakeJob>& next) { scripts_.insert(scripts_.end(), next.begin(), next.end()); }

    launch::Outcome run(const launch::Command& command, launch::Follower& follower) {
        commands.push_back(command);
        jobs.push_back(plan::read_job(read_file(command.words.back()), "job"));
        FakeJob script;
        if (!scripts_.empty()) {
            script = scripts_.front();
            scripts_.pop_front();
        }
        if (script.end == FakeJob::End::cannot_start) {
            throw NotMeasured("cannot start it");
        }
        write_journal(jobs.back().journal, records(jobs.back(), script));
        follower.advance();
        return outcome(script, follower);
    }

    bool scatter = false;         ///< the times of a job differ from those of others
    std::vector<plan::Job> jobs;  ///< that were started
    std::vector<launch::Command> commands;

  private:
    [[nodiscard]] std::vector<journal::Record> records(const plan::Job& job, const FakeJob& script) const {
        auto all = opening();
        const auto longer = scatter ? 100 * static_cast<std::int64_t>(jobs.size()) : 0;
        const auto take = [&](const std::vector<journal::Record>& more) {
            all.insert(all.end(), more.begin(), more.end());
        };
        const auto count = std::min(script.measures, job.points.size());
        for (std::size_t i = 0; i < count; ++i) {
            take(measured(job.points[i].index, longer));
        }
        int index = job.next_index;
        for (const auto size : script.finds) {
            take({journal::PointAdded{{.index = index,
                                       .key = {.operation = "bcast",
                                               .pattern = "all",
                                               .procs = 2,
                                               .size = {size},
                                               .progress = job.progress},
                                       .purpose = plan::purpose_refine}}});
            take(measured(index++));
        }
        if (script.end == FakeJob::End::done) {
            take({journal::JobEnd{}});
        } else if (!script.between_points) {
            take({journal::PointBegin{job.points.at(count).index}});
        }
        return all;
    }

    static launch::Outcome outcome(const FakeJob& script, const launch::Follower& follower) {
        using Kind = launch::Outcome::Kind;
        switch (script.end) {
            case FakeJob::End::dies:
                return {.kind = Kind::died, .reason = "rank 1 died", .open_point = follower.open_point()};
            case FakeJob::End::interrupted:
                return {
                    .kind = Kind::interrupted, .reason = "interrupted", .open_point = follower.open_point()};
            default:
                return {.kind = Kind::done, .remark = script.remark};
        }
    }

    std::deque<FakeJob> scripts_;
};

}  // namespace fathom::testing
