#include "machine/processor_names.hpp"

#include <gtest/gtest.h>

namespace fathom::machine {
namespace {

TEST(ProcessorNames, NameArmProcessorsByTheirNumbers) {
    EXPECT_EQ(arm_processor_name("0x41", "0xd0c", "0x3"), "Arm Neoverse-N1 (r3)");
    EXPECT_EQ(arm_processor_name("0x41", "0xd40", "0x1"), "Arm Neoverse-V1 (r1)");
    EXPECT_EQ(arm_processor_name("0x46", "0x001", ""), "Fujitsu A64FX");
}

TEST(ProcessorNames, ShowNumbersThatAreNotKnown) {
    EXPECT_EQ(arm_processor_name("0x41", "0xfff", "0x0"), "implementer 0x41 part 0xfff variant 0x0");
    EXPECT_EQ(arm_processor_name("", "0xd0c", "0x3"), "implementer  part 0xd0c variant 0x3");
    EXPECT_EQ(arm_processor_name("0x41", "d0c", "0x3"), "implementer 0x41 part d0c variant 0x3");
}

}  // namespace
}  // namespace fathom::machine
