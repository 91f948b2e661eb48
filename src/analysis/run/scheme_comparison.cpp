#include "analysis/run/scheme_comparison.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/run/run_result.hpp"
#include "plan/plan_toml.hpp"
#include "plan/schemes.hpp"

namespace fathom::analysis {
namespace {

/// A step towards a scheme: the measurement that it ends at and what was changed in it.
struct SchemeStep {
    std::string_view scheme;
    std::string_view effect;
};

struct Path {
    std::string_view scheme;
    std::array<SchemeStep, 4> steps;  ///< those without a scheme do not count
};

constexpr SchemeStep barrier_start{"as-mpibench", "skew of MPI_Barrier's exit"};
constexpr SchemeStep slot_start{"as-nbcbench", "start in slots"};
constexpr SchemeStep in_a_row{plan::in_a_row_scheme, "pipelining"};
constexpr SchemeStep rotation{"as-imb", "root rotation"};

constexpr auto paths = std::to_array<Path>({
    {"as-imb", {barrier_start, in_a_row, rotation, {}}},
    {"as-osu", {barrier_start, SchemeStep{"as-osu", "long warm-up"}, {}, {}}},
    {"as-mpptest", {barrier_start, in_a_row, rotation, SchemeStep{"as-mpptest", "shorter loops"}}},
    {"as-mpbench",
     {barrier_start, in_a_row, SchemeStep{"as-mpbench", "no synchronisation before the loop"}, {}}},
    {"as-skampi", {slot_start, SchemeStep{"as-skampi", "data out of cache"}, {}, {}}},
    {"as-mpibench", {barrier_start, {}, {}, {}}},
    {"as-nbcbench", {slot_start, {}, {}, {}}},
});

using Rows = std::map<std::string, store::PointRow, std::less<>>;

double half_width(const stats::Reduced& value) {
    return value.ci95 ? (value.ci95->high - value.ci95->low) / 2 : 0;
}

/// The numbers of one point by any scheme's measurement and any view.
class Numbers {
  public:
    Numbers(const store::Store& store, const Rows& rows) : store_(store), rows_(rows) {}

    std::optional<PointResult> of(std::string_view scheme, plan::OverRanks over_ranks,
                                  const std::string& over_reps) const {
        const auto row = rows_.find(scheme);
        if (row == rows_.end() || row->second.status != PointStatus::ok) {
            return std::nullopt;
        }
        auto result = evaluate(
            store_, row->second,
            View{.over_ranks = over_ranks, .over_reps = stats::Reduction::parse(over_reps), .ranks = {}});
        return result.value_ns ? std::optional(std::move(result)) : std::nullopt;
    }

  private:
    const store::Store& store_;
    const Rows& rows_;
};

/// Walks from one number to the next and keeps what each step changed.
class Walk {
  public:
    explicit Walk(const stats::Reduced& own) : at_(own) {}

    void step(std::string name, const stats::Reduced& next) {
        if (next.value != at_.value) {
            effects_.push_back({.name = std::move(name),
                                .change_ns = next.value - at_.value,
                                .unsure_ns = std::hypot(half_width(at_), half_width(next))});
        }
        at_ = next;
    }
    /// A step that looks at the same samples in another way is exact.
    void look(std::string name, const stats::Reduced& next) {
        const auto before = effects_.size();
        step(std::move(name), next);
        if (effects_.size() > before) {
            effects_.back().unsure_ns = 0;
        }
    }
    [[nodiscard]] std::vector<SchemeEffect> effects() && { return std::move(effects_); }

  private:
    stats::Reduced at_;
    std::vector<SchemeEffect> effects_;
};

constexpr auto own_ranks = plan::OverRanks::max;
constexpr const char* own_reps = "median";

std::optional<SchemeResult> result_of(const Path& path, const Numbers& numbers, const plan::Plan& plan) {
    const auto settings = plan::settings_of(plan, {.scheme = std::string(path.scheme)});
    const auto ranks = settings.over_ranks;
    const auto& reps = settings.over_reps;
    const auto own = numbers.of(plan::own_scheme, own_ranks, own_reps);
    const auto averaged = numbers.of(plan::own_scheme, own_ranks, reps);
    const auto over_ranks = numbers.of(plan::own_scheme, ranks, reps);
    const auto reported = numbers.of(path.scheme, ranks, reps);
    if (!own || !averaged || !over_ranks || !reported) {
        return std::nullopt;
    }
    Walk walk(*own->value_ns);
    walk.look(fmt::format("{} of repetitions", reps), *averaged->value_ns);
    walk.look(ranks == plan::OverRanks::root ? "rank 0 only" : fmt::format("{} of ranks", to_text(ranks)),
              *over_ranks->value_ns);
    for (const auto& step : path.steps) {
        if (step.scheme.empty()) {
            continue;
        }
        const auto next = numbers.of(step.scheme, ranks, reps);
        if (!next) {
            return std::nullopt;
        }
        walk.step(std::string(step.effect), *next->value_ns);
    }
    return SchemeResult{.scheme = std::string(path.scheme),
                        .value_ns = *reported->value_ns,
                        .start_skew_median_ns = reported->start_skew_median_ns,
                        .effects = std::move(walk).effects()};
}

PointKey of_no_scheme(PointKey key) {
    key.scheme.clear();
    return key;
}

}  // namespace

std::vector<SchemeComparison> compare_schemes(const store::Store& store, const store::RunRow& run) {
    plan::Plan plan;
    plan::read_plan(plan, run.plan_toml, fmt::format("plan of run {}", run.id));
    std::map<PointKey, Rows> points;
    for (const auto& row : store.points(run.id)) {
        if (!row.key.scheme.empty() && row.launch == 0) {
            points[of_no_scheme(row.key)].emplace(row.key.scheme, row);
        }
    }
    std::vector<SchemeComparison> found;
    for (const auto& [key, rows] : points) {
        const Numbers numbers(store, rows);
        const auto own = numbers.of(plan::own_scheme, own_ranks, own_reps);
        if (!own) {
            continue;
        }
        SchemeComparison comparison{.key = key,
                                    .own_ns = *own->value_ns,
                                    .own_skew_median_ns = own->start_skew_median_ns,
                                    .schemes = {}};
        for (const auto& path : paths) {
            if (auto result = result_of(path, numbers, plan)) {
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

std::string effects_text(const SchemeResult& result, double own_ns) {
    constexpr double least_share = 0.02;
    auto effects = result.effects;
    std::erase_if(effects, [&](const auto& effect) {
        return !effect.seen() || std::abs(effect.change_ns) < least_share * own_ns;
    });
    std::sort(effects.begin(), effects.end(),
              [](const auto& a, const auto& b) { return std::abs(a.change_ns) > std::abs(b.change_ns); });
    std::vector<std::string> parts;
    for (const auto& effect : effects) {
        parts.push_back(fmt::format("{} {}{}", effect.name, effect.change_ns < 0 ? "-" : "+",
                                    time_text(std::abs(effect.change_ns))));
    }
    return parts.empty() ? "nothing beyond noise" : fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace fathom::analysis
