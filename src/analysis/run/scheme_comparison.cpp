#include "analysis/run/scheme_comparison.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <span>
#include <utility>

#include "analysis/point/launches.hpp"
#include "analysis/point/quality.hpp"
#include "analysis/run/run_result.hpp"
#include "analysis/samples/repetitions.hpp"
#include "plan/operations.hpp"
#include "plan/plan_toml.hpp"
#include "plan/schemes.hpp"
#include "stats/mean.hpp"
#include "stats/student.hpp"

namespace fathom::analysis {
namespace {

/// A step towards a scheme: the measurement that it ends at and what was changed in it.
struct SchemeStep {
    std::string_view scheme;
    SchemeChange change = SchemeChange::counts;
};

struct Path {
    std::string_view scheme;
    std::array<SchemeStep, 4> steps;  ///< those without a scheme do not count
};

constexpr SchemeStep barrier_start{"as-mpibench", SchemeChange::barrier_start};
constexpr SchemeStep slot_start{"as-nbcbench", SchemeChange::slot_start};
constexpr SchemeStep in_a_row{plan::in_a_row_scheme, SchemeChange::in_a_row};
constexpr SchemeStep rotation{"as-pmb", SchemeChange::root_rotation};
constexpr SchemeStep cold_data{"as-skampi", SchemeChange::cold_data};

constexpr auto paths = std::to_array<Path>({
    {"as-imb", {barrier_start, SchemeStep{"as-imb", SchemeChange::counts}, {}, {}}},
    {"as-pmb", {barrier_start, in_a_row, rotation, {}}},
    {"as-osu", {barrier_start, SchemeStep{"as-osu", SchemeChange::counts}, {}, {}}},
    {"as-mpptest", {barrier_start, in_a_row, rotation, {"as-mpptest", SchemeChange::shorter_loops}}},
    {"as-mpbench", {barrier_start, in_a_row, SchemeStep{"as-mpbench", SchemeChange::acknowledged}, {}}},
    {"as-skampi", {slot_start, cold_data, {}, {}}},
    {"as-skampi-barrier",
     {slot_start, cold_data, SchemeStep{"as-skampi-barrier", SchemeChange::barrier_to_end}, {}}},
    {"as-mpibench", {barrier_start, {}, {}, {}}},
    {"as-nbcbench", {slot_start, {}, {}, {}}},
});

constexpr SchemeStep first_two{plan::first_two_scheme, SchemeChange::pair};
constexpr SchemeStep slowest_pair{plan::slowest_pair_scheme, SchemeChange::pair};
constexpr SchemeStep half_apart{plan::half_apart_scheme, SchemeChange::pair};

constexpr auto paths_between_two = std::to_array<Path>({
    {"as-imb", {first_two, SchemeStep{"as-imb", SchemeChange::looped_messages}, {}, {}}},
    {"as-pmb", {first_two, SchemeStep{"as-pmb", SchemeChange::looped_messages}, {}, {}}},
    {"as-osu", {first_two, SchemeStep{"as-osu", SchemeChange::counts}, {}, {}}},
    {"as-mpptest", {first_two, SchemeStep{"as-mpptest", SchemeChange::looped_messages}, {}, {}}},
    {"as-mpbench", {SchemeStep{"as-mpbench", SchemeChange::looped_messages}, {}, {}, {}}},
    {"as-skampi", {slowest_pair, cold_data, {}, {}}},
    {"as-skampi-barrier", {slowest_pair, {"as-skampi-barrier", SchemeChange::cold_data}, {}, {}}},
    {"as-mpibench", {half_apart, SchemeStep{"as-mpibench", SchemeChange::counts}, {}, {}}},
    {"as-nbcbench", {first_two, SchemeStep{"as-nbcbench", SchemeChange::counts}, {}, {}}},
});

/// By scheme, in every launch.
using Rows = std::map<std::string, std::vector<store::PointRow>, std::less<>>;

/// How far a number that is made of these values may be off, from what it is in parts of them one after the
/// other: half of Student's 95 % interval. It makes no assumption on how values are distributed or correlated
/// within a part, so it holds for means of which a few outliers decide.
template <typename Number>
double unsure_by_parts(std::size_t values, const Number& number_of) {
    constexpr std::size_t most_parts = 20;
    const auto parts = std::min(most_parts, values / 2);
    if (parts < 2) {
        return 0;
    }
    std::vector<double> numbers;
    for (std::size_t part = 0; part < parts; ++part) {
        const auto begin = part * values / parts;
        numbers.push_back(number_of(begin, (part + 1) * values / parts - begin));
    }
    const auto count = static_cast<double>(parts);
    return stats::student_factor(count - 1) * std::sqrt(stats::variance(numbers) / count);
}

/// A number of one measurement.
struct Measured {
    PointResult result;
    std::vector<double> times;  ///< of its repetitions
    stats::Reduction over_reps = stats::Reduction::parse("median");

