#include <algorithm>

#include "analysis/overlap/overlap_studies.hpp"
#include "plan/operations.hpp"
#include "plan/plan.hpp"
#include "stats/work_curve.hpp"

namespace fathom::analysis {
namespace {

/// The steps of a message study by their part in it.
struct Steps {
    std::vector<const journal::StudyStep*> growing;
    const journal::StudyStep* alone = nullptr;
    const journal::StudyStep* tested = nullptr;

    explicit Steps(const OverlapSamples& study)
        : alone(study.find(journal::StepScheme::alone, false)),
          tested(study.find(journal::StepScheme::work, true)) {
        for (const auto& step : study.steps()) {
            if (step.scheme == journal::StepScheme::work && step.tests == 0) {
                growing.push_back(&step);
            }
        }
    }
};

/// The base of each round.
Rounds bases(const std::vector<const journal::StudyStep*>& steps, const std::vector<Rounds>& times,
             const MessageOverlap& message) {
    std::vector<std::optional<double>> made(times.front().size());
    for (std::size_t round = 0; round < made.size(); ++round) {
        stats::WorkCurve curve(message.base_threshold, message.stop_threshold);
        for (std::size_t i = 0; i < steps.size(); ++i) {
            if (const auto& time = times[i].at(round)) {
                curve.add(static_cast<double>(steps[i]->work_ns), *time);
            }
        }
        made[round] = curve.base();
    }
    return Rounds(std::move(made));
}

/// From the sender's start to the receiver's end, of the first step: with the least work.
Rounds transfers(const OverlapSamples& study, const journal::StudyStep& first, std::size_t worker, bool sends,
                 const GlobalTime& clock) {
    const std::size_t other = 1 - worker;
    const auto sender = sends ? worker : other;
    const auto receiver = sends ? other : worker;
    return study.medians(first, [&, sender, receiver](const OverlapSamples::Repetition& repetition) {
        const auto from = clock.global(study.ranks()[sender], repetition[sender].start);
        const auto to = clock.global(study.ranks()[receiver], repetition[receiver].start);
        return static_cast<double>((to - from).count) + repetition[receiver].whole_ns;
    });
}

/// Whether the last step has enough work for overhead to be all that remains. The study decided this when it
/// ran, by its own times; here the threshold is slightly lower.
bool far_enough(const MessageOverlap& message) {
    constexpr double slack = 0.8;
    constexpr double clearly = 1.1;
    const auto& last = message.curve.back();
    const double base = message.base_ns->value;
    const double transfer = message.transfer_ns ? message.transfer_ns->value : 0;
    return last.iteration_ns.value > base * (1 + slack * (message.stop_threshold - 1)) &&
           last.work_ns > clearly * std::max(base, transfer);
}

OverlapReason too_short(const MessageOverlap& message, double work_limit_ns) {
    const auto& last = message.curve.back();
    return {.kind = last.work_ns < work_limit_ns ? OverlapReasonKind::longer_later
                                                 : OverlapReasonKind::work_limit,
            .time_ns = message.base_ns->value,
            .resolution_ns = 0,
            .work_ns = last.work_ns,
            .iteration_ns = last.iteration_ns.value,
            .threshold = message.stop_threshold,
            .transfer_ns = message.transfer_ns ? std::optional(message.transfer_ns->value) : std::nullopt};
}

Overhead overhead_of(const Rounds& iteration, const Rounds& alone, const std::optional<Rounds>& against) {
    const auto overhead = iteration - alone;
    return {.overhead_ns = overhead.median(),
            .availability = against ? (1 - overhead / *against).median() : std::nullopt};
}

/// What availability is relative to, if anything: the base, or the transfer where that is too short.
std::optional<Rounds> reference(OverlapResult& result, const Rounds& base,
                                const std::optional<Rounds>& transfer, double resolution_ns) {
    constexpr double resolvable = 4;
    auto& message = *result.message;
    const double base_ns = message.base_ns->value;
    if (base_ns > 0 && base_ns >= resolvable * resolution_ns) {
        return base;
    }
    if (message.transfer_ns && message.transfer_ns->value > 0) {
        message.against_transfer = true;
        result.reasons.push_back({.kind = OverlapReasonKind::against_transfer,
                                  .time_ns = base_ns,
                                  .resolution_ns = resolution_ns,
                                  .transfer_ns = message.transfer_ns->value});
        return transfer;
    }
    result.reasons.push_back(
        {.kind = OverlapReasonKind::no_reference, .time_ns = base_ns, .resolution_ns = resolution_ns});
    return std::nullopt;
}

}  // namespace

void put_message(OverlapResult& result, const OverlapSamples& study, const store::PointRow& point,
                 const StudyTallies& tallies, const GlobalTime& clock) {
    const Steps steps(study);
    if (study.ranks().size() != 2 || steps.growing.empty()) {
        result.reasons.push_back({.kind = OverlapReasonKind::incomplete});
        return;
    }
    const auto counts = tallies.find(study.ranks().back());
    const bool second = counts != tallies.end() && counts->second.contains("base_threshold");
    const std::size_t worker = second ? 1 : 0;
    auto& message = result.message.emplace();
    message.rank = study.ranks()[worker];
    message.base_threshold = tally_of(tallies, message.rank, "base_threshold", stats::base_threshold_for(1));
    message.stop_threshold =
        tally_of(tallies, message.rank, "stop_threshold", plan::OverlapSettings{}.stop_threshold);
    std::vector<Rounds> times;
    for (const auto* step : steps.growing) {
        times.push_back(study.medians(*step, whole_of(worker)));
        if (const auto iteration = times.back().median()) {
            message.curve.push_back(
                {.work_ns = static_cast<double>(step->work_ns), .iteration_ns = *iteration});
        }
    }
    const auto base = bases(steps.growing, times, message);
    message.base_ns = base.median();
    std::optional<Rounds> transfer;
    if (clock.known()) {
        const bool sends = !plan::find_operation(point.key.operation).is(plan::Fact::receives);
        transfer = transfers(study, *steps.growing.front(), worker, sends, clock);
        message.transfer_ns = transfer->median();
    }
    if (!message.base_ns || !steps.alone) {
        result.reasons.push_back({.kind = OverlapReasonKind::no_valid_repetition});
        return;
    }
    if (point.key.size.count == 0) {
        result.reasons.push_back({.kind = OverlapReasonKind::empty_message});
    }
    const auto alone = study.medians(*steps.alone, whole_of(worker));
    message.work_alone_ns = alone.median();
    check_work(result, study, tallies, {worker});
    if (!far_enough(message)) {
        result.reasons.push_back(too_short(message, tally_of(tallies, message.rank, "work_limit_ns", 0)));
        return;
    }
    const auto resolution = tally_of(tallies, message.rank, "resolution_ns", 0);
    const auto against = reference(result, base, transfer, resolution);
    message.plain = overhead_of(times.back(), alone, against);
    message.knee_ns = (base - (times.back() - alone)).median();
    if (steps.tested) {
        message.tests = steps.tested->tests;
        message.with_tests = overhead_of(study.medians(*steps.tested, whole_of(worker)), alone, against);
    }
}

}  // namespace fathom::analysis
