#include "tree/improve/optimizer.hpp"

#include <set>

#include <gmock/gmock.h>

#include "tree/check.hpp"

namespace fathom::tree {
namespace {

/// A cluster whose times are those of a model that the optimizer does not know.
struct Cluster {
    Hosts hosts = block_hosts(12, 4);
    Costs costs = costs_of_cluster();
    std::set<int> far = {};  ///< hosts in another site
    int most_rounds = 1'000;
    std::vector<Round> rounds = {};

    static Costs costs_of_cluster() {
        Costs costs;
        costs[Cost::host_latency] = 2'000;
        costs[Cost::host_send] = costs[Cost::host_receive] = 5'000;
        costs[Cost::remote_latency] = 60'000;
        costs[Cost::remote_send] = costs[Cost::remote_receive] = 10'000;
        costs[Cost::interface_per_byte] = 80;
        costs[Cost::far_latency] = 5'000'000;
        costs[Cost::join] = 100;
        return costs;
    }

    [[nodiscard]] Places places() const {
        auto places = places_of(static_cast<int>(hosts.size()), hosts);
        for (std::size_t rank = 0; rank < hosts.size(); ++rank) {
            places.site[rank] = far.contains(places.host[rank]) ? 1 : 0;
        }
        return places;
    }

    std::optional<RoundResult> measure(const Round& round) {
        if (static_cast<int>(rounds.size()) >= most_rounds) {
            return std::nullopt;
        }
        rounds.push_back(round);
        RoundResult result{.run = static_cast<std::int64_t>(rounds.size()), .hosts = hosts};
        const auto where = places();
        for (const auto& size : round.sizes) {
            if (round.library) {
                result.times.push_back(time("library", size, 2e6));
            }
            for (const auto& [name, tree] : round.trees) {
                EXPECT_FALSE(fault_of(tree, {.procs = static_cast<int>(hosts.size()), .hosts = hosts}));
                result.times.push_back(time(name, size, predicted_ns(tree, where, size, {}, costs)));
                add_edges(tree, size, where, result);
            }
        }
        return result;
    }

    void add_edges(const Tree& tree, Bytes size, const Places& where, RoundResult& result) const {
        for (const auto& leaf : tree.leaves) {
            const int to = tree.joins[static_cast<std::size_t>(leaf.parent)].rank;
            result.edges.push_back(
                {.from = leaf.rank, .to = to, .size = size, .down_ns = latency(where, leaf.rank, to)});
        }
        for (const auto& join : tree.joins) {
            if (join.parent >= 0) {
                const int to = tree.joins[static_cast<std::size_t>(join.parent)].rank;
                result.edges.push_back(
                    {.from = join.rank, .to = to, .size = size, .down_ns = latency(where, join.rank, to)});
            }
        }
    }

    [[nodiscard]] double latency(const Places& where, int from, int to) const {
        const auto a = static_cast<std::size_t>(from);
        const auto b = static_cast<std::size_t>(to);
        return where.host[a] == where.host[b]   ? costs[Cost::host_latency]
               : where.site[a] == where.site[b] ? costs[Cost::remote_latency]
                                                : costs[Cost::far_latency];
    }

    static RoundTime time(const std::string& name, Bytes size, double ns) {
        constexpr double noise = 0.002;
        return {.name = name,
                .size = size,
                .median_ns = ns,
                .range_ns = stats::Interval{ns * (1 - noise), ns * (1 + noise)}};
    }

