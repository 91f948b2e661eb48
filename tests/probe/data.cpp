#include "probe/ops/data.hpp"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

namespace fathom::probe {
namespace {

std::vector<std::byte> pattern(std::size_t size, std::uint64_t seed) {
    std::vector<std::byte> bytes(size);
    fill_pattern(bytes, seed);
    return bytes;
}

TEST(Pattern, IsRecognised) {
    for (const std::size_t size : {0U, 1U, 7U, 8U, 9U, 4097U}) {
        EXPECT_EQ(compare_pattern(pattern(size, 5), 5), "") << size;
    }
}

TEST(Pattern, IsAnotherForAnotherSeed) {
    EXPECT_NE(compare_pattern(pattern(64, 5), 6), "");
}

TEST(Pattern, OfAShorterMessageIsItsBeginning) {
    const auto longer = pattern(100, 5);
    EXPECT_EQ(compare_pattern(std::span(longer).first(33), 5), "");
}

TEST(Pattern, UsesAllBytesEvenly) {
    std::array<int, 256> seen{};
    for (const auto byte : pattern(256 * 1024, 9)) {
        ++seen.at(static_cast<std::size_t>(byte));
    }
    const auto [least, most] = std::minmax_element(seen.begin(), seen.end());
    EXPECT_GT(*least, 1024 - 200);  // six standard deviations of 32
    EXPECT_LT(*most, 1024 + 200);
}

TEST(Pattern, WithOneWrongBitIsRefusedWithItsPlace) {
    constexpr std::size_t size = 43;  // whole words and a rest
    for (std::size_t at = 0; at < size; ++at) {
        for (unsigned bit = 0; bit < 8; ++bit) {
            auto bytes = pattern(size, 5);
            bytes[at] ^= static_cast<std::byte>(1U << bit);
            EXPECT_EQ(compare_pattern(bytes, 5).rfind("byte " + std::to_string(at) + " is 0x", 0), 0U);
        }
    }
}

TEST(Pattern, TellsWhatWasFoundAndWhatWasExpected) {
    auto bytes = pattern(4, 1234567);
    bytes[2] = std::byte{0x07};
    // 6457827717110365317 = 0x599ed017fb08fc85, least byte first
    EXPECT_EQ(compare_pattern(bytes, 1234567), "byte 2 is 0x07, expected 0x08");
}

TEST(WrongData, DiffersFromThePatternAtEveryPlace) {
    const auto right = pattern(1000, 5);
    std::vector<std::byte> wrong(1000);
    fill_wrong(wrong, 5);
    for (std::size_t i = 0; i < right.size(); ++i) {
        EXPECT_NE(wrong[i], right[i]) << i;
    }
}

TEST(Summands, AddUpToTheSumInClosedForm) {
    for (int procs = 1; procs <= 100; ++procs) {
        const Summands summands(77, procs);
        for (std::uint64_t index = 0; index < 100; ++index) {
            std::int64_t sum = 0;
            for (int rank = 0; rank < procs; ++rank) {
                sum += summands.of_rank(rank, index);
            }
            ASSERT_EQ(summands.sum(index), sum) << procs << " processes, element " << index;
        }
    }
}

TEST(Summands, AreSmallAndDifferBetweenNeighbours) {
    const Summands summands(3, 16);
    for (int rank = 0; rank < 16; ++rank) {
        for (std::uint64_t index = 0; index < 100; ++index) {
            EXPECT_GE(summands.of_rank(rank, index), 0);
            EXPECT_LT(summands.of_rank(rank, index), 16);
            EXPECT_NE(summands.of_rank(rank, index), summands.of_rank(rank + 1, index));
        }
    }
}

TEST(Summands, OfAMillionProcessesStayExactInAFloat) {
    const Summands summands(3, 1'000'000);
    for (std::uint64_t index = 0; index < 100; ++index) {
        EXPECT_LT(summands.sum(index), 1 << 24);
        EXPECT_EQ(static_cast<std::int64_t>(static_cast<float>(summands.sum(index))), summands.sum(index));
    }
}

TEST(Reducible, ValuesOfRanksComeToTheResult) {
    const auto value = [](unsigned number) { return static_cast<int>(number * number % 13); };
    const auto exclusive_or = [](int a, int b) { return a ^ b; };
    for (const int procs : {1, 2, 5, 16, 17, 40}) {
        const Reducible<int> values(77, procs, value, exclusive_or);
        for (std::uint64_t index = 0; index < 100; ++index) {
            int result = values.of_rank(0, index);
            for (int rank = 1; rank < procs; ++rank) {
                result ^= values.of_rank(rank, index);
            }
            EXPECT_EQ(values.result(index), result) << procs << " " << index;
        }
    }
}

TEST(Matrices, AreMultipliedRowByColumn) {
    const Factor a{{1, 2, 3, 4}};
    const Factor b{{5, 6, 7, 8}};
    EXPECT_EQ(a * b, (Factor{{19, 22, 43, 50}}));
    EXPECT_EQ(b * a, (Factor{{23, 34, 31, 46}}));
    EXPECT_EQ(a * Factor{}, a);
    // 250 is -1 modulo 251
    EXPECT_EQ((Factor{{250, 0, 0, 250}} * a), (Factor{{250, 249, 248, 247}}));
    EXPECT_EQ(a.text(), "[1 2; 3 4]");
}

TEST(Factors, AreMultipliedInTheOrderOfRanks) {
    for (int procs = 0; procs <= 50; ++procs) {
        const Factors factors(77, procs);
        for (std::uint64_t index = 0; index < 100; ++index) {
            Factor product;
            for (int rank = 0; rank < procs; ++rank) {
                product = product * factors.of_rank(rank, index);
            }
            ASSERT_EQ(factors.product(index), product) << procs << " processes, element " << index;
        }
    }
}

TEST(Factors, CommuteOnlyWithThemselvesAndHaveAnInverse) {
    for (unsigned i = 0; i < 16; ++i) {
        const auto a = Factors::matrix(i);
        EXPECT_EQ((a.cells[0] * a.cells[3] - a.cells[1] * a.cells[2] + 251 * 251) % 251, 1) << i;
        for (unsigned j = 0; j < 16; ++j) {
            const auto b = Factors::matrix(j);
            EXPECT_EQ(a * b == b * a, i == j) << i << " " << j;
        }
    }
}

TEST(Factors, ShowThatTwoNeighboursWereExchanged) {
    constexpr int procs = 20;
    const Factors factors(5, procs);
    for (int exchanged = 0; exchanged + 1 < procs; ++exchanged) {
        Factor product;
        for (int rank = 0; rank < procs; ++rank) {
            const int taken = rank == exchanged ? rank + 1 : rank == exchanged + 1 ? rank - 1 : rank;
            product = product * factors.of_rank(taken, 3);
        }
        EXPECT_FALSE(product == factors.product(3)) << exchanged;
    }
}

}  // namespace
}  // namespace fathom::probe
