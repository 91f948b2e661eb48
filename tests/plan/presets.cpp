#include "plan/presets.hpp"

#include <set>

#include <gtest/gtest.h>

#include "base/test_support.hpp"
#include "plan/grid.hpp"
#include "plan/plan_toml.hpp"

namespace fathom::plan {
namespace {

using testing::refusal_of;

TEST(Presets, AllParseAndGivePoints) {
    std::set<std::string_view> names;
    for (const auto& preset : presets()) {
        EXPECT_TRUE(names.insert(preset.name).second) << preset.name;
        EXPECT_FALSE(preset.summary.empty()) << preset.name;
        Plan plan;
        ASSERT_NO_THROW(apply_preset(plan, preset.name)) << preset.name;
        EXPECT_FALSE(points_of(plan, 2).empty()) << preset.name;
        Plan as_a_user_would;
        read_plan(as_a_user_would, preset.toml, "plan.toml");
        EXPECT_EQ(write_plan(as_a_user_would), write_plan(plan)) << preset.name;
    }
    EXPECT_TRUE(names.contains(default_preset));
}

TEST(Presets, OfStandardCoverAllSizesToOneMebibyte) {
    Plan plan;
    apply_preset(plan, "standard");
    EXPECT_EQ(plan.operations.size(), 10U) << "what a paper would report";
    const auto sizes = size_grid(plan.sizes).values;
    EXPECT_EQ(sizes.front(), 1);
    EXPECT_EQ(sizes.back(), 1 << 20);
    EXPECT_EQ(plan.precision_percent, 2);
}

TEST(Presets, KeepWhatTheyDoNotName) {
    Plan plan;
    plan.label = "mine";
    plan.seed = 77;
    apply_preset(plan, default_preset);
    EXPECT_EQ(plan.label, "mine");
    EXPECT_EQ(plan.seed, 77);
}

TEST(Presets, RefuseAnUnknownNameWithTheNearest) {
    Plan plan;
    EXPECT_EQ(refusal_of([&] { apply_preset(plan, "qick"); }),
              "no preset 'qick'. Did you mean 'quick'? ('fathom list presets' shows all.)");
    EXPECT_EQ(refusal_of([&] { apply_preset(plan, "everything"); }),
              "no preset 'everything'. ('fathom list presets' shows all.)");
}

}  // namespace
}  // namespace fathom::plan
