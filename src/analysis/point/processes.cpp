#include "analysis/point/processes.hpp"

#include <algorithm>
#include <cmath>

#include <boost/math/special_functions/beta.hpp>

#include "stats/effective_sample_size.hpp"
#include "stats/student.hpp"
#include "stats/summary.hpp"

namespace fathom::analysis {
namespace {

/// Processes whose medians differ by less take the same time.
constexpr double alike = 1.05;

struct Middle {
    double median = 0;
    double error = 0;  ///< standard
    std::size_t place = 0;
};

ProcessTimes times_of(int rank, const std::string& host, const stats::Summary& summary) {
    return {.rank = rank,
            .host = host,
            .count = summary.count,
            .min_ns = summary.min,
            .mean_ns = summary.mean,
            .median_ns = summary.median,
            .max_ns = summary.max};
}

/// Too few values for an interval: the uncertainty is their whole spread.
double error_of(const stats::Summary& summary) {
    const auto& interval = summary.median_ci95;
    return interval ? (interval->high - interval->low) / 2 / stats::normal_factor : summary.max - summary.min;
}

/// Whether two neighbours by their medians belong to different groups.
bool apart(const Middle& below, const Middle& above) {
    constexpr double errors = 4;
    const double gap = above.median - below.median;
    return gap > (alike - 1) * below.median && gap > errors * std::hypot(below.error, above.error);
}

void part_into_groups(Processes& found, std::vector<Middle> middles) {
    std::sort(middles.begin(), middles.end(),
              [](const Middle& a, const Middle& b) { return a.median < b.median; });
    for (std::size_t i = 0; i < middles.size(); ++i) {
        auto& own = found.ranks[middles[i].place];
        if (i == 0 || apart(middles[i - 1], middles[i])) {
            found.groups.push_back({.ranks = {}, .low_ns = own.median_ns, .high_ns = own.median_ns});
        }
        found.groups.back().ranks.push_back(own.rank);
        found.groups.back().high_ns = own.median_ns;
        own.group = static_cast<int>(found.groups.size()) - 1;
    }
    for (auto& group : found.groups) {
        std::sort(group.ranks.begin(), group.ranks.end());
    }
}

/// How likely `count` of n or more are, each with this probability.
double at_least(double count, double n, double probability) {
    if (count <= 0) {
        return 1;
    }
    // Also for fractional counts, since an effective sample size is not a whole number.
    return boost::math::ibeta(count, std::max(0.0, n - count) + 1, probability);
}

/// The rank that was last most often, if more often than by chance.
int most_often_last(const std::vector<int>& last_ranks, const std::vector<ProcessTimes>& ranks) {
    constexpr double level = 0.01;
    if (ranks.size() < 2 || last_ranks.empty()) {
        return -1;
    }
    std::vector<const ProcessTimes*> by_share;
    for (const auto& rank : ranks) {
        by_share.push_back(&rank);
    }
    std::stable_sort(by_share.begin(), by_share.end(),
                     [](const auto* a, const auto* b) { return a->last_share > b->last_share; });
    // A rank that is last in consecutive repetitions is so for one reason.
    std::vector<double> whether;
    for (const int last : last_ranks) {
        whether.push_back(last == by_share[0]->rank ? 1 : 0);
    }
    const double n = stats::effective_sample_size(whether, 0.5);
    const double first = by_share[0]->last_share * n;
    const double second = by_share[1]->last_share * n;
    const auto equals = static_cast<double>(ranks.size());
    constexpr double half = 0.5;
    const bool rare = equals * at_least(first, n, 1 / equals) < level;
    const bool alone = at_least(first, first + second, half) < level;
    return rare && alone ? by_share[0]->rank : -1;
}

ProcessPattern pattern_of(const Processes& found) {
    using enum ProcessPattern;
    if (found.ranks.size() < 2) {
        return single;
    }
    const auto& first = found.groups.front();
    return found.groups.size() > 1 ? grouped : first.high_ns > alike * first.low_ns ? gradual : equal;
}

}  // namespace

Processes processes_of(const Repetitions& repetitions, const std::map<int, std::string>& hosts) {
    Processes found;
    std::vector<Middle> middles;
    std::map<int, std::size_t> last;
    for (const int rank : repetitions.last_ranks) {
        ++last[rank];
    }
    for (const auto& [rank, times] : repetitions.by_rank) {
        if (times.empty()) {
            continue;
        }
        const auto host = hosts.find(rank);
        const auto summary = stats::summarise(times).value();
        auto own = times_of(rank, host == hosts.end() ? "" : host->second, summary);
        const auto reps = static_cast<double>(std::max<std::size_t>(1, repetitions.last_ranks.size()));
        own.last_share = static_cast<double>(last[rank]) / reps;
        middles.push_back({.median = own.median_ns, .error = error_of(summary), .place = found.ranks.size()});
        found.ranks.push_back(std::move(own));
    }
    part_into_groups(found, std::move(middles));
    found.most_often_last = most_often_last(repetitions.last_ranks, found.ranks);
    found.pattern = pattern_of(found);
    return found;
}

}  // namespace fathom::analysis
