#include "probe/start/binomial.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "probe/fakes.hpp"

namespace fathom::probe {
namespace {

using fakes::FakeGroup;
using fakes::Mail;

constexpr Nanoseconds patience{10'000'000'000};

TEST(BroadcastWord, ReachesEveryRankOnce) {
    for (const int size : {1, 2, 3, 4, 5, 7, 8, 13, 16, 17}) {
        Mail mail;
        fakes::on_all_ranks(size, mail, [&](FakeGroup& group) {
            const auto word = group.rank() == 0 ? 42 : -1;
            EXPECT_EQ(broadcast_word(group, word, patience), 42) << "rank " << group.rank() << " of " << size;
        });
        EXPECT_TRUE(mail.empty()) << size;
    }
}

TEST(BroadcastWord, DoesNotWaitForever) {
    Mail mail;
    FakeGroup group(mail, 1, 2);
    EXPECT_THROW(broadcast_word(group, 0, {1'000'000}), NotMeasured);
}

TEST(BroadcastTextIdle, ReachesEveryRankOnce) {
    const std::string text("point 7\0\n{}", 11);
    for (const int size : {1, 2, 3, 4, 5, 7, 8, 13, 16, 17}) {
        Mail mail;
        fakes::on_all_ranks(size, mail, [&](FakeGroup& group) {
            EXPECT_EQ(broadcast_text_idle(group, group.rank() == 0 ? text : "not mine"), text)
                << "rank " << group.rank() << " of " << size;
        });
        EXPECT_TRUE(mail.empty()) << size;
    }
}

TEST(BroadcastTextIdle, KeepsTheOrderOfSeveral) {
    Mail mail;
    fakes::on_all_ranks(6, mail, [](FakeGroup& group) {
        for (int i = 0; i < 20; ++i) {
            const auto text = std::string(static_cast<std::size_t>(i), 'x');
            EXPECT_EQ(broadcast_text_idle(group, group.rank() == 0 ? text : ""), text);
        }
    });
    EXPECT_TRUE(mail.empty());
}

/// Counts how it waits.
class IdleGroup : public FakeGroup {
  public:
    using FakeGroup::FakeGroup;
    std::string receive(int from) override {
        ++busy;
        return FakeGroup::receive(from);
    }
    std::string receive_idle(int from) override {
        ++idle;
        return FakeGroup::receive(from);
    }

    int busy = 0;
    int idle = 0;
};

TEST(BroadcastTextIdle, LeavesTheProcessorToOthersWhileItWaits) {
    Mail mail;
    mail.put(0, 1, "go");
    IdleGroup group(mail, 1, 2);
    EXPECT_EQ(broadcast_text_idle(group, ""), "go");
    EXPECT_EQ(group.idle, 1);
    EXPECT_EQ(group.busy, 0);
}

}  // namespace
}  // namespace fathom::probe
