#include "analysis/run/run_result.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "analysis/point/launches.hpp"
#include "analysis/point/quality.hpp"
#include "analysis/samples/disturbance.hpp"
#include "base/error.hpp"
#include "clock/link.hpp"
#include "plan/operations.hpp"
#include "plan/plan_toml.hpp"
#include "plan/schemes.hpp"

namespace fathom::analysis {
namespace {

/// Points found on the way stand where they belong: by size within the curve they refine.
void sort_by_plan(std::vector<PointResult>& points) {
    std::map<std::pair<std::string, std::string>, std::size_t> firsts;
    for (const auto& point : points) {
        firsts.try_emplace({point.key.operation, point.key.pattern}, firsts.size());
    }
    std::stable_sort(points.begin(), points.end(), [&](const auto& a, const auto& b) {
        const auto place = [&](const PointKey& key) {
            return std::tuple(firsts.at({key.operation, key.pattern}), key.procs, key.size);
        };
        return place(a.key) < place(b.key);
    });
}

/// Whether any two points differ in nothing but their size.
bool has_a_curve(const std::vector<PointResult>& points) {
    std::map<PointKey, Bytes> sizes;
    return std::any_of(points.begin(), points.end(), [&](const auto& point) {
        const auto [first, is_new] = sizes.try_emplace(of_size(point.key, {}), point.key.size);
        return !is_new && first->second != point.key.size;
    });
}

/// The starts of each point, in the order of the first one.
std::vector<std::vector<store::PointRow>> by_point(const std::vector<store::PointRow>& points) {
    std::vector<std::vector<store::PointRow>> launches;
    std::map<PointKey, std::size_t> places;
    for (const auto& point : points) {
        const auto [place, is_new] = places.try_emplace(point.key, launches.size());
        if (is_new) {
            launches.emplace_back();
        }
        launches[place->second].push_back(point);
    }
    return launches;
}

/// The times of all launches, one after the other.
std::vector<double> times_in(const std::vector<LaunchTimes>& launches) {
    std::vector<double> all;
    for (const auto& launch : launches) {
        all.insert(all.end(), launch.times.begin(), launch.times.end());
    }
    return all;
}

/// A point whose rows cannot be trusted, with what is wrong with them.
PointResult damaged_point(const store::PointRow& point, const std::string& damage) {
    auto result = described(point);
    result.status = PointStatus::unavailable;
    result.no_times.reset();
    result.reason = damage;
    return result;
}

/// Evaluates the points of one run.
class Evaluation {
  public:
    Evaluation(const store::Store& store, const store::RunRow& run, const View& view, const Wanted& wanted,
               const plan::Plan& plan)
        : store_(store), run_(run.id), view_(view), wanted_(wanted), plan_(plan) {
        for (const auto& rank : store.ranks(run.id)) {
            hosts_[rank.rank] = rank.host;
        }
        const bool one_host = std::all_of(hosts_.begin(), hosts_.end(), [&](const auto& rank) {
            return rank.second == hosts_.begin()->second;
        });
        over_tcp_ = !run.simulated && !one_host;
    }

    PointResult operator()(const std::vector<store::PointRow>& launches) {
        std::vector<LaunchResult> results;
        std::vector<const store::PointRow*> rows;
        Repetitions all;
        Evidence evidence;
        std::vector<Stretch> disturbed;
        for (const auto& point : launches) {
            // A launch that was interrupted before it came to this point says nothing about it, where others
            // do.
            const bool last_hope = results.empty() && &point == &launches.back();
            if (point.launch > 0 && point.status == PointStatus::pending && point.reason.empty() &&
                !last_hope) {
                continue;
            }
            const auto start = static_cast<int>(results.size());
            auto launch = readable(point, start);
            results.push_back(std::move(launch.result));
            rows.push_back(&point);
            if (wanted_.samples()) {
                add(evidence, std::move(launch.evidence));
                disturbed.insert(disturbed.end(), launch.disturbed.begin(), launch.disturbed.end());
                add(all, std::move(launch.repetitions), start);
            }
        }
        auto whole = whole_point(std::move(results));
        if (plan::find_operation(whole.result.key.operation).kind == plan::Kind::matrix) {
            put_matrix(rows, whole);
        }
        auto& result = whole.result;
        evidence.hosts = hosts_;
        if (wanted_.analyses) {
            const bool each = result.over_ranks == plan::OverRanks::each;
            result.analyses = analyse(all, evidence, over_tcp_, each);
            if (result.set_aside > 0) {
                result.analyses.counted =
                    analyse_counted(each ? std::vector<double>() : times_in(whole.counted));
            }
        }
        if (wanted_.visit) {
            wanted_.visit({.point = result,
                           .repetitions = all,
                           .evidence = evidence,
                           .disturbed = std::move(disturbed),
                           .counted = std::move(whole.counted)});
        }
        return std::move(whole.result);
    }

