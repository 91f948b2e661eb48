#include "plan/implementations.hpp"

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/test_support.hpp"
#include "plan/plan.hpp"
#include "plan/plan_toml.hpp"
#include "plan/reference_algorithms.hpp"

namespace fathom::plan {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::refusal_of;

TEST(Implementation, IsTheLibraryOrATree) {
    EXPECT_EQ(implementation_from("library"), Implementation{});
    const Implementation tree{.kind = ImplementationKind::tree, .name = "trees/best of 3.toml"};
    EXPECT_EQ(implementation_from("tree:trees/best of 3.toml"), tree);
    EXPECT_EQ(to_text(tree), "tree:trees/best of 3.toml");
    EXPECT_EQ(to_text(Implementation{}), "library");
    for (const auto* wrong :
         {"", "tree", "tree:", "library:", "Library", "flat.toml", "tree:a\nb", "reference", "reference:"}) {
        EXPECT_EQ(refusal_of([&] { implementation_from(wrong); }),
                  "give library, library:NAME, tree:FILE or reference:NAME")
            << wrong;
    }
}

TEST(Implementation, IsAnAlgorithmOfTheLibrary) {
    const Implementation chain{.kind = ImplementationKind::library, .name = "chain+segmentsize=8192"};
    EXPECT_EQ(implementation_from("library:chain+segmentsize=8192"), chain);
    EXPECT_EQ(to_text(chain), "library:chain+segmentsize=8192");
    EXPECT_EQ(key_text(chain), "library:chain+segmentsize=8192");
    EXPECT_TRUE(performs(chain, find_operation("iallreduce")));
    EXPECT_FALSE(performs(chain, find_operation("pingpong")));
    EXPECT_TRUE(performs(Implementation{}, find_operation("pingpong")));
    Plan plan;
    plan.via = {"library", "reference:ring"};
    EXPECT_FALSE(chooses_algorithms(plan));
    plan.via.emplace_back("library:chain");
    EXPECT_TRUE(chooses_algorithms(plan));
}

TEST(Implementation, IsAnAlgorithmOfOurOwn) {
    const Implementation ring{.kind = ImplementationKind::reference, .name = "ring"};
    EXPECT_EQ(implementation_from("reference:ring"), ring);
    EXPECT_EQ(to_text(ring), "reference:ring");
    EXPECT_EQ(key_text(ring), "reference:ring");
}

TEST(Implementation, OfAReferenceAlgorithmPerformsBlockingCollectivesAndKernels) {
    std::vector<std::string> performed;
    for (const auto& operation : operations()) {
        EXPECT_EQ(performs(ImplementationKind::reference, operation), !reference_names(operation).empty());
        if (performs(ImplementationKind::reference, operation)) {
            performed.emplace_back(operation.name);
        }
    }
    EXPECT_THAT(performed, ElementsAre("barrier", "bcast", "gather", "scatter", "allgather", "alltoall",
                                       "reduce", "allreduce", "reduce_scatter", "reduce_scatter_block",
                                       "kernel.sor", "kernel.gsum"));
}

TEST(Implementation, HasTheAlgorithmsOfItsOperation) {
    EXPECT_THAT(reference_names(find_operation("allreduce")),
                ElementsAre("recursive_doubling", "rabenseifner", "ring"));
    EXPECT_EQ(reference_names(find_operation("kernel.gsum")), reference_names(find_operation("allreduce")));
    EXPECT_EQ(reference_names(find_operation("reduce_scatter_block")),
              reference_names(find_operation("reduce_scatter")));
    EXPECT_THAT(reference_names(find_operation("iallreduce")), IsEmpty());
    EXPECT_THAT(reference_names(find_operation("gatherv")), IsEmpty());
    EXPECT_EQ(find_reference(find_operation("bcast"), "ring"), nullptr);
    ASSERT_NE(find_reference(find_operation("allreduce"), "ring"), nullptr);
    EXPECT_EQ(find_reference(find_operation("allreduce"), "ring")->demand(), "a commutative operation");
    EXPECT_EQ(find_reference(find_operation("reduce"), "binomial")->demand(), "");
}

TEST(Implementation, OfANameThatAnOperationLacksIsRefusedWithTheNamesThatItHas) {
    const auto refused = [](std::vector<std::string> operations, std::vector<std::string> via) {
        Plan plan;
        plan.operations = std::move(operations);
        plan.via = std::move(via);
        return refusal_of([&] { check_implementations(plan); });
    };
    EXPECT_EQ(refused({"bcast"}, {"reference:binomal"}),
              "bcast has no reference algorithm 'binomal'. Did you mean 'binomial'? (--via reference:NAME "
              "takes binomial, scatter_rd_allgather, scatter_ring_allgather, chain for it.)");
    EXPECT_THAT(refused({"reduce", "barrier"}, {"reference:binomial"}),
                HasSubstr("barrier has no reference algorithm 'binomial'. (--via reference:NAME takes "
                          "dissemination for it.)"));
    EXPECT_THAT(refused({"scan"}, {"reference:ring"}),
                HasSubstr("scan cannot be performed via reference:ring; give some of barrier, bcast, "));
    EXPECT_THAT(refused({"all"}, {"reference:ring"}), HasSubstr("all cannot be performed"));
    EXPECT_THAT(refused({"allreduce"}, {"reference:ring", "reference:ring"}), HasSubstr("twice"));
    EXPECT_EQ(refused({"bcast", "reduce"}, {"library", "reference:binomial"}), "nothing was refused");
}

TEST(Implementation, OfAPointIsTheLibraryWhereNoneIsNamed) {
    EXPECT_EQ(implementation_of({}), Implementation{});
    EXPECT_EQ(implementation_of({.implementation = "tree:flat"}).name, "flat");
    EXPECT_EQ(key_text(Implementation{}), "");
    EXPECT_EQ(key_text({.kind = ImplementationKind::tree, .name = "flat"}), "tree:flat");
}

TEST(Implementation, OfATreePerformsBlockingCollectivesAndKernels) {
    std::vector<std::string> performed;
    for (const auto& operation : operations()) {
        EXPECT_TRUE(performs(ImplementationKind::library, operation)) << operation.name;
        if (performs(ImplementationKind::tree, operation)) {
            performed.emplace_back(operation.name);
        }
    }
    EXPECT_THAT(performed,
                ElementsAre("barrier", "bcast", "reduce", "allreduce", "kernel.sor", "kernel.gsum"));
}

/// Files of a test, by name.
class Trees : public ::testing::Test {
  protected:
    void take(bool simulated = false) {
        take_trees(plan, simulated, [&](const std::string& file) {
            read.push_back(file);
            return files.contains(file) ? files.at(file) : throw BadInput("cannot read " + file);
        });
    }

