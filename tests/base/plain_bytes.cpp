#include "base/plain_bytes.hpp"

#include <array>
#include <cstdint>

#include <gtest/gtest.h>

namespace fathom {
namespace {

struct Pair {
    std::int32_t first = 0;
    std::int64_t second = 0;

    friend bool operator==(const Pair&, const Pair&) = default;
};

TEST(PlainBytes, GiveBackTheValueTheyWereMadeOf) {
    const Pair pair{3, INT64_MIN};
    EXPECT_EQ(value_from<Pair>(bytes_of(pair)), pair);
    EXPECT_EQ(value_from<Pair>(bytes_of(pair) + "more"), pair) << "what follows is ignored";
}

TEST(PlainBytes, HoldSeveralValuesInOrder) {
    const std::array pairs{Pair{1, 2}, Pair{3, 4}};
    const auto bytes = bytes_of_all<Pair>(pairs);
    EXPECT_EQ(values_from<Pair>(bytes), (std::vector{pairs[0], pairs[1]}));
    EXPECT_EQ(values_from<Pair>(bytes.substr(0, bytes.size() - 1)).size(), 1U) << "a cut value is none";
    EXPECT_TRUE(values_from<Pair>("").empty());
}

}  // namespace
}  // namespace fathom