    Optimization optimized(std::uint64_t seed = 1) {
        const OptimizerSettings settings{.procs = static_cast<int>(hosts.size()),
                                         .sizes = {Bytes{8}, Bytes{16384}},
                                         .ways = {},
                                         .kinds = {EdgeKind::message},
                                         .seed = seed};
        return optimize(settings, [&](const Round& round) { return measure(round); });
    }
};

TEST(Optimizer, NeverEndsSlowerThanTheBestStandardShape) {
    for (const auto& hosts : {block_hosts(6, 6), block_hosts(8, 2), block_hosts(5, 1)}) {
        Cluster cluster{.hosts = hosts};
        const auto found = cluster.optimized();
        ASSERT_EQ(found.best.size(), 2U);
        for (const auto& best : found.best) {
            ASSERT_TRUE(best.standard && best.flat && best.library);
            EXPECT_LE(best.best.median_ns, best.standard->median_ns);
            EXPECT_LE(best.standard->median_ns, best.flat->median_ns);
        }
        EXPECT_EQ(found.stop, StopReason::nothing_better);
    }
}

TEST(Optimizer, FindsMoreThanStandardShapes) {
    Cluster cluster;
    const auto found = cluster.optimized();
    EXPECT_LT(found.best[0].best.median_ns, 0.99 * found.best[0].standard->median_ns);
    EXPECT_LT(found.error_of_prediction, 0.2);
    EXPECT_GT(found.predictions, 3U);
}

TEST(Optimizer, DoesTheSameForOneSeed) {
    const auto names = [](const Cluster& cluster) {
        std::vector<std::pair<std::string, std::vector<Leaf>>> found;
        for (const auto& round : cluster.rounds) {
            for (const auto& tree : round.trees) {
                found.emplace_back(tree.name, tree.tree.leaves);
            }
        }
        return found;
    };
    Cluster one;
    Cluster again;
    one.optimized();
    again.optimized();
    EXPECT_EQ(names(one), names(again));
}

TEST(Optimizer, MeasuresEveryTreeBesideTheBest) {
    Cluster cluster;
    cluster.optimized();
    for (std::size_t i = 2; i + 1 < cluster.rounds.size(); ++i) {
        EXPECT_EQ(cluster.rounds[i].sizes.size(), 1U);
        EXPECT_GE(cluster.rounds[i].trees.size(), 2U);
        EXPECT_FALSE(cluster.rounds[i].traced);
    }
    EXPECT_TRUE(cluster.rounds.back().last);
    EXPECT_TRUE(cluster.rounds.back().library);
}

TEST(Optimizer, EndsWithWhatItHasWhenTheTimeIsUp) {
    Cluster cluster{.most_rounds = 3};
    const auto found = cluster.optimized();
    EXPECT_EQ(found.stop, StopReason::out_of_time);
    ASSERT_EQ(found.best.size(), 2U);
    EXPECT_FALSE(found.best[0].best.name.empty());
    EXPECT_FALSE(found.ranges.empty());
    Cluster none{.most_rounds = 0};
    EXPECT_TRUE(none.optimized().best.empty());
}

TEST(Optimizer, NoticesASecondSite) {
    Cluster cluster{.far = {2, 3}};
    const auto found = cluster.optimized();
    EXPECT_EQ(found.sites, 2);
    EXPECT_LT(found.best[0].best.median_ns, 1.05 * 2 * 5'000'000) << "every message crosses once each way";
    Cluster near;
    EXPECT_EQ(near.optimized().sites, 1);
}

TEST(Optimizer, OneTreeServesNeighbouringSizesUnlessAnotherIsFaster) {
    Cluster cluster;
    const auto found = cluster.optimized();
    ASSERT_FALSE(found.ranges.empty());
    EXPECT_EQ(found.ranges.front().first, Bytes{8});
    EXPECT_EQ(found.ranges.back().last, Bytes{16384});
    for (std::size_t i = 1; i < found.ranges.size(); ++i) {
        EXPECT_NE(found.ranges[i].tree.name, found.ranges[i - 1].tree.name);
    }
}

TEST(Optimizer, SpeedupsSpanBothIntervals) {
    const auto interval =
        speedup_interval(Cluster::time("a", Bytes{8}, 100), Cluster::time("b", Bytes{8}, 200));
    ASSERT_TRUE(interval);
    EXPECT_LT(interval->low, 2);
    EXPECT_GT(interval->high, 2);
    EXPECT_NEAR(interval->low, 2, 0.01);
    const RoundTime unknown{.name = "c", .size = Bytes{8}, .median_ns = 10};
    EXPECT_FALSE(speedup_interval(unknown, Cluster::time("b", Bytes{8}, 200))) << "measured too little";
}

}  // namespace
}  // namespace fathom::tree
