#include "tune/files/between.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "tune/model/costing.hpp"
#include "tune/model/library_models.hpp"

namespace fathom::tune {
namespace {

constexpr Bytes first{65'536};
constexpr Bytes last{131'071};

Rule rule(const std::string& algorithm) {
    return {.first = first, .last = last, .algorithm = algorithm};
}

RuleSet rules_with(int procs, std::vector<Rule> rules) {
    return {.operation = "bcast", .procs = procs, .last_procs = procs, .rules = std::move(rules)};
}

bool any(const Rule& /*rule*/) {
    return true;
}

/// 10 us for a message and 1 ns for a byte of it, one process on each host.
RuleModel flat_network() {
    const auto link = simple_link(10'000, 1);
    return {.flavour = plan::Flavour::openmpi,
            .network = {.between = link, .inside = link, .interface_ns_per_byte = 0},
            .layout = [](int procs) { return Layout::flat(procs); }};
}

double cost(const RuleModel& model, const char* algorithm, int procs, Bytes size) {
    const auto* const found = model_of_library(model.flavour, "bcast", algorithm);
    return cost_of(found->schedule(procs, {}), model.network, model.layout(procs)).at(size);
}

/// With 8 processes the ring, with 64 the tree: so it is in the model too.
const RuleSet few = rules_with(8, {rule("scatter_allgather_ring")});
const RuleSet many = rules_with(64, {rule("binomial")});

TEST(SetsBetween, HoldWhatBothDecide) {
    const auto low = rules_with(4, {{.first = {8}, .last = {4096}, .algorithm = "chain", .segment = 512}});
    auto high = rules_with(9, {{.first = {64}, .last = {8192}, .algorithm = "chain", .segment = 512}});
    const auto sets = sets_between(low, high, any, nullptr);
    ASSERT_EQ(sets.size(), 1U);
    EXPECT_EQ(sets[0].procs, 5);
    EXPECT_EQ(sets[0].last_procs, 8);
    ASSERT_EQ(sets[0].rules.size(), 1U);
    EXPECT_EQ(sets[0].rules[0].first, Bytes{64});
    EXPECT_EQ(sets[0].rules[0].last, Bytes{4096});
    EXPECT_EQ(sets[0].rules[0].remark, "not measured; as with 4 and 9 processes");
    EXPECT_TRUE(sets_between(
                    low, high, [](const Rule& /*rule*/) { return false; }, nullptr)
                    .empty());
    high.rules[0].segment = 1024;
    EXPECT_TRUE(sets_between(low, high, any, nullptr).empty());
}

TEST(SetsBetween, AreNoneIfNoNumberIsBetween) {
    EXPECT_TRUE(sets_between(rules_with(7, few.rules), rules_with(8, few.rules), any, nullptr).empty());
}

TEST(SetsBetween, FollowTheModelWhereBothDecideDifferently) {
    const auto model = flat_network();
    EXPECT_TRUE(sets_between(few, many, any, nullptr).empty());
    const auto sets = sets_between(few, many, any, &model);
    int rings = 0;
    for (int procs = 9; procs < 64; ++procs) {
        const auto set = std::ranges::find_if(
            sets, [&](const RuleSet& one) { return one.procs <= procs && procs <= one.last_procs; });
        ASSERT_NE(set, sets.end()) << procs;
        ASSERT_EQ(set->rules.size(), 1U) << procs;
        // Change-overs are at powers of two: below the last size, there is none.
        const bool tree =
            cost(model, "binomial", procs, last) < cost(model, "scatter_allgather_ring", procs, last);
        EXPECT_EQ(set->rules[0].algorithm, tree ? "binomial" : "scatter_allgather_ring") << procs;
        EXPECT_EQ(set->rules[0].remark, tree ? "not measured; by the model, as with 64 processes"
                                             : "not measured; by the model, as with 8 processes");
        rings += tree ? 0 : 1;
    }
    EXPECT_GT(rings, 5);
    EXPECT_LT(rings, 50);
    EXPECT_LE(sets.size(), 5U) << "neighbours share their rules";
}

TEST(SetsBetween, AreNoneWhereTheModelContradictsWhatWasMeasured) {
    const auto model = flat_network();
    EXPECT_TRUE(sets_between(rules_with(8, many.rules), rules_with(64, few.rules), any, &model).empty());
}

TEST(SetsBetween, AreNoneWithoutAModelOfBoth) {
    const auto model = flat_network();
    EXPECT_TRUE(sets_between(few, rules_with(64, {rule("pipeline")}), any, &model).empty());
    auto other = many;
    other.rules[0].own_parameters = false;
    EXPECT_TRUE(sets_between(few, other, any, &model).empty());
}

}  // namespace
}  // namespace fathom::tune
