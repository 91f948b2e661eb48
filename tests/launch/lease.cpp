#include "launch/lease.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/sample_store.hpp"

namespace fathom::launch {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::point_spec;
using testing::refusal_of;
using testing::SampleStore;

class OwningARun : public ::testing::Test {
  protected:
    /// Somebody else's lease, of a process that lives, is gone, or cannot be seen from here.
    void held_by(const machine::Process& process) {
        ASSERT_TRUE(others.take_lease(
            sample.run, {.owner = "other", .process = process, .taken_utc = {}, .heartbeat = 0}));
    }
    static machine::Process gone() {
        auto process = machine::this_process();
        --process.start_ticks;  // another has its number now
        return process;
    }
    static machine::Process elsewhere() {
        auto process = machine::this_process();
        process.host = "node7";
        process.boot_id = "another";
        return process;
    }
    void own() { own_run(sample.store, sample.run, watch); }
    [[nodiscard]] std::string owner() const { return sample.store.lease(sample.run)->owner; }

    SampleStore sample{{point_spec(0, "bcast", 8)}};
    store::Store others = store::Store::open_or_create(sample.folder / "fathom.db");
    std::vector<std::string> said;
    std::chrono::milliseconds waited{0};
    std::function<void()> meanwhile = [] {};
    LeaseWatch watch{.pause =
                         [this](std::chrono::milliseconds time) {
                             waited += time;
                             meanwhile();
                         },
                     .say = [this](const std::string& text) { said.push_back(text); }};
};

TEST_F(OwningARun, ThatNobodyMeasuresNeedsNoWords) {
    own();
    EXPECT_EQ(sample.store.lease(sample.run)->process, machine::this_process());
    EXPECT_THAT(said, IsEmpty());
}

TEST_F(OwningARun, IsRefusedWhileItsOwnerLives) {
    held_by(machine::this_process());
    const auto refusal = refusal_of<BadInput>([&] { own(); });
    EXPECT_THAT(refusal, HasSubstr(fmt::format("run {} is still being measured by process {} on {}, since 20",
                                               sample.run, ::getpid(), machine::this_process().host)));
    EXPECT_THAT(refusal, HasSubstr("wait for it"));
    EXPECT_EQ(owner(), "other");
    EXPECT_EQ(waited.count(), 0);
    EXPECT_THROW(refuse_in_progress(sample.store, sample.run), BadInput);
}

TEST_F(OwningARun, IsTakenOverAtOnceFromAProcessThatIsGone) {
    held_by(gone());
    refuse_in_progress(sample.store, sample.run);
    own();
    EXPECT_NE(owner(), "other");
    EXPECT_THAT(said, ElementsAre(HasSubstr("which has ended.")));
    EXPECT_EQ(waited.count(), 0);
    EXPECT_THROW(others.set_label(sample.run, "x"), store::LeaseLost);
}

TEST_F(OwningARun, IsTakenOverFromAnotherHostIfItsHeartbeatStandsStill) {
    held_by(elsewhere());
    own();
    EXPECT_NE(owner(), "other");
    EXPECT_THAT(said, ElementsAre(HasSubstr("on node7, which cannot be seen from here; watching for 90 s"),
                                  HasSubstr("which has shown no sign of life for 90 s.")));
    EXPECT_EQ(waited, std::chrono::seconds(90));
}

TEST_F(OwningARun, IsRefusedIfTheHeartbeatOfAnotherHostGoesOn) {
    held_by(elsewhere());
    meanwhile = [&] {
        if (waited == std::chrono::seconds(20)) {
            others.renew_leases(std::chrono::seconds(0));
        }
    };
    EXPECT_THAT(refusal_of<BadInput>([&] { own(); }), HasSubstr("still being measured by process"));
    EXPECT_EQ(waited, std::chrono::seconds(20)) << "no longer than it takes to know";
    EXPECT_EQ(owner(), "other");
}

TEST_F(OwningARun, IsTakenIfItIsReleasedWhileWeWatch) {
    held_by(elsewhere());
    meanwhile = [&] { others.release_lease(sample.run); };
    own();
    EXPECT_NE(owner(), "other");
    EXPECT_EQ(waited, std::chrono::seconds(1));
}

TEST_F(OwningARun, CanBeInterrupted) {
    held_by(elsewhere());
    watch.interrupted = [&] { return waited >= std::chrono::seconds(3); };
    EXPECT_THROW(own(), NotMeasured);
    EXPECT_EQ(owner(), "other");
}

TEST_F(OwningARun, IsGivenToOneOfTwoThatTakeItOverSimultaneously) {
    held_by(elsewhere());
    auto third = store::Store::open_or_create(sample.folder / "fathom.db");
    meanwhile = [&] {
        if (waited == std::chrono::seconds(90)) {  // the other one has watched for as long
            third.take_lease(
                sample.run,
                {.owner = "third", .process = machine::this_process(), .taken_utc = {}, .heartbeat = 0},
                third.lease(sample.run));
        }
    };
    EXPECT_THROW(own(), BadInput);
    EXPECT_EQ(owner(), "third");
}

}  // namespace
}  // namespace fathom::launch
