#include "plan/schemes.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/test_support.hpp"
#include "plan/plan_toml.hpp"
#include "plan/settings.hpp"

namespace fathom::plan {
namespace {

using testing::refusal_of;

/// The keys of settings in which two plans differ.
std::set<std::string_view> differences(const Plan& one, const Plan& other) {
    std::set<std::string_view> keys;
    for (const auto& row : settings()) {
        if (row.get(one) != row.get(other)) {
            keys.insert(row.key);
        }
    }
    return keys;
}

PointKey point_by(const std::string& scheme) {
    return {.operation = "bcast", .pattern = "all", .procs = 2, .size = {8}, .scheme = scheme};
}

TEST(Schemes, AllParseAndHaveNamesOfTheirOwn) {
    std::set<std::string_view> names{own_scheme, in_a_row_scheme};
    for (const auto& scheme : schemes()) {
        EXPECT_TRUE(names.insert(scheme.name).second) << scheme.name;
        EXPECT_TRUE(scheme.name.starts_with("as-")) << scheme.name;
        EXPECT_FALSE(scheme.benchmark.empty()) << scheme.name;
        EXPECT_FALSE(scheme.summary.empty()) << scheme.name;
        Plan plan;
        ASSERT_NO_THROW(apply_scheme(plan, scheme.name)) << scheme.name;
        EXPECT_EQ(plan.scheme, scheme.name);
        EXPECT_NO_THROW(check_whole(plan)) << scheme.name;
    }
}

TEST(Schemes, AreNothingThatAUserCouldNotWrite) {
    for (const auto& scheme : schemes()) {
        Plan applied;
        apply_scheme(applied, scheme.name);
        Plan written;
        read_plan(written, scheme.toml, "plan.toml");
        EXPECT_THAT(differences(applied, written), ::testing::IsEmpty()) << scheme.name;
    }
}

TEST(Schemes, SayHowToMeasureAndNotWhat) {
    for (const auto& scheme : schemes()) {
        Plan plan;
        apply_scheme(plan, scheme.name);
        const auto changed = differences(plan, Plan{});
        for (const auto* key : {"label", "operations", "procs", "sizes", "seed", "mpi", "platform",
                                "launcher", "compare_schemes", "order", "runs"}) {
            EXPECT_FALSE(changed.contains(key)) << scheme.name << " changes " << key;
        }
    }
}

TEST(Schemes, OfMpptestVisitsAllPointsInRounds) {
    for (const auto& scheme : schemes()) {
        Plan plan;
        apply_scheme(plan, scheme.name);
        EXPECT_EQ(interleaves(plan), scheme.name == "as-mpptest") << scheme.name;
    }
}

TEST(Schemes, RefuseAnUnknownNameWithTheNearest) {
    EXPECT_EQ(refusal_of([] { find_scheme("as-im"); }),
              "no scheme 'as-im'. Did you mean 'as-imb'? ('fathom list schemes' shows all.)");
    EXPECT_EQ(refusal_of([] { find_scheme("stopwatch"); }),
              "no scheme 'stopwatch'. ('fathom list schemes' shows all.)");
    Plan plan;
    EXPECT_THROW(apply_scheme(plan, "fathom"), BadInput) << "the own way is no scheme of others";
    EXPECT_EQ(plan.scheme, "");
}

TEST(Schemes, ReplaceEachOther) {
    for (const auto& first : schemes()) {
        for (const auto& second : schemes()) {
            Plan both;
            apply_scheme(both, first.name);
            apply_scheme(both, second.name);
            EXPECT_EQ(both.scheme, second.name);
            Plan alone;
            apply_scheme(alone, second.name);
            // What a benchmark reports and how it loops is the second one's.
            for (const auto* key :
                 {"start", "finish", "in_a_row", "root", "cache", "stop", "over_ranks", "over_reps"}) {
                EXPECT_FALSE(differences(both, alone).contains(key))
                    << key << " of " << first.name << " under " << second.name;
            }
        }
    }
}

TEST(ComparedSchemes, AreTheOwnThoseOfOthersAndWhatLiesBetween) {
    for (const auto& [operation, between] : {std::pair("bcast", 1U), std::pair("pingpong", 3U)}) {
        const auto names = compared_schemes(find_operation(operation));
        EXPECT_EQ(names.size(), schemes().size() + 1 + between);
        EXPECT_EQ(names.front(), own_scheme);
        EXPECT_EQ(std::set(names.begin(), names.end()).size(), names.size());
        EXPECT_EQ(std::count(names.begin(), names.end(), in_a_row_scheme), between == 1 ? 1 : 0);
    }
}

/// The settings of a point under a scheme that the plan names.
Plan under(const std::string& scheme, const std::string& operation, std::int64_t size, int procs = 32) {
    Plan plan;
    apply_scheme(plan, scheme);
    return settings_of(plan, {.operation = operation, .pattern = "", .procs = procs, .size = {size}});
}

TEST(SettingsOf, OsuHasItsNumbersOfCallsBySizeAndItsPair) {
    const auto small = under("as-osu", "pingpong", 8'192);
    EXPECT_EQ(small.operation.pair, "0-1");
    EXPECT_EQ(small.start, StartMode::none);
    EXPECT_EQ(small.in_a_row, 1);
    EXPECT_EQ(small.stop, StopMode::fixed);
    EXPECT_EQ(small.max_reps, 10'000);
    EXPECT_EQ(small.warmup, 100);
    EXPECT_EQ(small.over_ranks, OverRanks::root);
    EXPECT_EQ(small.over_reps, "mean");
    EXPECT_EQ(small.round_trip, RoundTrip::half);
    const auto large = under("as-osu", "pingpong", 8'193);
    EXPECT_EQ(large.max_reps, 1'000);
    EXPECT_EQ(large.warmup, 10);
    const auto stream = under("as-osu", "bandwidth", 8);
    EXPECT_EQ(stream.max_reps, 100);
    EXPECT_EQ(stream.warmup, 10);
    const auto collective = under("as-osu", "bcast", 8);
    EXPECT_EQ(collective.start, StartMode::mpi_barrier);
    EXPECT_EQ(collective.max_reps, 1'000);
    EXPECT_EQ(collective.warmup, 100);
    EXPECT_EQ(collective.over_ranks, OverRanks::mean);
    EXPECT_EQ(under("as-osu", "bcast", 8'193).max_reps, 100);
}

TEST(SettingsOf, ImbHasItsNumbersOfCallsBySizeAndItsPair) {
    const auto small = under("as-imb", "pingpong", 8);
    EXPECT_EQ(small.operation.pair, "0-1");
    EXPECT_EQ(small.start, StartMode::mpi_barrier);
    EXPECT_EQ(small.in_a_row, 1'000);
    EXPECT_EQ(small.warmup, 100);
    EXPECT_EQ(small.over_ranks, OverRanks::root);
    EXPECT_EQ(under("as-imb", "pingpong", 0).in_a_row, 1'000);
    EXPECT_EQ(under("as-imb", "pingpong", 65'536).in_a_row, 640);
    EXPECT_EQ(under("as-imb", "pingpong", 4 << 20).in_a_row, 10);
    EXPECT_EQ(under("as-imb", "pingpong", 64 << 20).in_a_row, 1);
    EXPECT_EQ(under("as-imb", "pingpong", 64 << 20).warmup, 1);
    const auto collective = under("as-imb", "bcast", 65'536);
    EXPECT_EQ(collective.in_a_row, 1);
    EXPECT_EQ(collective.root, RootMode::fixed);
    EXPECT_EQ(collective.max_reps, 640);
    EXPECT_EQ(under("as-pmb", "bcast", 8).root, RootMode::rotating);
    EXPECT_EQ(under("as-pmb", "pingpong", 4 << 20).in_a_row, 10);
}

TEST(SettingsOf, OthersHaveTheirPairsAndReportTheirWay) {
    EXPECT_EQ(under("as-mpptest", "pingpong", 8).operation.pair, "0-1");
    EXPECT_EQ(under("as-mpbench", "pingpong", 8).operation.pair, "first-last");
    EXPECT_EQ(under("as-mpbench", "pingpong", 8).finish, Finish::call);
    EXPECT_EQ(under("as-mpbench", "bcast", 8).finish, Finish::acknowledged);
    EXPECT_EQ(under("as-mpbench", "bcast", 8).start, StartMode::mpi_barrier);
    for (const auto* skampi : {"as-skampi", "as-skampi-barrier"}) {
        EXPECT_EQ(under(skampi, "pingpong", 8).operation.pair, "max-latency");
        EXPECT_EQ(under(skampi, "pingpong", 8).round_trip, RoundTrip::whole);
        EXPECT_EQ(under(skampi, "pingpong", 8).finish, Finish::call);
    }
    EXPECT_EQ(under("as-skampi-barrier", "bcast", 8).finish, Finish::mpi_barrier);
    EXPECT_EQ(under("as-mpibench", "pingpong", 8).operation.pair, "0-16");
    EXPECT_EQ(under("as-mpibench", "pingpong", 8).start, StartMode::none);
    EXPECT_EQ(under("as-mpibench", "pairs", 8).start, StartMode::none);
    EXPECT_EQ(under("as-mpibench", "pairs", 8).over_ranks, OverRanks::mean);
    EXPECT_EQ(under("as-mpibench", "bcast", 8).start, StartMode::mpi_barrier);
}

TEST(SettingsOf, ASchemeLeavesWhatWasGivenAfterIt) {
    Plan plan;
    apply_scheme(plan, "as-imb");
    read_plan(plan, "pair = \"0-7\"\nin_a_row = 1\n", "given");
    const PointKey point{.operation = "pingpong", .pattern = "", .procs = 8, .size = {8}};
    EXPECT_EQ(settings_of(plan, point).operation.pair, "0-7");
    EXPECT_EQ(settings_of(plan, point).in_a_row, 1) << "although the scheme itself says 1 elsewhere";
    EXPECT_EQ(settings_of(plan, point).warmup, 100);
    apply_scheme(plan, "as-osu");
    EXPECT_EQ(settings_of(plan, point).operation.pair, "0-1") << "another scheme begins anew";
}

TEST(SettingsOf, APointWithoutSchemeAreThoseOfThePlan) {
    Plan plan;
    plan.in_a_row = 3;
    plan.over_reps = "p99";
    EXPECT_THAT(differences(settings_of(plan, point_by("")), plan), ::testing::IsEmpty());
    EXPECT_THAT(differences(settings_of(plan, point_by("fathom")), plan), ::testing::IsEmpty());
}

TEST(SettingsOf, APointBySomeSchemeAreThatSchemes) {
    Plan plan;
    plan.compare_schemes = true;
    plan.seed = 99;
    for (const auto& scheme : schemes()) {
        auto expected = plan;
        apply_scheme(expected, scheme.name);
        expected = settings_of(expected, point_by(""));
        const auto found = settings_of(plan, point_by(std::string(scheme.name)));
        EXPECT_THAT(differences(found, expected), ::testing::IsEmpty()) << scheme.name;
        EXPECT_EQ(found.seed, 99);
    }
    EXPECT_EQ(plan.scheme, "") << "the plan itself stays as it is";
}

TEST(SettingsOf, CallsInARowDifferFromTheOwnWayInTheLoopAlone) {
    const Plan plan;
    const auto found = settings_of(plan, point_by(std::string(in_a_row_scheme)));
    EXPECT_THAT(differences(found, plan), ::testing::ElementsAre("in_a_row", "min_reps", "start"));
}

TEST(SettingsOf, AnUnknownSchemeAreRefused) {
    EXPECT_THROW(settings_of(Plan{}, point_by("as-nobody")), BadInput);
}

}  // namespace
}  // namespace fathom::plan
