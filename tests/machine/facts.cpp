#include "machine/facts.hpp"

#include <array>
#include <string>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include "machine/on_one_processor.hpp"

namespace fathom::machine {
namespace {

TEST(ProcessorsIn, CountsSingleOnesAndRanges) {
    EXPECT_EQ(processors_in("0"), 1);
    EXPECT_EQ(processors_in("0-3"), 4);
    EXPECT_EQ(processors_in("0-3,8"), 5);
    EXPECT_EQ(processors_in("0,2,4-5,64-127"), 68);
    EXPECT_EQ(processors_in(""), 0);
    EXPECT_EQ(processor_set("0-2,8"), (std::set<int>{0, 1, 2, 8}));
}

TEST(Facts, SayWhatEveryHostHas) {
    const auto facts = collect_facts();
    for (const auto* key : {"kernel", "architecture", "cores", "processors", "memory_bytes"}) {
        ASSERT_TRUE(facts.contains(key)) << key;
    }
    EXPECT_EQ(facts.at("kernel").rfind("Linux ", 0), 0U);
    EXPECT_GE(std::stoi(facts.at("cores")), 1);
    EXPECT_GE(std::stoi(facts.at("processors")), std::stoi(facts.at("cores")));
    EXPECT_GT(std::stoll(facts.at("memory_bytes")), 1 << 20);
}

TEST(Facts, LeaveOutWhatIsNotKnown) {
    for (const auto& [key, value] : collect_facts()) {
        EXPECT_FALSE(value.empty()) << key;
    }
}

TEST(HostName, IsTheOneOfTheKernel) {
    std::array<char, 256> name{};
    ASSERT_EQ(::gethostname(name.data(), name.size()), 0);
    EXPECT_EQ(host_name(), name.data());
}

TEST(Binding, NamesTheProcessorsOfThisProcess) {
    const OnOneProcessor confined;
    EXPECT_EQ(binding(), std::to_string(confined.cpu()));
}

TEST(PlaceOf, IsThatOfAllProcessors) {
    EXPECT_EQ(place_of(""), Place{});
    EXPECT_EQ(place_of("nonsense"), Place{});
    const OnOneProcessor confined;
    const auto one = place_of(std::to_string(confined.cpu()));
    EXPECT_EQ(place_of(binding()), one);
    // One processor is in one memory node, where the host tells of any.
    EXPECT_GE(one.numa_node, -1);
}

TEST(UsableCores, AreThoseThisProcessMayUse) {
    EXPECT_GE(usable_cores(), 1);
    EXPECT_LE(usable_cores(), processors_in(binding()));
    const OnOneProcessor confined;
    EXPECT_EQ(usable_cores(), 1);
}

TEST(LastLevelCache, IsTheLargestThatTheHostTellsOfOrNone) {
    const auto size = last_level_cache();
    EXPECT_GE(size.count, 0);
    EXPECT_EQ(size.count % 1024, 0) << "caches are made of whole lines, and of many";
    EXPECT_LE(size.count, std::int64_t{16} << 30);
    const auto facts = collect_facts();
    const auto known = facts.find("caches");
    EXPECT_EQ(known != facts.end(), size.count > 0) << "both come from the same source";
    if (size.count > 0) {
        EXPECT_NE(known->second.find(to_text(size)), std::string::npos) << known->second;
    }
}

TEST(MemoryNodes, NameWhereTouchedMemoryLiesOrNothing) {
    std::vector<char> data(1 << 20, 'x');
    const auto nodes = memory_nodes(data.data(), Bytes{static_cast<std::int64_t>(data.size())});
    // Within containers the kernel may not report it.
    EXPECT_TRUE(nodes.empty() || processors_in(nodes) >= 1) << nodes;
    EXPECT_EQ(nodes.find_first_not_of("0123456789,-"), std::string::npos) << nodes;
}

}  // namespace
}  // namespace fathom::machine
