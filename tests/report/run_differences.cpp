#include "report/run_differences.hpp"

#include <algorithm>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/synthetic_run.hpp"
#include "plan/settings.hpp"

namespace fathom::report {
namespace {

using analysis::differences;
using analysis::MeasuredRun;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::run_called;

std::vector<std::string> texts_between(const MeasuredRun& first, const MeasuredRun& second) {
    std::vector<std::string> texts;
    for (const auto& difference : differences(first, second)) {
        texts.push_back(difference_text(difference));
    }
    return texts;
}

/// A run whose ranks were on these hosts, in this order.
MeasuredRun run_placed(const std::vector<std::string>& hosts, const std::string& binding = "0") {
    auto run = run_called("run");
    run.hosts.clear();
    for (std::size_t i = 0; i < hosts.size(); ++i) {
        store::RankRow rank;
        rank.rank = static_cast<int>(i);
        rank.host = hosts[i];
        rank.binding = binding;
        run.ranks.push_back(rank);
        ++run.hosts[hosts[i]];
    }
    return run;
}

/// A setting that is not at its default, and whether two runs that differ in it measured different things.
struct OtherSetting {
    plan::SettingValue value;
    bool tells;
};

const std::map<std::string, OtherSetting, std::less<>>& other_settings() {
    using Texts = std::vector<std::string>;
    constexpr bool tells = true;
    constexpr bool does_not = false;
    static const std::map<std::string, OtherSetting, std::less<>> values{
        {"label", {"nightly", does_not}},
        {"tags", {Texts{"a=1"}, does_not}},
        {"operations", {Texts{"reduce"}, does_not}},
        {"procs", {Texts{"8"}, does_not}},
        {"sizes", {Texts{"64k"}, does_not}},
        {"start", {"mpi-barrier", tells}},
        {"stop", {"skampi", does_not}},
        {"precision_percent", {0.5, does_not}},
        {"between_runs_percent", {0.5, does_not}},
        {"min_reps", {std::int64_t{7}, does_not}},
        {"max_reps", {std::int64_t{70}, does_not}},
        {"budget_s", {60.0, does_not}},
        {"round_trip", {"whole", tells}},
        {"finish", {"mpi-barrier", tells}},
        {"revisit_percent", {50.0, does_not}},
        {"point_least_ms", {std::int64_t{7}, does_not}},
        {"point_budget_ms", {std::int64_t{7}, does_not}},
        {"reps", {std::int64_t{7}, does_not}},
        {"warmup", {std::int64_t{7}, tells}},
        {"in_a_row", {std::int64_t{7}, tells}},
        {"root", {"rotating", tells}},
        {"cache", {"cold", tells}},
        {"order", {"planned", does_not}},
        {"interleave", {true, does_not}},
        {"runs", {std::int64_t{7}, does_not}},
        {"refine_percent", {7.0, does_not}},
        {"max_points", {std::int64_t{7}, does_not}},
        {"locate_switches", {true, does_not}},
        {"compare_schemes", {true, does_not}},
        {"over_ranks", {"mean", tells}},
        {"over_reps", {"p99", tells}},
        {"seed", {std::int64_t{7}, does_not}},
        {"verify", {false, does_not}},
        {"counters", {"off", does_not}},
        {"pair", {"0-1", tells}},
        {"pairs", {Texts{"0-2", "1-3"}, tells}},
        {"groups", {std::int64_t{7}, tells}},
        {"ranks", {Texts{"0-3"}, tells}},
        {"window", {std::int64_t{7}, tells}},
        {"partitions", {std::int64_t{7}, tells}},
        {"size_as", {"total", tells}},
        {"distribution", {"linear", tells}},
        {"type", {"double", tells}},
        {"reduce_op", {"user", tells}},
        {"window_memory", {"create", tells}},
        {"target", {"working", tells}},
        {"target_work_us", {std::int64_t{7}, tells}},
        {"pieces", {std::int64_t{7}, tells}},
        {"piece_work_us", {std::int64_t{7}, tells}},
        {"grid", {std::int64_t{64}, tells}},
        {"imbalance_percent", {7.0, tells}},
        {"iterations", {std::int64_t{7}, tells}},
        {"work", {"memory", tells}},
        {"tests", {std::int64_t{7}, tells}},
        {"test_intervals", {Texts{"4k"}, tells}},
        {"base_threshold", {1.5, tells}},
        {"stop_threshold", {1.5, tells}},
        {"work_limit_ms", {std::int64_t{7}, does_not}},
        {"progress", {"thread", does_not}},
        {"thread_level", {Texts{"multiple"}, tells}},
        {"vary", {Texts{"UCX_TLS=sm,tcp"}, does_not}},
        {"via", {Texts{"library", "tree:flat.toml"}, does_not}},
        {"trace", {"every=7", tells}},
        {"trace_ring", {std::int64_t{700}, does_not}},
        {"shared_edge_ns", {std::int64_t{7}, tells}},
        {"point_timeout_s", {std::int64_t{7}, does_not}},
        {"clock", {"monotonic", does_not}},
        {"clock_scheme", {"linear", does_not}},
        {"clock_arity", {std::int64_t{7}, does_not}},
        {"clock_patience", {std::int64_t{7}, does_not}},
        {"clock_budget_percent", {7.0, does_not}},
        {"check_clock", {true, does_not}},
        {"judge", {true, does_not}},
        {"mpi", {"mpich", does_not}},
        {"launcher", {"srun -n {n}", does_not}},
        {"bind", {"core", does_not}},
        {"contended", {true, tells}},
        {"ranks_per_host", {std::int64_t{1}, does_not}},
    };
    return values;
}

TEST(RunDifferences, BetweenEqualRunsAreNone) {
    EXPECT_THAT(texts_between(run_called("run 1"), run_called("run 2")), IsEmpty())
        << "a name is no difference";
    EXPECT_THAT(texts_between(run_placed({"a", "b"}), run_placed({"a", "b"})), IsEmpty());
    EXPECT_THAT(texts_between({}, {}), IsEmpty());
}

TEST(RunDifferences, NameTheMpiLibraryByItsShortVersion) {
    const auto first = run_called("run 1");
    auto second = run_called("run 2");
    second.result.run.mpi_flavour = "mpich";
    second.result.run.mpi_version = "MPICH 4.0.2, built with gcc\nand more";
    EXPECT_THAT(texts_between(first, second), ElementsAre("MPI library: Open MPI 4.1.4 and MPICH 4.0.2"));
    second.result.run.mpi_version = "";
    EXPECT_THAT(texts_between(first, second), ElementsAre("MPI library: Open MPI 4.1.4 and mpich"))
        << "the flavour where the version is not known";
}

TEST(RunDifferences, TellTwoBuildsOfOneVersionApart) {
    auto first = run_called("run 1");
    auto second = run_called("run 2");
    first.result.run.mpi_version = "Open MPI v4.1.4, package: Debian";
    second.result.run.mpi_version = "Open MPI v4.1.4, package: ours";
    EXPECT_THAT(
        texts_between(first, second),
        ElementsAre("MPI library: Open MPI v4.1.4, package: Debian and Open MPI v4.1.4, package: ours"));
}

TEST(RunDifferences, NameTheKindOfMachineThePlatformTheClockAndTheVersion) {
    const auto first = run_called("run 1");
    auto second = run_called("run 2");
    second.result.run.simulated = true;
    second.result.plan.platform = "pure-16";
    second.result.run.time_source = "wtime";
    second.result.run.fathom_version = "9.9";
    EXPECT_THAT(texts_between(first, second),
                ElementsAre("machine: real and simulated", "platform: not known and pure-16",
                            "clock source: not known and wtime", "fathom version: not known and 9.9"));
    for (const auto& difference : differences(first, second)) {
        EXPECT_FALSE(difference.setting())
            << difference_name(difference) << " is not a setting that changes what is measured";
    }
}

TEST(RunDifferences, NameOnlyTheHostsThatOneRunHasAndTheOtherHasNot) {
    EXPECT_THAT(texts_between(run_placed({"a", "b"}), run_placed({"a", "c"})),
                ElementsAre("hosts: b (1) and c (1)"));
    EXPECT_THAT(texts_between(run_placed({"a", "a", "b"}), run_placed({"a", "b", "b"})),
                ElementsAre("hosts: a (2) and b (1) and a (1) and b (2)"))
        << "with another number of processes";
    EXPECT_THAT(texts_between(run_placed({"a", "b"}), run_placed({"a"})),
                ElementsAre("hosts: b (1) and no others"));
    EXPECT_THAT(texts_between(run_placed({}), run_placed({"a"})), ElementsAre("hosts: not known and a (1)"));
}

TEST(RunDifferences, NameAFewHostsAndCountTheRest) {
    const auto base = run_placed({"z"});
    EXPECT_THAT(texts_between(base, run_placed({"a", "b", "c", "d"})),
                ElementsAre("hosts: z (1) and a (1), b (1), c (1) and d (1)"));
    EXPECT_THAT(texts_between(base, run_placed({"a", "b", "c", "d", "e"})),
                ElementsAre("hosts: z (1) and a (1), b (1), c (1) and 2 more"));
}

TEST(RunDifferences, NameTheFirstRankThatIsElsewhereOrBoundElsewhere) {
    const auto blocks = run_placed({"a", "a", "b", "b"});
    EXPECT_THAT(texts_between(blocks, run_placed({"a", "b", "a", "b"})),
                ElementsAre("placement: rank 1 on a and rank 1 on b"));
    EXPECT_THAT(texts_between(blocks, run_placed({"a", "a", "b", "b"}, "0-1")),
                ElementsAre("binding: rank 0 on processors 0 and rank 0 on processors 0-1"));
    EXPECT_THAT(texts_between(blocks, run_placed({"a", "a", "b", "b"}, "")),
                ElementsAre("binding: rank 0 on processors 0 and rank 0 on processors not known"));
    EXPECT_THAT(texts_between(blocks, run_placed({"b", "b", "b", "c"}, "7")),
                ElementsAre("hosts: a (2) and b (2) and b (3) and c (1)"))
        << "on other hosts every place is another one; that goes without saying";
}

TEST(RunDifferences, NameTheVariablesThatTheUserSet) {
    auto first = run_called("run 1");
    auto second = run_called("run 2");
    first.environment[""] = {{"env.OMPI_MCA_btl", "self,sm"},
                             {"env.OMPI_MCA_coll", "tuned"},
                             {"env.OMPI_MCA_orte_hnp_uri", "17.0;tcp://h1:4711"},
                             {"env.PMIX_MCA_psec", "native"},
                             {"compiler", "GNU 12"}};
    second.environment[""] = {{"env.OMPI_MCA_btl", "self,tcp"},
                              {"env.OMPI_MCA_coll", "tuned"},
                              {"env.OMPI_MCA_coll_tuned_allreduce_algorithm", "1"},
                              {"env.OMPI_MCA_orte_hnp_uri", "18.0;tcp://h1:4712"},
                              {"compiler", "GNU 13"}};
    EXPECT_THAT(texts_between(first, second),
                ElementsAre("environment variable OMPI_MCA_btl: self,sm and self,tcp",
                            "environment variable OMPI_MCA_coll_tuned_allreduce_algorithm: not set and 1"))
        << "not those that a launcher sets for every job";
    const auto found = differences(first, second).back();
    EXPECT_EQ(found.kind, analysis::DifferenceKind::variable);
    EXPECT_EQ(difference_name(found), "OMPI_MCA_coll_tuned_allreduce_algorithm");
    EXPECT_FALSE(found.setting());
}

TEST(RunDifferences, DoNotNameTheVariablesOfAProgressThread) {
    const auto first = run_called("run 1");
    auto second = run_called("run 2");
    second.environment[""] = {{"env.OMPI_MCA_btl_tcp_progress_thread", "1"}};
    EXPECT_EQ(differences(first, second).size(), 1U) << "set by the user";
    second.environment[""][journal::progress_thread_fact] = "yes";
    EXPECT_THAT(differences(first, second), IsEmpty()) << "requested by fathom, for points that say so";
}

TEST(RunDifferences, NameTheKernelTheProcessorAndTheGovernorWhereBothAreKnown) {
    auto first = run_called("run 1");
    auto second = run_called("run 2");
    first.environment["h1"] = {{"kernel", "Linux 6.1"}, {"cpu_model", "A"}, {"governor", "performance"}};
    first.environment["h2"] = {{"kernel", "Linux 6.1"}, {"cpu_model", "A"}, {"governor", "performance"}};
    second.environment["h1"] = {{"kernel", "Linux 6.1"}, {"cpu_model", "A"}, {"governor", "powersave"}};
    second.environment["h2"] = {{"kernel", "Linux 6.9"}, {"cpu_model", "B"}, {"governor", "powersave"}};
    EXPECT_THAT(texts_between(first, second),
                ElementsAre("kernel: Linux 6.1 and Linux 6.1, Linux 6.9", "processor: A and A, B",
                            "governor: performance and powersave"));
    second.environment.clear();
    EXPECT_THAT(differences(first, second), IsEmpty()) << "older runs do not say";
}

TEST(RunDifferences, AreTheSettingsThatChangeWhatIsMeasuredAndNoOthers) {
    for (const auto& setting : plan::settings()) {
        if (setting.key == "platform") {
            continue;  // a difference of its own
        }
        const auto other = other_settings().find(setting.key);
        ASSERT_NE(other, other_settings().end())
            << setting.key << " is new: does it change what is measured.";
        const auto first = run_called("run 1");
        auto second = run_called("run 2");
        setting.set(second.result.plan, other->second.value);
        const auto found = differences(first, second);
        if (!other->second.tells) {
            EXPECT_THAT(found, IsEmpty()) << setting.key;
            continue;
        }
        ASSERT_EQ(found.size(), 1U) << setting.key;
        EXPECT_EQ(difference_name(found.front()), setting.key);
        EXPECT_TRUE(found.front().setting()) << setting.key;
        EXPECT_EQ(second_value(found.front()), plan::quoted(setting.get(second.result.plan)));
    }
}

TEST(RunDifferences, SayWhereASettingWasNotGiven) {
    const auto first = run_called("run 1");
    auto second = run_called("run 2");
    second.result.plan.warmup = 3;
    EXPECT_THAT(texts_between(first, second), ElementsAre("warmup: not given and 3"));
    EXPECT_THAT(texts_between(second, first), ElementsAre("warmup: 3 and not given"));
}

TEST(RunDifferences, AreTheSameTheOtherWayRound) {
    auto first = run_placed({"a", "b"});
    auto second = run_placed({"a", "c", "c"});
    first.result.run.time_source = "tsc";
    first.result.plan.cache = plan::Cache::cold;
    second.result.run.mpi_version = "MPICH 4.0.2";
    second.result.run.simulated = true;
    second.result.plan.platform = "pure-16";
    second.result.plan.in_a_row = 10;
    auto there = differences(first, second);
    const auto back = differences(second, first);
    ASSERT_EQ(there.size(), 7U);
    ASSERT_EQ(back.size(), there.size());
    for (std::size_t i = 0; i < there.size(); ++i) {
        std::swap(there[i].first, there[i].second);
        std::swap(there[i].first_hosts, there[i].second_hosts);
        EXPECT_EQ(difference_text(there[i]), difference_text(back[i]));
        EXPECT_EQ(there[i].setting(), back[i].setting());
    }
}

}  // namespace
}  // namespace fathom::report
