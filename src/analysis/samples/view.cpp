#include "analysis/samples/view.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "plan/operations.hpp"

namespace fathom::analysis {
namespace {

int rank_from(std::string_view text) {
    int rank = -1;
    const auto* end = text.data() + text.size();
    const auto [rest, code] = std::from_chars(text.data(), end, rank);
    if (code != std::errc() || rest != end || rank < 0) {
        throw BadInput("give ranks such as 0,4-7");
    }
    return rank;
}

/// A pair's first rank, the mean of simultaneous messages, else the slowest rank.
plan::OverRanks default_over_ranks(const plan::OperationInfo& operation) {
    const bool messages = operation.kind == plan::Kind::one_way || operation.kind == plan::Kind::matrix;
    return operation.of_two() ? plan::OverRanks::root
           : messages         ? plan::OverRanks::mean
                              : plan::OverRanks::max;
}

}  // namespace

RankSet RankSet::parse(std::string_view text) {
    RankSet set;
    for (const auto& part : split(text, ',')) {
        const auto dash = part.find('-');
        const std::string_view view(part);
        const int first = rank_from(view.substr(0, dash));
        const int last = dash == std::string::npos ? first : rank_from(view.substr(dash + 1));
        if (last < first) {
            throw BadInput(fmt::format("the range '{}' runs backwards; give the smaller rank first", part));
        }
        set.spans_.push_back({first, last});
    }
    if (set.spans_.empty()) {
        throw BadInput("give ranks such as 0,4-7");
    }
    return set;
}

bool RankSet::contains(int rank) const {
    return all() || std::any_of(spans_.begin(), spans_.end(),
                                [&](const auto& span) { return span.first <= rank && rank <= span.last; });
}

int RankSet::largest() const {
    int largest = 0;
    for (const auto& span : spans_) {
        largest = std::max(largest, span.last);
    }
    return largest;
}

std::string RankSet::text() const {
    std::vector<std::string> parts;
    for (const auto& span : spans_) {
        parts.push_back(span.first == span.last ? fmt::format("{}", span.first)
                                                : fmt::format("{}-{}", span.first, span.last));
    }
    return fmt::format("{}", fmt::join(parts, ","));
}

WholeView whole(const View& view, const store::PointRow& point, const plan::Plan& settings) {
    auto over_ranks = view.over_ranks.value_or(settings.over_ranks);
    if (over_ranks == plan::OverRanks::automatic) {
        over_ranks = default_over_ranks(plan::find_operation(point.key.operation));
    }
    return {.over_ranks = over_ranks,
            .over_reps = view.over_reps.value_or(stats::Reduction::parse(settings.over_reps)),
            .ranks = view.ranks,
            .size_as = settings.operation.size_as,
            .round_trip = view.round_trip.value_or(settings.round_trip),
            .every_rep = plan::fixes_repetitions(settings)};
}

}  // namespace fathom::analysis
