#include "machine/host_cores.hpp"

#include <gtest/gtest.h>

#include "machine/facts.hpp"

namespace fathom::machine {
namespace {

TEST(HostCores, OfThisProcessCanBeRead) {
    const auto read = read_cores_line(cores_line());
    ASSERT_TRUE(read);
    EXPECT_EQ(*read, (HostCores{host_name(), usable_cores()}));
}

TEST(HostCores, AreNotReadFromOtherLines) {
    for (const auto* line : {"", "fathom-cores", "fathom-cores 4", "fathom-cores x c1", "fathom-cores 4x c1",
                             "fathom-cores -1 c1", "cores 4 c1"}) {
        EXPECT_FALSE(read_cores_line(line)) << line;
    }
}

}  // namespace
}  // namespace fathom::machine
