#include "tree/improve/cost_model.hpp"

#include <gmock/gmock.h>

#include "tree/make.hpp"

namespace fathom::tree {
namespace {

constexpr Bytes small{8};

double predicted(Shape shape, int procs, const Costs& costs, int hosts = 1, Ways ways = {},
                 Bytes size = small) {
    const auto placed = block_hosts(procs, hosts);
    return predicted_ns(make_tree({.shape = shape, .procs = procs, .hosts = placed}),
                        places_of(procs, placed), size, ways, costs);
}

TEST(CostModel, LatencyAddsUpAlongTheLongestWay) {
    Costs costs;
    costs[Cost::host_latency] = 100;
    EXPECT_EQ(predicted(Shape::flat, 8, costs), 200);
    EXPECT_EQ(predicted(Shape::chain, 8, costs), 1400);
    EXPECT_EQ(predicted(Shape::binomial, 8, costs), 600);
    EXPECT_EQ(predicted(Shape::flat, 8, costs, 1, {.down = true, .up = false}), 100) << "reduce";
    EXPECT_EQ(predicted(Shape::flat, 8, costs, 1, {.down = false, .up = true}), 100) << "bcast";
    EXPECT_EQ(predicted(Shape::flat, 1, costs), 0);
}

TEST(CostModel, ARankServesOneAfterTheOther) {
    Costs costs;
    costs[Cost::host_latency] = 100;
    costs[Cost::host_send] = 10;
    EXPECT_EQ(predicted(Shape::flat, 8, costs), 10 + 100 + 7 * 10 + 100);
    costs[Cost::host_receive] = 5;
    EXPECT_EQ(predicted(Shape::flat, 8, costs), 10 + 100 + 7 * 5 + 7 * 10 + 100 + 5);
    costs[Cost::join] = 1;
    EXPECT_EQ(predicted(Shape::flat, 8, costs), 10 + 100 + 7 * 6 + 7 * 10 + 100 + 5)
        << "its own, while others are on the way";
}

TEST(CostModel, AHostHasOneInterface) {
    Costs costs;
    costs[Cost::remote_latency] = 1'000;
    costs[Cost::interface_per_byte] = 1;
    // Both ranks of the other host send at once; the interface of each host passes one after the other.
    EXPECT_EQ(predicted(Shape::flat, 4, costs, 2, {}, Bytes{100}), 2 * (1'000 + 2 * 100));
}

TEST(CostModel, SegmentsAreOnTheirWayTogether) {
    Costs costs;
    costs[Cost::host_latency] = 1'000;
    costs[Cost::host_send] = 100;
    auto tree = make_tree({.shape = Shape::chain, .procs = 2});
    tree.segment = Bytes{1'000};
    const auto places = places_of(2, {});
    EXPECT_EQ(predicted_ns(tree, places, Bytes{1'000}, {}, costs), 2'200);
    EXPECT_EQ(predicted_ns(tree, places, Bytes{4'000}, {}, costs), 2'500) << "three more leave every 100 ns";
}

TEST(CostModel, EdgesOfSharedMemoryHaveCostsOfTheirOwn) {
    Costs costs;
    costs[Cost::host_latency] = 1'000;
    costs[Cost::flag_latency] = 50;
    costs[Cost::flag_send] = 10;
    costs[Cost::futex_latency] = 50;
    costs[Cost::futex_send] = 10;
    const auto of = [&](EdgeKind kind) {
        return predicted_ns(make_tree({.shape = Shape::flat, .procs = 4, .edge = kind}), places_of(4, {}),
                            small, {}, costs);
    };
    EXPECT_EQ(of(EdgeKind::message), 2'000);
    EXPECT_EQ(of(EdgeKind::flag), 10 + 50 + 10 + 50) << "all see one write";
    EXPECT_EQ(of(EdgeKind::futex), 10 + 50 + 3 * 10 + 50) << "each is woken";
}

TEST(CostModel, FarHostsHaveALatencyOfTheirOwn) {
    Costs costs;
    costs[Cost::remote_latency] = 100;
    costs[Cost::far_latency] = 10'000;
    auto places = places_of(4, block_hosts(4, 4));
    places.site = {0, 0, 1, 1};
    const auto tree = make_tree({.shape = Shape::flat, .procs = 4, .hosts = block_hosts(4, 4)});
    EXPECT_EQ(predicted_ns(tree, places, small, {}, costs), 20'000);
}

TEST(CostModel, IsFittedToWhatWasMeasured) {
    Costs truth;
    truth[Cost::host_latency] = 900;
    truth[Cost::host_per_byte] = 0.3;
    truth[Cost::host_send] = 300;
    truth[Cost::host_receive] = 150;
    truth[Cost::remote_latency] = 20'000;
    truth[Cost::remote_per_byte] = 0.5;
    truth[Cost::remote_send] = 3'000;
    truth[Cost::remote_receive] = 2'000;
    truth[Cost::interface_per_byte] = 0.8;
    truth[Cost::join] = 50;
    truth[Cost::join_per_byte] = 0.1;
    const auto hosts = block_hosts(16, 4);
    const auto places = places_of(16, hosts);
    std::vector<MeasuredTree> measured;
    for (const auto shape :
         {Shape::flat, Shape::binary, Shape::k_ary, Shape::binomial, Shape::chain, Shape::two_level}) {
        for (const std::int64_t size : {8, 1024, 16384}) {
            auto tree = make_tree({.shape = shape, .procs = 16, .hosts = hosts});
            const double time = predicted_ns(tree, places, Bytes{size}, {}, truth);
            measured.push_back({.tree = std::move(tree), .size = Bytes{size}, .time_ns = time});
        }
    }
    auto start = truth;
    for (std::size_t i = 0; i < start.values.size(); ++i) {
        start.values[i] = i % 2 == 0 ? truth.values[i] * 3 : truth.values[i] / 3;
    }
    EXPECT_GT(mean_error(measured, places, {}, start), 0.3);
    const auto found = fitted(measured, places, {}, start);
    EXPECT_LT(mean_error(measured, places, {}, found), 0.03);
    // And predicts what it has not seen.
    const auto other = make_tree({.shape = Shape::two_level, .procs = 16, .hosts = hosts, .arity = 2});
    const double expected = predicted_ns(other, places, Bytes{4096}, {}, truth);
    EXPECT_NEAR(predicted_ns(other, places, Bytes{4096}, {}, found) / expected, 1, 0.1);
}

}  // namespace
}  // namespace fathom::tree
