#include "launch/room.hpp"

#include <cstdlib>

#include <gtest/gtest.h>

#include "machine/facts.hpp"

namespace fathom::launch {
namespace {

TEST(Room, OfThisHostHasTheCoresOfThisProcess) {
    const auto room = room_here(3);
    ASSERT_EQ(room.hosts.size(), 1U);
    EXPECT_EQ(room.hosts[0], (HostRoom{machine::host_name(), 3, machine::usable_cores()}));
}

TEST(Room, IsReadFromWhatProcessesPrintAmongOtherLines) {
    const auto room =
        room_from("Warning: something\nfathom-cores 4 c1\nfathom-cores 16 c2\r\nfathom-cores 4 c1\n", 3);
    ASSERT_TRUE(room);
    EXPECT_EQ(room->hosts, (std::vector<HostRoom>{{"c1", 2, 4}, {"c2", 1, 16}}));
    EXPECT_FALSE(room->crowded());
    EXPECT_TRUE(room->has_cores_for_progress());
}

TEST(Room, IsNotKnownWhenAProcessIsMissing) {
    EXPECT_FALSE(room_from("fathom-cores 4 c1\n", 2));
    EXPECT_FALSE(room_from("", 1));
    EXPECT_FALSE(room_from("fathom-cores none c1\nfathom-cores 0 c1\nfathom-cores 4\n", 1));
}

TEST(Room, IsCrowdedWhereOneHostIs) {
    EXPECT_TRUE((Room{{{"c1", 2, 1}, {"c2", 2, 64}}}).crowded());
    EXPECT_FALSE((Room{{{"c1", 64, 64}, {"c2", 64, 64}}}).crowded());
}

TEST(SignOfOtherHosts, IsAVariableOfABatchSystemOrAFileOfHosts) {
    ::unsetenv("SLURM_JOB_ID");
    ::unsetenv("HYDRA_HOST_FILE");
    const std::string before(sign_of_other_hosts());
    ::setenv("HYDRA_HOST_FILE", "/tmp/hosts", 1);
    EXPECT_EQ(sign_of_other_hosts(), before.empty() ? "HYDRA_HOST_FILE" : before);
    ::setenv("SLURM_JOB_ID", "7", 1);
    EXPECT_EQ(sign_of_other_hosts(), "SLURM_JOB_ID");
    ::unsetenv("SLURM_JOB_ID");
    ::unsetenv("HYDRA_HOST_FILE");
}

}  // namespace
}  // namespace fathom::launch
