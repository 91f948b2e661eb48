#include "analysis/across_runs/measured_run.hpp"

#include <gtest/gtest.h>

namespace fathom::analysis {
namespace {

std::string library_with(std::string version) {
    store::RunRow run;
    run.mpi_flavour = "mpi";
    run.mpi_version = std::move(version);
    return library_of(run);
}

TEST(LibraryOf, IsItsNameAndVersionWithoutTheRest) {
    EXPECT_EQ(library_with("MPICH Version: 4.0.2; MPICH ABI: 14:2:2"), "MPICH 4.0.2");
    EXPECT_EQ(library_with("Open MPI v4.1.4, package: Debian OpenMPI"), "Open MPI v4.1.4");
    EXPECT_EQ(library_with("SMPI Version 3.32. Copyright The SimGrid Team 2007-2022"), "SMPI 3.32");
    EXPECT_EQ(library_with(""), "mpi");
}

}  // namespace
}  // namespace fathom::analysis
