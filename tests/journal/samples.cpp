#include "journal/samples.hpp"

#include <cstdint>
#include <random>

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "journal/limits.hpp"
#include "journal/packing.hpp"

namespace fathom::journal {
namespace {

std::vector<Sample> unpacked(const std::vector<Sample>& samples) {
    return unpack_samples(pack_samples(samples), static_cast<std::int64_t>(samples.size()));
}

/// Times as a rank would measure them.
std::vector<Sample> likely_samples(std::size_t count, unsigned seed) {
    std::mt19937_64 random(seed);
    std::vector<Sample> samples;
    std::int64_t now = 1'234'567'890'123'456;
    for (std::size_t i = 0; i < count; ++i) {
        const auto duration = static_cast<std::int64_t>(2000 + random() % 500);
        samples.push_back({{now}, {duration}, random() % 50 != 0});
        now += duration + static_cast<std::int64_t>(random() % 1000);
    }
    return samples;
}

TEST(PackedSamples, GiveBackLikelyTimes) {
    const auto samples = likely_samples(10'000, 1);
    EXPECT_EQ(unpacked(samples), samples);
}

TEST(PackedSamples, GiveBackThoseOfAStudy) {
    std::mt19937_64 random(3);
    const auto any = [&] { return static_cast<std::int64_t>(random()); };
    std::vector<StudySample> samples;
    for (int i = 0; i < 1'000; ++i) {
        samples.push_back({.step = i % 7,
                           .round = i / 7,
                           .start = {any()},
                           .whole = {any()},
                           .post = {any() % 1000},
                           .tests = {any() % 1000},
                           .wait = {any() % 1000},
                           .tests_made = any() % 10,
                           .valid = i % 9 != 0});
    }
    const auto packed = pack_study(samples);
    EXPECT_EQ(unpack_study(packed, 1'000), samples);
    EXPECT_THROW(unpack_study(packed, 999), Error);
}

TEST(PackedSamples, GiveBackAnyTimes) {
    std::mt19937_64 random(2);
    std::vector<Sample> samples;
    for (int i = 0; i < 10'000; ++i) {
        samples.push_back({{static_cast<std::int64_t>(random())},
                           {static_cast<std::int64_t>(random())},
                           (random() & 1) != 0});
    }
    EXPECT_EQ(unpacked(samples), samples);
}

TEST(PackedSamples, GiveBackTheExtremes) {
    const std::vector<Sample> samples{{{INT64_MIN}, {INT64_MAX}, true},
                                      {{INT64_MAX}, {INT64_MIN}, false},
                                      {{INT64_MIN}, {INT64_MIN}, false},
                                      {{0}, {0}, true},
                                      {{-1}, {1}, true},
                                      {{INT64_MAX}, {INT64_MAX}, true}};
    EXPECT_EQ(unpacked(samples), samples);
}

TEST(PackedSamples, GiveBackWhichWereInvalid) {
    const std::vector<Sample> samples{{{1}, {2}, false}, {{3}, {4}, true}, {{5}, {6}, false}};
    EXPECT_EQ(unpacked(samples), samples);
}

TEST(PackedSamples, OfNothingAreNothing) {
    EXPECT_TRUE(unpacked({}).empty());
}

TEST(PackedSamples, TakeAFractionOfTheirPlainSize) {
    const auto samples = likely_samples(65'536, 3);
    EXPECT_LT(pack_samples(samples).size(), samples.size() * 6);  // 17 bytes a sample plain
}

TEST(PackedSamples, AreTheSameForTheSameTimes) {
    EXPECT_EQ(pack_samples(likely_samples(1000, 4)), pack_samples(likely_samples(1000, 4)));
}

TEST(PackedSamples, WithAWrongCountAreRefused) {
    const auto packed = pack_samples(likely_samples(100, 5));
    for (const std::int64_t count : {-1, 0, 1, 99, 101, 200}) {
        EXPECT_THROW(unpack_samples(packed, count), Error) << count;
    }
    EXPECT_THROW(unpack_samples(packed, INT64_MIN), Error);
    EXPECT_THROW(unpack_samples(pack_samples({}), 1), Error);
}

TEST(PackedSamples, CutShortAnywhereAreRefused) {
    const auto packed = pack_samples(likely_samples(50, 6));
    for (std::size_t size = 0; size < packed.size(); ++size) {
        EXPECT_THROW(unpack_samples(std::string_view(packed).substr(0, size), 50), Error) << size;
    }
}

TEST(PackedSamples, WithAnyDamagedByteAreNeverReadAsOtherTimes) {
    const auto samples = likely_samples(50, 7);
    const auto packed = pack_samples(samples);
    std::size_t refused = 0;
    for (std::size_t at = 0; at < packed.size(); ++at) {
        for (unsigned bit = 0; bit < 8; ++bit) {
            auto damaged = packed;
            damaged[at] = static_cast<char>(static_cast<unsigned char>(damaged[at]) ^ (1U << bit));
            try {
                // The format has a bit that means nothing.
                EXPECT_EQ(unpack_samples(damaged, 50), samples) << "byte " << at << ", bit " << bit;
            } catch (const Error&) {
                ++refused;
            }
        }
    }
    EXPECT_GE(refused, 8 * packed.size() - 8);
}

TEST(PackedSamples, ThatAskForMoreThanABlockMayHoldAreRefusedBeforeMemoryIsTaken) {
    // Three zeros are a sample, and a megabyte of zeros packs to some hundred bytes.
    const auto zeros = [](std::int64_t count) {
        return compressed(std::string(static_cast<std::size_t>(3 * count), '\0'));
    };
    const auto many = zeros(most_in_block + 1);
    EXPECT_LT(many.size(), 5'500U);
    EXPECT_THROW(unpack_samples(many, most_in_block + 1), Error);
    // The content is as large as its head says; the count is what the row says.
    const auto few = zeros(100);
    EXPECT_EQ(unpack_samples(few, 100).size(), 100U);
    EXPECT_THROW(unpack_samples(few, INT64_MAX / 21), Error);
    const auto most = most_by_byte * static_cast<std::int64_t>(few.size() + 1);
    EXPECT_THROW(unpack_samples(few, most), Error);
}

TEST(PackedSamples, OfAStudyHaveStepsAndRoundsThatAreNumbersOfSuch) {
    // As it was packed, the next sample's step is that of the one before and so much more.
    for (const std::int64_t step : {std::int64_t{-1}, std::int64_t{1} << 31}) {
        std::string plain;
        put_difference(plain, step, 0);
        plain += std::string(7, '\0') + '\1';
        EXPECT_THROW(unpack_study(compressed(plain), 1), Error) << step;
    }
}

TEST(PackedSamples, FollowedByMoreBytesAreRefused) {
    EXPECT_THROW(unpack_samples(pack_samples(likely_samples(50, 8)) + "x", 50), Error);
}

TEST(PackedSamples, ThatAreSomethingElseAreRefused) {
    EXPECT_THROW(unpack_samples("", 0), Error);
    EXPECT_THROW(unpack_samples("this is no block of samples at all", 5), Error);
}

}  // namespace
}  // namespace fathom::journal
