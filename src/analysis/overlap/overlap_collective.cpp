#include <algorithm>

#include "analysis/overlap/overlap_studies.hpp"

namespace fathom::analysis {
namespace {

using Step = journal::StudyStep;
using Scheme = journal::StepScheme;

double whole_call(const StudyTime& time) {
    return time.whole_ns;
}
double calls(const StudyTime& time) {
    return time.calls_ns();
}

OverlapSamples::Look calls_of(std::size_t place) {
    return [place](const OverlapSamples::Repetition& repetition) { return repetition[place].calls_ns(); };
}

/// The work of a step is what its calibrated amount takes on an undisturbed processor.
double work_of(const Step& step) {
    return static_cast<double>(step.work_ns);
}

/// What only the fixed amount of work sees, as a share of its whole time.
std::optional<Reduced> stolen(const OverlapSamples& study, const Step& timed, const Step& worked,
                              const OverlapSamples::Look& in_calls, const OverlapSamples::Look& in_all) {
    const auto all = study.means(worked, in_all);
    return ratio_of_sums(all - work_of(worked) - study.means(timed, in_calls), all);
}

SchemesOverlap by_both(const OverlapSamples& study, const Step& timed, const Step& worked,
                       const Rounds& t_b) {
    const auto time_based = study.medians(timed, largest(calls));
    const auto work_based = study.medians(worked, largest(whole_call)) - work_of(worked);
    return {
        .tests = worked.tests,
        .interval_bytes = worked.interval_bytes,
        .time_based = {.overhead_ns = time_based.median(), .availability = (1 - time_based / t_b).median()},
        .work_based = {.overhead_ns = work_based.median(), .availability = (1 - work_based / t_b).median()},
        .difference_ns = (work_based - time_based).median(),
        .stolen_share = stolen(study, timed, worked, largest(calls), largest(whole_call))};
}

/// The steps of a collective study without tests.
struct Plain {
    const Step& at_once;
    const Step& timed;
    const Step& worked;
    const Step& alone;
};

RankOverlap of_rank(const OverlapSamples& study, std::size_t place, const Plain& steps, const Rounds& t_b) {
    const auto own = study.medians(steps.at_once, whole_of(place));
    const auto alone = study.medians(steps.alone, whole_of(place));
    const auto with_work = study.medians(steps.worked, whole_of(place));
    const auto work_based = with_work - work_of(steps.worked);
    return {.rank = study.ranks()[place],
            .own_time_ns = own.median(),
            .time_based_overhead_ns = study.medians(steps.timed, calls_of(place)).median(),
            .work_based_overhead_ns = work_based.median(),
            .availability = (1 - work_based / t_b).median(),
            .overlap_share = ((own + alone - with_work) / smaller(own, alone)).median(),
            .stolen_share = stolen(study, steps.timed, steps.worked, calls_of(place), whole_of(place))};
}

/// Pairs of steps with tests, timed by both schemes.
void put_intervals(CollectiveOverlap& collective, const OverlapSamples& study, const Rounds& t_b) {
    for (const auto& timed : study.steps()) {
        if (timed.scheme != Scheme::time || timed.tests == 0) {
            continue;
        }
        const auto worked = std::find_if(study.steps().begin(), study.steps().end(), [&](const Step& step) {
            return step.scheme == Scheme::work && step.tests == timed.tests &&
                   step.interval_bytes == timed.interval_bytes;
        });
        if (worked != study.steps().end()) {
            collective.intervals.push_back(by_both(study, timed, *worked, t_b));
        }
    }
    std::stable_sort(collective.intervals.begin(), collective.intervals.end(),
                     [](const auto& a, const auto& b) { return a.tests < b.tests; });
    choose_best(collective);
}

}  // namespace

void choose_best(CollectiveOverlap& collective) {
    collective.best.reset();
    for (std::size_t i = 0; i < collective.intervals.size(); ++i) {
        const auto& overhead = collective.intervals[i].work_based.overhead_ns;
        const bool better =
            overhead &&
            (!collective.best ||
             overhead->value < collective.intervals[*collective.best].work_based.overhead_ns->value);
        if (better) {
            collective.best = i;
        }
    }
}

void put_collective(OverlapResult& result, const OverlapSamples& study, const StudyTallies& tallies) {
    const auto* at_once = study.find(Scheme::at_once, false);
    const auto* timed = study.find(Scheme::time, false);
    const auto* worked = study.find(Scheme::work, false);
    const auto* alone = study.find(Scheme::alone, false);
    if (!at_once || !timed || !worked || !alone || study.ranks().empty()) {
        result.reasons.push_back({.kind = OverlapReasonKind::incomplete});
        return;
    }
    auto& collective = result.collective.emplace();
    const auto t_b = study.medians(*at_once, largest(whole_call));
    collective.t_b_ns = t_b.median();
    if (!collective.t_b_ns) {
        result.reasons.push_back({.kind = OverlapReasonKind::no_valid_repetition});
        return;
    }
    collective.plain = by_both(study, *timed, *worked, t_b);
    put_intervals(collective, study, t_b);
    std::vector<std::size_t> places;
    for (std::size_t place = 0; place < study.ranks().size(); ++place) {
        collective.ranks.push_back(of_rank(
            study, place, {.at_once = *at_once, .timed = *timed, .worked = *worked, .alone = *alone}, t_b));
        places.push_back(place);
    }
    check_work(result, study, tallies, places);
    constexpr double much = 0.9;
    if (work_of(*worked) < much * collective.t_b_ns->value) {
        result.reasons.push_back({.kind = OverlapReasonKind::short_work,
                                  .time_ns = collective.t_b_ns->value,
                                  .work_ns = work_of(*worked)});
    }
    constexpr double resolvable = 4;
    const double resolution = tally_of(tallies, study.ranks().front(), "resolution_ns", 0);
    if (collective.t_b_ns->value <= 0) {
        result.reasons.push_back(
            {.kind = OverlapReasonKind::no_call_time, .time_ns = collective.t_b_ns->value});
    } else if (collective.t_b_ns->value < resolvable * resolution) {
        result.reasons.push_back({.kind = OverlapReasonKind::coarse,
                                  .time_ns = collective.t_b_ns->value,
                                  .resolution_ns = resolution});
    }
}

}  // namespace fathom::analysis
