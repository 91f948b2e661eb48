#include "probe/ops/buffer.hpp"

#include <algorithm>
#include <cstdint>
#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace fathom::probe {
namespace {

TEST(Buffer, HasTheSizeAskedFor) {
    for (const std::int64_t size : {0, 1, 4095, 4096, 4097, 1 << 20}) {
        const Buffer buffer(Bytes{size});
        EXPECT_EQ(buffer.bytes().size(), static_cast<std::size_t>(size));
        EXPECT_NE(buffer.data(), nullptr);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.data()) % alignof(std::max_align_t), 0U);
    }
}

TEST(Buffer, CanBeWrittenToItsLastByte) {
    const Buffer buffer(Bytes{4096});
    for (auto& byte : buffer.bytes()) {
        byte = std::byte{1};
    }
    EXPECT_EQ(buffer.bytes().back(), std::byte{1});
}

/// Where the slices of a buffer begin, for two rounds and a half.
std::vector<std::byte*> places(Buffer& buffer) {
    std::vector<std::byte*> found;
    for (std::size_t i = 0; i < 5 * buffer.slices() / 2; ++i) {
        found.push_back(buffer.data());
        buffer.next();
    }
    return found;
}

TEST(Buffer, StaysWhereItIsWithoutARegion) {
    Buffer buffer(Bytes{100});
    EXPECT_EQ(buffer.slices(), 1U);
    const auto* const place = buffer.data();
    buffer.next();
    EXPECT_EQ(buffer.data(), place);
}

TEST(Buffer, WandersThroughARegionAndBeginsAgain) {
    for (const std::int64_t size : {0, 1, 4095, 4096, 10'000, 1 << 20}) {
        Buffer buffer(Bytes{size}, Bytes{100'000});
        const auto found = places(buffer);
        const std::set<std::byte*> different(found.begin(), found.end());
        EXPECT_EQ(different.size(), buffer.slices()) << size;
        EXPECT_GE(buffer.slices(), 2U) << size;
        for (std::size_t i = buffer.slices(); i < found.size(); ++i) {
            EXPECT_EQ(found[i], found[i - buffer.slices()]) << "after " << i << " of " << size << " bytes";
        }
    }
}

TEST(Buffer, HasSlicesThatArePagesApartAndDoNotOverlap) {
    for (const std::int64_t size : {0, 1, 4095, 4096, 10'000, 1 << 20}) {
        Buffer buffer(Bytes{size}, Bytes{100'000});
        const auto found = places(buffer);
        const std::set<std::byte*> different(found.begin(), found.end());
        for (auto* const place : different) {
            EXPECT_EQ(static_cast<std::size_t>(place - *different.begin()) % Buffer::slice_step, 0U);
        }
        for (auto at = different.begin(); std::next(at) != different.end(); ++at) {
            EXPECT_GE(*std::next(at) - *at, size);
        }
    }
}

TEST(Buffer, CoversItsRegion) {
    for (const std::int64_t size : {1, 4096, 10'000, 1 << 20}) {
        for (const std::int64_t region : {1, 4096, 100'000, 3'000'000}) {
            Buffer buffer(Bytes{size}, Bytes{region});
            const auto found = places(buffer);
            const auto [first, last] = std::minmax_element(found.begin(), found.end());
            EXPECT_GE(*last - *first + size, region) << size << " bytes";
        }
    }
}

TEST(Buffer, CanBeWrittenToTheLastByteOfEverySlice) {
    Buffer buffer(Bytes{5'000}, Bytes{50'000});
    for (std::size_t i = 0; i < buffer.slices(); ++i) {
        for (auto& byte : buffer.bytes()) {
            byte = static_cast<std::byte>(i + 1);
        }
        buffer.next();
    }
    for (std::size_t i = 0; i < buffer.slices(); ++i) {
        EXPECT_EQ(buffer.bytes().front(), static_cast<std::byte>(i + 1));
        EXPECT_EQ(buffer.bytes().back(), static_cast<std::byte>(i + 1)) << "slice " << i;
        buffer.next();
    }
}

}  // namespace
}  // namespace fathom::probe
