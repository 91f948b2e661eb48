#include "plan/plan.hpp"

#include <array>
#include <map>
#include <numeric>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/test_support.hpp"
#include "plan/schemes.hpp"

namespace fathom::plan {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAreArray;

Plan plan_of(std::vector<std::string> operations, std::vector<std::string> sizes) {
    Plan plan;
    plan.operations = std::move(operations);
    plan.sizes = std::move(sizes);
    return plan;
}

std::vector<std::string> texts(const std::vector<PointSpec>& points) {
    std::vector<std::string> found;
    for (const auto& point : points) {
        found.push_back(to_text(point.key));
    }
    return found;
}

TEST(Launches, AreSeveralShortOnesOnARealMachine) {
    Plan plan;
    plan.operations = {"pingpong"};
    EXPECT_EQ(launches_of(plan, false), 5);
    EXPECT_EQ(launches_of(plan, true), 1);
    plan.runs = 5;
    EXPECT_DOUBLE_EQ(effort_of_launch(plan, 0), 0.2);
    plan.runs = 2;
    EXPECT_DOUBLE_EQ(effort_of_launch(plan, 1), 0.5);
    plan.runs = 50;
    EXPECT_DOUBLE_EQ(effort_of_launch(plan, 0), 0.2) << "each of many is still worth its start";
    plan.runs = 1;
    EXPECT_DOUBLE_EQ(effort_of_launch(plan, 0), 1);
}

TEST(Launches, AreOneWhereRepetitionsAreFixed) {
    Plan plan;
    plan.operations = {"bcast"};
    plan.reps = 10;
    EXPECT_EQ(launches_of(plan, false), 1);
    EXPECT_DOUBLE_EQ(revisit_percent_of(plan, false), 0);
    plan.reps.reset();
    plan.scheme = "imb";
    EXPECT_EQ(launches_of(plan, false), 1) << "as the other benchmark does";
    plan.scheme.clear();
    plan.compare_schemes = true;
    EXPECT_EQ(launches_of(plan, false), 1);
}

TEST(Launches, AreOneWhereAllPairsAreSurveyed) {
    Plan plan;
    plan.operations = {"bcast", "matrix"};
    EXPECT_EQ(launches_of(plan, false), 1);
    EXPECT_DOUBLE_EQ(revisit_percent_of(plan, false), 0);
}

TEST(Launches, OfASearchLetTheFirstDecide) {
    Plan plan;
    plan.operations = {"bcast"};
    plan.sizes = {"1:1M:auto"};
    EXPECT_EQ(launches_of(plan, false), 3);
    plan.runs = 3;
    EXPECT_DOUBLE_EQ(effort_of_launch(plan, 0), 1);
    EXPECT_DOUBLE_EQ(effort_of_launch(plan, 1), 1.0 / 3);
}

TEST(Revisits, TakeAsLongAgainUnlessLaunchesAreFixed) {
    Plan plan;
    plan.operations = {"bcast"};
    EXPECT_DOUBLE_EQ(revisit_percent_of(plan, false), 100);
    EXPECT_DOUBLE_EQ(revisit_percent_of(plan, true), 0);
    plan.runs = 3;
    EXPECT_DOUBLE_EQ(revisit_percent_of(plan, false), 0);
    plan.revisit_percent = 30;
    EXPECT_DOUBLE_EQ(revisit_percent_of(plan, false), 30);
}

TEST(Launches, AreThreeWhereARealMachineIsStudiedForOverlap) {
    Plan plan;
    plan.operations = {"pingpong", "overlap.isend"};
    EXPECT_EQ(launches_of(plan, false), 3);
    EXPECT_EQ(launches_of(plan, true), 1);
    plan.runs = 2;
    EXPECT_EQ(launches_of(plan, false), 2);
    EXPECT_EQ(launches_of(plan, true), 2);
}

TEST(Points, AreEveryOperationWithEverySize) {
    EXPECT_THAT(texts(points_of(plan_of({"bcast", "allreduce"}, {"8", "1k"}), 4)),
                ElementsAre("bcast, 8 B, 4 processes", "bcast, 1 KiB, 4 processes",
                            "allreduce, 8 B, 4 processes", "allreduce, 1 KiB, 4 processes"));
}

TEST(Points, OfAnOperationWithoutSizeAreOne) {
    EXPECT_THAT(texts(points_of(plan_of({"barrier"}, {"8", "1k", "1M"}), 1)),
                ElementsAre("barrier, 1 process"));
    EXPECT_EQ(points_of(plan_of({"barrier"}, {}), 2).size(), 1U);
}

TEST(Points, HaveConsecutiveIndices) {
    const auto points = points_of(plan_of({"pingpong", "barrier", "bcast"}, {"1:1M"}), 2);
    ASSERT_EQ(points.size(), 21U + 1 + 21);
    for (std::size_t i = 0; i < points.size(); ++i) {
        EXPECT_EQ(points[i].index, static_cast<int>(i));
        EXPECT_EQ(points[i].key.procs, 2);
    }
}

TEST(Points, NameAnOperationGivenTwiceOnce) {
    EXPECT_EQ(texts(points_of(plan_of({"bcast", "barrier", "bcast", "barrier"}, {"8"}), 2)),
              texts(points_of(plan_of({"bcast", "barrier"}, {"8"}), 2)));
}

TEST(Points, CarryThePatternOfTheirOperation) {
    const auto points = points_of(plan_of({"pingpong", "bcast"}, {"8"}), 2);
    EXPECT_EQ(points[0].key.pattern, "first-last");
    EXPECT_EQ(points[1].key.pattern, "all");
}

TEST(Points, KeepSizesBeyond2GiB) {
    EXPECT_THAT(texts(points_of(plan_of({"bcast"}, {"3G"}), 2)), ElementsAre("bcast, 3 GiB, 2 processes"));
}

TEST(Points, OfAnUnknownOperationAreRefused) {
    EXPECT_THROW(points_of(plan_of({"nonsense"}, {"8"}), 2), BadInput);
}

TEST(Points, AreMadeForEveryProcessCount) {
    auto plan = plan_of({"barrier", "bcast"}, {"8", "64"});
    plan.procs = {"2:4", "3"};
    EXPECT_THAT(
        texts(points_of(plan, 4)),
        ElementsAre("barrier, 2 processes", "barrier, 3 processes", "barrier, 4 processes",
                    "bcast, 8 B, 2 processes", "bcast, 64 B, 2 processes", "bcast, 8 B, 3 processes",
                    "bcast, 64 B, 3 processes", "bcast, 8 B, 4 processes", "bcast, 64 B, 4 processes"));
}

TEST(Points, WithoutProcessCountsTakeAllThatAreStarted) {
    EXPECT_EQ(most_procs(plan_of({"barrier"}, {})), 0);
    EXPECT_THAT(texts(points_of(plan_of({"barrier"}, {}), 7)), ElementsAre("barrier, 7 processes"));
}

TEST(Points, NeedTheLargestProcessCount) {
    Plan plan;
    plan.procs = {"24", "2:16"};
    EXPECT_EQ(most_procs(plan), 24);
    plan.procs = {"2:48:auto"};
    EXPECT_EQ(most_procs(plan), 48);
}

TEST(Points, AreMadeForEverySchemeWhereTheyAreCompared) {
    auto plan = plan_of({"bcast"}, {"8", "64"});
    plan.compare_schemes = true;
    const auto points = points_of(plan, 2);
    const auto schemes = compared_schemes(find_operation("bcast"));
    ASSERT_EQ(points.size(), 2 * schemes.size());
    for (std::size_t i = 0; i < points.size(); ++i) {
        EXPECT_EQ(points[i].index, static_cast<int>(i));
        EXPECT_EQ(points[i].key.scheme, schemes[i % schemes.size()]);
        EXPECT_EQ(points[i].key.size.count, i < schemes.size() ? 8 : 64);
    }
    EXPECT_EQ(to_text(points.front().key), "bcast, 8 B, 2 processes, fathom");
}

TEST(Points, TakeThePairOfTheSchemeTheyAreMeasuredBy) {
    auto plan = plan_of({"pingpong"}, {"8"});
    plan.compare_schemes = true;
    std::map<std::string, std::string> pairs;
    for (const auto& point : points_of(plan, 32)) {
        pairs[point.key.scheme] = point.key.pattern;
    }
    EXPECT_EQ(pairs.at("fathom"), "first-last");
    EXPECT_EQ(pairs.at("as-imb"), "0-1");
    EXPECT_EQ(pairs.at("as-osu"), "0-1");
    EXPECT_EQ(pairs.at("as-mpbench"), "first-last");
    EXPECT_EQ(pairs.at("as-skampi"), "max-latency");
    EXPECT_EQ(pairs.at("as-mpibench"), "0-16");
    EXPECT_EQ(pairs.at("pair-0-1"), "0-1");
    EXPECT_EQ(pairs.at("pair-half"), "0-16");
    plan.compare_schemes = false;
    apply_scheme(plan, "as-imb");
    EXPECT_EQ(points_of(plan, 32).front().key.pattern, "0-1");
}

std::vector<std::string> progress_of(const std::vector<PointSpec>& points) {
    std::vector<std::string> found;
    for (const auto& point : points) {
        found.push_back(point.key.progress);
    }
    return found;
}

TEST(Points, LeaveProgressToTheLibraryUnlessAThreadIsAskedFor) {
    auto plan = plan_of({"iallreduce", "overlap.iallreduce"}, {"8"});
    EXPECT_EQ(progress_of(points_of(plan, 2)), (std::vector<std::string>{"", ""}));
    plan.overlap.progress = Progress::thread;
    EXPECT_EQ(progress_of(points_of(plan, 2)), (std::vector<std::string>{"thread", "thread"}));
    EXPECT_EQ(to_text(points_of(plan, 2).front().key), "iallreduce, 8 B, 2 processes, progress thread");
}

TEST(Points, OfStudiesAreMadeWithAndWithoutAThreadWhereBothAreAskedFor) {
    auto plan = plan_of({"iallreduce", "overlap.iallreduce"}, {"8", "64"});
    plan.overlap.progress = Progress::both;
    const auto points = points_of(plan, 2);
    EXPECT_EQ(progress_of(points), (std::vector<std::string>{"", "", "", "thread", "", "thread"}));
    EXPECT_EQ(texts(points)[3], "overlap.iallreduce, 8 B, 2 processes, progress thread");
    for (std::size_t i = 0; i < points.size(); ++i) {
        EXPECT_EQ(points[i].index, static_cast<int>(i));
    }
}

TEST(Points, AreMadeForEveryImplementation) {
    auto plan = plan_of({"allreduce"}, {"8", "1k"});
    plan.via = {"tree:flat", "library"};
    EXPECT_THAT(texts(points_of(plan, 4)),
                ElementsAre("allreduce, 8 B, 4 processes, via tree:flat", "allreduce, 8 B, 4 processes",
                            "allreduce, 1 KiB, 4 processes, via tree:flat", "allreduce, 1 KiB, 4 processes"));
    EXPECT_TRUE(interleaves(plan)) << "what is compared is measured in alternation";
    plan.via = {"tree:flat"};
    EXPECT_FALSE(interleaves(plan));
    EXPECT_TRUE(points_of(plan_of({"allreduce"}, {"8"}), 4).front().key.implementation.empty());
}

TEST(Points, OfARefinedRangeAreThoseItBeginsWith) {
    EXPECT_EQ(texts(points_of(plan_of({"bcast"}, {"1:1M:auto"}), 2)),
              texts(points_of(plan_of({"bcast"}, {"1:1M"}), 2)));
}

std::vector<int> indices(const std::vector<PointSpec>& points) {
    std::vector<int> found;
    for (const auto& point : points) {
        found.push_back(point.index);
    }
    return found;
}

/// The order in which 40 points are measured.
std::vector<int> order_of(Order order, std::int64_t seed, int trial) {
    auto plan = plan_of({"bcast", "allreduce"}, {"1:512k"});
    plan.order = order;
    plan.seed = seed;
    return indices(in_order(plan, points_of(plan, 2), trial));
}

std::vector<int> counted(int count) {
    std::vector<int> numbers(static_cast<std::size_t>(count));
    std::iota(numbers.begin(), numbers.end(), 0);
    return numbers;
}

TEST(Order, IsThatOfThePlanIfItSaysSo) {
    for (const int trial : {0, 1, 2}) {
        EXPECT_EQ(order_of(Order::planned, 7, trial), counted(40));
    }
}

TEST(Order, AtRandomHasEveryPointOnce) {
    const auto order = order_of(Order::random, 7, 0);
    EXPECT_NE(order, counted(40));
    EXPECT_THAT(order, UnorderedElementsAreArray(counted(40)));
}

TEST(Order, AtRandomIsTheSameForTheSameSeed) {
    EXPECT_EQ(order_of(Order::random, 7, 0), order_of(Order::random, 7, 0));
    EXPECT_EQ(order_of(Order::random, 7, 3), order_of(Order::random, 7, 3));
    EXPECT_NE(order_of(Order::random, 7, 0), order_of(Order::random, 8, 0));
}

TEST(Order, AtRandomIsAnotherForEveryStart) {
    std::set<std::vector<int>> seen;
    for (int trial = 0; trial < 10; ++trial) {
        EXPECT_TRUE(seen.insert(order_of(Order::random, 7, trial)).second) << trial;
    }
}

TEST(Order, AtRandomFavoursNoPlace) {
    // 5 points in 2000 orders: each place holds each point about 400 times; five deviations are 90.
    auto plan = plan_of({"bcast"}, {"1:16"});
    std::map<std::pair<int, std::size_t>, int> seen;
    for (plan.seed = 0; plan.seed < 2000; ++plan.seed) {
        const auto order = indices(in_order(plan, points_of(plan, 2)));
        for (std::size_t place = 0; place < order.size(); ++place) {
            ++seen[{order[place], place}];
        }
    }
    ASSERT_EQ(seen.size(), 25U);
    for (const auto& [where, count] : seen) {
        EXPECT_NEAR(count, 400, 90) << "point " << where.first << " at place " << where.second;
    }
}

TEST(Order, OfNothingIsNothing) {
    EXPECT_TRUE(in_order(Plan{}, {}).empty());
}

struct Whole {
    const char* name;
    void (*change)(Plan& plan);
    const char* refusal;
};

void PrintTo(const Whole& whole, std::ostream* out) {
    *out << whole.name;
}

class WholePlan : public ::testing::TestWithParam<Whole> {};

TEST_P(WholePlan, IsRefusedWhereSettingsExcludeEachOther) {
    auto plan = plan_of({"bcast"}, {"1:1M"});
    GetParam().change(plan);
    EXPECT_EQ(testing::refusal_of([&] { check_whole(plan); }), GetParam().refusal);
}

constexpr const char* nothing = "nothing was refused";
constexpr const char* fixed_only =
    "--compare-schemes takes fixed sizes and process counts; leave out 'auto' and --locate-switches.";
constexpr const char* beforehand =
    "--interleave needs all points in advance; remove it, or 'auto' and --locate-switches.";

constexpr const char* in_rounds =
    "--scheme as-mpptest measures all points in rounds and needs them in advance; leave out 'auto' and "
    "--locate-switches.";

const auto wholes = std::to_array<Whole>({
    {"Plain", [](Plan&) {}, nothing},
    {"RefinedSizes", [](Plan& plan) { plan.sizes = {"1:1M:auto"}; }, nothing},
    {"RefinedSizesAtSeveralProcessCounts",
     [](Plan& plan) {
         plan.sizes = {"1:1M:auto"};
         plan.procs = {"2:16"};
     },
     nothing},
    {"RefinedSizesInRounds",
     [](Plan& plan) {
         plan.sizes = {"1:1M:auto"};
         apply_scheme(plan, "as-mpptest");
     },
     in_rounds},
    {"RefinedProcessCounts", [](Plan& plan) { plan.procs = {"2:64:auto"}; }, nothing},
    {"RefinedSizesAndSwitches",
     [](Plan& plan) {
         plan.sizes = {"1:1M:auto"};
         plan.locate_switches = true;
     },
     nothing},
    {"BothRefined",
     [](Plan& plan) {
         plan.sizes = {"1:1M:auto"};
         plan.procs = {"2:64:auto"};
     },
     "--sizes and --procs are both 'auto'; refine one at a time."},
    {"ComparedSchemes", [](Plan& plan) { plan.compare_schemes = true; }, nothing},
    {"ComparedSchemesAndRefinedSizes",
     [](Plan& plan) {
         plan.compare_schemes = true;
         plan.sizes = {"1:1M:auto"};
     },
     fixed_only},
    {"ComparedSchemesAndRefinedProcessCounts",
     [](Plan& plan) {
         plan.compare_schemes = true;
         plan.procs = {"2:64:auto"};
     },
     fixed_only},
    {"ComparedSchemesAndSwitches",
     [](Plan& plan) {
         plan.compare_schemes = true;
         plan.locate_switches = true;
     },
     fixed_only},
    {"ComparedSchemesAndOneOfThem",
     [](Plan& plan) {
         plan.compare_schemes = true;
         plan.scheme = "as-osu";
     },
     "--scheme and --compare-schemes exclude each other; give one."},
    {"Interleaved", [](Plan& plan) { plan.interleave = true; }, nothing},
    {"InterleavedComparedSchemes",
     [](Plan& plan) {
         plan.interleave = true;
         plan.compare_schemes = true;
     },
     nothing},
    {"InterleavedAndRefined",
     [](Plan& plan) {
         plan.interleave = true;
         plan.sizes = {"1:1M:auto"};
     },
     beforehand},
    {"InterleavedAndSwitches",
     [](Plan& plan) {
         plan.interleave = true;
         plan.locate_switches = true;
     },
     beforehand},
    {"Trees",
     [](Plan& plan) {
         plan.via = {"library", "tree:flat.toml"};
         plan.trace.every = 1;
     },
     nothing},
    {"OneTreeWithRefinedSizes",
     [](Plan& plan) {
         plan.via = {"tree:flat.toml"};
         plan.sizes = {"1:1M:auto"};
     },
     nothing},
    {"SeveralImplementationsWithRefinedSizes",
     [](Plan& plan) {
         plan.via = {"library", "tree:flat.toml"};
         plan.sizes = {"1:1M:auto"};
     },
     "--via measures several implementations in alternation, so all points must be known in advance; give "
     "fixed sizes and process counts without 'auto' and --locate-switches."},
    {"AnImplementationTwice",
     [](Plan& plan) {
         plan.via = {"tree:flat.toml", "tree:flat.toml"};
     },
     "--via names tree:flat.toml twice; give each implementation once."},
    {"TreesForWhatTheyDoNotPerform",
     [](Plan& plan) {
         plan.operations = {"bcast", "ibcast"};
         plan.via = {"library", "tree:flat.toml"};
     },
     "ibcast cannot be performed via tree:flat.toml; give some of barrier, bcast, reduce, allreduce, "
     "kernel.sor, kernel.gsum, or leave it out of --via."},
    {"TreesForAllOperations",
     [](Plan& plan) {
         plan.operations = {"all"};
         plan.via = {"tree:flat.toml"};
     },
     "all cannot be performed via tree:flat.toml; give some of barrier, bcast, reduce, allreduce, "
     "kernel.sor, kernel.gsum, or leave it out of --via."},
    {"ATraceWithoutTrees",
     [](Plan& plan) {
         plan.via = {"library"};
         plan.trace.every = 10;
     },
     "--trace records what happens inside trees; add --via tree:FILE."},
    {"ATraceOfGroups",
     [](Plan& plan) {
         plan.via = {"tree:flat.toml"};
         plan.trace.every = 1;
         plan.operation.groups = 2;
     },
     "--trace takes trees over all processes of the job; leave out --groups and --ranks."},
    {"ColdCache", [](Plan& plan) { plan.cache = Cache::cold; }, nothing},
    {"ColdCacheInSimulation",
     [](Plan& plan) {
         plan.cache = Cache::cold;
         plan.platform = "pure-16";
     },
     "a simulated platform has no caches; leave out --cache cold."},
});

INSTANTIATE_TEST_SUITE_P(Plan, WholePlan, ::testing::ValuesIn(wholes),
                         [](const auto& given) { return std::string(given.param.name); });

}  // namespace
}  // namespace fathom::plan
