#include "report/sentences/measures.hpp"

#include <cmath>

#include <fmt/format.h>

#include "analysis/samples/duplex.hpp"
#include "base/units.hpp"
#include "report/sentences/overlap.hpp"

namespace fathom::report {
namespace {

using analysis::Measure;
using analysis::MeasureKind;

/// `43 %`
std::string whole_percent(double share) {
    constexpr double percent = 100;
    return fmt::format("{:.0f} %", percent * share);
}

/// `2 950` or `2.95`
std::string rate_number(double number) {
    constexpr double large = 100;
    return number >= large ? count_text(std::llround(number)) : fmt::format("{:.3g}", number);
}

std::string fairness_text(const Measure& measure) {
    const auto& extremes = measure.extremes;
    const auto who = extremes ? fmt::format("rank {} had the fewest pieces, {}; rank {} the most, {}",
                                            extremes->least.rank, whole_percent(extremes->least.share),
                                            extremes->most.rank, whole_percent(extremes->most.share))
                              : "every worker had the same number of pieces";
    return fmt::format("fairness {:.3f} ({})", measure.value, who);
}

/// What ranks spent their time on, and which of them stand out.
std::string share_of_time(std::string_view what, const Measure& measure) {
    const auto& extremes = measure.extremes;
    return fmt::format("{} {}{}", what, whole_percent(measure.value),
                       extremes ? fmt::format(" (rank {} most, {}; rank {} least, {}{})", extremes->most.rank,
                                              whole_percent(extremes->most.share), extremes->least.rank,
                                              whole_percent(extremes->least.share),
                                              extremes->waited_for ? ": the others wait for it" : "")
                                : "");
}

std::string message_rate(const Measure& measure) {
    constexpr double million = 1e6;
    const auto number = measure.value >= million ? fmt::format("{:.3g} million", measure.value / million)
                                                 : fmt::format("{:.0f}", measure.value);
    return fmt::format("{} messages/s{}", number,
                       measure.pairs > 1 ? fmt::format(" over {} pairs", measure.pairs) : "");
}

std::string duplex_text(const Measure& measure) {
    const auto verdict = [](double ratio) { return to_text(analysis::duplex_of(ratio)); };
    const auto& interval = measure.ci95;
    const auto conclusion =
        interval && verdict(interval->low) != verdict(interval->high)
            ? fmt::format("uncertain, the 95 % interval is {:.2f} .. {:.2f}, {} to {}", interval->low,
                          interval->high, verdict(interval->low), verdict(interval->high))
            : std::string(verdict(measure.value));
    return fmt::format("sendrecv takes {:.2f} times as long as one way: {}", measure.value, conclusion);
}

}  // namespace

std::string sentence(const Measure& measure) {
    const stats::Reduced figure{.value = measure.value, .ci95 = measure.ci95};
    switch (measure.kind) {
        case MeasureKind::pieces_per_s:
            return rate_number(measure.value) + " pieces/s";
        case MeasureKind::master_busy_share:
            return fmt::format("the master was busy {} of the time", whole_percent(measure.value));
        case MeasureKind::fairness:
            return fairness_text(measure);
        case MeasureKind::compute_share:
            return share_of_time("computing", measure);
        case MeasureKind::point_to_point_share:
            return share_of_time("point-to-point", measure);
        case MeasureKind::allreduce_share:
            return share_of_time("allreduce", measure);
        case MeasureKind::messages_per_s:
            return message_rate(measure);
        case MeasureKind::duplex_ratio:
            return duplex_text(measure);
        case MeasureKind::overhead_ns:
            return "overhead " + figure_text(figure);
        case MeasureKind::availability:
            return "availability " + share_text(figure);
    }
    return {};
}

}  // namespace fathom::report
