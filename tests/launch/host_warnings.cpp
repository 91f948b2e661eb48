#include "launch/host_warnings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.hpp"
#include "store/sample_store.hpp"

namespace fathom::launch {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class HostWarnings : public ::testing::Test {
  protected:
    HostWarnings() {
        journal::JobInfo info;
        info.mpi_version = "Open MPI v4";
        sample.store.put(sample.job, info);
    }
    void know(const std::string& host, std::map<std::string, std::string> facts) {
        sample.store.put(sample.job, journal::HostInfo{host, std::move(facts)});
    }
    /// `h0 governor`: host and code of what is new.
    std::vector<std::string> fresh() {
        std::vector<std::string> found;
        for (const auto& warning : warn_of_hosts(sample.store, sample.run)) {
            found.push_back(and_list(warning.hosts) + " " + warning.code);
        }
        return found;
    }

    testing::SampleStore sample{{testing::point_spec(0, "bcast", 8)}};
};

TEST_F(HostWarnings, AreStoredAndReturnedOnce) {
    know("h0", {{"governor", "powersave"}});
    EXPECT_THAT(fresh(), ElementsAre("h0 governor"));
    ASSERT_EQ(sample.store.warnings(sample.run).size(), 1U);
    EXPECT_EQ(sample.store.warnings(sample.run).front().severity, store::Severity::serious);
    EXPECT_THAT(fresh(), IsEmpty()) << "as in another start of the job";
    EXPECT_EQ(sample.store.warnings(sample.run).size(), 1U);
}

TEST_F(HostWarnings, NameAllHostsThatHaveTheSameTogether) {
    know("h0", {{"governor", "powersave"}});
    fresh();
    know("h1", {{"governor", "powersave"}});
    EXPECT_THAT(fresh(), ElementsAre("h0 and h1 governor"));
    EXPECT_THAT(fresh(), IsEmpty());
}

TEST_F(HostWarnings, OfAnotherKindOnAKnownHostAreNew) {
    know("h0", {{"governor", "powersave"}});
    fresh();
    know("h0", {{"governor", "powersave"}, {"processors", "1"}, {"load_1min", "5.00"}});
    EXPECT_THAT(fresh(), ElementsAre("h0 load"));
}

TEST_F(HostWarnings, ConsiderTheRanksOfAHost) {
    know("h0", {{"processors", "1"}});
    know("h1", {{"processors", "1"}});
    for (const int rank : {0, 1}) {
        sample.store.put(sample.job, journal::RankInfo{rank, "h1", 10 + rank, "0"});
    }
    const auto found = fresh();
    EXPECT_THAT(found, ::testing::Contains(::testing::StartsWith("h1 ")));
    EXPECT_THAT(found, ::testing::Not(::testing::Contains(::testing::StartsWith("h0 "))));
}

TEST_F(HostWarnings, AreNoneOfSimulatedHosts) {
    know("h0", {{"governor", "powersave"}, {"simulated", "yes"}});
    EXPECT_THAT(fresh(), IsEmpty());
}

}  // namespace
}  // namespace fathom::launch
