#include "analysis/matrix/matrix.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "analysis/samples/pair_schedule.hpp"
#include "analysis/samples/sample_time.hpp"
#include "stats/quantile.hpp"

namespace fathom::analysis {
namespace {

/// The times of all pairs while samples are visited.
class MatrixGathering {
  public:
    void add(const store::Store& store, const MatrixLaunch& launch) {
        const auto& point = launch.point;
        const auto counts = [&](std::int64_t rep) {
            return !std::binary_search(launch.left_out.begin(), launch.left_out.end(), rep);
        };
        const SampleTime time(store, point);
        const auto schedule = schedule_of(store, point);
        std::vector<int> visited;
        store.visit_samples(
            point.id, [&](int rank, std::int64_t first_rep, const std::vector<journal::Sample>& samples) {
                if (visited.empty() || visited.back() != rank) {
                    visited.push_back(rank);
                }
                const auto own = visited.size() - 1;
                for (std::size_t i = 0; i < samples.size(); ++i) {
                    const auto rep = first_rep + static_cast<std::int64_t>(i);
                    if (samples[i].valid && counts(rep)) {
                        const auto round = rep % schedule.rounds();
                        add(own, schedule.partner(round, static_cast<int>(own)), time.of(rank, samples[i]));
                    }
                }
            });
        ranks_ = std::move(visited);
    }

    [[nodiscard]] const std::vector<int>& ranks() const { return ranks_; }
    [[nodiscard]] PairTimes pair(std::size_t a, std::size_t b) const {
        const auto found = times_.find(MatrixResult::place(a, b));
        return summary_of(found == times_.end() ? std::vector<double>() : found->second);
    }

  private:
    /// Only the lower rank of a pair has the whole round trip in its time.
    void add(std::size_t own, int partner, double time) {
        if (partner > static_cast<int>(own)) {
            times_[MatrixResult::place(own, static_cast<std::size_t>(partner))].push_back(time);
        }
    }

    std::vector<int> ranks_;
    std::map<std::size_t, std::vector<double>>
        times_;  // of pairs that have some: a file may claim any process count
};

}  // namespace

PairTimes summary_of(std::vector<double> times_ns) {
    if (times_ns.empty()) {
        return {};
    }
    constexpr double tenth = 0.1;
    std::sort(times_ns.begin(), times_ns.end());
    const auto last = times_ns.size() - 1;
    const auto from_end = static_cast<std::size_t>(std::floor(tenth * static_cast<double>(last)));
    return {.reps = static_cast<std::int64_t>(times_ns.size()),
            .median_ns = stats::quantile(times_ns, 0.5),
            .min_ns = times_ns.front(),
            .low_ns = times_ns[from_end],
            .high_ns = times_ns[last - from_end]};
}

PairLevel MatrixResult::level(std::size_t a, std::size_t b) const {
    const auto place = [&](std::size_t at) {
        return RankPlace{.host = hosts[at],
                         .socket = at < sockets.size() ? sockets[at] : -1,
                         .numa_node = at < numa_nodes.size() ? numa_nodes[at] : -1};
    };
    return level_of(place(a), place(b));
}

MatrixResult matrix_of(const store::Store& store, std::int64_t run, const std::vector<MatrixLaunch>& launches,
                       const RankSet& ranks) {
    MatrixResult matrix;
    if (launches.empty()) {
        return matrix;
    }
    matrix.key = launches.front().point.key;
    MatrixGathering gathering;
    for (const auto& launch : launches) {
        gathering.add(store, launch);
    }
    std::map<int, store::RankRow> places;
    for (auto& row : store.ranks(run)) {
        places[row.rank] = std::move(row);
    }
    std::vector<std::size_t> kept;
    for (std::size_t i = 0; i < gathering.ranks().size(); ++i) {
        const int rank = gathering.ranks()[i];
        if (!ranks.contains(rank)) {
            continue;
        }
        for (const auto other : kept) {
            matrix.pairs.push_back(gathering.pair(other, i));
        }
        kept.push_back(i);
        matrix.ranks.push_back(rank);
        matrix.hosts.push_back(places[rank].host);
        matrix.sockets.push_back(places[rank].socket);
        matrix.numa_nodes.push_back(places[rank].numa_node);
    }
    return matrix;
}

}  // namespace fathom::analysis
