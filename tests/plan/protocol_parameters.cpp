#include "plan/protocol_parameters.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fathom::plan {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(ProtocolParameters, AreFoundByTheirNamesThoseWithinHostsFirst) {
    EXPECT_THAT(
        protocol_parameters(Flavour::openmpi,
                            {"btl_tcp_eager_limit", "btl_tcp_rndv_eager_limit", "btl_self_eager_limit",
                             "btl_vader_eager_limit", "coll_tuned_bcast_algorithm",
                             "btl_vader_single_copy_mechanism", "MPIR_CVAR_CH4_OFI_EAGER_MAX_MSG_SIZE"}),
        ElementsAre("btl_vader_eager_limit", "btl_vader_single_copy_mechanism", "btl_tcp_eager_limit"));
    EXPECT_THAT(
        protocol_parameters(Flavour::mpich,
                            {"MPIR_CVAR_CH3_EAGER_MAX_MSG_SIZE", "MPIR_CVAR_CH4_OFI_EAGER_MAX_MSG_SIZE",
                             "MPIR_CVAR_CH4_IPC_GPU_P2P_THRESHOLD",
                             "MPIR_CVAR_CH4_SHM_POSIX_IQUEUE_CELL_SIZE", "btl_tcp_eager_limit"}),
        ElementsAre("MPIR_CVAR_CH4_SHM_POSIX_IQUEUE_CELL_SIZE", "MPIR_CVAR_CH4_OFI_EAGER_MAX_MSG_SIZE"));
    EXPECT_THAT(protocol_parameters(Flavour::smpi, {"btl_tcp_eager_limit"}), IsEmpty());
}

TEST(ProtocolParameters, AreTriedAroundTheirStandardValue) {
    EXPECT_THAT(values_to_try({.name = "a", .standard = "4096"}), ElementsAre("1024", "16384", "65536"));
    EXPECT_THAT(values_to_try({.name = "a", .standard = "-1"}), ElementsAre("1024", "16384", "262144"));
    EXPECT_THAT(values_to_try({.name = "a", .standard = "cma", .named = {"none", "cma", "emulated"}}),
                ElementsAre("none", "emulated"));
    EXPECT_THAT(values_to_try({.name = "a", .standard = "/dev/shm"}), IsEmpty());
}

TEST(ProtocolParameters, AreSetByTheirVariables) {
    EXPECT_EQ(protocol_variable(Flavour::openmpi, "btl_tcp_eager_limit"), "OMPI_MCA_btl_tcp_eager_limit");
    EXPECT_EQ(protocol_variable(Flavour::mpich, "MPIR_CVAR_X"), "MPIR_CVAR_X");
}

}  // namespace
}  // namespace fathom::plan
