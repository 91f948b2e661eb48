#include "probe/ops/blocks.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

namespace fathom::probe {
namespace {

constexpr std::array all_shapes{Shape::bytes, Shape::contiguous, Shape::vector, Shape::indexed,
                                Shape::record};

std::vector<Block> blocks_of(const Blocks& blocks) {
    std::vector<Block> found;
    for (std::int64_t i = 0; i < blocks.count(); ++i) {
        found.push_back(blocks.at(i));
    }
    return found;
}

TEST(Blocks, HoldAllBytesOfTheMessageOneAfterAnother) {
    for (const auto shape : all_shapes) {
        for (std::int64_t size = 0; size < 300; ++size) {
            const Blocks blocks(shape, {size});
            std::int64_t data = 0;
            std::int64_t end = 0;
            for (const auto& block : blocks_of(blocks)) {
                EXPECT_GT(block.length, 0);
                EXPECT_GE(block.place, end);
                end = block.place + block.length;
                data += block.length;
            }
            EXPECT_EQ(data, size);
            EXPECT_EQ(blocks.span().count, end);
        }
    }
}

TEST(Blocks, OfBytesAreOne) {
    for (const auto shape : {Shape::bytes, Shape::contiguous}) {
        EXPECT_EQ(Blocks(shape, {0}).count(), 0);
        EXPECT_EQ(Blocks(shape, {1'000}).count(), 1);
        EXPECT_EQ(Blocks(shape, {1'000}).span().count, 1'000);
        EXPECT_FALSE(Blocks(shape, {1'000}).cut());
    }
}

TEST(Blocks, OfAVectorAreEightBytesSixteenApart) {
    const Blocks blocks(Shape::vector, {8 * 5 + 3});
    ASSERT_EQ(blocks.count(), 6);
    for (std::int64_t i = 0; i < 5; ++i) {
        EXPECT_EQ(blocks.at(i).place, 16 * i);
        EXPECT_EQ(blocks.at(i).length, 8);
    }
    EXPECT_EQ(blocks.at(5).place, 80);
    EXPECT_EQ(blocks.at(5).length, 3);
    EXPECT_TRUE(blocks.cut());
    EXPECT_EQ(blocks.whole_cycles(), 5);
    EXPECT_FALSE(Blocks(Shape::vector, {40}).cut());
}

TEST(Blocks, HaveGapsBetweenThemUnlessTheyAreBytes) {
    for (const auto shape : {Shape::vector, Shape::indexed, Shape::record}) {
        const auto found = blocks_of(Blocks(shape, {10'000}));
        for (std::size_t i = 1; i < found.size(); ++i) {
            EXPECT_GT(found[i].place, found[i - 1].place + found[i - 1].length);
        }
    }
}

TEST(Blocks, OfAnIndexTakeTwiceTheMemoryOfTheirData) {
    const auto lengths = std::accumulate(indexed_blocks.begin(), indexed_blocks.end(), std::int64_t{0},
                                         [](auto sum, const Block& block) { return sum + block.length; });
    EXPECT_EQ(indexed_cycle.stride, 2 * lengths);
    EXPECT_EQ(Blocks(Shape::indexed, {64 * lengths}).count(), 64 * 5);
}

TEST(Blocks, OfARecordAreCutWithinOneOfItsMembers) {
    const Blocks blocks(Shape::record, {2 * 16 + 8 + 3});
    ASSERT_EQ(blocks.count(), 6);
    EXPECT_EQ(blocks.at(4).place, 48);
    EXPECT_EQ(blocks.at(4).length, 8);
    EXPECT_EQ(blocks.at(5).place, 60);
    EXPECT_EQ(blocks.at(5).length, 3);
}

TEST(Blocks, OfManyGigabytesAreFoundAtOnce) {
    const std::int64_t size = std::int64_t{40} << 30;
    const Blocks blocks(Shape::vector, {size});
    EXPECT_EQ(blocks.count(), size / 8);
    EXPECT_EQ(blocks.span().count, 2 * size - 8);
}

TEST(Blocks, CopiedTogetherAndApartAreWhereTheyWere) {
    for (const std::int64_t size : {0, 1, 7, 8, 9, 64, 1'003}) {
        const Blocks blocks(Shape::vector, {size});
        std::vector<std::byte> spread(static_cast<std::size_t>(blocks.span().count), std::byte{0xff});
        std::vector<std::byte> expected;
        for (const auto& block : blocks_of(blocks)) {
            for (std::int64_t i = 0; i < block.length; ++i) {
                expected.push_back(static_cast<std::byte>(expected.size() % 251));
                spread[static_cast<std::size_t>(block.place + i)] = expected.back();
            }
        }
        std::vector<std::byte> together(static_cast<std::size_t>(size));
        copy_together(spread.data(), together.data(), size);
        EXPECT_EQ(together, expected);
        std::vector<std::byte> apart(spread.size(), std::byte{0xff});
        copy_apart(together.data(), apart.data(), size);
        EXPECT_EQ(apart, spread);
    }
}

TEST(EqualParts, AreAsManyAsDivideTheMessage) {
    EXPECT_EQ(equal_parts({64}, 4), 4);
    EXPECT_EQ(equal_parts({6}, 4), 3);
    EXPECT_EQ(equal_parts({65'537}, 4), 1);
    EXPECT_EQ(equal_parts({3}, 8), 3);
    EXPECT_EQ(equal_parts({0}, 4), 4);
}

}  // namespace
}  // namespace fathom::probe
