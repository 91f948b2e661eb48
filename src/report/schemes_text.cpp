#include "report/schemes_text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include <fmt/format.h>

#include "journal/json.hpp"
#include "plan/operations.hpp"
#include "plan/schemes.hpp"
#include "report/json_values.hpp"
#include "report/point_key.hpp"
#include "report/table.hpp"

namespace fathom::report {
namespace {

using analysis::SchemeChange;
using nlohmann::ordered_json;

/// Times of one table in one unit with as many decimals each: what is printed then adds up to the last digit.
class CommonUnit {
  public:
    /// Four digits of the largest of these.
    explicit CommonUnit(double largest_ns) {
        constexpr std::array<std::pair<const char*, double>, 4> units{
            {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}}};
        for (const auto& [name, ns] : units) {
            if (ns == 1 || largest_ns >= ns) {
                name_ = name;
                unit_ns_ = ns;
            }
        }
        constexpr int digits = 4;
        const double in_units = largest_ns / unit_ns_;
        const int before_point = in_units >= 1 ? static_cast<int>(std::log10(in_units)) + 1 : 1;
        decimals_ = std::max(0, digits - before_point);
        step_ns_ = unit_ns_ / std::pow(10, decimals_);
    }

    /// In steps of the last digit.
    [[nodiscard]] std::int64_t steps(double ns) const { return std::llround(ns / step_ns_); }
    [[nodiscard]] std::string text(std::int64_t steps) const { return number(steps, ""); }
    [[nodiscard]] std::string change(std::int64_t steps) const { return number(steps, "+"); }

  private:
    [[nodiscard]] std::string number(std::int64_t steps, const char* plus) const {
        const double value = static_cast<double>(std::abs(steps)) * step_ns_ / unit_ns_;
        return fmt::format("{}{:.{}f} {}", steps < 0 ? "-" : plus, value, decimals_, name_);
    }

    const char* name_ = "ns";
    double unit_ns_ = 1;
    int decimals_ = 0;
    double step_ns_ = 1;
};

/// `pipelining`
std::string effect_name(SchemeChange change, const analysis::SchemeResult& result) {
    switch (change) {
        case SchemeChange::over_reps:
            return fmt::format("{} of repetitions", result.over_reps);
        case SchemeChange::over_ranks:
            return result.over_ranks == plan::OverRanks::root
                       ? "rank 0 only"
                       : fmt::format("{} of ranks", to_text(result.over_ranks));
        case SchemeChange::whole_round_trip:
            return "whole round trip";
        case SchemeChange::pair:
            return "another pair";
        case SchemeChange::barrier_start:
            return "skew of MPI_Barrier's exit";
        case SchemeChange::slot_start:
            return "start in slots";
        case SchemeChange::in_a_row:
            return "pipelining";
        case SchemeChange::root_rotation:
            return "root rotation";
        case SchemeChange::counts:
            return "other warm-up and number of calls";
        case SchemeChange::shorter_loops:
            return "shorter loops";
        case SchemeChange::acknowledged:
            return "acknowledgement by all ranks";
        case SchemeChange::cold_data:
            return "data out of cache";
        case SchemeChange::barrier_to_end:
            return "MPI_Barrier before and after, its time subtracted";
        case SchemeChange::looped_messages:
            return "messages in a row";
    }
    return {};
}

std::string reason_text(SchemeChange change, const analysis::SchemeResult& result,
                        const analysis::SchemeComparison& comparison) {
    return change == SchemeChange::pair ? fmt::format("ranks {} instead of {}", result.pair, comparison.pair)
                                        : effect_name(change, result);
}

/// The columns from `because of` on: reasons, then what is left of the difference, line by line.
std::vector<std::vector<std::string>> reason_rows(const analysis::SchemeResult& result,
                                                  const analysis::SchemeComparison& comparison,
                                                  const CommonUnit& unit, std::int64_t difference) {
    const auto unsure = [&](double ns) { return "+/- " + unit.text(unit.steps(ns)); };
    std::vector<std::vector<std::string>> rows;
    for (const auto& reason : result.reasons) {
        const auto steps = unit.steps(reason.change_ns);
        difference -= steps;
        rows.push_back(
            {reason_text(reason.change, result, comparison), unit.change(steps), unsure(reason.unsure_ns)});
    }
    const auto* rest = result.disturbed ? "unknown: ranks were preempted"
                       : rows.empty()   ? "nothing beyond noise"
                                        : "remainder";
    rows.push_back({rest, unit.change(difference), unsure(result.remainder_unsure_ns)});
    return rows;
}

std::string own_text(const analysis::SchemeComparison& comparison) {
    const auto& reps = comparison.own_over_reps;
    if (!comparison.pair.empty()) {
        return fmt::format("({} of single calls between ranks {})", reps, comparison.pair);
    }
    const auto ranks = comparison.own_over_ranks == plan::OverRanks::max
                           ? std::string("slowest rank")
                           : fmt::format("{} of ranks", to_text(comparison.own_over_ranks));
    return plan::find_operation(comparison.key.operation).kind == plan::Kind::collective
               ? fmt::format("({}, {} of single calls started together)", ranks, reps)
               : fmt::format("({} of single calls)", reps);
}

}  // namespace

