#include "analysis/matrix/slow_components.hpp"

#include <functional>
#include <random>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fathom::analysis {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr double usual_ns = 1'000'000;

/// A machine whose pairs take known times, give or take noise.
struct Machine {
    int hosts = 4;
    int ranks_per_host = 1;
    /// By ranks; what a message takes without noise.
    std::function<double(int a, int b)> time_ns = [](int, int) { return usual_ns; };
    double pair_noise = 0;  ///< by which whole pairs differ, as a share
    double rep_noise = 0;   ///< by which the repetitions of a pair do
    double preempted = 0;   ///< share of repetitions that take far longer
    int reps = 30;
    std::int64_t size = 1 << 20;

    [[nodiscard]] int host(int rank) const { return rank / ranks_per_host; }
    [[nodiscard]] MatrixResult measured(unsigned seed = 1) const {
        std::mt19937_64 random(seed);
        std::normal_distribution<double> normal;
        std::uniform_real_distribution<double> uniform(0, 1);
        const int procs = hosts * ranks_per_host;
        MatrixResult matrix{.key = {.operation = "matrix", .procs = procs, .size = {size}}};
        for (int b = 0; b < procs; ++b) {
            matrix.ranks.push_back(b);
            matrix.hosts.push_back("h" + std::to_string(host(b)));
            for (int a = 0; a < b; ++a) {
                const double pair = time_ns(a, b) * std::max(0.2, 1 + pair_noise * normal(random));
                std::vector<double> times;
                for (int rep = 0; rep < reps; ++rep) {
                    const double late = uniform(random) < preempted ? 100 * uniform(random) : 1;
                    times.push_back(pair * late * std::max(0.2, 1 + rep_noise * normal(random)));
                }
                matrix.pairs.push_back(summary_of(times));
            }
        }
        return matrix;
    }
};

std::vector<std::string> names(const SlowComponents& findings) {
    std::vector<std::string> found;
    for (const auto& finding : findings.found) {
        found.push_back(std::string(to_text(finding.kind)) + " " +
                        (finding.rank ? std::to_string(*finding.rank)
                                      : fmt::format("{}", fmt::join(finding.hosts, " and "))));
    }
    return found;
}

std::vector<std::string> names_in(const Machine& machine, unsigned seed = 1) {
    return names(slow_components_in(machine.measured(seed)));
}

/// Names in many runs, of which there should be none.
int false_alarms(const Machine& machine) {
    constexpr unsigned runs = 300;
    int alarms = 0;
    for (unsigned seed = 0; seed < runs; ++seed) {
        alarms += names_in(machine, seed).empty() ? 0 : 1;
    }
    return alarms;
}

/// Runs in which exactly this was named.
int right_names(const Machine& machine, const std::string& name) {
    constexpr unsigned runs = 100;
    int right = 0;
    for (unsigned seed = 0; seed < runs; ++seed) {
        right += names_in(machine, seed) == std::vector{name} ? 1 : 0;
    }
    return right;
}

constexpr auto slow_rank = [](int slow, double factor) {
    return [=](int a, int b) { return a == slow || b == slow ? factor * usual_ns : usual_ns; };
};

/// Between hosts everything takes longer than within one, and the pairs of one host with others longer still.
std::function<double(int, int)> slow_host(int slow, double factor, int ranks_per_host) {
    return [=](int a, int b) {
        const int host_a = a / ranks_per_host;
        const int host_b = b / ranks_per_host;
        if (host_a == host_b) {
            return usual_ns / 20;
        }
        return host_a == slow || host_b == slow ? factor * usual_ns : usual_ns;
    };
}

TEST(SlowComponents, NameNothingOnAHealthyMachineWithNoise) {
    const std::vector<std::pair<int, int>> shapes{{2, 1}, {3, 1}, {4, 1}, {5, 1}, {16, 1}, {1, 3},
                                                  {1, 4}, {1, 9}, {2, 2}, {2, 4}, {3, 2},  {4, 4}};
    int of_few_repetitions = 0;
    for (const auto& [hosts, ranks] : shapes) {
        Machine machine{.hosts = hosts, .ranks_per_host = ranks, .pair_noise = 0.2, .rep_noise = 0.2};
        machine.time_ns = slow_host(-1, 1, ranks);
        EXPECT_EQ(false_alarms(machine), 0) << hosts << " hosts with " << ranks;
        machine.reps = 3;
        of_few_repetitions += false_alarms(machine);
    }
    EXPECT_LE(of_few_repetitions, 1) << "of 3600";
}

