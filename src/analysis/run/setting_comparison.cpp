#include "analysis/run/setting_comparison.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "plan/varied_settings.hpp"
#include "stats/comparison/multiple_tests.hpp"
#include "stats/comparison/welch.hpp"
#include "stats/mean.hpp"

namespace fathom::analysis {
namespace {

/// Smaller differences are none, even if they are significant: as in comparisons of runs.
constexpr double negligible_difference = 0.01;
/// A larger one that is not significant is not said to be none.
constexpr double notable_difference = 0.05;

PointKey without_setting(PointKey key) {
    key.setting.clear();
    return key;
}

SettingResult setting_result(const plan::Combination& combination, const PointResult* point) {
    SettingResult result{.setting = combination.text,
                         .values = combination.values,
                         .value_ns = std::nullopt,
                         .launches_ns = {},
                         .quality = Quality::good};
    // Times of 0 have no ratio.
    if (point != nullptr && point->status == PointStatus::ok && point->value_ns &&
        point->value_ns->value > 0) {
        result.value_ns = point->value_ns;
        result.quality = point->quality;
        if (point->launches) {
            result.launches_ns = point->launches->values_ns;
        }
    }
    return result;
}

std::vector<double> logarithms(const std::vector<double>& values) {
    std::vector<double> found;
    for (const auto value : values) {
        found.push_back(std::log(value));
    }
    return found;
}

/// The p value of the first being faster, by the launches' times. 1 if it is not.
double p_of_faster(const SettingResult& first, const SettingResult& second) {
    const auto zero = [](double value) { return value <= 0; };
    if (std::any_of(first.launches_ns.begin(), first.launches_ns.end(), zero) ||
        std::any_of(second.launches_ns.begin(), second.launches_ns.end(), zero) ||
        std::min(first.launches_ns.size(), second.launches_ns.size()) < 2) {
        return 1;
    }
    const auto fast = logarithms(first.launches_ns);
    const auto slow = logarithms(second.launches_ns);
    return stats::mean(fast) < stats::mean(slow) ? stats::welch_p(fast, slow) : 1;
}

/// Finds the fastest, the next and the slowest of those that were measured.
void put_order(SettingComparison& comparison) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < comparison.settings.size(); ++i) {
        if (comparison.settings[i].value_ns) {
            order.push_back(i);
        }
    }
    if (order.size() < 2) {
        return;
    }
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return comparison.settings[a].value_ns->value < comparison.settings[b].value_ns->value;
    });
    comparison.fastest = order[0];
    comparison.next = order[1];
    comparison.slowest = order.back();
    const auto& fastest = comparison.settings[comparison.fastest];
    // The fastest is known only afterwards, so any two could have been compared.
    const auto count = static_cast<double>(order.size());
    const double pairs = count * (count - 1) / 2;
    const auto p_against = [&](std::size_t other) {
        return std::min(1.0, pairs * p_of_faster(fastest, comparison.settings[other]));
    };
    comparison.p_next = p_against(comparison.next);
    comparison.p_slowest = p_against(comparison.slowest);
    const bool launched = std::all_of(order.begin(), order.end(), [&](std::size_t i) {
        return comparison.settings[i].launches_ns.size() > 1;
    });
    comparison.verdict = launched ? SettingVerdict::alike : SettingVerdict::too_few_launches;
}

/// Corrects p values of all points for each other.
void correct_together(std::vector<SettingComparison>& comparisons, double SettingComparison::*p_value) {
    std::vector<double> all;
    for (const auto& comparison : comparisons) {
        all.push_back(comparison.*p_value);
    }
    const auto corrected = stats::holm(all);
    for (std::size_t i = 0; i < comparisons.size(); ++i) {
        comparisons[i].*p_value = corrected[i];
    }
}

void judge_settings(SettingComparison& comparison) {
    if (comparison.verdict != SettingVerdict::alike) {
        return;
    }
    const auto faster_than = [&](std::size_t other, double p_value) {
        const double ratio = comparison.settings[other].value_ns->value /
                             comparison.settings[comparison.fastest].value_ns->value;
        return p_value < stats::significance_level && ratio > 1 + negligible_difference;
    };
    const auto disturbed = [&](std::size_t setting) {
        return comparison.settings[setting].quality == Quality::disturbed;
    };
    if (disturbed(comparison.fastest) || disturbed(comparison.next) || disturbed(comparison.slowest)) {
        comparison.verdict = SettingVerdict::undecided;
        return;
    }
    if (faster_than(comparison.next, comparison.p_next)) {
        comparison.verdict = SettingVerdict::best;
    } else if (faster_than(comparison.slowest, comparison.p_slowest)) {
        comparison.verdict = SettingVerdict::shared;
    } else if (comparison.ratio() > 1 + notable_difference) {
        comparison.verdict = SettingVerdict::undecided;
    }
}

}  // namespace

std::vector<SettingComparison> compare_settings(const std::vector<PointResult>& points,
                                                const plan::Plan& plan) {
    const auto names = plan::varied_names(plan.vary, plan.thread_levels);
    const auto combinations = plan::combinations(plan.vary, plan.thread_levels);
    std::map<PointKey, const PointResult*> by_key;
    for (const auto& point : points) {
        by_key[point.key] = &point;
    }
    std::vector<SettingComparison> found;
    for (const auto& point : points) {
        const auto key = without_setting(point.key);
        const bool known = std::any_of(found.begin(), found.end(),
                                       [&](const auto& comparison) { return comparison.key == key; });
        if (point.key.setting.empty() || known) {
            continue;
        }
        SettingComparison comparison;
        comparison.key = key;
        comparison.names = names;
        for (const auto& combination : combinations) {
            auto its_key = key;
            its_key.setting = combination.text;
            const auto at = by_key.find(its_key);
            comparison.settings.push_back(
                setting_result(combination, at == by_key.end() ? nullptr : at->second));
        }
        put_order(comparison);
        found.push_back(std::move(comparison));
    }
    correct_together(found, &SettingComparison::p_next);
    correct_together(found, &SettingComparison::p_slowest);
    std::for_each(found.begin(), found.end(), judge_settings);
    return found;
}

}  // namespace fathom::analysis
