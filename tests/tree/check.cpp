#include "tree/check.hpp"

#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/test_support.hpp"
#include "tree/sample_trees.hpp"

namespace fathom::tree {
namespace {

using fathom::testing::refusal_of;
using Subject = Fault::Subject;

/// The fault of a tree that something was done to.
Fault fault_after(const std::function<void(Tree&)>& spoil, const Job& job = {}) {
    auto tree = two_hosts();
    spoil(tree);
    return fault_of(tree, job).value_or(Fault{Subject::tree, -1, "no fault"});
}

void expect_fault(const Fault& fault, Subject subject, int index, const std::string& sentence) {
    EXPECT_EQ(fault.sentence, sentence);
    EXPECT_EQ(fault.subject, subject);
    EXPECT_EQ(fault.index, index);
}

TEST(Check, TakesATreeThatFits) {
    EXPECT_FALSE(fault_of(two_hosts()));
    EXPECT_FALSE(fault_of(two_hosts(), {.procs = 8}));
    EXPECT_FALSE(fault_of(two_hosts(), {.procs = 8, .hosts = hosts_from("x:4,y:4", 8)}));
    EXPECT_FALSE(fault_of(two_hosts(), {.procs = 8, .hosts = hosts_from("x:8", 8)})) << "two hosts made one";
    EXPECT_FALSE(fault_of(even_and_odd()));
}

TEST(Check, NamesFaultsOfJoins) {
    expect_fault(fault_after([](Tree& tree) { tree.joins.clear(); }), Subject::tree, 0,
                 "the tree has no join; add a root that joins all ranks");
    expect_fault(fault_after([](Tree& tree) { tree.joins[2].name = "left"; }), Subject::node, 10,
                 "two joins are named 'left'; rename one");
    for (const char* name : {"", "7", "a b", "a.b", "\xc3\xa9", "-a", "a\n"}) {
        EXPECT_THAT(fault_after([&](Tree& tree) { tree.joins[2].name = name; }).sentence,
                    ::testing::HasSubstr("is not a name of a join; begin with a letter"));
    }
    for (const int parent : {-1, 1, 2, 7}) {
        expect_fault(fault_after([&](Tree& tree) { tree.joins[1].parent = parent; }), Subject::node, 9,
                     "join 'left' has parent " + std::to_string(parent) +
                         "; the first join is the root (-1), and every other comes after its parent");
    }
    expect_fault(
        fault_after([](Tree& tree) { tree.joins.push_back({.name = "idle", .rank = 0, .parent = 0}); }),
        Subject::node, 11, "join 'idle' has no contributions; list ranks or joins in it, or remove it");
    expect_fault(fault_after([](Tree& tree) { tree.joins[2].rank = 8; }), Subject::place, 10,
                 "join 'right' is on rank 8, which is out of range: ranks are 0 to 7");
    expect_fault(fault_after([](Tree& tree) { tree.joins[2].rank = -1; }), Subject::place, 10,
                 "join 'right' is on rank -1, which is out of range: ranks are 0 to 7");
}

TEST(Check, NamesFaultsOfLeaves) {
    expect_fault(fault_after([](Tree& tree) { tree.leaves[5].parent = 3; }), Subject::node, 5,
                 "rank 5 contributes to no join; add it to one");
    expect_fault(fault_after([](Tree& tree) { tree.leaves[5].rank = 4; }), Subject::node, 5,
                 "rank 4 contributes twice; remove one of them");
    expect_fault(fault_after([](Tree& tree) { std::swap(tree.leaves[5], tree.leaves[6]); }), Subject::node, 6,
                 "rank 5 comes after rank 6; leaves are in the order of ranks and threads");
    expect_fault(
        fault_after([](Tree& tree) { tree.leaves.erase(tree.leaves.begin() + 5); }), Subject::node, 5,
        "rank 5 contributes to no join, although rank 6 does; add it to one: ranks are numbered from 0 "
        "without gaps");
    expect_fault(fault_after([](Tree& tree) { tree.leaves[0].rank = -1; }), Subject::node, 0,
                 "rank -1 is negative; ranks and threads count from 0");
    expect_fault(
        fault_after([](Tree& tree) { tree.leaves[5].thread = 2; }), Subject::node, 5,
        "thread 0 of rank 5 contributes to no join, although thread 2 of rank 5 does; add it to one: threads "
        "are numbered from 0 without gaps");
    expect_fault(fault_after([](Tree& tree) { tree.segment = Bytes{0}; }), Subject::tree, 0,
                 "a segment has 0 bytes; give at least 1");
}

TEST(Check, NamesWhatDoesNotFitTheJob) {
    const auto nothing = [](Tree&) {};
    expect_fault(fault_after(nothing, {.procs = 6}), Subject::node, 6,
                 "rank 6 is out of range: the job has 6 ranks, 0 to 5; remove it, or start 8 ranks");
    expect_fault(
        fault_after(nothing, {.procs = 9}), Subject::node, 8,
        "rank 8 contributes to no join: the job has 9 ranks, the tree 8; add it to one, or start 8 ranks");
    expect_fault(fault_after(nothing, {.hosts = hosts_from("x:4,y:3", 7)}), Subject::tree, 0,
                 "the host list does not fit: it places 7 ranks, the tree has 8");
    expect_fault(
        fault_after(nothing, {.hosts = hosts_from("x:3,y:5", 8)}), Subject::host, 3,
        "the host list does not fit: ranks 0 and 3 share host 'a' in the tree, but are on 'x' and 'y'; place "
        "ranks as in [hosts], or change [hosts]");
    expect_fault(fault_after([](Tree& tree) { tree.hosts.pop_back(); }), Subject::tree, 7,
                 "rank 7 is on no host; add it to one in [hosts]");
    expect_fault(
        fault_after([](Tree& tree) { tree.hosts.emplace_back("b"); }), Subject::host, 8,
        "rank 8 is on host 'b', but contributes to no join; add it to one, or remove it from [hosts]");
}

TEST(Check, KeepsSharedMemoryWithinAHost) {
    expect_fault(fault_after([](Tree& tree) { tree.joins[2].edge = EdgeKind::futex; }), Subject::edge, 10,
                 "a futex edge needs shared memory, but join 'right' is on host 'b' and join 'root' on host "
                 "'a'; make it "
                 "a message edge, or place the join on the same host");
    expect_fault(
        fault_after([](Tree& tree) { tree.joins[2].rank = 3; }), Subject::edge, 4,
        "a flag edge needs shared memory, but rank 4 is on host 'b' and join 'right' on host 'a'; make it a "
        "message edge, or place the join on the same host");
    // What the job says counts more than what the tree was made for.
    EXPECT_FALSE(fault_of(
        [] {
            auto tree = two_hosts();
            tree.joins[2].edge = EdgeKind::condvar;
            return tree;
        }(),
        {.procs = 8, .hosts = Hosts(8, "one")}));
    auto anywhere = two_hosts();
    anywhere.hosts.clear();
    EXPECT_FALSE(fault_of(anywhere)) << "where ranks are is not known";
    EXPECT_TRUE(fault_of(anywhere, {.procs = 8, .hosts = hosts_from("x:2,y:6", 8)}));
}

TEST(Check, ThrowsWithTheNameOfTheTree) {
    EXPECT_EQ(
        refusal_of([] { check(two_hosts(), {.procs = 9}); }),
        "tree 'two hosts': rank 8 contributes to no join: the job has 9 ranks, the tree 8; add it to one, or "
        "start 8 ranks.");
    EXPECT_EQ(refusal_of([] { check(two_hosts(), {.procs = 8}); }), "nothing was refused");
}

}  // namespace
}  // namespace fathom::tree