TEST(SlowComponents, NameNothingWhereManyRepetitionsAreDisturbed) {
    for (const double preempted : {0.2, 0.5, 0.9}) {
        for (const int hosts : {3, 4, 7}) {
            const Machine machine{
                .hosts = hosts, .pair_noise = 0.1, .rep_noise = 0.2, .preempted = preempted};
            EXPECT_EQ(false_alarms(machine), 0) << hosts << " hosts, disturbed by " << preempted;
        }
    }
}

TEST(SlowComponents, NameAThrottledHostAndNobodyElse) {
    for (const int hosts : {3, 4, 5, 16}) {
        Machine machine{.hosts = hosts, .pair_noise = 0.1, .rep_noise = 0.2};
        machine.time_ns = slow_rank(2, 10);
        EXPECT_EQ(right_names(machine, "host h2"), 100) << hosts << " hosts";
        machine.reps = 2;
        EXPECT_GE(right_names(machine, "host h2"), 90) << hosts << " hosts, 2 repetitions";
    }
    Machine machine{.hosts = 4, .ranks_per_host = 4, .pair_noise = 0.1, .rep_noise = 0.2};
    machine.time_ns = slow_host(3, 4, 4);
    EXPECT_EQ(right_names(machine, "host h3"), 100);
}

TEST(SlowComponents, NameTwoSlowHosts) {
    Machine machine{.hosts = 6};
    machine.time_ns = [](int a, int b) {
        return a == 1 || b == 1 || b == 4 || a == 4 ? 5 * usual_ns : usual_ns;
    };
    EXPECT_THAT(names_in(machine), ElementsAre("host h1", "host h4"));
}

TEST(SlowComponents, DoNotNameAHostForOneSlowPartner) {
    Machine machine{.hosts = 5, .pair_noise = 0.1, .rep_noise = 0.2};
    machine.time_ns = [](int a, int b) { return a == 1 && b == 3 ? 10 * usual_ns : usual_ns; };
    EXPECT_EQ(right_names(machine, "link h1 and h3"), 100);
    // Two of the four are neither due to one link nor to all.
    machine.time_ns = [](int a, int b) { return a == 1 && b >= 3 ? 10 * usual_ns : usual_ns; };
    for (const auto& name : names_in(machine)) {
        EXPECT_THAT(name, HasSubstr("link h1 and ")) << "at most its links";
    }
}

TEST(SlowComponents, NameALinkBesidesASlowHost) {
    Machine machine{.hosts = 6};
    machine.time_ns = [](int a, int b) {
        return a == 0 ? 10 * usual_ns : a == 2 && b == 5 ? 4 * usual_ns : usual_ns;
    };
    EXPECT_THAT(names_in(machine), ElementsAre("host h0", "link h2 and h5"));
}

TEST(SlowComponents, NameASlowProcessWhereOthersOnItsHostAreFine) {
    Machine machine{.hosts = 3, .ranks_per_host = 4, .pair_noise = 0.1, .rep_noise = 0.2};
    const auto usual = slow_host(-1, 1, 4);
    machine.time_ns = [=](int a, int b) { return (a == 5 || b == 5 ? 6 : 1) * usual(a, b); };
    EXPECT_EQ(right_names(machine, "process 5"), 100);
    machine.hosts = 1;
    machine.ranks_per_host = 7;
    machine.time_ns = slow_rank(5, 6);
    EXPECT_EQ(right_names(machine, "process 5"), 100) << "on one host, with an odd number of processes";
    machine.hosts = 2;
    machine.ranks_per_host = 2;
    const auto small = slow_host(-1, 1, 2);
    machine.time_ns = [=](int a, int b) { return (a == 1 || b == 1 ? 10 : 1) * small(a, b); };
    EXPECT_EQ(right_names(machine, "process 1"), 100) << "on two hosts, of which nothing can be told";
}

