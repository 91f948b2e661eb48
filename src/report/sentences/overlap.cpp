#include "report/sentences/overlap.hpp"

#include <fmt/format.h>

#include "analysis/curves/trusted_studies.hpp"
#include "analysis/overlap/rounds.hpp"
#include "base/units.hpp"

namespace fathom::report {
namespace {

using analysis::OverlapReason;
using analysis::OverlapResult;
using analysis::ProgressVerdict;

std::string_view effect_text(analysis::ProgressThreadEffect::Kind kind) {
    using enum analysis::ProgressThreadEffect::Kind;
    return kind == helps ? "helps" : kind == worse ? "makes it worse" : "makes no difference";
}

std::string_view doubt_text(analysis::StudyDoubt doubt) {
    switch (doubt) {
        case analysis::StudyDoubt::disturbed:
            return "ranks were preempted during the study";
        case analysis::StudyDoubt::imprecise:
            return "its times are imprecise";
        case analysis::StudyDoubt::out_of_range:
            break;
    }
    return "its availability is outside 0 to 1";
}

/// How far the work of a message study came.
std::string work_reached(const OverlapReason& reason) {
    const auto transfer =
        reason.transfer_ns ? fmt::format(" and a transfer of {}", time_text(*reason.transfer_ns)) : "";
    return fmt::format(
        "with {} of work an iteration took {}, against a base of {}{} (required: {:.2f} times the base)",
        time_text(reason.work_ns), time_text(reason.iteration_ns), time_text(reason.time_ns), transfer,
        reason.threshold);
}

std::string unresolved_base(const OverlapReason& reason) {
    return reason.time_ns > 0
               ? fmt::format("the base of {} is too short for a clock that steps by {}",
                             time_text(reason.time_ns), time_text(reason.resolution_ns))
               : fmt::format("the base is {}: the calls take no time", time_text(reason.time_ns));
}

/// Availability with the best number of tests, and that number.
std::string with_tests(const OverlapResult& result) {
    const auto* tested = result.with_tests();
    if (tested == nullptr || !tested->availability) {
        return {};
    }
    const auto tests = result.best_tests();
    return fmt::format("{} with {} {} to MPI_Test", share_text(*tested->availability), tests,
                       tests == 1 ? "call" : "calls");
}

std::string progress_verdict(const OverlapResult& result) {
    const auto* plain = result.plain();
    if (plain == nullptr || !plain->availability) {
        return {};
    }
    const auto without = "availability " + share_text(*plain->availability);
    const auto with = with_tests(result);
    switch (result.progress) {
        case ProgressVerdict::unknown:
            return {};
        case ProgressVerdict::undecided:
            return fmt::format("undecided whether communication progresses without calls: {}{}", without,
                               plain->availability->ci95 ? "" : ", too few rounds for an interval");
        case ProgressVerdict::needs_calls:
            return fmt::format("needs the program's calls: {}, but {}", without, with);
        case ProgressVerdict::none:
            return fmt::format("does not overlap at all: {}{}", without, with.empty() ? "" : ", " + with);
        case ProgressVerdict::in_part:
        case ProgressVerdict::by_itself:
            break;
    }
    return fmt::format(
        "{}: {}{}", result.progress == ProgressVerdict::in_part ? "overlaps in part" : "goes on without help",
        without, result.tests_help ? "; calls help a little: " + with : "");
}

}  // namespace

std::string share_text(const stats::Reduced& share) {
    auto text = fmt::format("{:.3f}", share.value);
    if (share.ci95) {
        text += fmt::format(" ({:.3f} .. {:.3f})", share.ci95->low, share.ci95->high);
    }
    return text + (analysis::includes_none(share) ? ", not distinguishable from none" : "");
}

std::string figure_text(const stats::Reduced& time_ns) {
    return time_text(time_ns.value) +
           (time_ns.ci95 ? fmt::format(" ({})", time_interval_text(time_ns.ci95->low, time_ns.ci95->high))
                         : "");
}

std::string sentence(const OverlapReason& reason) {
    using enum analysis::OverlapReasonKind;
    switch (reason.kind) {
        case no_study:
            return "no study is stored for this point";
        case incomplete:
            return "the study is not complete";
        case no_valid_repetition:
            return "no repetition of the study is valid";
        case empty_message:
            return "an empty message: base is what the calls take";
        case longer_later:
            return fmt::format(
                "no overhead: the message took longer in later rounds than in the first, by which the work "
                "was chosen; {}; measure again on a quiet machine",
                work_reached(reason));
        case work_limit:
            return fmt::format(
                "no overhead: the work limit was reached before work clearly exceeded the message; {}; give "
                "a "
                "longer --work-limit",
                work_reached(reason));
        case against_transfer:
            return fmt::format(
                "{}; availability is relative to the transfer of {}, from the sender's start to the "
                "receiver's end",
                unresolved_base(reason), time_text(reason.transfer_ns.value_or(0)));
        case no_reference:
            return fmt::format("no availability: {}, and the time of the transfer is unknown",
                               unresolved_base(reason));
        case short_work:
            return fmt::format(
                "the work of {} is shorter than the {} of start and wait at once: it ended at the work "
                "limit, or the call took longer than before the study; overhead includes what was not hidden",
                time_text(reason.work_ns), time_text(reason.time_ns));
        case no_call_time:
            return fmt::format("no availability: start and wait at once take {}", time_text(reason.time_ns));
        case coarse:
            return fmt::format(
                "start and wait at once take {}, too short for a clock that steps by {}: figures are coarse",
                time_text(reason.time_ns), time_text(reason.resolution_ns));
    }
    return {};
}

std::string progress_sentence(const analysis::PointResult& point) {
    const auto& result = *point.overlap;
    const auto doubt = analysis::doubt_of(point);
    if (doubt && result.progress != ProgressVerdict::unknown) {
        return fmt::format("undecided whether communication progresses without calls: {}",
                           doubt_text(*doubt));
    }
    const auto verdict = progress_verdict(result);
    if (!result.thread) {
        return verdict;
    }
    return fmt::format("{}{}a progress thread {}: availability {} with it", verdict,
                       verdict.empty() ? "" : "; ", effect_text(result.thread->kind),
                       share_text(result.thread->availability));
}

}  // namespace fathom::report
