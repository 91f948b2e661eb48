#include "analysis/point/timeout_shares.hpp"

#include <algorithm>
#include <numeric>

namespace fathom::analysis {

std::int64_t TimeoutShares::count() const {
    return std::accumulate(times.begin(), times.end(), std::int64_t{0});
}

double TimeoutShares::share(std::size_t kind) const {
    return count() > 0 ? static_cast<double>(times.at(kind)) / static_cast<double>(count()) : 0;
}

std::optional<TimeoutsByProcess> timeouts_by_process(const Repetitions& repetitions, const Evidence& evidence,
                                                     const Timeouts& timeouts) {
    if (timeouts.status == TimeoutStatus::not_tcp) {
        return std::nullopt;
    }
    TimeoutsByProcess found;
    found.step_ns = timeouts.least_rto_ns;
    bool any = false;
    for (const auto& [rank, times] : repetitions.by_rank) {
        for (const auto time : times) {
            const double whole = repetitions.parts * time;
            found.least_ns = any ? std::min(found.least_ns, whole) : whole;
            any = true;
        }
    }
    if (!any || !(found.step_ns > 0)) {
        return std::nullopt;
    }
    for (const auto& [rank, times] : repetitions.by_rank) {
        const auto host = evidence.hosts.find(rank);
        TimeoutShares own{.rank = rank, .host = host == evidence.hosts.end() ? "" : host->second};
        for (const auto time : times) {
            const double steps = (repetitions.parts * time - found.least_ns) / found.step_ns;
            const auto last = own.times.size() - 1;
            const auto kind = steps < static_cast<double>(last) ? static_cast<std::size_t>(steps) : last;
            ++own.times.at(kind);
            ++found.all.times.at(kind);
        }
        found.ranks.push_back(std::move(own));
    }
    return found;
}

}  // namespace fathom::analysis
