#include "tune/model/library_models.hpp"

#include <gtest/gtest.h>

namespace fathom::tune {
namespace {

using plan::Flavour;

TEST(LibraryModels, AreThoseOfTheSamePatternOfMessages) {
    const auto* const doubling =
        model_of_library(Flavour::mpich, "bcast", "scatter_recursive_doubling_allgather");
    ASSERT_NE(doubling, nullptr);
    EXPECT_EQ(doubling->name, "scatter_rd_allgather");
    ASSERT_NE(model_of_library(Flavour::openmpi, "allreduce", "ring"), nullptr);
    EXPECT_EQ(model_of_library(Flavour::smpi, "allgather", "rdb")->operation, "allgather");
}

TEST(LibraryModels, AreNoneForWhatIsNotKnown) {
    EXPECT_EQ(model_of_library(Flavour::openmpi, "bcast", ""), nullptr);
    EXPECT_EQ(model_of_library(Flavour::openmpi, "bcast", "chain"), nullptr)
        << "its segments are the library's";
    EXPECT_EQ(model_of_library(Flavour::openmpi, "bcast", "scatter_recursive_doubling_allgather"), nullptr)
        << "a name of MPICH";
}

}  // namespace
}  // namespace fathom::tune