    /// The matrices of the run, by their keys, those of several launches as one each.
    [[nodiscard]] std::vector<MatrixResult> matrices(const std::vector<PointResult>& points) const {
        std::vector<MatrixResult> found;
        for (const auto& [key, launches] : matrices_) {
            found.push_back(matrix_of(store_, run_, launches, view_.ranks));
            found.back().disturbed =
                std::any_of(points.begin(), points.end(), [own = key](const PointResult& point) {
                    return point.key == own && point.quality == Quality::disturbed;
                });
        }
        return found;
    }

    /// Points, by id, whose samples could not be read.
    [[nodiscard]] const std::set<std::int64_t>& damaged() const { return damaged_; }

  private:
    /// One launch of a point with what was measured in it.
    struct Launch {
        LaunchResult result;
        Repetitions repetitions = {};
        Evidence evidence = {};
        std::vector<Stretch> disturbed = {};
    };

    Launch read(const store::PointRow& point, int start) {
        const auto& clock = clock_of(point);
        const auto settings = plan::settings_of(plan_, point.key);
        const auto view = whole(view_, point, settings);
        Launch launch;
        launch.repetitions = repetitions_of(store_, point, clock, view, wanted_.samples());
        launch.result = evaluate(store_, point, clock, view, launch.repetitions);
        if (wanted_.samples()) {
            launch.evidence = evidence_of(store_, point, clock, start);
            for (const auto& time : disturbed_times(store_.disturbances(point.id), clock)) {
                launch.disturbed.push_back({.start = start, .begin = time.begin, .end = time.end});
            }
        }
        return launch;
    }

    /// The same; without times if what is stored of it is damaged.
    Launch readable(const store::PointRow& point, int start) {
        try {
            return read(point, start);
        } catch (const BadInput& error) {
            return without_times(point, error);
        } catch (const clock::TooFarApart& error) {
            return without_times(point, error);
        }
    }

    Launch without_times(const store::PointRow& point, const Error& error) {
        damaged_.insert(point.id);
        store_.note_damage(error.what());
        return {.result = {.result = damaged_point(point, error.what())}};
    }

    const GlobalTime& clock_of(const store::PointRow& point) {
        const auto known = clocks_.find(point.job);
        return known != clocks_.end()
                   ? known->second
                   : clocks_.emplace(point.job, global_time_of(store_, point)).first->second;
    }

    /// What its value is made of; all that was measured where the view leaves no launch a value.
    void put_matrix(const std::vector<const store::PointRow*>& rows, const WholePoint& whole) {
        std::vector<MatrixLaunch> launches;
        for (std::size_t i = 0; i < whole.places.size(); ++i) {
            launches.push_back({.point = *rows[whole.places[i]], .left_out = whole.counted[i].left_out});
        }
        if (launches.empty()) {
            for (const auto* row : rows) {
                if (row->status == PointStatus::ok && !damaged_.contains(row->id)) {
                    launches.push_back({.point = *row});
                }
            }
        }
        if (!launches.empty()) {
            matrices_[whole.result.key] = std::move(launches);
        }
    }

