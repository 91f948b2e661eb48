#include "analysis/run/doctor.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fathom::analysis {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// A host without disturbances: four processors, two bound ranks, all quiet.
HostState quiet() {
    return {.host = "c1",
            .facts = {{"governor", "performance"},
                      {"processors", "4"},
                      {"clocksource", "tsc"},
                      {"load_1min", "0.10"}},
            .ranks = {{0, "0"}, {1, "1"}},
            .build_type = "Release"};
}

std::vector<std::string> codes(const HostState& host) {
    std::vector<std::string> found;
    for (const auto& trouble : diagnose({host})) {
        found.emplace_back(to_text(trouble.kind));
    }
    return found;
}

TEST(Doctor, FindsNothingOnAQuietHost) {
    EXPECT_THAT(codes(quiet()), IsEmpty());
}

TEST(Doctor, FindsNothingWhereNothingIsKnown) {
    EXPECT_THAT(codes({.host = "c1", .facts = {}, .ranks = {}, .build_type = ""}), IsEmpty());
}

TEST(Doctor, WarnsOfAFrequencyGovernor) {
    auto host = quiet();
    host.facts["governor"] = "powersave";
    const auto found = diagnose({host});
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].severity(), store::Severity::serious);
    EXPECT_EQ(to_text(found[0].kind), "governor");
    EXPECT_EQ(found[0].setting, "powersave");
    EXPECT_THAT(found[0].hosts, ElementsAre("c1"));
    host.facts["governor"] = "performance and powersave";
    EXPECT_THAT(codes(host), ElementsAre("governor")) << "one core is enough";
}

