#include "journal/events.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "journal/limits.hpp"
#include "journal/packing.hpp"

namespace fathom::journal {
namespace {

constexpr auto never = CallEvent::never;

const std::vector<CallEvent> traced{
    {.call = 0, .collector = 0, .down_ns = 1'000, .up_ns = 1'900},
    {.call = 0, .collector = 7, .down_ns = 1'100, .up_ns = never},
    {.call = 3, .collector = 2, .down_ns = never, .up_ns = -5},
    {.call = most_calls, .collector = INT32_MAX, .down_ns = INT64_MAX, .up_ns = never},
    {.call = 4, .collector = 1, .down_ns = never, .up_ns = never},
    {.call = 5, .collector = 1, .down_ns = 2'000, .up_ns = 2'100}};

TEST(Events, SurvivePacking) {
    EXPECT_EQ(unpack_events(pack_events(traced), 6), traced);
    EXPECT_TRUE(unpack_events(pack_events({}), 0).empty());
}

TEST(Events, OfRegularCallsTakeFewBytes) {
    std::vector<CallEvent> regular;
    constexpr int calls = 1'000;
    for (int call = 0; call < calls; ++call) {
        for (int collector = 0; collector < 4; ++collector) {
            const std::int64_t at = 10'000 * call + 100 * collector;
            regular.push_back({.call = call, .collector = collector, .down_ns = at, .up_ns = at + 900});
        }
    }
    EXPECT_LT(pack_events(regular).size(), regular.size()) << "less than a byte each, of 24 in a ring";
}

TEST(Events, AreRefusedIfTheyAreDamagedOrOfAnotherNumber) {
    auto packed = pack_events(traced);
    EXPECT_THROW(unpack_events(packed, 5), Error);
    EXPECT_THROW(unpack_events(packed, 7), Error);
    EXPECT_THROW(unpack_events(packed, -1), Error);
    packed[packed.size() / 2] = static_cast<char>(packed[packed.size() / 2] ^ 1);
    EXPECT_THROW(unpack_events(packed, 6), Error);
    EXPECT_THROW(unpack_events("", 1), Error);
}

TEST(Events, AreRefusedWithWhatNoProbeWrites) {
    const auto packed = [](std::int64_t call, std::int64_t collector, char ways) {
        std::string plain;
        put_difference(plain, call, 0);
        put_difference(plain, collector, 0);
        plain += ways;
        put_difference(plain, 10, 0);
        put_difference(plain, 20, 0);
        return compressed(plain);
    };
    EXPECT_EQ(unpack_events(packed(1, 2, 3), 1).front(),
              (CallEvent{.call = 1, .collector = 2, .down_ns = 10, .up_ns = 20}));
    EXPECT_THROW(unpack_events(packed(-1, 2, 3), 1), Error);
    EXPECT_THROW(unpack_events(packed(most_calls + 1, 2, 3), 1), Error);
    EXPECT_THROW(unpack_events(packed(1, -1, 3), 1), Error);
    EXPECT_THROW(unpack_events(packed(1, std::int64_t{1} << 31, 3), 1), Error);
    EXPECT_THROW(unpack_events(packed(1, 2, 4), 1), Error);
}

}  // namespace
}  // namespace fathom::journal
