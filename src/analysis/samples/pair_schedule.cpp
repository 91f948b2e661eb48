#include "analysis/samples/pair_schedule.hpp"

#include <string>
#include <vector>

namespace fathom::analysis {

plan::PairSchedule schedule_of(const store::Store& store, const store::PointRow& point) {
    if (contended(point.key)) {
        return plan::PairSchedule::contended(point.key.procs);
    }
    std::vector<std::string> hosts;
    if (point.job) {
        for (auto& [rank, host] : store.hosts(*point.job)) {
            const auto next = static_cast<int>(hosts.size());
            if (rank != next || next == point.key.procs) {
                break;  // a damaged file may name any rank
            }
            hosts.push_back(std::move(host));
        }
    }
    return {plan::host_numbers(hosts), false};
}

bool contended(const plan::PointKey& key) {
    return key.pattern != plan::pair_per_host;
}

}  // namespace fathom::analysis