TEST(Doctor, NotesWhatKilledJobsLeftBehind) {
    auto host = quiet();
    using machine::LeftoverKind;
    host.leftovers = {{LeftoverKind::segment, "/dev/shm/a", "Open MPI", {4096}},
                      {LeftoverKind::segment, "/dev/shm/b", "Open MPI", {8192}},
                      {LeftoverKind::session_folder, "/tmp/c", "Open MPI", {512}}};
    const auto found = diagnose({host});
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(to_text(found[0].kind), "leftovers");
    EXPECT_EQ(found[0].severity(), store::Severity::note);
    EXPECT_EQ(found[0].segments, 2);
    EXPECT_EQ(found[0].session_folders, 1);
    EXPECT_EQ(found[0].size, Bytes{12'800});
    EXPECT_EQ(found[0].example, "/dev/shm/a");
}

TEST(Doctor, WarnsOfMoreRanksThanProcessors) {
    auto host = quiet();
    host.ranks = {{0, "0"}, {1, "1"}, {2, "2"}, {3, "3"}};
    EXPECT_THAT(codes(host), IsEmpty());
    host.ranks.push_back({4, "0"});
    const auto found = diagnose({host});
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(to_text(found[0].kind), "oversubscription");
    EXPECT_EQ(found[0].severity(), store::Severity::serious);
    EXPECT_EQ(found[0].ranks, 5);
    EXPECT_EQ(found[0].processors, 4);
}

TEST(Doctor, CountsOnlyProcessorsThatRanksMayUse) {
    auto host = quiet();
    host.ranks = {{0, "2-3"}, {1, "2-3"}};
    EXPECT_THAT(codes(host), IsEmpty());
    host.ranks = {{0, "2"}, {1, "2"}};
    const auto found = diagnose({host});
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(to_text(found[0].kind), "oversubscription");
    EXPECT_EQ(found[0].processors, 1);
    EXPECT_EQ(found[0].host_processors, 4);
}

TEST(Doctor, WarnsOfRanksThatMayMove) {
    auto host = quiet();
    host.ranks = {{0, "0-3"}, {1, "1"}};
    const auto found = diagnose({host});
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(to_text(found[0].kind), "unbound");
    EXPECT_EQ(found[0].severity(), store::Severity::note) << "a plain program may be as loose";
    EXPECT_EQ(found[0].ranks, 1);
    EXPECT_EQ(found[0].all_ranks, 2);
}

TEST(Doctor, DoesNotAskToBindWhereItCannotHelp) {
    auto host = quiet();
    host.ranks = {{0, "0-3"}, {1, "0-3"}, {2, "0-3"}, {3, "0-3"}, {4, "0-3"}};
    EXPECT_THAT(codes(host), ElementsAre("oversubscription"));
    auto single = quiet();
    single.facts["processors"] = "1";
    single.ranks = {{0, "0"}};
    EXPECT_THAT(codes(single), IsEmpty());
}

TEST(Doctor, WarnsOfAnUnsteadyClock) {
    auto host = quiet();
    host.facts["clocksource"] = "hpet";
    const auto found = diagnose({host});
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(to_text(found[0].kind), "clock");
    EXPECT_EQ(found[0].severity(), store::Severity::serious);
    for (const auto* steady : {"tsc", "arch_sys_counter", "kvm-clock", "hyperv_clocksource_tsc_page"}) {
        host.facts["clocksource"] = steady;
        EXPECT_THAT(codes(host), IsEmpty()) << steady;
    }
}

TEST(Doctor, WarnsOfABuildForDebugging) {
    auto host = quiet();
    host.build_type = "Debug";
    EXPECT_THAT(codes(host), ElementsAre("debug-build"));
    host.build_type = "RelWithDebInfo";
    EXPECT_THAT(codes(host), IsEmpty());
}

TEST(Doctor, NotesALoadOfAQuarterOfTheProcessors) {
    auto host = quiet();
    host.facts["load_1min"] = "0.99";
    EXPECT_THAT(codes(host), IsEmpty());
    host.facts["load_1min"] = "1.00";
    const auto found = diagnose({host});
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(to_text(found[0].kind), "load");
    EXPECT_EQ(found[0].severity(), store::Severity::note);
    EXPECT_EQ(found[0].setting, "1.00");
    EXPECT_EQ(found[0].processors, 4);
}

TEST(Doctor, NotesAVirtualMachine) {
    auto host = quiet();
    host.facts["virtual_machine"] = "yes";
    const auto found = diagnose({host});
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(to_text(found[0].kind), "virtual");
    EXPECT_EQ(found[0].severity(), store::Severity::note);
}

TEST(Doctor, TellsTheSeriousFirst) {
    const HostState host{.host = "c1",
                         .facts = {{"governor", "powersave"},
                                   {"processors", "2"},
                                   {"clocksource", "hpet"},
                                   {"load_1min", "9.00"},
                                   {"virtual_machine", "xen"}},
                         .ranks = {{0, "0-1"}, {1, "0-1"}},
                         .build_type = "Debug"};
    EXPECT_THAT(codes(host), ElementsAre("governor", "clock", "debug-build", "unbound", "load", "virtual"));
}

std::vector<HostState> virtual_hosts(std::size_t count) {
    std::vector<HostState> hosts;
    for (std::size_t i = 1; i <= count; ++i) {
        hosts.push_back(quiet());
        hosts.back().host = "c" + std::to_string(i);
        hosts.back().facts["virtual_machine"] = "yes";
    }
    return hosts;
}

TEST(Doctor, TellsTheSameTroubleOfManyHostsOnce) {
    const auto found = diagnose(virtual_hosts(3));
    ASSERT_EQ(found.size(), 1U);
    EXPECT_THAT(found[0].hosts, ElementsAre("c1", "c2", "c3"));
}

TEST(Doctor, KeepsDifferentTroubleOfHostsApart) {
    auto hosts = virtual_hosts(2);
    hosts[0].facts["governor"] = "powersave";
    hosts[1].facts["governor"] = "ondemand";
    const auto found = diagnose(hosts);
    ASSERT_EQ(found.size(), 3U);
    EXPECT_EQ(found[0].setting, "powersave");
    EXPECT_THAT(found[0].hosts, ElementsAre("c1"));
    EXPECT_EQ(found[1].setting, "ondemand");
    EXPECT_THAT(found[1].hosts, ElementsAre("c2"));
    EXPECT_EQ(to_text(found[2].kind), "virtual");
}

}  // namespace
}  // namespace fathom::analysis
