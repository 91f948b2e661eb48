#include <gmock/gmock.h>

#include "tree/analysis/parts.hpp"
#include "tree/analysis/paths.hpp"
#include "tree/analysis/stage.hpp"
#include "tree/analysis/synthetic_tree.hpp"

namespace fathom::tree {
namespace {

using ::testing::ElementsAre;

/// All times of a stage are this.
void expect_exactly(const std::optional<StageSummary>& summary, double ns) {
    ASSERT_TRUE(summary);
    EXPECT_EQ(summary->min_ns, ns);
    EXPECT_EQ(summary->mean_ns, ns);
    EXPECT_EQ(summary->median_ns, ns);
    EXPECT_EQ(summary->p99_ns, ns);
    EXPECT_EQ(summary->max_ns, ns);
    EXPECT_EQ(summary->deviation_ns, 0);
}

constexpr std::size_t repeated = 20;

/// Edges and joins as set, on any tree.
void expect_closed_latencies(const StageTimes& times, const StageSettings& settings) {
    for (const auto& edge : edges_of(times)) {
        expect_exactly(edge.down, static_cast<double>(settings.edge_down));
        expect_exactly(edge.up, static_cast<double>(settings.edge_up));
        expect_exactly(edge.two_way, static_cast<double>(settings.edge_down + settings.edge_up));
    }
    for (const auto& join : joins_of(times)) {
        expect_exactly(join.down, static_cast<double>(settings.join_down));
        expect_exactly(join.up, static_cast<double>(settings.join_up));
        for (std::size_t place = 0; place < join.contributors.size(); ++place) {
            const double wait = static_cast<double>(settings.gap) * static_cast<double>(place);
            expect_exactly(join.contributors[place].departure_wait, wait);
            EXPECT_EQ(join.contributors[place].departure_order[place], repeated);
            ASSERT_EQ(join.contributors[place].departure_waits_by_place.size(), 1U);
            EXPECT_EQ(join.contributors[place].departure_waits_by_place.front().place, place);
            EXPECT_EQ(join.contributors[place].departure_waits_by_place.front().mean_ns, wait);
            ASSERT_EQ(join.serialisation.size(), join.contributors.size());
            EXPECT_EQ(join.serialisation[place].mean_ns, static_cast<double>(settings.join_up) + wait);
        }
    }
    expect_exactly(summary_of(times.series({StageKind::store, times.index().root()})),
                   static_cast<double>(settings.store));
}

/// The wait of a contributor for the last one at its join.
double arrival_wait(const StageTimes& times, const std::string& name) {
    const auto series = times.series({StageKind::arrival_wait, times.index().find(name)});
    EXPECT_EQ(series.size(), repeated);
    return series.front();
}

TEST(ClosedValues, OfAFlatTree) {
    const NodeIndex index(flat_tree(5));
    const StageSettings set;
    const auto calls = simultaneous_calls(index, repeated, set);
    const StageTimes times(index, calls);
    expect_closed_latencies(times, set);
    for (const auto* name : {"0", "1", "4"}) {
        EXPECT_EQ(arrival_wait(times, name), 0);
    }
    const auto paths = path_times(times);
    // d + c, store, u, four gaps, up
    expect_exactly(summary_of(paths.tree_ns), static_cast<double>(set.edge_down + set.join_down + set.store +
                                                                  set.join_up + 4 * set.gap + set.edge_up));
}

TEST(ClosedValues, OfAChain) {
    const NodeIndex index(chain_tree(5));
    const StageSettings set;
    const auto calls = simultaneous_calls(index, repeated, set);
    const StageTimes times(index, calls);
    expect_closed_latencies(times, set);
    const auto level = static_cast<double>(set.edge_down + set.join_down);
    EXPECT_EQ(arrival_wait(times, "0"), 3 * level) << "three joins are passed before the root's";
    EXPECT_EQ(arrival_wait(times, "1"), 2 * level);
    EXPECT_EQ(arrival_wait(times, "2"), level);
    EXPECT_EQ(arrival_wait(times, "3"), 0);
    EXPECT_EQ(arrival_wait(times, "chain1"), 0);
    const auto paths = path_times(times);
    expect_exactly(summary_of(paths.tree_ns),
                   4 * level + static_cast<double>(set.store + 4 * (set.join_up + set.gap + set.edge_up)));
}

TEST(ClosedValues, OfABinomialTree) {
    const NodeIndex index(binomial_tree());
    const StageSettings set;
    const auto calls = simultaneous_calls(index, repeated, set);
    const StageTimes times(index, calls);
    expect_closed_latencies(times, set);
    const auto level = static_cast<double>(set.edge_down + set.join_down);
    EXPECT_EQ(arrival_wait(times, "0"), 2 * level);
    EXPECT_EQ(arrival_wait(times, "two"), level);
    EXPECT_EQ(arrival_wait(times, "four"), 0);
    EXPECT_EQ(arrival_wait(times, "4"), level);
    EXPECT_EQ(arrival_wait(times, "6"), 0);
    const auto paths = path_times(times);
    // Down and up through three joins; `four` leaves as the fourth, `six` as the third and leaf 7 as the
    // second.
    expect_exactly(
        summary_of(paths.tree_ns),
        3 * level + static_cast<double>(set.store + 3 * (set.join_up + set.edge_up) + 6 * set.gap));
}

TEST(ClosedValues, OfTwoLevels) {
    const NodeIndex index(two_level_tree(2, 4));
    const StageSettings set;
    const auto calls = simultaneous_calls(index, repeated, set);
    const StageTimes times(index, calls);
    expect_closed_latencies(times, set);
    EXPECT_EQ(arrival_wait(times, "0"), 0);
    EXPECT_EQ(arrival_wait(times, "host1"), 0);
    const auto level = static_cast<double>(set.edge_down + set.join_down);
    expect_exactly(
        summary_of(path_times(times).tree_ns),
        2 * level + static_cast<double>(set.store + 2 * (set.join_up + set.edge_up) + 4 * set.gap));
    const auto subtrees = subtrees_of(times);
    ASSERT_EQ(subtrees.size(), 1U) << "hosts have leaves only";
    expect_exactly(subtrees.front().down, 2 * level);
    expect_exactly(subtrees.front().up, static_cast<double>(2 * (set.join_up + set.edge_up)));
    expect_exactly(subtrees.front().departure_wait, static_cast<double>(4 * set.gap));
}

TEST(StagesOfAPath, AddUpToTheTimeInTheCallWhateverTheyAre) {
    for (const auto& tree : {flat_tree(6), chain_tree(6), binomial_tree(), two_level_tree(3, 3)}) {
        const NodeIndex index(tree);
        StageSettings set;
        for (Node node = 0; node < index.nodes(); ++node) {
            set.other[{StageKind::edge_down, node}] = 900 + 37 * node;
            set.other[{StageKind::edge_up, node}] = 700 + 53 * node;
            set.other[{StageKind::join_down, node}] = 10 + 7 * node;
        }
        const auto calls = calls_in_a_row(
            index, 30, [&](std::size_t) { return set; },
            [](int leaf, std::size_t call) {
                return 100 + 31 * leaf + static_cast<std::int64_t>(call % 7) * 11;
            });
        const StageTimes times(index, calls);
        const auto paths = path_times(times);
        for (int leaf = 0; leaf < index.leaves(); ++leaf) {
            for (std::size_t call = 0; call < times.size(); ++call) {
                double sum = 0;
                double without_waits = 0;
                for (const auto& stage : path_of(index, leaf, true, true)) {
                    const auto ns = static_cast<double>(*times.time(call, stage));
                    sum += ns;
                    without_waits += stage.kind == StageKind::arrival_wait ? 0 : ns;
                }
                const auto place = static_cast<std::size_t>(leaf);
                EXPECT_EQ(sum, paths.in_call[place][call]) << tree.name;
                EXPECT_EQ(without_waits, paths.without_waits[place][call]) << tree.name;
            }
        }
    }
}

TEST(Orders, CountEveryCallOnceAndShareItAmongSimultaneousOnes) {
    const NodeIndex index(flat_tree(3));
    TracedCalls calls;
    const StageSettings set;
    // Rank 2 is last in the first two calls, ranks 0 and 1 are last together in the third.
    for (const auto& entries : std::vector<std::vector<std::int64_t>>{{0, 10, 20}, {5, 5, 9}, {40, 40, 0}}) {
        calls.calls.push_back({.launch = 0,
                               .number = static_cast<std::uint32_t>(calls.calls.size()),
                               .passages = passages_of_call(index, set, entries)});
    }
    const StageTimes times(index, calls);
    const auto contributors = joins_of(times).front().contributors;
    EXPECT_THAT(contributors[0].arrival_order, ElementsAre(1.5, 1, 0.5));
    EXPECT_THAT(contributors[1].arrival_order, ElementsAre(0.5, 2, 0.5));
    EXPECT_THAT(contributors[2].arrival_order, ElementsAre(1, 0, 2));
    EXPECT_EQ(contributors[2].last_arrivals, 2);
    EXPECT_THAT(contributors[0].departure_order, ElementsAre(3, 0, 0));
}

TEST(TracedCalls, PutEventsOfRanksTogetherOnTheGlobalClock) {
    const NodeIndex index(flat_tree(2));
    CallGatherer gatherer(index);
    // Rank 1's clock is 500 ns ahead.
    const auto to_global = [](int rank, Nanoseconds own) { return own - Nanoseconds{rank == 1 ? 500 : 0}; };
    const std::vector<Event> of_0{{.call = 4, .collector = 0, .down_ns = 100, .up_ns = 900},
                                  {.call = 4, .collector = 1, .down_ns = 150, .up_ns = 800},
                                  {.call = 4, .collector = 3, .down_ns = 300, .up_ns = 700},
                                  {.call = 4, .collector = 4, .down_ns = 400, .up_ns = 500}};
    const std::vector<Event> of_1{{.call = 4, .collector = 2, .down_ns = 620, .up_ns = 1'450},
                                  {.call = 4, .collector = 2, .down_ns = 621, .up_ns = 1'451},
                                  {.call = 4, .collector = 1, .down_ns = 1, .up_ns = 2},
                                  {.call = 4, .collector = 99, .down_ns = 1, .up_ns = 2},
                                  {.call = 5, .collector = 2, .down_ns = 9'000, .up_ns = 9'900}};
    gatherer.add(0, 0, of_0, to_global);
    gatherer.add(0, 1, of_1, to_global);
    gatherer.add_bound(1, {30});
    gatherer.add_bound(1, {20});
    gatherer.add_dropped(3);
    const auto calls = gatherer.take();
    EXPECT_EQ(calls.strays, 3) << "twice, of another rank, and of no collector";
    EXPECT_EQ(calls.dropped, 3);
    ASSERT_EQ(calls.calls.size(), 2U);
    const StageTimes times(index, calls);
    EXPECT_THAT(times.complete(), ElementsAre(0)) << "call 5 has one event";
    const auto edges = edges_of(times);
    EXPECT_EQ(edges[1].down->median_ns, 300 - (620 - 500));
    EXPECT_EQ(edges[1].up->median_ns, (1'450 - 500) - 700);
    EXPECT_EQ(edges[1].two_way->median_ns, (1'450 - 620) - (700 - 300));
    EXPECT_EQ(edges[1].clock_bound.count, 30);
    EXPECT_EQ(edges[0].clock_bound.count, 0) << "one rank has both ends";
}

TEST(TracedCalls, OfAReduceHaveNoWayUp) {
    const NodeIndex index(flat_tree(2));
    CallGatherer gatherer(index);
    const auto same = [](int, Nanoseconds own) { return own; };
    gatherer.add(0, 0,
                 std::vector<Event>{{.call = 0, .collector = 0, .down_ns = 10},
                                    {.call = 0, .collector = 1, .down_ns = 20},
                                    {.call = 0, .collector = 3, .down_ns = 60},
                                    {.call = 0, .collector = 4, .down_ns = 75}},
                 same);
    gatherer.add(0, 1, std::vector<Event>{{.call = 0, .collector = 2, .down_ns = 15}}, same);
    const auto calls = gatherer.take();
    EXPECT_TRUE(calls.down);
    EXPECT_FALSE(calls.up);
    const StageTimes times(index, calls);
    const auto joins = joins_of(times);
    EXPECT_EQ(joins.front().down->mean_ns, 15);
    EXPECT_FALSE(joins.front().up);
    EXPECT_THAT(path_times(times).tree_ns, ElementsAre(60)) << "from the last entry to the root's join";
}

TEST(TracedCalls, OfABroadcastBeginAtTheLeafThatDataComeFrom) {
    const NodeIndex index(flat_tree(3));
    CallGatherer gatherer(index);
    const auto same = [](int, Nanoseconds own) { return own; };
    // Rank 0 has the data, which pass its ends of its edge and the root on their way down.
    gatherer.add(0, 0,
                 std::vector<Event>{{.call = 0, .collector = 0, .down_ns = 10},
                                    {.call = 0, .collector = 1, .down_ns = 10},
                                    {.call = 0, .collector = 3, .up_ns = 30},
                                    {.call = 0, .collector = 5, .up_ns = 45},
                                    {.call = 0, .collector = 6, .down_ns = 10, .up_ns = 10}},
                 same);
    gatherer.add(0, 1, std::vector<Event>{{.call = 0, .collector = 2, .up_ns = 130}}, same);
    gatherer.add(0, 2, std::vector<Event>{{.call = 0, .collector = 4, .up_ns = 155}}, same);
    const auto calls = gatherer.take();
    EXPECT_FALSE(calls.down);
    EXPECT_TRUE(calls.up);
    const StageTimes times(index, calls);
    ASSERT_EQ(times.complete().size(), 1U);
    const auto join = joins_of(times).front();
    EXPECT_EQ(join.up->mean_ns, 20);
    EXPECT_FALSE(join.contributors[0].departure_wait);
    EXPECT_EQ(join.contributors[2].departure_wait->mean_ns, 15);
    EXPECT_FALSE(edges_of(times)[0].up);
    EXPECT_EQ(edges_of(times)[2].up->mean_ns, 110);
    EXPECT_THAT(path_times(times).tree_ns, ElementsAre(145));
}

TEST(Timemap, EndsAtTheRootAtZeroAndBeginsAtTheLeaf) {
    const NodeIndex index(two_level_tree(2, 2));
    const StageSettings set;
    const auto calls = simultaneous_calls(index, repeated, set);
    const StageTimes times(index, calls);
    const auto lines = timemap_of(times, false);
    ASSERT_EQ(lines.size(), 4U);
    const auto& line = lines.back();
    EXPECT_EQ(line.down.front().x_ns, -static_cast<double>(2 * (set.edge_down + set.join_down)));
    EXPECT_EQ(line.down.front().depth, 0);
    EXPECT_EQ(line.down.back().x_ns, 0);
    EXPECT_EQ(line.down.back().depth, 4);
    EXPECT_EQ(line.up.front().depth, 4);
    EXPECT_EQ(line.up.back().depth, 0);
    EXPECT_EQ(line.up.back().x_ns,
              static_cast<double>(set.store + 2 * (set.join_up + set.gap + set.edge_up)));
}

}  // namespace
}  // namespace fathom::tree
