#include "tune/model/costing.hpp"

#include <map>
#include <string>

#include "tune/model/models.hpp"

namespace fathom::testing {
namespace {

using tune::Layout;

/// The time of one round from its single messages, by the definition.
template <typename AnyPattern>
double time_of_round(const AnyPattern& pattern, const tune::Step& step, const tune::Network& network,
                     const Layout& layout, double size) {
    std::map<int, double> leaving;
    std::map<int, double> entering;
    double slowest = 0;
    double reduced = 0;
    double interface = 0;
    tune::visit_messages(pattern, layout.procs(), [&](int from, int to, std::int64_t blocks) {
        const double bytes = static_cast<double>(blocks) * step.block * size;
        const bool inside = layout.host_of(from) == layout.host_of(to);
        slowest = std::max(slowest, (inside ? network.inside : network.between).message.at(bytes));
        reduced = std::max(reduced, bytes);
        if (!inside) {
            leaving[layout.host_of(from)] += bytes;
            entering[layout.host_of(to)] += bytes;
            interface = std::max({interface, leaving[layout.host_of(from)], entering[layout.host_of(to)]});
        }
    });
    if (interface > 0) {
        slowest = std::max(slowest, network.between.message.ranges.front().time.fixed_ns +
                                        *network.interface_ns_per_byte * interface);
    }
    return slowest + (step.reduces ? network.reduce_ns_per_byte * reduced : 0);
}

double time_of(const tune::Step& step, const tune::Network& network, const Layout& layout, double size) {
    double sum = 0;
    if (const auto* shift = std::get_if<tune::Shift>(&step.pattern)) {
        for (auto distance = shift->first; distance <= shift->last; ++distance) {
            sum += time_of_round(tune::Shift{distance, distance}, step, network, layout, size);
        }
    } else if (const auto* exchange = std::get_if<tune::Exchange>(&step.pattern)) {
        for (auto mask = exchange->first_mask; mask <= exchange->last_mask; ++mask) {
            sum += time_of_round(tune::Exchange{mask, mask, exchange->payload, exchange->lowest}, step,
                                 network, layout, size);
        }
    } else if (const auto* mirror = std::get_if<tune::Mirror>(&step.pattern)) {
        for (auto one = mirror->first; one <= mirror->last; ++one) {
            sum += time_of_round(tune::Mirror{one, one}, step, network, layout, size);
        }
    } else {
        sum = std::visit(
            [&](const auto& pattern) { return time_of_round(pattern, step, network, layout, size); },
            step.pattern);
    }
    return static_cast<double>(step.times) * sum;
}

bool has_rounds_only(const tune::Schedule& schedule) {
    return std::none_of(schedule.begin(), schedule.end(), [](const auto& step) {
        return std::holds_alternative<tune::AllAtOnce>(step.pattern) ||
               std::holds_alternative<tune::Fan>(step.pattern) ||
               std::holds_alternative<tune::Chain>(step.pattern);
    });
}

void expect_every_message_counted(const Layout& layout) {
    for (const auto& one : tune::algorithms()) {
        const auto schedule = one.schedule(layout.procs(), {});
        if (!has_rounds_only(schedule)) {
            continue;
        }
        const auto network = two_level_network();
        const auto curve = tune::cost_of(schedule, network, layout);
        for (const std::int64_t size : {0, 100, 20'000, 3'000'000}) {
            double expected = 0;
            for (const auto& step : schedule) {
                expected += time_of(step, network, layout, static_cast<double>(size));
            }
            ASSERT_NEAR(curve.at({size}), expected, 1e-9 * expected)
                << one.operation << " " << one.name << ", " << layout.procs() << " ranks on "
                << layout.hosts() << " hosts, " << size << " B";
        }
    }
}

TEST(Costing, IsAsIfEveryMessageWereFollowed) {
    for (int procs = 2; procs <= 20; ++procs) {
        for (int hosts = 1; hosts <= procs; ++hosts) {
            expect_every_message_counted(Layout::blocks(procs, hosts));
        }
    }
    for (const auto& [procs, hosts] : {std::pair(64, 16), {64, 8}, {96, 8}, {100, 7}, {128, 3}}) {
        expect_every_message_counted(Layout::blocks(procs, hosts));
    }
}

TEST(Costing, TakesRanksThatAreDealtOutToHosts) {
    std::vector<std::string> hosts;
    for (int rank = 0; rank < 12; ++rank) {
        hosts.push_back("h" + std::to_string(rank % 3));
    }
    const auto dealt = Layout::of(hosts);
    EXPECT_FALSE(dealt.by_block());
    expect_every_message_counted(dealt);
    // Neighbours of a ring are never on one host now.
    const auto& ring = algorithm("allgather", "ring");
    EXPECT_GT(curve_of(ring, two_level_network(), dealt).at({100'000}),
              1.5 * curve_of(ring, two_level_network(), Layout::blocks(12, 3)).at({100'000}));
}

TEST(Costing, OfEqualLevelsAndInterfacesThatAreNotSharedIsThatOfAFlatNetwork) {
    const auto network = flat_network();
    for (const auto& one : tune::algorithms()) {
        for (const int procs : {2, 3, 8, 12, 30, 64}) {
            const auto flat = curve_of(one, network, Layout::flat(procs));
            for (const int hosts : {1, 2, procs / 2, procs}) {
                const auto two_level = curve_of(one, network, Layout::blocks(procs, hosts));
                for (const std::int64_t size : {0, 1, 1'000, 100'000, 50'000'000}) {
                    EXPECT_NEAR(two_level.at({size}), flat.at({size}), 1e-9 * flat.at({size}))
                        << one.operation << " " << one.name << " " << procs << " on " << hosts;
                }
            }
        }
    }
}

TEST(Costing, NeverFallsWithTheSize) {
    for (const auto& one : tune::algorithms()) {
        for (const int procs : {2, 7, 16, 24}) {
            for (const int hosts : {1, 2, procs}) {
                const auto curve = curve_of(one, two_level_network(), Layout::blocks(procs, hosts));
                double before = 0;
                for (std::int64_t size = 0; size < 3'000'000; size = size * 5 / 4 + 1) {
                    EXPECT_GE(curve.at({size}), before) << one.operation << " " << one.name << " " << size;
                    before = curve.at({size});
                }
            }
        }
    }
}

TEST(Costing, FollowsProtocolsToTheByte) {
    auto network = flat_network();
    network.between.message.ranges = {{.time = {1'000, 1}, .up_to = {4'096}}, {.time = {5'000, 0.5}}};
    network = network.flattened();
    const auto curve = curve_of(algorithm("bcast", "binomial"), network, Layout::flat(4));
    EXPECT_DOUBLE_EQ(curve.at({4'096}), 2 * (1'000 + 4'096.0));
    EXPECT_DOUBLE_EQ(curve.at({4'097}), 2 * (5'000 + 4'097 * 0.5));
    EXPECT_EQ(curve.piece({1}).last.count, 4'096);
    // Halves, then halves again: messages of n/2 and n/4 change at other sizes.
    const auto scatter = curve_of(algorithm("bcast", "scatter_rd_allgather"), network, Layout::flat(4));
    EXPECT_NEAR(scatter.at({8'193}), 2 * (5'000 + 8'193 / 2.0 * 0.5) + 2 * (1'000 + 8'193 / 4.0), 1e-9);
    EXPECT_EQ(scatter.piece({8'193}).last.count, 16'384);
}

TEST(Costing, SharesTheInterfaceAmongTheRanksOfAHost) {
    const auto network = two_level_network();
    const auto layout = Layout::blocks(64, 8);
    const double bytes = 1e6;
    // Doubling: rounds 1, 2 and 4 are inside hosts, in the others all 8 ranks of a host send at once.
    EXPECT_NEAR(curve_of(algorithm("allreduce", "recursive_doubling"), network, layout).at({1'000'000}),
                3 * (503 + bytes * 0.21) + 3 * (10'007 + 8 * bytes * 1.07) + 6 * bytes * 0.171, 1e-3);
    // A ring has one message at a time through each interface.
    EXPECT_NEAR(curve_of(algorithm("allgather", "ring"), network, layout).at({1'000'000}),
                63 * (10'007 + bytes * 1.13), 1e-3);
    // All at once: 8 ranks with 56 messages each leave a host.
    EXPECT_NEAR(curve_of(algorithm("alltoall", "isend_irecv"), network, layout).at({1'000'000}),
                56 * 10'007 + 7 * 503 + 8 * 56 * bytes * 1.07, 1e-3);
}

TEST(Costing, OneMessageSaturatesAnInterfaceWhereNothingElseIsKnown) {
    auto network = two_level_network();
    network.interface_ns_per_byte.reset();
    network.between.message.ranges = {{.time = {10'000, 2}, .up_to = {4'096}}, {.time = {20'000, 1}}};
    const auto curve = curve_of(algorithm("allreduce", "recursive_doubling"), network, Layout::blocks(4, 2));
    // One round inside hosts; one in which both ranks of a host send at once.
    const auto inside = [&](double bytes) { return 503 + bytes * 0.21 + 2 * 0.171 * bytes; };
    EXPECT_NEAR(curve.at({4'000}), inside(4'000) + 10'000 + 2 * 2 * 4'000, 1e-6);
    EXPECT_NEAR(curve.at({8'000}), inside(8'000) + 20'000 + 2 * 1 * 8'000, 1e-6);
    const auto burst = curve_of(algorithm("alltoall", "isend_irecv"), network, Layout::blocks(4, 2));
    EXPECT_NEAR(burst.at({8'000}), 20'000 + 10'007 + 503 + 4 * 8'000, 1e-6);
}

// Steps that cost all ranks the same are not counted one by one: if they were, this would exceed the suite's
// time limit.
TEST(Costing, IsPossibleForAMillionRanks) {
    for (const auto& [procs, hosts] :
         {std::pair(1'000'000, 1'000'000), {1'048'576, 16'384}, {1'000'000, 15'625}, {999'983, 7'777}}) {
        for (const auto& one : tune::algorithms()) {
            EXPECT_GT(curve_of(one, two_level_network(), Layout::blocks(procs, hosts)).at({1'024}), 0);
        }
    }
}

}  // namespace
}  // namespace fathom::testing
