#include "tune/files/library_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fathom::tune {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

const plan::OfferedLibrary open_mpi{
    .version = "Open MPI v4.1.4, package: some",
    .file = "libmpi.so",
    .operations = {{"bcast",
                    {.algorithms = {"chain", "binomial", "han"},
                     .parameters = {"segmentsize", "chain_fanout", "max_requests"},
                     .numbers = {{"chain", 2}, {"binomial", 6}},
                     .standard = {{"segmentsize", "0"}, {"chain_fanout", "4"}}}},
                   {"allreduce", {.algorithms = {"ring"}, .parameters = {}, .numbers = {{"ring", 4}}}},
                   {"alltoallw", {.algorithms = {"linear"}, .parameters = {}, .numbers = {{"linear", 1}}}}}};

TunedOperation tuned(int procs, const std::string& way, std::int64_t first, std::int64_t last) {
    const auto at = [](std::int64_t size) {
        return BestWay{.size = {size},
                       .first = {.point = {0, {size}}, .time_ns = 120, .ci95_ns = {120, 120}},
                       .best = RaceTime{.point = {1, {size}}, .time_ns = 100, .ci95_ns = {100, 100}}};
    };
    return {.operation = "bcast",
            .procs = procs,
            .ways = {"library", way},
            .race = {},
            .proposals = {{.way = 1,
                           .first = {first},
                           .last = {last},
                           .sizes = {at(first), at(last)},
                           .least_gain = 1.2,
                           .most_gain = 1.2}}};
}

TEST(LibraryFiles, OfOpenMpiNameAlgorithmsThatHaveNumbersAndTheirParameters) {
    const LibraryFiles files(plan::Flavour::openmpi, open_mpi, {});
    EXPECT_EQ(files.obstacle(), "");
    EXPECT_TRUE(files.has("bcast", "library:chain"));
    EXPECT_TRUE(files.has("bcast", "library:chain+segmentsize=8192"));
    EXPECT_FALSE(files.has("bcast", "library:chain+segmentsize=8k")) << "not a number";
    EXPECT_FALSE(files.has("bcast", "library:chain+knomial_radix=4"));
    EXPECT_FALSE(files.has("bcast", "library:chain+tree_fanout=2")) << "a chain does not look at it";
    EXPECT_FALSE(files.has("bcast", "library:chain+max_requests=2")) << "from 5.0.7 on";
    EXPECT_FALSE(files.has("bcast", "library:han"));
    EXPECT_FALSE(files.has("bcast", "library"));
    EXPECT_FALSE(files.has("alltoallw", "library:linear"));
}

TEST(LibraryFiles, OfOpenMpiAreRulesWithTheirVariables) {
    const LibraryFiles files(plan::Flavour::openmpi, open_mpi, {});
    Tuning tuning{.library = open_mpi.version, .metric = "median"};
    tuning.operations = {tuned(8, "library:chain+segmentsize=8192", 1024, 4096)};
    files.put(tuning, "/here/tuned");
    ASSERT_EQ(tuning.files.size(), 1U);
    EXPECT_EQ(tuning.files[0].path, "/here/tuned.rules");
    EXPECT_THAT(tuning.files[0].text, HasSubstr("1024 2 4 8192")) << "with the fan-out that was measured";
    EXPECT_THAT(tuning.files[0].text, HasSubstr("for Open MPI v4.1.4."));
    EXPECT_THAT(tuning.variables,
                ElementsAre(Pair("OMPI_MCA_coll_tuned_use_dynamic_rules", "1"),
                            Pair("OMPI_MCA_coll_tuned_dynamic_rules_filename", "/here/tuned.rules")));
    tuning.operations[0].proposals.clear();
    files.put(tuning, "/here/tuned");
    EXPECT_TRUE(tuning.files.empty() && tuning.variables.empty());
}

TEST(LibraryFiles, HoldBetweenNumbersOfProcessesWhereBothAgree) {
    const LibraryFiles files(plan::Flavour::openmpi, open_mpi, {});
    Tuning tuning{.library = open_mpi.version, .metric = "median"};
    tuning.operations = {tuned(4, "library:chain", 512, 4096), tuned(8, "library:chain", 1024, 8192)};
    files.put(tuning, "t");
    EXPECT_THAT(tuning.files[0].text, HasSubstr("not measured; as with 4 and 8 processes"));
    tuning.operations[1].ways[1] = "library:binomial";
    files.put(tuning, "t");
    EXPECT_THAT(tuning.files[0].text, ::testing::Not(HasSubstr("not measured")));
}

TEST(LibraryFiles, OfOpenMpiHoldForOperatorsThatDoNotCommute) {
    const LibraryFiles files(plan::Flavour::openmpi, open_mpi, {});
    EXPECT_TRUE(files.holds_for_any_order("allreduce"));
    EXPECT_FALSE(files.holds_for_any_order("bcast"));
}

TEST(LibraryFiles, OfMpichAreSelections) {
    const std::string bytes =
        R"({"collective=bcast":{"comm_type=intra":{"algorithm=A":{}}},"collective=ibarrier":{}})" +
        std::string(1, '\0') +
        R"({"collective=bcast":{"comm_type=intra":{"composition=MPIDI_Bcast_intra_composition_gamma":{}}}})" +
        std::string(1, '\0');
    const plan::OfferedLibrary mpich{
        .version = "MPICH Version: 4.0.2; MPICH ABI: 1",
        .file = "libmpich.so",
        .operations = {{"bcast", {.algorithms = {"binomial", "posix_mpir"}, .parameters = {}}}}};
    const LibraryFiles files(plan::Flavour::mpich, mpich, bytes);
    EXPECT_EQ(files.obstacle(), "");
    EXPECT_TRUE(files.has("bcast", "library:binomial"));
    EXPECT_FALSE(files.has("bcast", "library:posix_mpir"));
    EXPECT_FALSE(files.has("scan", "library:binomial"));
    EXPECT_FALSE(files.has("bcast", "library:tsp_tree"));
    EXPECT_FALSE(files.holds_for_any_order("allreduce"));
    Tuning tuning{.library = mpich.version, .flavour = plan::Flavour::mpich, .metric = "median"};
    tuning.operations = {tuned(8, "library:binomial", 1024, 4096)};
    files.put(tuning, "t");
    ASSERT_EQ(tuning.files.size(), 2U);
    EXPECT_THAT(tuning.files[0].text, HasSubstr("MPIR_Bcast_intra_binomial"));
    EXPECT_THAT(tuning.variables,
                ElementsAre(Pair("MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE", "t.json"),
                            Pair("MPIR_CVAR_CH4_COLL_SELECTION_TUNING_JSON_FILE", "t.device.json")));
    EXPECT_NE(LibraryFiles(plan::Flavour::mpich, mpich, "nothing").obstacle(), "");
}

TEST(LibraryFiles, AreNoneForOtherLibraries) {
    EXPECT_NE(LibraryFiles(plan::Flavour::smpi, {}, {}).obstacle(), "");
    EXPECT_NE(LibraryFiles(plan::Flavour::openmpi, {.version = "Other 1", .file = {}}, {}).obstacle(), "");
    EXPECT_EQ(short_version("Open MPI v4.1.4, package: x"), "Open MPI v4.1.4");
    EXPECT_EQ(short_version("MPICH Version: 4.0.2; more"), "MPICH Version: 4.0.2");
}

}  // namespace
}  // namespace fathom::tune
