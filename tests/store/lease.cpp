// Leases: one process measures a run at a time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/sample_store.hpp"

namespace fathom::store {
namespace {

using ::testing::HasSubstr;
using testing::point_spec;
using testing::refusal_of;
using testing::SampleStore;

class Leases : public ::testing::Test {
  protected:
    static LeaseRow of(const std::string& owner) {
        return {.owner = owner, .process = machine::this_process(), .taken_utc = {}, .heartbeat = 0};
    }
    [[nodiscard]] std::string owner() const {
        const auto lease = mine.lease(sample.run);
        return lease ? lease->owner : "nobody";
    }

    SampleStore sample{{point_spec(0, "bcast", 8)}};
    Store& mine = sample.store;
    Store others = Store::open_or_create(sample.folder / "fathom.db");
};

TEST_F(Leases, SayWhoHasThem) {
    EXPECT_EQ(owner(), "nobody");
    ASSERT_TRUE(mine.take_lease(sample.run, of("me")));
    const auto lease = others.lease(sample.run).value();
    EXPECT_EQ(lease.owner, "me");
    EXPECT_EQ(lease.process, machine::this_process());
    EXPECT_THAT(lease.taken_utc, ::testing::MatchesRegex("20..-..-..T..:..:..Z"));
}

TEST_F(Leases, AreTakenByOne) {
    EXPECT_TRUE(mine.take_lease(sample.run, of("me")));
    EXPECT_FALSE(others.take_lease(sample.run, of("other")));
    EXPECT_EQ(owner(), "me");
}

TEST_F(Leases, AreTakenOverFromAnOwnerThatIsStillTheSame) {
    mine.take_lease(sample.run, of("me"));
    const auto stale = others.lease(sample.run);
    Store third = Store::open_or_create(sample.folder / "fathom.db");
    EXPECT_TRUE(others.take_lease(sample.run, of("other"), stale));
    EXPECT_FALSE(third.take_lease(sample.run, of("third"), stale)) << "the other was faster";
    EXPECT_EQ(owner(), "other");
}

TEST_F(Leases, AreNotTakenOverFromAnOwnerThatHasShownThatItLives) {
    mine.take_lease(sample.run, of("me"));
    auto stale = others.lease(sample.run);
    --stale->heartbeat;
    EXPECT_FALSE(others.take_lease(sample.run, of("other"), stale));
    EXPECT_EQ(owner(), "me");
}

TEST_F(Leases, ThatWereLostKeepTheirOwnerFromWritingAnything) {
    mine.take_lease(sample.run, of("me"));
    mine.set_label(sample.run, "before");
    others.take_lease(sample.run, of("other"), others.lease(sample.run));
    EXPECT_THAT(refusal_of<LeaseLost>([&] { mine.set_label(sample.run, "after"); }),
                HasSubstr("was taken over by process"));
    EXPECT_THROW(mine.end_job(sample.job, ""), LeaseLost);
    EXPECT_THROW(mine.set_run_status(sample.run, RunStatus::failed, "x"), LeaseLost);
    EXPECT_THROW(mine.mark_point(sample.run, 0, PointStatus::failed, "x", true), LeaseLost);
    EXPECT_THROW(sample.put(0, {testing::block_of(0, 0, testing::samples_of({1}))}), LeaseLost);
    EXPECT_THROW(mine.put(sample.job, journal::RankInfo{.rank = 0, .host = "h", .binding = ""}), LeaseLost);
    EXPECT_THROW(mine.put_warning(sample.run, {.code = "x", .text = "x", .remedy = ""}), LeaseLost);
    EXPECT_THROW(mine.create_job(sample.run, "", ""), LeaseLost);
    EXPECT_EQ(others.find_run("last").label, "before");
    EXPECT_EQ(others.point(sample.run, 0).status, PointStatus::pending);
    others.set_label(sample.run, "theirs");
    mine.release_lease(sample.run);
    EXPECT_EQ(owner(), "other") << "only one's own is released";
}

TEST_F(Leases, OfARunThatWasDeletedAreLost) {
    mine.take_lease(sample.run, of("me"));
    others.delete_run(sample.run);
    EXPECT_THROW(mine.set_label(sample.run, "x"), LeaseLost);
}

TEST_F(Leases, GoWithTheirStore) {
    {
        auto passing = Store::open_or_create(sample.folder / "fathom.db");
        passing.take_lease(sample.run, of("passing"));
        const auto moved = std::move(passing);
        EXPECT_EQ(owner(), "passing");
    }
    EXPECT_EQ(owner(), "nobody");
}

TEST_F(Leases, AreFreeAfterTheyWereReleased) {
    mine.take_lease(sample.run, of("me"));
    mine.release_lease(sample.run);
    EXPECT_TRUE(others.take_lease(sample.run, of("other")));
    mine.set_label(sample.run, "x");
    EXPECT_EQ(others.find_run("last").label, "x") << "who has none may write: labels, for one";
}

TEST_F(Leases, AreNotRenewedBeforeThatIsDue) {
    mine.take_lease(sample.run, of("me"));
    mine.renew_leases();
    mine.set_label(sample.run, "x");
    EXPECT_EQ(mine.lease(sample.run)->heartbeat, 0);
}

TEST_F(Leases, ThatAreRenewedShowIt) {
    mine.take_lease(sample.run, of("me"));
    const auto before = others.lease(sample.run);
    mine.renew_leases(std::chrono::seconds(0));
    EXPECT_GT(others.lease(sample.run)->heartbeat, before->heartbeat);
    EXPECT_FALSE(others.take_lease(sample.run, of("other"), before));
    others.take_lease(sample.run, of("other"), others.lease(sample.run));
    EXPECT_THROW(mine.renew_leases(std::chrono::seconds(0)), LeaseLost);
}

}  // namespace
}  // namespace fathom::store
