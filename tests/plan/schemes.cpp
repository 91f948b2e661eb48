#include "plan/schemes.hpp"

#include <set>

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
            for (const auto* key : {"start", "in_a_row", "root", "cache", "over_ranks", "over_reps"}) {
                EXPECT_FALSE(differences(both, alone).contains(key))
                    << key << " of " << first.name << " under " << second.name;
            }
        }
    }
}

TEST(ComparedSchemes, AreTheOwnThoseOfOthersAndOneBetween) {
    const auto names = compared_schemes();
    EXPECT_EQ(names.size(), schemes().size() + 2);
    EXPECT_EQ(names.front(), own_scheme);
    EXPECT_EQ(names.back(), in_a_row_scheme);
    EXPECT_EQ(std::set(names.begin(), names.end()).size(), names.size());
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
