#include "probe/ops/buffer.hpp"

#include <cstdint>

#include <gtest/gtest.h>

namespace fathom::probe {
namespace {

TEST(Buffer, BeginsAtAPageAndHasTheSizeAskedFor) {
    for (const std::int64_t size : {0, 1, 4095, 4096, 4097, 1 << 20}) {
        const Buffer buffer(Bytes{size});
        EXPECT_EQ(buffer.bytes().size(), static_cast<std::size_t>(size));
        EXPECT_NE(buffer.data(), nullptr);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.data()) % 4096, 0U);
    }
}

TEST(Buffer, CanBeWrittenToItsLastByte) {
    const Buffer buffer(Bytes{4096});
    for (auto& byte : buffer.bytes()) {
        byte = std::byte{1};
    }
    EXPECT_EQ(buffer.bytes().back(), std::byte{1});
}

}  // namespace
}  // namespace fathom::probe
