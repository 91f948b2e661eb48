#include "report/sentences/settings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace fathom::report {
namespace {

using analysis::SettingComparison;
using analysis::SettingVerdict;

/// `a=1 b=2`: those of a combination in which it differs from another.
std::string differing(const SettingComparison& comparison, std::size_t one, std::size_t other) {
    std::string text;
    for (std::size_t i = 0; i < comparison.names.size(); ++i) {
        const auto& value = comparison.settings[one].values[i];
        if (value != comparison.settings[other].values[i]) {
            text += fmt::format("{}{}={}", text.empty() ? "" : " ", comparison.names[i], value);
        }
    }
    return text;
}

std::string p_text(double p_value) {
    constexpr double least = 0.001;  // below it, digits say nothing
    return p_value < least ? "p < 0.001" : fmt::format("p = {:.3f}", p_value);
}

}  // namespace

std::string sentence(const SettingComparison& comparison) {
    const auto worst = comparison.names.size() == 1
                           ? comparison.settings[comparison.slowest].values.front()
                           : differing(comparison, comparison.slowest, comparison.fastest);
    return fmt::format("{}: {} is {:.2f} times faster than {}", to_text(comparison.key),
                       differing(comparison, comparison.fastest, comparison.slowest), comparison.ratio(),
                       worst);
}

std::string conclusion(const SettingComparison& comparison) {
    const auto values = [&](std::size_t at) {
        return fmt::format("{}", fmt::join(comparison.settings[at].values, ", "));
    };
    switch (comparison.verdict) {
        case SettingVerdict::best:
            return fmt::format("{} ({})", values(comparison.fastest), p_text(comparison.p_next));
        case SettingVerdict::shared:
            return fmt::format("{} or {} ({})", values(comparison.fastest), values(comparison.next),
                               p_text(comparison.p_slowest));
        case SettingVerdict::alike:
            return "no difference";
        case SettingVerdict::undecided:
            return "undecided: launches differ, use more --runs";
        case SettingVerdict::too_few_launches:
            return "too few launches to tell (--runs)";
        case SettingVerdict::not_measured:
            break;
    }
    return "not measured";
}

}  // namespace fathom::report
