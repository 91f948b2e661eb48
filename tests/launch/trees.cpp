#include "launch/trees.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.hpp"
#include "base/test_support.hpp"
#include "plan/plan_toml.hpp"

namespace fathom::launch {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::refusal_of;
using testing::TempFolder;

constexpr const char* threads_of_two_ranks = "[join.root]\nflag = \"0-1:0-1\"\n";

/// A plan that names a flat tree of four ranks.
class SettledTrees : public ::testing::Test {
  protected:
    SettledTrees() {
        write_file(file, "[join.root]\nmessage = \"0-3\"\n");
        plan.operations = {"allreduce"};
        plan.procs = {"4"};
        plan.via = {"library", "tree:" + file.string()};
    }

    TempFolder folder;
    std::filesystem::path file = folder / "flat.toml";
    plan::Plan plan;
};

TEST_F(SettledTrees, AreInThePlanFromThenOn) {
    settle_trees(plan, 4, false);
    EXPECT_THAT(plan.via, ElementsAre("library", "tree:flat"));
    ASSERT_EQ(plan.trees.size(), 1U);
    EXPECT_THAT(plan.trees.front().text, HasSubstr("[join.root]"));
    std::filesystem::remove(file);
    EXPECT_NO_THROW(settle_trees(plan, 4, false)) << "as a run is resumed";
}

TEST_F(SettledTrees, FitTheProcessesOfEveryPoint) {
    plan.procs = {"2", "4"};
    EXPECT_THAT(refusal_of([&] { settle_trees(plan, 4, false); }), HasSubstr(file.string()));
}

TEST_F(SettledTrees, FitTheProcessesOfAGroup) {
    plan.procs = {"8"};
    plan.operation.groups = 2;
    EXPECT_NO_THROW(settle_trees(plan, 8, false));
}

TEST_F(SettledTrees, TakeWhatIsStartedWhereThePlanDoesNotSay) {
    plan.procs.clear();
    EXPECT_NO_THROW(settle_trees(plan, 4, false));
    EXPECT_THAT(refusal_of([&] { settle_trees(plan, 5, false); }), HasSubstr("flat.toml"));
}

TEST_F(SettledTrees, AreNamedWithTheLineOfAMistake) {
    write_file(file, "# a comment\n[join.root]\nmassage = \"0-3\"\n");
    EXPECT_THAT(refusal_of([&] { settle_trees(plan, 4, false); }), HasSubstr(file.string() + ":3: "));
    std::filesystem::remove(file);
    EXPECT_THAT(refusal_of([&] { settle_trees(plan, 4, false); }), HasSubstr(file.string()));
}

TEST_F(SettledTrees, AreNoneWhereThePlanNamesNone) {
    plan.via.clear();
    settle_trees(plan, 4, false);
    EXPECT_TRUE(plan.trees.empty());
}

TEST_F(SettledTrees, LeaveMpiToOneThread) {
    settle_trees(plan, 4, false);
    settle_thread_level(plan, false);
    EXPECT_THAT(plan.thread_levels, ElementsAre(plan::ThreadLevel::single));
}

TEST_F(SettledTrees, WithThreadsRaiseTheThreadLevel) {
    write_file(file, threads_of_two_ranks);
    plan.procs = {"2"};
    settle_trees(plan, 2, false);
    auto given = plan;
    settle_thread_level(plan, false);
    EXPECT_THAT(plan.thread_levels, ElementsAre(plan::ThreadLevel::funneled));
    given.thread_levels = {plan::ThreadLevel::multiple};
    settle_thread_level(given, false);
    EXPECT_THAT(given.thread_levels, ElementsAre(plan::ThreadLevel::multiple)) << "which is enough";
    given.thread_levels = {plan::ThreadLevel::multiple, plan::ThreadLevel::single};
    EXPECT_THAT(refusal_of([&] { settle_thread_level(given, false); }),
                AllOf(HasSubstr("'flat'"), HasSubstr("--thread-level single")));
}

TEST_F(SettledTrees, WithThreadsRaiseTheThreadLevelOfAStoredPlanUnlessItWasGiven) {
    write_file(file, threads_of_two_ranks);
    const auto stored = [](plan::Plan first) {
        settle_thread_level(first, false);
        plan::Plan again;
        plan::read_stored_plan(again, plan::write_plan(first), 1);
        return again;
    };
    plan::Plan given;
    given.thread_levels = {plan::ThreadLevel::single};
    for (const bool level_given : {false, true}) {
        auto again = stored(level_given ? given : plan::Plan{});
        EXPECT_THAT(again.thread_levels, ElementsAre(plan::ThreadLevel::single));
        again.operations = plan.operations;
        again.via = plan.via;
        settle_trees(again, 2, false);
        EXPECT_EQ(refusal_of([&] { settle_thread_level(again, false); }) == "nothing was refused",
                  !level_given);
        if (!level_given) {
            EXPECT_THAT(stored(again).thread_levels, ElementsAre(plan::ThreadLevel::funneled));
        }
        again.via.clear();
        again.trees.clear();
        settle_thread_level(again, false);
        EXPECT_THAT(again.thread_levels, ElementsAre(plan::ThreadLevel::single)) << "and back";
    }
}

TEST(ThreadLevel, OfASimulationIsSingle) {
    plan::Plan plan;
    settle_thread_level(plan, true);
    EXPECT_THAT(plan.thread_levels, ElementsAre(plan::ThreadLevel::single));
    plan.thread_levels = {plan::ThreadLevel::multiple};
    EXPECT_THAT(refusal_of([&] { settle_thread_level(plan, true); }), HasSubstr("--thread-level"));
}

}  // namespace
}  // namespace fathom::launch
