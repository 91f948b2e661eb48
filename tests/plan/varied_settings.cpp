#include "plan/varied_settings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/test_support.hpp"
#include "plan/plan.hpp"
#include "plan/plan_toml.hpp"

namespace fathom::plan {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

std::string refusal_of_text(const std::string& text) {
    return testing::refusal_of([&] { varied_setting(text); });
}

std::string refusal_by(Flavour flavour, const std::vector<std::string>& vary) {
    return testing::refusal_of([&] { check_variables(vary, flavour); });
}

TEST(VariedSetting, IsAVariableOfTheEnvironmentWithItsValues) {
    const auto setting = varied_setting("UCX_TLS=sm,tcp");
    EXPECT_EQ(setting.variable, "UCX_TLS");
    EXPECT_EQ(setting.name, "UCX_TLS");
    EXPECT_THAT(setting.values, ElementsAre("sm", "tcp"));
}

TEST(VariedSetting, OfOpenMpiHasOneNameHoweverItIsWritten) {
    const VariedSetting limit{.variable = "OMPI_MCA_btl_vader_eager_limit",
                              .name = "btl_vader_eager_limit",
                              .values = {"4096", "32768"}};
    for (const auto* name :
         {"OMPI_MCA_btl_vader_eager_limit", "mca:btl_vader_eager_limit", "mca:OMPI_MCA_btl_vader_eager_limit",
          "btl_vader_eager_limit", "env:OMPI_MCA_btl_vader_eager_limit", " btl_vader_eager_limit "}) {
        EXPECT_EQ(varied_setting(std::string(name) + "=4096,32768"), limit) << name;
    }
}

TEST(VariedSetting, OfMpichMayBeginWithThePrefixOrNot) {
    for (const auto* name : {"cvar:ALLREDUCE_INTRA_ALGORITHM", "cvar:MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM",
                             "MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM"}) {
        const auto setting = varied_setting(std::string(name) + "=auto,recursive_doubling");
        EXPECT_EQ(setting.variable, "MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM") << name;
        EXPECT_EQ(setting.name, "MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM") << name;
    }
}

TEST(VariedSetting, MayHaveValuesWithCommas) {
    EXPECT_THAT(varied_setting("mca:btl=self,vader;self,tcp").values, ElementsAre("self,vader", "self,tcp"));
}

TEST(VariedSetting, IsTheSameAfterItWasWritten) {
    for (const auto* text : {"mca:btl=self,vader;self,tcp", "env:lower=1,2", "UCX_TLS=sm,tcp",
                             "cvar:CH4_SHM_POSIX_EAGER=iqueue,stub", "coll_tuned_bcast_algorithm=1,2"}) {
        const auto setting = varied_setting(text);
        EXPECT_EQ(varied_setting(to_text(setting)), setting) << text;
    }
    EXPECT_EQ(varied_setting("env:lower=1,2").variable, "lower");
}

TEST(VariedSetting, OfAnotherFormIsRefusedWithAnExample) {
    for (const auto* text : {"", "UCX_TLS", "=1,2", "mca:=1,2", "UCX TLS=1,2", "2X=1,2", "other:x=1,2",
                             "UCX_TLS=", "UCX_TLS=1,", "UCX_TLS=1,,2", "UCX_TLS=1\n,2"}) {
        EXPECT_THAT(refusal_of_text(text), HasSubstr("such as mca:btl_vader_eager_limit=4096,32768")) << text;
    }
    EXPECT_THAT(refusal_of_text("UCX_TLS=sm"), HasSubstr("at least two values"));
    EXPECT_THAT(refusal_of_text("UCX_TLS=sm,sm"), HasSubstr("each value of UCX_TLS once"));
}

TEST(Combinations, OfNothingAreOneThatSetsNothing) {
    const auto all = combinations({});
    ASSERT_EQ(all.size(), 1U);
    EXPECT_EQ(all[0].text, "");
    EXPECT_THAT(all[0].environment, IsEmpty());
}

TEST(Combinations, AreAllWithTheLastVaryingFastest) {
    std::vector<std::string> texts;
    const auto all = combinations({"mca:btl_vader_eager_limit=4096,32768", "UCX_TLS=sm,tcp"});
    for (const auto& combination : all) {
        texts.push_back(combination.text);
    }
    EXPECT_THAT(
        texts,
        ElementsAre("btl_vader_eager_limit=4096 UCX_TLS=sm", "btl_vader_eager_limit=4096 UCX_TLS=tcp",
                    "btl_vader_eager_limit=32768 UCX_TLS=sm", "btl_vader_eager_limit=32768 UCX_TLS=tcp"));
    EXPECT_THAT(all[1].environment,
                ElementsAre(Pair("OMPI_MCA_btl_vader_eager_limit", "4096"), Pair("UCX_TLS", "tcp")));
    EXPECT_THAT(all[1].values, ElementsAre("4096", "tcp"));
}

TEST(Combinations, RemoveVariablesThatAreToBeUnset) {
    const auto all = combinations({"UCX_TLS=unset,tcp", "A=1,2"});
    ASSERT_EQ(all.size(), 4U);
    EXPECT_EQ(all[0].text, "UCX_TLS=unset A=1");
    EXPECT_THAT(all[0].environment, ElementsAre(Pair("A", "1")));
    EXPECT_THAT(all[0].removed, ElementsAre("UCX_TLS"));
    EXPECT_THAT(all[2].environment, ElementsAre(Pair("UCX_TLS", "tcp"), Pair("A", "1")));
    EXPECT_THAT(all[2].removed, IsEmpty());
}

TEST(Combinations, OfTunedAlgorithmsMakeOpenMpiHeedThem) {
    for (const auto& combination : combinations({"coll_tuned_allreduce_algorithm=0,3"})) {
        EXPECT_THAT(combination.environment,
                    ElementsAre(Pair("OMPI_MCA_coll_tuned_allreduce_algorithm", combination.values[0]),
                                Pair("OMPI_MCA_coll_tuned_use_dynamic_rules", "1")));
    }
    EXPECT_THAT(
        enabling_variables({"coll_tuned_use_dynamic_rules=0,1", "coll_tuned_allreduce_algorithm=0,3"}),
        IsEmpty())
        << "where that is varied itself";
    EXPECT_THAT(enabling_variables({"btl_vader_eager_limit=1,2"}), IsEmpty());
}

TEST(Combinations, AreRefusedWhereAVariableIsNamedTwiceOrThereAreTooMany) {
    EXPECT_THROW(combinations({"mca:btl=tcp,vader", "OMPI_MCA_btl=sm,ugni"}), BadInput);
    EXPECT_EQ(combinations({"A=1,2,3,4", "B=1,2,3,4", "C=1,2,3,4"}).size(), most_combinations);
    EXPECT_THROW(combinations({"A=1,2,3,4", "B=1,2,3,4", "C=1,2,3,4", "D=1,2"}), BadInput);
    Plan plan;
    plan.vary = {"A=1,2", "A=3,4"};
    EXPECT_THROW(check_whole(plan), BadInput);
}

TEST(VariedVariables, MustBeOnesThatTheLibraryReads) {
    EXPECT_EQ(refusal_by(Flavour::openmpi, {"mca:btl=tcp,vader", "UCX_TLS=sm,tcp"}), "nothing was refused");
    EXPECT_EQ(refusal_by(Flavour::mpich, {"cvar:X=1,2", "UCX_TLS=sm,tcp"}), "nothing was refused");
    EXPECT_EQ(refusal_by(Flavour::mpi, {"cvar:X=1,2", "mca:btl=tcp,vader"}), "nothing was refused")
        << "it may be any library";
    EXPECT_THAT(refusal_by(Flavour::mpich, {"btl=tcp,vader"}), HasSubstr("a parameter of Open MPI"));
    EXPECT_THAT(refusal_by(Flavour::openmpi, {"cvar:X=1,2"}), HasSubstr("a parameter of MPICH"));
    EXPECT_THAT(refusal_by(Flavour::smpi, {"UCX_TLS=sm,tcp"}), HasSubstr("a simulation does not read"));
}

TEST(VariedPoints, AreThoseOfEverySizeWithEveryCombination) {
    Plan plan;
    plan.operations = {"bcast"};
    plan.sizes = {"8", "16"};
    plan.vary = {"mca:btl=tcp,vader"};
    std::vector<std::string> texts;
    for (const auto& point : points_of(plan, 2)) {
        texts.push_back(to_text(point.key));
        EXPECT_EQ(point.index, static_cast<int>(texts.size()) - 1);
    }
    EXPECT_THAT(texts,
                ElementsAre("bcast, 8 B, 2 processes, btl=tcp", "bcast, 8 B, 2 processes, btl=vader",
                            "bcast, 16 B, 2 processes, btl=tcp", "bcast, 16 B, 2 processes, btl=vader"));
}

TEST(VariedPoints, HaveSeveralLaunchesWhereRepetitionsAreFixedToo) {
    Plan plan;
    plan.operations = {"bcast"};
    plan.reps = 100;
    EXPECT_EQ(launches_of(plan, false), 1);
    plan.vary = {"mca:btl=tcp,vader"};
    EXPECT_GT(launches_of(plan, false), 1);
}

TEST(VariedPoints, AreInAJobWithItsSetting) {
    Job job;
    job.plan.operations = {"bcast"};
    job.plan.sizes = {"8"};
    job.plan.vary = {"OMPI_MCA_btl=tcp,vader"};
    job.setting = "btl=vader";
    const auto read = read_job(write_job(job), "job");
    EXPECT_EQ(read.setting, "btl=vader");
    EXPECT_EQ(read.plan.vary, job.plan.vary);
}

TEST(ThreadLevels, AreCombinedWithVariables) {
    const std::vector<ThreadLevel> levels{ThreadLevel::single, ThreadLevel::funneled};
    const auto all = combinations({"A=1,2"}, levels);
    ASSERT_EQ(all.size(), 4U);
    EXPECT_EQ(all[1].text, "thread_level=single A=2");
    EXPECT_EQ(all[1].thread_level, ThreadLevel::single);
    EXPECT_EQ(all[2].text, "thread_level=funneled A=1");
    EXPECT_EQ(all[2].thread_level, ThreadLevel::funneled);
    EXPECT_THAT(all[2].values, ElementsAre("funneled", "1"));
    EXPECT_THAT(all[2].environment, ElementsAre(Pair("A", "1"))) << "a level is no variable";
    EXPECT_THAT(varied_names({"A=1,2"}, levels), ElementsAre("thread_level", "A"));
}

TEST(ThreadLevels, ThatAreNotVariedAreNoPartOfResults) {
    const auto all = combinations({}, {ThreadLevel::multiple});
    ASSERT_EQ(all.size(), 1U);
    EXPECT_EQ(all.front().text, "");
    EXPECT_EQ(all.front().thread_level, ThreadLevel::multiple);
    EXPECT_EQ(combinations({}).front().thread_level, ThreadLevel::single);
    EXPECT_THAT(varied_names({}, {ThreadLevel::multiple}), IsEmpty());
}

TEST(ThreadLevels, AreAListInAPlan) {
    Plan plan;
    read_plan(plan, "thread_level = \"multiple\"\n", "a.toml");
    EXPECT_THAT(plan.thread_levels, ElementsAre(ThreadLevel::multiple));
    read_plan(plan, "thread_level = [\"single\", \"serialized\"]\n", "a.toml");
    Plan again;
    read_plan(again, write_plan(plan), "again.toml");
    EXPECT_THAT(again.thread_levels, ElementsAre(ThreadLevel::single, ThreadLevel::serialized));
    EXPECT_TRUE(varies(again));
    for (const auto* wrong : {"thread_level = \"many\"", "thread_level = [\"single\", \"single\"]"}) {
        EXPECT_THAT(testing::refusal_of([&] { read_plan(plan, wrong, "a.toml"); }), HasSubstr("thread_level"))
            << wrong;
    }
}

TEST(ThreadLevels, AreKnownAsSettledUntilOneIsGiven) {
    const auto settled_in = [](const std::string& toml) {
        Plan plan;
        read_plan(plan, toml, "a.toml");
        return plan.settled_thread_level.has_value();
    };
    Plan plan;
    plan.thread_levels = {ThreadLevel::funneled};
    EXPECT_FALSE(settled_in(write_plan(plan))) << "as all of earlier versions";
    plan.settled_thread_level = ThreadLevel::funneled;
    EXPECT_TRUE(settled_in(write_plan(plan)));
    EXPECT_FALSE(settled_in("thread_level = \"multiple\"\nsettled_thread_level = \"single\"\n")) << "edited";
    read_plan(plan, "thread_level = \"funneled\"\n", "a.toml");
    EXPECT_FALSE(plan.settled_thread_level) << "now it is given";
    EXPECT_THAT(testing::refusal_of([&] { read_plan(plan, "settled_thread_level = \"many\"\n", "a.toml"); }),
                HasSubstr("a.toml:1: 'settled_thread_level'"));
}

TEST(ThreadLevels, ThatAreComparedTakeLaunchesWithAFixedNumberOfRepetitions) {
    Plan plan;
    plan.operations = {"allreduce"};
    plan.reps = 100;
    EXPECT_EQ(launches_of(plan, false), 1);
    plan.thread_levels = {ThreadLevel::single, ThreadLevel::multiple};
    EXPECT_GT(launches_of(plan, false), 1);
    plan.sizes = {"8"};
    EXPECT_EQ(points_of(plan, 2).size(), 2U);
}

}  // namespace
}  // namespace fathom::plan
