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
    for (const auto& warning : diagnose({host})) {
        EXPECT_FALSE(warning.text.empty());
        EXPECT_FALSE(warning.remedy.empty());
        found.push_back(warning.code);
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
    EXPECT_EQ(found[0].severity, store::Severity::serious);
    EXPECT_EQ(found[0].code, "governor");
    EXPECT_EQ(found[0].text,
              "c1: the CPU frequency governor is \"powersave\", so times change with the load.");
    host.facts["governor"] = "performance and powersave";
    EXPECT_THAT(codes(host), ElementsAre("governor")) << "one core is enough";
}

TEST(Doctor, WarnsOfMoreRanksThanProcessors) {
    auto host = quiet();
    host.ranks = {{0, "0"}, {1, "1"}, {2, "2"}, {3, "3"}};
    EXPECT_THAT(codes(host), IsEmpty());
    host.ranks.push_back({4, "0"});
    const auto found = diagnose({host});
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].code, "oversubscription");
    EXPECT_EQ(found[0].severity, store::Severity::serious);
    EXPECT_EQ(found[0].text,
              "c1: 5 ranks share 4 processors (oversubscribed) and wait for each other's time slices.");
}

TEST(Doctor, CountsOnlyProcessorsThatRanksMayUse) {
    auto host = quiet();
    host.ranks = {{0, "2-3"}, {1, "2-3"}};
    EXPECT_THAT(codes(host), IsEmpty());
    host.ranks = {{0, "2"}, {1, "2"}};
    const auto found = diagnose({host});
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].code, "oversubscription");
    EXPECT_EQ(found[0].text,
              "c1: 2 ranks may use only 1 of 4 processors (oversubscribed) and wait for each other's time "
              "slices.");
}

TEST(Doctor, WarnsOfRanksThatMayMove) {
    auto host = quiet();
    host.ranks = {{0, "0-3"}, {1, "1"}};
    const auto found = diagnose({host});
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].code, "unbound");
    EXPECT_EQ(found[0].severity, store::Severity::serious);
    EXPECT_EQ(found[0].text, "c1: 1 of 2 ranks are not bound to a core and may move between them.");
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
    EXPECT_EQ(found[0].code, "clock");
    EXPECT_EQ(found[0].severity, store::Severity::serious);
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
    EXPECT_EQ(found[0].code, "load");
    EXPECT_EQ(found[0].severity, store::Severity::note);
    EXPECT_EQ(found[0].text, "c1: the load average was 1.00 on 4 processors.");
}

TEST(Doctor, NotesAVirtualMachine) {
    auto host = quiet();
    host.facts["virtual_machine"] = "yes";
    const auto found = diagnose({host});
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].code, "virtual");
    EXPECT_EQ(found[0].severity, store::Severity::note);
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
    EXPECT_THAT(codes(host), ElementsAre("governor", "unbound", "clock", "debug-build", "load", "virtual"));
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
    const std::string rest =
        ": this is a virtual machine; the hypervisor may run other guests on its processors.";
    const auto text = [](std::size_t count) {
        const auto found = diagnose(virtual_hosts(count));
        EXPECT_EQ(found.size(), 1U);
        return found.at(0).text;
    };
    EXPECT_EQ(text(1), "c1" + rest);
    EXPECT_EQ(text(2), "c1 and c2" + rest);
    EXPECT_EQ(text(4), "c1, c2, c3 and c4" + rest);
    EXPECT_EQ(text(5), "c1, c2, c3 and 2 more hosts" + rest);
    EXPECT_EQ(text(128), "c1, c2, c3 and 125 more hosts" + rest);
}

TEST(Doctor, KeepsDifferentTroubleOfHostsApart) {
    auto hosts = virtual_hosts(2);
    hosts[0].facts["governor"] = "powersave";
    hosts[1].facts["governor"] = "ondemand";
    const auto found = diagnose(hosts);
    ASSERT_EQ(found.size(), 3U);
    EXPECT_EQ(found[0].text,
              "c1: the CPU frequency governor is \"powersave\", so times change with the load.");
    EXPECT_EQ(found[1].text,
              "c2: the CPU frequency governor is \"ondemand\", so times change with the load.");
    EXPECT_EQ(found[2].code, "virtual");
}

}  // namespace
}  // namespace fathom::analysis