TEST(SlowComponents, NameProcessesAndNotTheirHostWhereOneOnItIsFine) {
    Machine machine{.hosts = 4, .ranks_per_host = 3};
    const auto usual = slow_host(-1, 1, 3);
    const auto slow = [](int rank) { return rank == 6 || rank == 8; };
    machine.time_ns = [=](int a, int b) { return (slow(a) || slow(b) ? 5 : 1) * usual(a, b); };
    EXPECT_THAT(names_in(machine), ElementsAre("process 6", "process 8"));
    machine.ranks_per_host = 2;
    machine.time_ns = [](int a, int b) {
        return (a == 5 || b == 5 ? 5 : 1) * (a / 2 == b / 2 ? usual_ns / 20 : usual_ns);
    };
    EXPECT_THAT(names_in(machine), ElementsAre("process 5")) << "all pairs within h2 are its";
}

TEST(SlowComponents, NameAHostThatIsSlowWithinItself) {
    Machine machine{.hosts = 4, .ranks_per_host = 3};
    machine.time_ns = [](int a, int b) { return a / 3 != b / 3 ? usual_ns : a / 3 == 2 ? 300'000 : 50'000; };
    const auto findings = slow_components_in(machine.measured());
    EXPECT_THAT(names(findings), ElementsAre("host h2"));
    EXPECT_TRUE(findings.found.front().within);
    EXPECT_NEAR(findings.found.front().factor, 6, 1e-9);
}

TEST(SlowComponents, OfTwoHostsDoNotSayWhichIsSlow) {
    for (const int ranks : {1, 3}) {
        const Machine machine{.hosts = 2, .ranks_per_host = ranks, .time_ns = slow_host(1, 10, ranks)};
        const auto findings = slow_components_in(machine.measured());
        EXPECT_THAT(findings.found, IsEmpty());
        EXPECT_EQ(findings.limit, MatrixLimit::two_hosts);
    }
}

TEST(SlowComponents, OfAllSlowAlikeAreNone) {
    const Machine machine{.hosts = 4, .time_ns = [](int, int) { return 100 * usual_ns; }};
    EXPECT_THAT(names_in(machine), IsEmpty());
    EXPECT_FALSE(slow_components_in(machine.measured()).limit);
}

TEST(SlowComponents, OfOnePairAreNone) {
    const Machine machine{.hosts = 1, .ranks_per_host = 2};
    const auto findings = slow_components_in(machine.measured());
    EXPECT_THAT(findings.found, IsEmpty());
    EXPECT_EQ(findings.limit, MatrixLimit::two_processes);
}

TEST(SlowComponents, OfAMatrixThatWasDisturbedAreNone) {
    const Machine machine{.hosts = 5, .time_ns = slow_rank(2, 10)};
    auto small = machine.measured();
    small.key.size = {8};
    auto large = small;
    large.key.size = {1 << 20};
    EXPECT_EQ(slow_components_of({small, large}).found.size(), 2U);
    small.disturbed = true;
    const auto of_one = slow_components_of({small, large});
    ASSERT_EQ(of_one.found.size(), 1U);
    EXPECT_EQ(of_one.found[0].key.size, large.key.size);
    EXPECT_EQ(of_one.limit, MatrixLimit::disturbed) << "although the other is fine";
    large.disturbed = true;
    EXPECT_THAT(slow_components_of({small, large}).found, IsEmpty());
}

TEST(SlowComponents, OfSingleRepetitionsAreNone) {
    Machine machine{.hosts = 5, .time_ns = slow_rank(2, 10), .reps = 1};
    EXPECT_THAT(names_in(machine), IsEmpty());
    EXPECT_EQ(slow_components_in(machine.measured()).limit, MatrixLimit::few_repetitions);
    machine.reps = 0;
    EXPECT_THAT(names_in(machine), IsEmpty());
    machine.reps = 2;
    EXPECT_THAT(names_in(machine), ElementsAre("host h2"));
}