    [[nodiscard]] double value() const { return result.value_ns->value; }
    /// Of one that was, the difference to another may be preemption. Imprecision is in unsure().
    [[nodiscard]] bool disturbed() const { return result.quality == Quality::disturbed; }
    [[nodiscard]] double part(std::size_t begin, std::size_t count) const {
        return over_reps.reduce(std::span(times).subspan(begin, count))->value;
    }
    /// Half of its 95 % interval, on the wider side: outliers make that of a mean lopsided.
    [[nodiscard]] double unsure() const {
        if (const auto& ci95 = result.value_ns->ci95) {
            return std::max(ci95->high - value(), value() - ci95->low);
        }
        return unsure_by_parts(times.size(),
                               [&](std::size_t begin, std::size_t count) { return part(begin, count); });
    }
};

/// The numbers of one point by any scheme's measurement and any view.
class Numbers {
  public:
    Numbers(const store::Store& store, const Rows& rows, const plan::Plan& plan, bool simulated)
        : store_(store), rows_(rows), plan_(plan), simulated_(simulated) {}

    [[nodiscard]] std::optional<Measured> of(std::string_view scheme, const View& view) const {
        const auto found = rows_.find(scheme);
        if (found == rows_.end()) {
            return std::nullopt;
        }
        Measured measured;
        measured.over_reps = view.over_reps.value();
        std::vector<LaunchResult> launches;
        for (const auto& row : found->second) {
            if (row.status != PointStatus::ok) {
                continue;
            }
            const auto clock = global_time_of(store_, row);
            const auto all = whole(view, row, plan::settings_of(plan_, row.key));
            launches.push_back(evaluate(store_, row, clock, all, repetitions_of(store_, row, clock, all)));
        }
        if (launches.empty()) {
            return std::nullopt;
        }
        auto whole = whole_point(std::move(launches));
        measured.result = std::move(whole.result);
        measured.result.quality = quality_of(measured.result, simulated_);
        for (const auto& launch : whole.counted) {
            measured.times.insert(measured.times.end(), launch.times.begin(), launch.times.end());
        }
        return measured.result.value_ns ? std::optional(std::move(measured)) : std::nullopt;
    }

  private:
    const store::Store& store_;
    const Rows& rows_;
    const plan::Plan& plan_;
    bool simulated_;
};

/// Walks from one number to the next and keeps what each step changed.
class Walk {
  public:
    explicit Walk(Measured own)
        : places_{{own.value(), own.unsure(), 0}}, disturbed_(own.disturbed()), at_(std::move(own)) {}

    /// To another measurement.
    void step(SchemeChange change, Measured next) {
        const double unsure = std::hypot(at_.unsure(), next.unsure());
        add(change, unsure, places_.back().measurement + 1, std::move(next));
    }
    /// To the same samples, reduced in another way.
    void look(SchemeChange change, Measured next) {
        const auto both = std::min(at_.times.size(), next.times.size());
        const auto unsure = unsure_by_parts(both, [&](std::size_t begin, std::size_t count) {
            return next.part(begin, count) - at_.part(begin, count);
        });
        add(change, unsure, places_.back().measurement, std::move(next));
    }

    /// Puts the effects into a result, tells those that matter from the rest.
    void conclude(SchemeResult& result, double own_ns) const {
        constexpr double least_share = 0.02;
        double squares = 0;
        std::size_t rest_begins = 0;  // the first place of effects that are not named
        const auto end_rest = [&](std::size_t ends) {
            if (ends > rest_begins) {
                result.remainder_ns += places_[ends].value - places_[rest_begins].value;
                squares += squared_unsure(rest_begins, ends);
            }
        };
        for (std::size_t i = 0; i < effects_.size(); ++i) {
            const auto& effect = effects_[i];
            if (effect.change_ns != 0) {
                result.effects.push_back(effect);
            }
            if (!disturbed_ && effect.seen() && std::abs(effect.change_ns) >= least_share * own_ns) {
                result.reasons.push_back(effect);
                end_rest(i);
                rest_begins = i + 1;
            }
        }
        end_rest(effects_.size());
        result.disturbed = disturbed_;
        result.remainder_unsure_ns = std::sqrt(squares);
        std::stable_sort(result.reasons.begin(), result.reasons.end(), [](const auto& a, const auto& b) {
            return std::abs(a.change_ns) > std::abs(b.change_ns);
        });
    }

  private:
    struct Place {
        double value;
        double unsure;
        int measurement;
    };

    void add(SchemeChange change, double unsure, int measurement, Measured next) {
        effects_.push_back({.change = change, .change_ns = next.value() - at_.value(), .unsure_ns = unsure});
        places_.push_back({next.value(), next.unsure(), measurement});
        disturbed_ = disturbed_ || next.disturbed();
        at_ = std::move(next);
    }

