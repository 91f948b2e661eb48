#include "collectives/element_map.hpp"

#include <array>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>

namespace {

using fathom::collectives::ElementMap;
using ::testing::ElementsAre;

/// Elements of four letters with gaps, of which the third and fourth are packed first.
ElementMap last_first() {
    return ElementMap::of({4, 5, 0, 1}, 8);
}
constexpr std::string_view memory = "ab..cd..ef..gh..ij..kl..";
constexpr std::string_view packed = "cdabghefklij";

std::string packed_from(const ElementMap& map, std::size_t first, std::size_t count) {
    std::string result(count, '?');
    map.pack(reinterpret_cast<const std::byte*>(memory.data()), first, count,
             reinterpret_cast<std::byte*>(result.data()));
    return result;
}

TEST(ElementMap, PutsNeighboursIntoOneStretch) {
    EXPECT_THAT(last_first().stretches, ElementsAre(ElementMap::Stretch{.offset = 4, .bytes = 2},
                                                    ElementMap::Stretch{.offset = 0, .bytes = 2}));
    EXPECT_EQ(ElementMap::of({0, 1, 2, 3}, 4).stretches.size(), 1U);
    EXPECT_EQ(last_first().bytes, 4U);
}

TEST(ElementMap, PacksAnyRangeOfBytes) {
    const auto map = last_first();
    for (std::size_t first = 0; first <= packed.size(); ++first) {
        for (std::size_t count = 0; first + count <= packed.size(); ++count) {
            EXPECT_EQ(packed_from(map, first, count), packed.substr(first, count));
        }
    }
}

TEST(ElementMap, UnpacksWhatItPackedAndLeavesTheGaps) {
    const auto map = last_first();
    for (std::size_t first = 0; first <= packed.size(); ++first) {
        std::string result(memory.size(), '-');
        auto* const to = reinterpret_cast<std::byte*>(result.data());
        const auto* const from = reinterpret_cast<const std::byte*>(packed.data());
        map.unpack(from, 0, first, to);
        map.unpack(from + first, first, packed.size() - first, to);
        EXPECT_EQ(result, "ab--cd--ef--gh--ij--kl--");
    }
}

TEST(ElementMap, CopiesElementsWithoutGapsAtOnce) {
    const auto map = ElementMap::of({0, 1, 2}, 3);
    EXPECT_EQ(packed_from(map, 2, 7), memory.substr(2, 7));
}

TEST(ElementMap, OfNothingMovesNothing) {
    EXPECT_EQ(packed_from(ElementMap::of({}, 0), 0, 0), "");
}

}  // namespace