    const store::Store& store_;
    std::int64_t run_;
    const View& view_;
    const Wanted& wanted_;
    const plan::Plan& plan_;
    std::map<int, std::string> hosts_;
    bool over_tcp_ = false;
    std::map<std::optional<std::int64_t>, GlobalTime> clocks_;
    std::set<std::int64_t> damaged_;
    std::map<PointKey, std::vector<MatrixLaunch>> matrices_;
};

/// How a run was to be looked at. A newer fathom may have settings that this one cannot read; what was
/// measured can be told nevertheless.
void put_plan(RunResult& result) {
    try {
        plan::read_stored_plan(result.plan, result.run.plan_toml, result.run.id);
    } catch (const BadInput& error) {
        result.plan_error = error.what();
        result.plan = {};
    }
}

/// Takes out points of operations that this fathom does not have and those whose rows are damaged; they are
/// shown without their times.
std::vector<PointResult> take_unusable(const store::Store& store, std::vector<store::PointRow>& points) {
    std::vector<PointResult> unusable;
    std::erase_if(points, [&](const auto& point) {
        const bool known = plan::known_operation(point.key.operation) != nullptr;
        if (!point.damage.empty()) {
            store.note_damage(point.damage);
            unusable.push_back(damaged_point(point, point.damage));
        } else if (!known) {
            unusable.push_back(described(point));
            unusable.back().status = PointStatus::unavailable;
            unusable.back().reason.clear();
            unusable.back().no_times = NoTimes::unknown_operation;
        }
        if (!known || !point.damage.empty()) {
            unusable.back().launch_counts = {.used = 0, .failed = 1};
        }
        return !known || !point.damage.empty();
    });
    return unusable;
}

/// What the last job says about clocks, and the one that checked them; nothing where that is damaged.
void put_clock(const store::Store& store, RunResult& result) {
    try {
        if (const auto job = store.last_job(result.run.id)) {
            result.clock = clock_summary(store.clock_syncs(job->id));
        }
        if (const auto checked = store.job_that_checked_its_clock(result.run.id)) {
            result.clock_check = study_check(store.clock_events(*checked), store.clock_syncs(*checked));
        }
    } catch (const BadInput& error) {
        store.note_damage(error.what());
    } catch (const clock::TooFarApart& error) {
        store.note_damage(error.what());
    }
}

}  // namespace

RunResult evaluate(const store::Store& store, const store::RunRow& run, const View& view,
                   const Wanted& wanted) {
    RunResult result;
    result.run = run;
    result.warnings = store.warnings(run.id);
    if (!view.ranks.all() && view.ranks.largest() >= run.procs) {
        throw BadInput(fmt::format("run {} has ranks 0 to {}; --ranks says {}.", run.id, run.procs - 1,
                                   view.ranks.text()));
    }
    put_plan(result);
    const auto& plan = result.plan;
    auto points = store.points(run.id);
    if (wanted.select) {
        std::erase_if(points, [&](const auto& point) { return !wanted.select(point.key); });
        if (points.empty()) {
            throw BadInput(
                fmt::format("run {} has no such point; 'fathom show {}' shows all.", run.id, run.id));
        }
    }
    const auto unusable = take_unusable(store, points);
    Evaluation evaluation(store, run, view, wanted, plan);
    for (const auto& launches : by_point(points)) {
        result.points.push_back(evaluation(launches));
        auto& point = result.points.back();
        point.quality = quality_of(point, run.simulated);
        const auto missed = interval_beyond_goal(point, plan);
        if (point.launches && point.sound && missed && missed_its_goal(point, plan)) {
            point.warnings.push_back({*missed});
        }
    }
    std::erase_if(points, [&](const auto& point) { return evaluation.damaged().contains(point.id); });
    sort_by_plan(result.points);
    result.matrices = evaluation.matrices(result.points);
    result.slow_components = slow_components_of(result.matrices);
    compare_progress(result.points);
    result.boundaries = protocol_boundaries(result.points);
    if (!wanted.select) {
        result.loggp = loggp_of(result.points);
    }
    result.settings = compare_settings(result.points, plan);
    result.schemes_compared = plan.compare_schemes;
    std::vector<SwitchSearch> searches;
    if (plan.locate_switches && has_a_curve(result.points)) {
        result.switches_sought = true;
        searches = switch_searches(result.points, run.simulated);
        result.switches = switches_of(searches);
        result.switches_left_out = std::erase_if(
            result.switches, [&](const auto& at) { return !stands(at, result.points, run.simulated); });
    }
    if (!wanted.select) {
        result.cut_searches = cut_searches(result.points, plan, searches, run.simulated);
    }
    put_clock(store, result);
    if (plan.judge && !wanted.select) {
        result.verdict = judge(result);
    }
    result.scaling =
        scaling_of(result.points, run.simulated, plan.operation.distribution == plan::Distribution::equal);
    result.insights = insights_of(result);
    // Last: what differs between runs is common to the points of this one, whose relations it leaves alone.
    if (wanted.other_runs) {
        result.between_runs = between_runs_of(store, run, plan);
        for (auto& point : result.points) {
            include_other_runs(point, result.between_runs.of(point.key));
        }
    }
    result.points.insert(result.points.end(), unusable.begin(), unusable.end());
    return result;
}

}  // namespace fathom::analysis
