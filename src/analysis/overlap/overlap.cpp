#include "analysis/overlap/overlap.hpp"

#include <cmath>

#include "analysis/overlap/overlap_studies.hpp"
#include "plan/operations.hpp"

namespace fathom::analysis {
namespace {

constexpr double tolerable_work_error = 0.01;  ///< error of an amount of work

/// Nothing that a program could use: indistinguishable from 0, or hardly above it.
bool is_none(const Reduced& availability) {
    constexpr double hardly = 0.05;
    return availability.ci95->low <= 0 || availability.ci95->high < hardly;
}

/// The measurement does not decide.
bool too_wide(const Reduced& availability) {
    constexpr double widest = 0.5;
    return availability.ci95->low <= 0 && availability.ci95->high - availability.ci95->low > widest;
}

}  // namespace

double tally_of(const StudyTallies& tallies, int rank, const std::string& name, double otherwise) {
    const auto counts = tallies.find(rank);
    if (counts == tallies.end()) {
        return otherwise;
    }
    const auto found = counts->second.find(name);
    return found == counts->second.end() ? otherwise : found->second;
}

void check_work(OverlapResult& result, const OverlapSamples& study, const StudyTallies& tallies,
                const std::vector<std::size_t>& places) {
    constexpr double short_ns = 1'000;  // shorter work is not promised to 1 %
    const auto* alone = study.find(journal::StepScheme::alone, false);
    const auto requested = static_cast<double>(alone->work_ns);
    double most = tolerable_work_error;
    double most_drift = tolerable_work_error;
    for (const auto place : places) {
        const int rank = study.ranks()[place];
        const auto took = study.medians(*alone, whole_of(place)).median();
        if (took && requested >= short_ns && std::abs(took->value / requested - 1) > most) {
            most = std::abs(took->value / requested - 1);
            result.work_off = WorkOff{.rank = rank, .requested_ns = requested, .took_ns = took->value};
        }
        const double before = tally_of(tallies, rank, "work_unit_before_ns", 0);
        const double after = tally_of(tallies, rank, "work_unit_after_ns", before);
        if (before > 0 && std::abs(after / before - 1) > most_drift) {
            most_drift = std::abs(after / before - 1);
            result.work_drifted = WorkDrifted{.rank = rank, .change = after / before - 1};
        }
    }
}

const Overhead* OverlapResult::plain() const {
    return message ? &message->plain : collective ? &collective->plain.work_based : nullptr;
}

const Overhead* OverlapResult::with_tests() const {
    if (message) {
        return message->tests > 0 ? &message->with_tests : nullptr;
    }
    return collective && collective->best ? &collective->intervals[*collective->best].work_based : nullptr;
}

std::int64_t OverlapResult::best_tests() const {
    if (message) {
        return message->tests;
    }
    return collective && collective->best ? collective->intervals[*collective->best].tests : 0;
}

void put_progress_verdict(OverlapResult& result) {
    result.progress = ProgressVerdict::unknown;
    result.tests_help = false;
    const auto* plain = result.plain();
    const auto* tested = result.with_tests();
    if (!plain || !plain->availability) {
        return;
    }
    const auto& without = *plain->availability;
    if (!without.ci95 || too_wide(without)) {
        result.progress = ProgressVerdict::undecided;
        return;
    }
    const auto known = tested && tested->availability ? tested->availability : std::nullopt;
    constexpr double least_gain = 0.05;
    constexpr double most_of_it = 0.5;
    result.tests_help = known && known->value > without.value + least_gain && disjoint(*known, without);
    const bool needs_calls = result.tests_help && (is_none(without) || without.value < known->value / 2);
    result.progress = needs_calls                  ? ProgressVerdict::needs_calls
                      : is_none(without)           ? ProgressVerdict::none
                      : without.value < most_of_it ? ProgressVerdict::in_part
                                                   : ProgressVerdict::by_itself;
}

OverlapResult overlap_of(const store::Store& store, const store::PointRow& point, const GlobalTime& clock) {
    OverlapResult result;
    const OverlapSamples study(store, point);
    if (study.steps().empty() || study.ranks().empty()) {
        result.reasons.push_back({.kind = OverlapReasonKind::no_study});
        return result;
    }
    const auto tallies = store.tallies(point.id);
    if (plan::find_operation(point.key.operation).of_two()) {
        put_message(result, study, point, tallies, clock);
    } else {
        put_collective(result, study, tallies);
    }
    put_progress_verdict(result);
    return result;
}

std::vector<Measure> overlap_measures(const OverlapResult& result) {
    std::vector<Measure> measures;
    const auto put = [&](MeasureKind kind, const std::optional<Reduced>& figure) {
        if (figure) {
            measures.push_back({.kind = kind, .value = figure->value, .ci95 = figure->ci95});
        }
    };
    if (const auto* plain = result.plain()) {
        put(MeasureKind::overhead_ns, plain->overhead_ns);
        put(MeasureKind::availability, plain->availability);
    }
    return measures;
}

}  // namespace fathom::analysis