std::string schemes_text(const std::vector<analysis::SchemeComparison>& comparisons,
                         const Terminal& terminal) {
    using Align = Table::Align;
    std::string text;
    for (const auto& comparison : comparisons) {
        text += "\n" + to_text(comparison.key) + "\n";
        Table table({{"scheme", Align::left},
                     {"reports", Align::right},
                     {"of fathom's", Align::right},
                     {"difference", Align::right},
                     {"skew", Align::right},
                     {"because of", Align::left},
                     {"adds", Align::right},
                     {"95 % in run", Align::right}});
        const auto skew = [](const std::optional<double>& value) {
            return value ? time_text(*value) : std::string("-");
        };
        const CommonUnit unit(comparison.own_ns.value);
        const auto own = unit.steps(comparison.own_ns.value);
        table.add({std::string(plan::own_scheme), marked(unit.text(own), comparison.own_quality), "1.00", "",
                   skew(comparison.own_skew_median_ns)},
                  own_text(comparison));
        for (const auto& scheme : comparison.schemes) {
            const auto value = unit.steps(scheme.value_ns.value);
            std::vector<std::string> cells{
                scheme.scheme, marked(unit.text(value), scheme.quality),
                comparison.own_ns.value > 0
                    ? fmt::format("{:.2f}", scheme.value_ns.value / comparison.own_ns.value)
                    : std::string("-"),
                unit.change(value - own), skew(scheme.start_skew_median_ns)};
            for (const auto& row : reason_rows(scheme, comparison, unit, value - own)) {
                cells.insert(cells.end(), row.begin(), row.end());
                table.add(cells);
                cells.assign(cells.size() - row.size(), "");
            }
        }
        text += table.text(terminal);
    }
    return text;
}

ordered_json schemes_json(const std::vector<analysis::SchemeComparison>& comparisons) {
    auto json = ordered_json::array();
    for (const auto& comparison : comparisons) {
        auto point = with_key(comparison.key, {{"own_ns", comparison.own_ns.value},
                                               {"own_within_run_ci95_ns", or_null(comparison.own_ns.ci95)},
                                               {"own_quality", comparison.own_quality},
                                               {"schemes", ordered_json::array()}});
        point.erase("scheme");  // those are listed below
        if (!comparison.pair.empty()) {
            point["pair"] = comparison.pair;
        }
        for (const auto& scheme : comparison.schemes) {
            ordered_json row{{"scheme", scheme.scheme},
                             {"benchmark", plan::find_scheme(scheme.scheme).benchmark},
                             {"value_ns", scheme.value_ns.value},
                             {"within_run_ci95_ns", or_null(scheme.value_ns.ci95)},
                             {"quality", scheme.quality},
                             {"disturbed", scheme.disturbed},
                             {"ratio", scheme.value_ns.value / comparison.own_ns.value},
                             {"difference_ns", scheme.value_ns.value - comparison.own_ns.value},
                             {"effects", ordered_json::array()},
                             {"remainder_ns", scheme.remainder_ns},
                             {"remainder_unsure_ns", scheme.remainder_unsure_ns}};
            if (!scheme.pair.empty()) {
                row["pair"] = scheme.pair;
            }
            for (const auto& effect : scheme.effects) {
                const bool named =
                    std::any_of(scheme.reasons.begin(), scheme.reasons.end(),
                                [&](const auto& reason) { return reason.change == effect.change; });
                row["effects"].push_back({{"effect", effect_name(effect.change, scheme)},
                                          {"change_ns", effect.change_ns},
                                          {"unsure_ns", effect.unsure_ns},
                                          {"seen", effect.seen()},
                                          {"reason", named}});
            }
            point["schemes"].push_back(std::move(row));
        }
        json.push_back(std::move(point));
    }
    return json;
}

}  // namespace fathom::report