TEST(SlowComponents, TakeNeitherFastNeighboursNorSwitchesForSlowOthers) {
    // Two pairs share a core's cache; the fifth has nobody to share with.
    const Machine siblings{.hosts = 1, .ranks_per_host = 5, .time_ns = [](int a, int b) {
                               return b < 4 && a / 2 == b / 2 ? usual_ns / 4 : usual_ns;
                           }};
    EXPECT_THAT(names_in(siblings), IsEmpty());
    for (const int first : {2, 3, 4, 6}) {
        const Machine switches{.hosts = 8, .time_ns = [=](int a, int b) {
                                   return (a < first) == (b < first) ? usual_ns : 3 * usual_ns;
                               }};
        EXPECT_THAT(names_in(switches), IsEmpty())
            << first << " hosts behind one switch, the rest behind another";
    }
}

TEST(SlowComponents, AreNotMadeByProcessesThatShareACore) {
    // As spinning ranks do it: those on one core take turns of 4 ms, the others are fast unless disturbed.
    Machine machine{.hosts = 4, .rep_noise = 0.1};
    machine.time_ns = [](int, int) { return 6'000; };
    auto matrix = machine.measured();
    for (auto& pair : matrix.pairs) {
        pair.high_ns = 4'000'000;
    }
    for (const auto place : {MatrixResult::place(0, 1), MatrixResult::place(2, 3)}) {
        matrix.pairs[place] = {
            .reps = 30, .median_ns = 4'000'000, .min_ns = 500'000, .low_ns = 2'000'000, .high_ns = 4'000'000};
    }
    EXPECT_THAT(names(slow_components_in(matrix)), IsEmpty());
}

TEST(SlowComponents, SayWhatTheyAreAndByHowMuchTheyAreSlower) {
    Machine machine{.hosts = 4, .time_ns = slow_rank(3, 9.8)};
    auto finding = slow_components_in(machine.measured()).found.at(0);
    EXPECT_EQ(finding.kind, ComponentKind::host);
    EXPECT_FALSE(finding.within);
    EXPECT_DOUBLE_EQ(finding.factor, 9.8);
    EXPECT_DOUBLE_EQ(finding.time_ns, 9.8 * usual_ns);
    EXPECT_DOUBLE_EQ(finding.median_ns, usual_ns);
    EXPECT_EQ(finding.key.size, Bytes{1 << 20});
    EXPECT_THAT(finding.hosts, ElementsAre("h3"));
    machine.size = 8;
    machine.time_ns = [](int a, int b) { return a == 0 && b == 1 ? 50'000 : 10'000; };
    finding = slow_components_in(machine.measured()).found.at(0);
    EXPECT_EQ(finding.kind, ComponentKind::link);
    EXPECT_DOUBLE_EQ(finding.factor, 5);
    EXPECT_THAT(finding.hosts, ElementsAre("h0", "h1"));
    machine = {.hosts = 1, .ranks_per_host = 5, .time_ns = slow_rank(2, 4), .size = 8};
    finding = slow_components_in(machine.measured()).found.at(0);
    EXPECT_EQ(finding.kind, ComponentKind::process);
    EXPECT_EQ(finding.rank, 2);
    EXPECT_THAT(finding.hosts, ElementsAre("h0"));
}

TEST(SlowComponents, OfARunAreThoseOfTheSmallestAndTheLargestSizeWithTheMostProcesses) {
    const auto with = [](int hosts, std::int64_t size, int slow) {
        return Machine{.hosts = hosts, .time_ns = slow_rank(slow, 10), .size = size}.measured();
    };
    const auto findings =
        slow_components_of({with(4, 8, 0), with(6, 1024, 2), with(6, 8, 1), with(6, 1 << 20, 3)});
    EXPECT_THAT(names(findings), ElementsAre("host h1", "host h3"));
    EXPECT_EQ(findings.found.at(0).key.size, Bytes{8});
    EXPECT_EQ(findings.found.at(1).key.size, Bytes{1 << 20});
    EXPECT_THAT(names(slow_components_of({with(6, 8, 1)})), ElementsAre("host h1"))
        << "once, if there is one size";
    EXPECT_THAT(slow_components_of({}).found, IsEmpty());
}

}  // namespace
}  // namespace fathom::analysis
