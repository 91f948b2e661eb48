#include "report/sentences/insights.hpp"

#include <fmt/format.h>

#include "base/units.hpp"
#include "report/sentences/curves.hpp"
#include "report/sentences/matrix.hpp"
#include "report/sentences/point.hpp"
#include "report/sentences/settings.hpp"

namespace fathom::report {
namespace {

using analysis::Insight;

/// Says each of the facts of an insight.
struct FactsInWords {
    const plan::PointKey& key;

    std::string operator()(const analysis::FailedPoints& points) const {
        return fmt::format("{} of {} points failed, first {}: {}", points.failed, points.of, to_text(key),
                           points.reason);
    }
    std::string operator()(const analysis::DisturbedPoints& points) const {
        return fmt::format("Other programs used the processors while {} of {} points were measured",
                           points.disturbed, points.of);
    }
    std::string operator()(const analysis::Timeouts& timeouts) const {
        auto text = fmt::format("{}: {}", to_text(key), conclusion(timeouts));
        text.pop_back();  // its full stop
        return text;
    }
    std::string operator()(const analysis::SlowRepetitions& repetitions) const {
        return fmt::format("{}: {}", to_text(key),
                           sentence(repetitions.cause, repetitions.slow, repetitions.threshold_ns));
    }
    std::string operator()(const analysis::LongTail& tail) const {
        return fmt::format("{}: one repetition in 100 takes {} or more, {:.1f} times the median of {}",
                           to_text(key), time_text(tail.p99_ns), tail.p99_ns / tail.median_ns,
                           time_text(tail.median_ns));
    }
    std::string operator()(const analysis::TwoModes& modes) const {
        const auto& cause = modes.cause;
        return fmt::format("{} takes {} in {:.0f} % of the repetitions and {} in {:.0f} %: {}", to_text(key),
                           time_text(modes.fast.at_ns), 100 * modes.fast.share, time_text(modes.slow.at_ns),
                           100 * modes.slow.share,
                           cause ? sentence(cause->cause, cause->slow, cause->threshold_ns)
                                 : "two code paths, or two states of the machine");
    }
    /// What speaks of a curve or a component names it itself.
    template <typename Finding>
    std::string operator()(const Finding& finding) const {
        return sentence(finding);
    }
};

/// Against each of the facts, where something helps.
struct FixOfFacts {
    std::string operator()(const analysis::DisturbedPoints& /*facts*/) const {
        return "wait until other programs have finished, or request whole nodes from the batch system";
    }
    std::string operator()(const analysis::Timeouts& /*facts*/) const {
        return "look for the link or switch that drops packets (ethtool -S, switch counters), or lower the "
               "load on it";
    }
    std::string operator()(const analysis::SlowRepetitions& repetitions) const {
        using enum analysis::CauseKind;
        const auto kind = repetitions.cause.kind;
        return kind == preempted
                   ? "keep other programs off these processors; 'fathom doctor' checks the machine"
               : kind == migration ? "bind processes to processors (--bind core)"
               : kind == page_fault && repetitions.cause.major
                   ? "free memory on the host, or start fewer processes there (--ranks-per-host)"
                   : "";
    }
    std::string operator()(const analysis::TwoModes& modes) const {
        return modes.cause ? (*this)(*modes.cause) : std::string();
    }
    template <typename Finding>
    std::string operator()(const Finding& /*facts*/) const {
        return {};
    }
};

}  // namespace

std::string sentence(const Insight& insight) {
    const auto text = std::visit(FactsInWords{insight.key}, insight.facts);
    return insight.more == 0 ? text : fmt::format("{} (and {} more like this)", text, insight.more);
}

std::string fix_of(const Insight& insight) {
    return std::visit(FixOfFacts{}, insight.facts);
}

}  // namespace fathom::report
