#include "tune/model/crossings.hpp"

#include <string>

#include "tune/model/models.hpp"

namespace fathom::testing {
namespace {

using tune::Layout;

std::vector<tune::CostCurve> curves_of(const char* operation, const tune::Network& network,
                                       const Layout& layout, const tune::AlgorithmSettings& settings = {}) {
    std::vector<tune::CostCurve> curves;
    for (const auto* one : tune::algorithms_of(operation)) {
        curves.push_back(curve_of(*one, network, layout, settings));
    }
    return curves;
}

std::size_t place_of(const char* operation, const char* name) {
    const auto all = tune::algorithms_of(operation);
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (all[i]->name == name) {
            return i;
        }
    }
    return all.size();
}

TEST(Crossings, AreWhereTheFormulasMeet) {
    // lg p (alpha + n (beta + gamma)) = 2 lg p alpha + (p-1)/p n (2 beta + gamma), p = 64
    tune::Network network{.between = tune::simple_link(10'000, 1), .inside = {}, .reduce_ns_per_byte = 0.5};
    network = network.flattened();
    const auto ranges =
        lower_envelope(curves_of("allreduce", network, Layout::flat(64)), {1}, {1'000'000'000});
    ASSERT_EQ(ranges.size(), 2U);
    EXPECT_EQ(ranges[0].curve, place_of("allreduce", "recursive_doubling"));
    EXPECT_EQ(ranges[1].curve, place_of("allreduce", "rabenseifner"));
    const double meet = 6 * 10'000 / (6 * 1.5 - 63.0 / 64 * 2.5);
    EXPECT_EQ(ranges[1].first.count, static_cast<std::int64_t>(meet) + 1);
    EXPECT_EQ(ranges[0].last.count, ranges[1].first.count - 1);
}

TEST(Crossings, RingAndDoublingNeverCrossOnAFlatNetwork) {
    const auto ring = place_of("bcast", "scatter_ring_allgather");
    for (const int procs : {4, 32, 1'024}) {
        auto curves = curves_of("bcast", flat_network(), Layout::flat(procs));
        curves.pop_back();  // chain
        for (const auto& range : lower_envelope(curves, {1}, {std::int64_t{1} << 40})) {
            EXPECT_NE(range.curve, ring) << procs;
        }
    }
}

TEST(Crossings, RingAndDoublingCrossWhereRanksShareAnInterface) {
    // 32 ranks, 2 on a host: the thesis saw the ring win from 32 KB on.
    tune::Network network{.between = tune::simple_link(15'000, 5),
                          .inside = tune::simple_link(2'000, 1),
                          .interface_ns_per_byte = 5};
    auto curves = curves_of("bcast", network, Layout::blocks(32, 16));
    curves.pop_back();
    const auto ranges = lower_envelope(curves, {1}, {std::int64_t{1} << 30});
    ASSERT_EQ(ranges.size(), 3U);
    EXPECT_EQ(ranges[0].curve, place_of("bcast", "binomial"));
    EXPECT_EQ(ranges[1].curve, place_of("bcast", "scatter_rd_allgather"));
    EXPECT_EQ(ranges[2].curve, place_of("bcast", "scatter_ring_allgather"));
}

TEST(Crossings, AreExactToTheByteEverywhere) {
    auto network = two_level_network();
    network.between.message.ranges = {{.time = {10'007, 1.13}, .up_to = {2'048}}, {.time = {22'000, 0.9}}};
    for (const char* operation : {"bcast", "alltoall", "allgather", "allreduce", "reduce_scatter"}) {
        for (const int hosts : {3, 4, 12}) {
            const auto curves =
                curves_of(operation, network, Layout::blocks(12, hosts), {.chain_segment = {5'000}});
            const std::int64_t last = 60'000;
            const auto ranges = lower_envelope(curves, {1}, {last});
            std::int64_t next = 1;
            for (const auto& range : ranges) {
                EXPECT_EQ(range.first.count, next);
                for (auto size = range.first.count; size <= range.last.count; ++size) {
                    const double best = curves[range.curve].at({size});
                    for (const auto& curve : curves) {
                        ASSERT_GE(curve.at({size}), best * (1 - 1e-10)) << operation << " " << size;
                    }
                }
                next = range.last.count + 1;
            }
            EXPECT_EQ(next, last + 1);
        }
    }
}

TEST(Crossings, OfEqualCurvesThereAreNone) {
    const auto curves = curves_of("gather", flat_network(), Layout::flat(2));
    const auto ranges = lower_envelope(curves, {0}, {1'000'000});
    ASSERT_EQ(ranges.size(), 1U);
    EXPECT_EQ(ranges[0].curve, 0U);
}

}  // namespace
}  // namespace fathom::testing
