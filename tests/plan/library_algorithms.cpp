#include "plan/library_algorithms.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"

namespace fathom::plan {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

TEST(LibraryAlgorithms, AreNamedWithTheirParameters) {
    EXPECT_EQ(library_algorithm("ring"), (LibraryAlgorithm{"ring", {}}));
    const auto chain = library_algorithm("chain+segmentsize=8192+chain_fanout=2");
    EXPECT_EQ(chain.name, "chain");
    EXPECT_THAT(chain.parameters, ElementsAre(Pair("segmentsize", "8192"), Pair("chain_fanout", "2")));
    EXPECT_EQ(library_algorithm("in-order_binary").name, "in-order_binary");
}

TEST(LibraryAlgorithms, WithoutAWordAreRefused) {
    for (const auto* text : {"", "+", "chain+", "chain+segmentsize", "chain+segmentsize=", "chain+=3", "a b",
                             "chain+a=1=2", "a\nb"}) {
        EXPECT_THROW((void)library_algorithm(text), BadInput) << text;
    }
}

TEST(LibraryAlgorithms, AreOfCollectivesThatAreCalledDirectly) {
    EXPECT_TRUE(has_library_algorithms(find_operation("allreduce")));
    EXPECT_TRUE(has_library_algorithms(find_operation("iallreduce")));
    EXPECT_FALSE(has_library_algorithms(find_operation("pingpong")));
    EXPECT_FALSE(has_library_algorithms(find_operation("kernel.gsum")));
    EXPECT_FALSE(has_library_algorithms(find_operation("neighbor_alltoall")));
}

TEST(LibraryAlgorithms, AreChosenByVariablesOfTheLibrary) {
    const auto& allreduce = find_operation("allreduce");
    const auto& iallreduce = find_operation("iallreduce");
    EXPECT_EQ(algorithm_variables(Flavour::openmpi, allreduce)->choice, "coll_tuned_allreduce_algorithm");
    EXPECT_EQ(algorithm_variables(Flavour::openmpi, iallreduce)->choice, "coll_libnbc_iallreduce_algorithm");
    EXPECT_EQ(algorithm_variables(Flavour::mpich, iallreduce)->choice,
              "MPIR_CVAR_IALLREDUCE_INTRA_ALGORITHM");
    EXPECT_EQ(host_algorithm_variables(Flavour::mpich, allreduce)->choice,
              "MPIR_CVAR_ALLREDUCE_POSIX_INTRA_ALGORITHM");
    EXPECT_FALSE(algorithm_variables(Flavour::mpi, allreduce));
    EXPECT_FALSE(host_algorithm_variables(Flavour::openmpi, allreduce));
    const auto open_mpi = algorithm_variables(Flavour::openmpi, allreduce).value();
    EXPECT_EQ(parameter_variable(open_mpi, "segmentsize"), "coll_tuned_allreduce_algorithm_segmentsize");
    const auto mpich = algorithm_variables(Flavour::mpich, iallreduce).value();
    EXPECT_EQ(parameter_variable(mpich, "tree_kval"), "MPIR_CVAR_IALLREDUCE_TREE_KVAL");
}

TEST(LibraryAlgorithms, MayBeComponentsThatHaveTheOperation) {
    EXPECT_TRUE(component_has("han", find_operation("allreduce")));
    EXPECT_FALSE(component_has("han", find_operation("alltoall")));
    EXPECT_FALSE(component_has("han", find_operation("iallreduce")));
    EXPECT_FALSE(component_has("sm", find_operation("gather")));
    EXPECT_FALSE(component_has("tuned", find_operation("gatherv")));
    EXPECT_TRUE(component_has("tuned", find_operation("allgatherv")));
    EXPECT_TRUE(component_has("libnbc", find_operation("igatherv")));
    EXPECT_FALSE(component_has("libnbc", find_operation("gatherv")));
    EXPECT_TRUE(component_has("of_a_vendor", find_operation("gatherv")));
}

TEST(LibraryAlgorithms, ThatAreNotOfferedAreRefusedWithThoseThatAre) {
    const LibraryOffer offer{.algorithms = {"chain", "binomial"}, .parameters = {"segmentsize"}};
    const auto& bcast = find_operation("bcast");
    EXPECT_NO_THROW(check_offered(library_algorithm("chain+segmentsize=1"), bcast, offer));
    const auto refused = [&](std::string_view text, const LibraryOffer& by) {
        try {
            check_offered(library_algorithm(text), bcast, by);
        } catch (const BadInput& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    EXPECT_EQ(refused("chian", offer),
              "this library has no algorithm 'chian' of bcast. Did you mean 'chain'? (It "
              "has chain, binomial.)");
    EXPECT_EQ(refused("chain+segsize=1", offer),
              "this library's algorithms of bcast have no parameter 'segsize'. (They have segmentsize.)");
    EXPECT_EQ(refused("chain", {}), "this library offers no algorithms of bcast to choose from.");
}

std::vector<std::string> names_read(std::string_view description, std::string_view collective) {
    std::vector<std::string> names;
    for (const auto& one : names_in_description(description, collective)) {
        EXPECT_EQ(one.number, static_cast<int>(names.size()));
        names.push_back(one.name);
    }
    return names;
}

TEST(NamesInDescription, AreFoundWhereMpichJoinsItsLines) {
    EXPECT_THAT(
        names_read("Variable to select bcast algorithmauto - Internal algorithm selection (can be "
                   "overridden with MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE)"
                   "binomial                                - Force Binomial Tree"
                   "nb                                      - Force nonblocking algorithm"
                   "smp                                     - Force smp algorithm"
                   "scatter_recursive_doubling_allgather    - Force Scatter Recursive-Doubling Allgather"
                   "scatter_ring_allgather                  - Force Scatter Ring",
                   "bcast"),
        ElementsAre("auto", "binomial", "nb", "smp", "scatter_recursive_doubling_allgather",
                    "scatter_ring_allgather"));
}

TEST(NamesInDescription, AreFoundByTheirFamilies) {
    EXPECT_THAT(names_read("Variable to select igather algorithmauto - Internal algorithm selection (can be "
                           "overridden with MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE)"
                           "sched_auto - Internal algorithm selection for sched-based algorithms"
                           "sched_binomial     - Force binomial algorithm"
                           "tsp_tree       - Force genetric transport based tree algorithm",
                           "gather"),
                ElementsAre("auto", "sched_auto", "sched_binomial", "tsp_tree"));
}

TEST(NamesInDescription, MayEndWithTheAutomaticOne) {
    EXPECT_THAT(names_read("Variable to select algorithm for intra-node reduce"
                           "mpir           - Fallback to MPIR collectives"
                           "release_gather - Force shm optimized algo using release, gather primitives"
                           "auto - Internal algorithm selection (can be overridden)",
                           "reduce"),
                ElementsAre("mpir", "release_gather", "auto"));
}

TEST(NamesInDescription, AreNoneWhereNothingTellsWhereTheyBegin) {
    EXPECT_THAT(names_read("", "bcast"), IsEmpty());
    EXPECT_THAT(names_read("Variable to select the way of thingsone - this", "bcast"), IsEmpty());
    EXPECT_THAT(names_read(" - - - ", "bcast"), IsEmpty());
    EXPECT_THAT(names_read("bcastauto - first of allsecond - something else", "bcast"), IsEmpty());
}

TEST(ChoiceNeeds, AreWhatOpenMpiIgnoresChoicesWithout) {
    EXPECT_THAT(choice_needs(Flavour::openmpi),
                ElementsAre(Pair("OMPI_MCA_coll_tuned_use_dynamic_rules", "1")));
    EXPECT_THAT(choice_needs(Flavour::mpich), IsEmpty());
}

}  // namespace
}  // namespace fathom::plan
