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

}  // namespace
}  // namespace fathom::probe