    std::map<std::string, std::string> files{{"flat.toml", "# flat\n"},
                                             {"old/flat.toml", "# old\n"},
                                             {"flat", "# no ending\n"},
                                             {"a b,c\xc3\xa9.toml", "x"}};
    std::vector<std::string> read;
    Plan plan;
};

TEST_F(Trees, AreKeptInThePlanUnderTheStemOfTheirFile) {
    plan.via = {"library", "tree:flat.toml"};
    EXPECT_THAT(tree_files(plan), ElementsAre("flat.toml"));
    take();
    EXPECT_THAT(plan.via, ElementsAre("library", "tree:flat"));
    EXPECT_THAT(plan.trees, ElementsAre(TreeText{.name = "flat", .file = "flat.toml", .text = "# flat\n"}));
    EXPECT_THAT(tree_files(plan), IsEmpty());
}

TEST_F(Trees, HaveOtherNamesInSimulation) {
    plan.via = {"library", "tree:flat.toml", "tree:old/flat.toml"};
    take(true);
    EXPECT_THAT(plan.via, ElementsAre("library", "tree:flat-sim", "tree:flat-sim-2"));
    take(true);
    EXPECT_EQ(plan.trees.size(), 2U) << "those that the plan holds keep their names";
}

TEST_F(Trees, AreReadOnce) {
    plan.via = {"tree:flat.toml"};
    take();
    files.clear();
    take();
    EXPECT_THAT(read, ElementsAre("flat.toml")) << "the file may be gone when a run is resumed";
    EXPECT_THAT(plan.via, ElementsAre("tree:flat"));
}

TEST_F(Trees, OfOneStemGetNumbers) {
    plan.via = {"tree:flat.toml", "tree:old/flat.toml", "tree:flat"};
    take();
    EXPECT_THAT(plan.via, ElementsAre("tree:flat", "tree:flat-2", "tree:flat-3"));
    EXPECT_THAT(read, ElementsAre("flat.toml", "old/flat.toml", "flat"));
    EXPECT_EQ(plan.trees.back().text, "# no ending\n") << "a file, although another one got this name";
}

TEST_F(Trees, HaveNamesThatNeedNoQuotes) {
    plan.via = {"tree:a b,c\xc3\xa9.toml"};
    take();
    EXPECT_THAT(plan.via, ElementsAre("tree:a_b_c__"));
}

TEST_F(Trees, ThatCannotBeReadAreNamed) {
    plan.via = {"tree:none.toml"};
    EXPECT_EQ(refusal_of([&] { take(); }), "cannot read none.toml");
}

TEST_F(Trees, ThatAreTooLongForAPlanAreRefused) {
    files["flat.toml"].assign(most_tree_bytes + 1, '#');
    plan.via = {"tree:flat.toml"};
    EXPECT_THAT(refusal_of([&] { take(); }), HasSubstr("1 trees of 2097153 bytes"));
}

TEST_F(Trees, SurviveThePlanWhateverTheirText) {
    for (const auto* text :
         {"", "\n", "\n\n[join.root]\nmessage = \"0-3\"\n", "a = '''\nlauncher = 'evil'\n'''\n",
          "tab\there\r\n", "\"\"\"\n", "# caf\xc3\xa9 \\n\nno newline at the end"}) {
        plan.via = {"library", "tree:flat"};
        plan.trees = {{.name = "flat", .file = "dir/flat.toml", .text = text}};
        Plan again;
        read_plan(again, write_plan(plan), "plan.toml");
        EXPECT_EQ(again.trees, plan.trees) << text;
        EXPECT_EQ(again.via, plan.via);
        EXPECT_EQ(again.launcher, "");
    }
}

TEST_F(Trees, TravelInTheJob) {
    Job job;
    job.plan.via = {"tree:flat"};
    job.plan.trees = {{.name = "flat", .file = "flat.toml", .text = "x = 1\n"}};
    job.points = {{.index = 3, .key = {.operation = "bcast", .procs = 2, .implementation = "tree:flat"}}};
    const auto read_back = read_job(write_job(job), "job.toml");
    EXPECT_EQ(read_back.plan.trees, job.plan.trees);
    EXPECT_EQ(read_back.points, job.points);
}

TEST_F(Trees, OfAPlanAreTablesWithLines) {
    const auto refused = [](const std::string& trees) {
        return refusal_of([&] {
            Plan any;
            read_plan(any, "reps = 5\ntrees = " + trees + "\n", "plan.toml");
        });
    };
    const auto* const form =
        "plan.toml:2: 'trees' must be a list of at most 64 tables with name, file and lines.";
    EXPECT_EQ(refused("5"), form);
    EXPECT_EQ(refused("[5]"), form);
    EXPECT_EQ(refused("[{name = \"a\", file = \"a\"}]"), form);
    EXPECT_EQ(refused("[{name = \"a\", file = \"a\", lines = 5}]"), form);
    EXPECT_EQ(refused("[{name = \"a\\nb\", file = \"a\", lines = []}]"), form);
    EXPECT_EQ(refused("[{name = \"a\", file = \"a\", lines = []}]"), "nothing was refused");
}

}  // namespace
}  // namespace fathom::plan