    /// Of the difference between two places: what lies between them cancels out.
    [[nodiscard]] double squared_unsure(std::size_t from, std::size_t to) const {
        const auto& a = places_[from];
        const auto& b = places_[to];
        if (a.measurement != b.measurement) {
            return a.unsure * a.unsure + b.unsure * b.unsure;
        }
        double squares = 0;
        for (std::size_t i = from; i < to; ++i) {
            squares += effects_[i].unsure_ns * effects_[i].unsure_ns;
        }
        return squares;
    }

    std::vector<Place> places_;
    std::vector<SchemeEffect> effects_;
    bool disturbed_;
    Measured at_;
};

/// As the table of points shows it.
View own_view(const plan::Plan& plan) {
    return {.over_ranks = std::nullopt,
            .over_reps = stats::Reduction::parse(plan.over_reps),
            .ranks = {},
            .round_trip = plan.round_trip};
}

std::string pair_in(const PointResult& result, const plan::OperationInfo& operation) {
    return operation.of_two() && !result.pairs.empty() ? result.pairs.front() : std::string();
}

std::optional<SchemeResult> result_of(const Path& path, const Numbers& numbers, const plan::Plan& plan,
                                      const plan::OperationInfo& operation, PointKey key) {
    key.scheme = path.scheme;
    const auto settings = plan::settings_of(plan, key);
    auto view = own_view(plan);
    auto own = numbers.of(plan::own_scheme, view);
    view.over_reps = stats::Reduction::parse(settings.over_reps);
    auto averaged = numbers.of(plan::own_scheme, view);
    view.over_ranks = settings.over_ranks;
    auto over_ranks = numbers.of(plan::own_scheme, view);
    const auto halved = numbers.of(path.scheme, view);
    auto reported_view = view;
    reported_view.round_trip = settings.round_trip;
    auto reported = numbers.of(path.scheme, reported_view);
    if (!own || !averaged || !over_ranks || !halved || !reported) {
        return std::nullopt;
    }
    const double own_ns = own->value();
    SchemeResult result{.scheme = std::string(path.scheme),
                        .over_ranks = settings.over_ranks,
                        .over_reps = settings.over_reps,
                        .pair = pair_in(reported->result, operation),
                        .value_ns = *reported->result.value_ns,
                        .quality = reported->result.quality,
                        .start_skew_median_ns = reported->result.start_skew_median_ns};
    Walk walk(std::move(*own));
    walk.look(SchemeChange::over_reps, std::move(*averaged));
    walk.look(SchemeChange::over_ranks, std::move(*over_ranks));
    for (const auto& step : path.steps) {
        if (step.scheme.empty()) {
            continue;
        }
        auto next = numbers.of(step.scheme, view);
        if (!next) {
            return std::nullopt;
        }
        walk.step(step.change, std::move(*next));
    }
    walk.look(SchemeChange::whole_round_trip, std::move(*reported));
    walk.conclude(result, own_ns);
    return result;
}

PointKey of_no_scheme(PointKey key) {
    key.scheme.clear();
    return key;
}

/// What is compared with each other: schemes take pairs of their own.
PointKey of_any_pair(PointKey key) {
    key.pattern.clear();
    return of_no_scheme(std::move(key));
}

}  // namespace

std::vector<SchemeComparison> compare_schemes(const store::Store& store, const store::RunRow& run) {
    plan::Plan plan;
    plan::read_stored_plan(plan, run.plan_toml, run.id);
    std::map<PointKey, Rows> points;
    for (const auto& row : store.points(run.id)) {
        if (!row.key.scheme.empty()) {
            points[of_any_pair(row.key)][row.key.scheme].push_back(row);
        }
    }
    std::vector<SchemeComparison> found;
    for (const auto& [key, rows] : points) {
        const auto* const operation = plan::known_operation(key.operation);
        const Numbers numbers(store, rows, plan, run.simulated);
        const auto own = operation == nullptr ? std::nullopt : numbers.of(plan::own_scheme, own_view(plan));
        if (!own) {
            continue;
        }
        SchemeComparison comparison{.key = of_no_scheme(own->result.key),
                                    .pair = pair_in(own->result, *operation),
                                    .own_ns = *own->result.value_ns,
                                    .own_quality = own->result.quality,
                                    .own_over_ranks = own->result.over_ranks.value(),
                                    .own_over_reps = own->result.over_reps,
                                    .own_skew_median_ns = own->result.start_skew_median_ns,
                                    .schemes = {}};
        for (const auto& path : operation->of_two() ? paths_between_two : paths) {
            if (auto result = result_of(path, numbers, plan, *operation, comparison.key)) {
                comparison.schemes.push_back(std::move(*result));
            }
        }
        found.push_back(std::move(comparison));
    }
    return found;
}

std::vector<SchemeComparison> compare_schemes(const store::Store& store, const RunResult& result) {
    auto found = compare_schemes(store, result.run);
    std::erase_if(found, [&](const auto& comparison) {
        return std::none_of(result.points.begin(), result.points.end(),
                            [&](const auto& point) { return of_no_scheme(point.key) == comparison.key; });
    });
    return found;
}

}  // namespace fathom::analysis
