#include "probe/clock/synchroniser.hpp"

#include <mutex>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "probe/clock/system_clock.hpp"
#include "probe/fakes.hpp"
#include "probe/skewed_clock.hpp"

namespace fathom::probe {
namespace {

using clock::Scheme;
using fakes::FakeGroup;
using fakes::Mail;
using fakes::SkewedClock;
using ::testing::HasSubstr;

constexpr Nanoseconds second{1'000'000'000};
/// Ranks are threads here: long enough for a thread that is preempted on a busy machine, short enough for a
/// test.
constexpr Nanoseconds answer_within{300'000'000};
constexpr Nanoseconds forever{1'500'000'000};

SyncRules rules_for(Scheme scheme) {
    SyncRules rules;
    rules.scheme = scheme;
    rules.arity = 3;
    rules.pings.patience = 5;
    return rules;
}

/// Clocks an hour apart from rank to rank that drift by up to 100 ppm.
SkewedClock clock_of(int rank, const Clock& base, Nanoseconds origin) {
    return {base, origin, Nanoseconds{rank * 3600 * second.count}, rank % 2 == 0 ? -50.0 : 100.0};
}

/// Whether every rank's link holds the truth, which the base clock knows.
void expect_truth(const SyncRules& rules, int size, int ranks_per_host) {
    const MonotonicRaw base;
    const auto origin = base.now();
    const auto truth_of_rank_0 = clock_of(0, base, origin);
    Mail mail;
    fakes::on_all_ranks(size, mail, [&](FakeGroup& group) {
        const auto clock = clock_of(group.rank(), base, origin);
        Synchroniser synchroniser(group, clock, {.host = group.rank() / ranks_per_host, .identity = 0},
                                  rules);
        const auto result = synchroniser.synchronise();
        const auto moment = clock.base_when(result.link.at);
        const auto truth = truth_of_rank_0.at(moment) - clock.at(moment);
        EXPECT_LE(result.link.low, truth)
            << to_text(rules.scheme) << ", rank " << group.rank() << " of " << size;
        EXPECT_GE(result.link.high, truth)
            << to_text(rules.scheme) << ", rank " << group.rank() << " of " << size;
        EXPECT_FALSE(result.shared && group.rank() != 0);
        EXPECT_GT(result.cost.count, 0);
    });
    EXPECT_TRUE(mail.empty()) << "nothing is left unread";
}

TEST(Synchroniser, HoldsTheTruthWithEverySchemeAndSize) {
    for (const auto scheme : {Scheme::linear, Scheme::log, Scheme::tree, Scheme::hosts}) {
        for (const int size : {1, 2, 3, 5, 8, 13}) {
            expect_truth(rules_for(scheme), size, 4);
        }
    }
}

TEST(Synchroniser, HoldsTheTruthWhenExchangesTakeTurns) {
    for (const auto scheme : {Scheme::linear, Scheme::log, Scheme::tree, Scheme::hosts}) {
        for (const int size : {1, 2, 7}) {
            auto rules = rules_for(scheme);
            rules.take_turns = true;
            expect_truth(rules, size, 2);
        }
    }
}

TEST(Synchroniser, TakesHostsOnlyWhereSeveralRanksShareOne) {
    const MonotonicRaw clock;
    Mail mail;
    fakes::on_all_ranks(4, mail, [&](FakeGroup& group) {
        EXPECT_EQ(Synchroniser(group, clock, {.host = group.rank()}, rules_for(Scheme::automatic)).scheme(),
                  Scheme::tree);
        EXPECT_EQ(
            Synchroniser(group, clock, {.host = group.rank() / 2}, rules_for(Scheme::automatic)).scheme(),
            Scheme::hosts);
    });
}

/// Results of two ranks that read the same clock.
std::vector<SyncResult> same_clock(std::int64_t identity_of_rank_1, bool use_shared,
                                   Nanoseconds ahead = {0}) {
    const MonotonicRaw base;
    std::vector<SyncResult> results(2);
    Mail mail;
    fakes::on_all_ranks(2, mail, [&](FakeGroup& group) {
        const SkewedClock clock(base, {0}, group.rank() == 0 ? Nanoseconds{0} : ahead, 0);
        auto rules = rules_for(Scheme::tree);
        rules.use_shared_clocks = use_shared;
        Synchroniser synchroniser(
            group, clock,
            {.host = 1, .identity = group.rank() == 0 ? 7 : identity_of_rank_1, .resolution = {3}}, rules);
        results[static_cast<std::size_t>(group.rank())] = synchroniser.synchronise();
    });
    return results;
}

TEST(Synchroniser, GivesProcessesThatShareAClockNoOffset) {
    const auto rank_1 = same_clock(7, true)[1];
    EXPECT_TRUE(rank_1.shared);
    EXPECT_EQ(rank_1.link.offset.count, 0);
    EXPECT_EQ(rank_1.link.bound().count, 3) << "the resolution";
}

TEST(Synchroniser, MeasuresSharedClocksWhereAsked) {
    const auto rank_1 = same_clock(7, false)[1];
    EXPECT_TRUE(rank_1.shared) << "which is told all the same";
    EXPECT_GT(rank_1.link.bound().count, 3);
}

TEST(Synchroniser, BelievesNoSharedClockWithoutProof) {
    EXPECT_FALSE(same_clock(8, true)[1].shared) << "another boot, namespace or source";
    EXPECT_FALSE(same_clock(0, true)[1].shared) << "a source of its own in every process";
    EXPECT_FALSE(same_clock(7, true, second)[1].shared) << "the interval does not contain 0";
}

/// The errors of ranks when a synchronisation fails.
std::vector<std::string> complaints(int size, const std::function<void(FakeGroup&)>& work) {
    std::vector<std::string> found;
    std::mutex mutex;
    Mail mail;
    fakes::on_all_ranks(size, mail, [&](FakeGroup& group) {
        try {
            work(group);
        } catch (const NotMeasured& error) {
            const std::lock_guard lock(mutex);
            found.emplace_back(error.what());
        }
    });
    return found;
}

TEST(Synchroniser, NamesARankThatStopsAnswering) {
    for (const auto scheme : {Scheme::linear, Scheme::log, Scheme::tree}) {
        const auto found = complaints(3, [&](FakeGroup& group) {
            const MonotonicRaw clock;
            auto rules = rules_for(scheme);
            rules.pings.answer_within = answer_within;
            group.forever = forever;
            Synchroniser synchroniser(group, clock, {.host = group.rank()}, rules);
            if (group.rank() == 1) {
                // It takes part in the barrier and then never answers.
                std::array<std::int64_t, 1> token{};
                for (const int distance : {1, 2}) {
                    group.send_words((1 + distance) % 3, token);
                    group.receive_words((1 - distance + 3) % 3, token, second);
                }
                throw NotMeasured("stopped");
            }
            synchroniser.synchronise();
        });
        EXPECT_THAT(found, ::testing::Contains(HasSubstr("rank 1 did not"))) << to_text(scheme);
    }
}

/// Runs backwards every now and then.
class BackwardClock : public Clock {
  public:
    [[nodiscard]] Nanoseconds now() const override {
        ++readings_;
        return base_.now() - Nanoseconds{readings_ % 7 == 0 ? second.count : 0};
    }
    [[nodiscard]] std::string_view name() const override { return "backward"; }

  private:
    MonotonicRaw base_;
    mutable int readings_ = 0;
};

TEST(Synchroniser, RefusesAClockThatRunsBackwards) {
    for (const int culprit : {0, 1}) {
        const auto found = complaints(2, [&](FakeGroup& group) {
            const MonotonicRaw good;
            const BackwardClock bad;
            auto rules = rules_for(Scheme::linear);
            rules.pings.answer_within = answer_within;
            group.forever = forever;
            const Clock& clock = group.rank() == culprit ? static_cast<const Clock&>(bad) : good;
            Synchroniser(group, clock, {.host = 1}, rules).synchronise();
        });
        EXPECT_THAT(found, ::testing::Contains(
                               ::testing::AnyOf(HasSubstr("ran backwards"), HasSubstr("was set or jumped"))))
            << "rank " << culprit;
    }
}

TEST(Synchroniser, CopesWithClocksAtTheEndsOfTheRange) {
    const MonotonicRaw base;
    for (const bool too_far : {false, true}) {
        const auto found = complaints(2, [&](FakeGroup& group) {
            const auto ahead = group.rank() == 0 ? 0
                               : too_far         ? INT64_MAX - base.now().count - 10 * second.count
                                                 : INT64_MAX / 2;
            const SkewedClock clock(base, {0}, Nanoseconds{ahead}, 0);
            const SkewedClock behind(base, {0}, Nanoseconds{too_far ? -INT64_MAX / 2 : 0}, 0);
            auto rules = rules_for(Scheme::linear);
            rules.pings.answer_within = answer_within;
            group.forever = forever;
            const Clock& used = group.rank() == 0 ? static_cast<const Clock&>(behind) : clock;
            const auto result = Synchroniser(group, used, {.host = 1}, rules).synchronise();
            if (group.rank() == 1) {
                EXPECT_TRUE(result.link.contains({-ahead}));
            }
        });
        EXPECT_EQ(found.empty(), !too_far);
        if (too_far) {
            EXPECT_THAT(found, ::testing::Contains(HasSubstr("292 years")));
        }
    }
}

}  // namespace
}  // namespace fathom::probe
