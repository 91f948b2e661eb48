#include "journal/points.hpp"

#include <gtest/gtest.h>

namespace fathom::journal {
namespace {

TEST(PointAsRecord, ComesBackAsItWas) {
    const plan::PointSpec point{.index = 7,
                                .operation = "bcast",
                                .pattern = "all",
                                .procs = 64,
                                .size = {1'000'000'000'000},
                                .scheme = "as-imb",
                                .purpose = "refine",
                                .progress = "thread"};
    EXPECT_EQ(point_of(record_of(point)), point);
    EXPECT_EQ(record_of(point).size_bytes, 1'000'000'000'000);
}

}  // namespace
}  // namespace fathom::journal
