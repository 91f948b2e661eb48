#include "plan/progress_thread.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fathom::plan {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::Pair;

TEST(ProgressThread, IsAskedForInTheWordsOfEachLibrary) {
    EXPECT_THAT(progress_variables(Flavour::mpich), ElementsAre(Pair("MPICH_ASYNC_PROGRESS", "1")));
    EXPECT_THAT(progress_variables(Flavour::openmpi),
                ElementsAre(Pair("OMPI_MCA_btl_tcp_progress_thread", "1")));
}

TEST(ProgressThread, OfALibraryThatMayBeAnyIsAskedForInAllWords) {
    auto all = progress_variables(Flavour::mpich);
    const auto more = progress_variables(Flavour::openmpi);
    all.insert(all.end(), more.begin(), more.end());
    EXPECT_THAT(progress_variables(Flavour::mpi), IsSupersetOf(all));
}

TEST(ProgressThread, IsNotAskedForInSimulation) {
    EXPECT_THAT(progress_variables(Flavour::smpi), IsEmpty());
}

}  // namespace
}  // namespace fathom::plan
