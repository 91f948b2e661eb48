#include "probe/loops/slowest_pair.hpp"

#include <mutex>

#include <gtest/gtest.h>

#include "probe/fakes.hpp"

namespace fathom::probe {
namespace {

/// A rank whose every message to another takes as long as a table says, on a clock of its own.
class SlowGroup : public fakes::FakeGroup {
  public:
    using Delays = std::function<std::int64_t(int, int)>;
    SlowGroup(fakes::Mail& mail, int rank, int size, fakes::FakeClock& clock, Delays delay)
        : FakeGroup(mail, rank, size), clock_(clock), delay_(std::move(delay)) {}

    bool receive_words(int from, std::span<std::int64_t> words, Nanoseconds patience) override {
        clock_.time_ns += delay_(std::min(from, rank()), std::max(from, rank()));
        return FakeGroup::receive_words(from, words, patience);
    }

  private:
    fakes::FakeClock& clock_;
    Delays delay_;
};

std::pair<int, int> found_among(int procs, const SlowGroup::Delays& delay) {
    fakes::Mail mail;
    std::mutex mutex;
    std::vector<std::pair<int, int>> found;
    fakes::on_all_ranks(procs, mail, [&](fakes::FakeGroup& group) {
        fakes::FakeClock clock;
        SlowGroup slow(mail, group.rank(), procs, clock, delay);
        const auto pair = slowest_pair(slow, clock);
        const std::lock_guard lock(mutex);
        found.push_back(pair);
    });
    EXPECT_TRUE(mail.empty());
    for (const auto& pair : found) {
        EXPECT_EQ(pair, found.front()) << "all ranks know the same";
    }
    return found.front();
}

TEST(SlowestPair, IsTheOneWithTheLongestRoundTrip) {
    for (const int procs : {2, 3, 4, 5, 8}) {
        for (int a = 0; a < procs; ++a) {
            for (int b = a + 1; b < procs; ++b) {
                const auto delay = [=](int from, int to) {
                    return from == a && to == b ? 900 : 100 + from + to;
                };
                EXPECT_EQ(found_among(procs, delay), std::pair(a, b)) << procs << " processes";
            }
        }
    }
}

}  // namespace
}  // namespace fathom::probe
