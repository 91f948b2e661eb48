#include <array>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.hpp"
#include "base/test_support.hpp"
#include "tree/file.hpp"
#include "tree/sample_trees.hpp"
#include "tree/walk.hpp"

namespace fathom::tree {
namespace {

using fathom::testing::refusal_of;
using fathom::testing::TempFolder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* by_hand = R"(
name = "two hosts"

[hosts]
a = "0-3"
b = "4-7"

[join.root]
flag = "left"
message = "right"

[join.left]
flag = "0-3"

[join.right]
on = "b"
flag = [4, 5, "6-7"]
)";

TEST(ReadTree, TakesWhatAPersonWrites) {
    EXPECT_EQ(read_tree(by_hand, "t.toml"), two_hosts());
}

TEST(ReadTree, TakesTheShortestFile) {
    const auto tree = read_tree("join.root.message = \"0-7\"", "t.toml");
    EXPECT_EQ(tree.joins.size(), 1U);
    EXPECT_EQ(tree.joins.front(), (Join{.name = "root", .rank = 0}));
    EXPECT_EQ(tree.leaves.size(), 8U);
    EXPECT_EQ(tree.leaves.back(), (Leaf{.rank = 7, .edge = EdgeKind::message}));
    EXPECT_EQ(read_tree("[join.only]\nmessage = 0\n", "t.toml").leaves.size(), 1U);
}

TEST(ReadTree, TakesJoinsInAnyOrderAndKeepsItWhereItCan) {
    const auto tree = read_tree(R"(
[join.c]
message = "4-5"
[join.b]
message = "2-3"
[join.a]
message = "0-1"
[join.top]
message = "a, b, c"
)",
                                "t.toml");
    std::vector<std::string> names;
    for (const auto& join : tree.joins) {
        names.push_back(join.name);
    }
    EXPECT_THAT(names, ElementsAre("top", "c", "b", "a"));
    EXPECT_EQ(tree.leaves[4].parent, 1);
    EXPECT_EQ(tree.joins[1].rank, 4);
    EXPECT_EQ(tree.joins[0].rank, 0);
}

TEST(ReadTree, TakesThreadsOfRanks) {
    const auto tree = read_tree("[join.root]\non = 1\nflag = \"0-1:0-1\"\nmessage = \"2\"\n", "t.toml");
    ASSERT_EQ(tree.leaves.size(), 5U);
    EXPECT_EQ(tree.leaves[1], (Leaf{.rank = 0, .thread = 1, .parent = 0, .edge = EdgeKind::flag}));
    EXPECT_EQ(tree.leaves[2], (Leaf{.rank = 1, .thread = 0, .parent = 0, .edge = EdgeKind::flag}));
    EXPECT_EQ(tree.leaves[4], (Leaf{.rank = 2, .thread = 0, .parent = 0, .edge = EdgeKind::message}));
    EXPECT_EQ(tree.joins[0].rank, 1);
}

TEST(ReadTree, TakesEveryKindOfEdgeAndASegment) {
    const auto tree = read_tree(R"(
schema = "fathom.tree-file/1"
segment = "64k"
[join.root]
message = 0
flag = 1
futex = 2
condvar = 3
)",
                                "t.toml");
    for (const auto& leaf : tree.leaves) {
        EXPECT_EQ(static_cast<int>(leaf.edge), leaf.rank);
    }
    EXPECT_EQ(tree.segment, Bytes{65'536});
    EXPECT_EQ(read_tree("segment = 100\n[join.root]\nmessage = 0\n", "t.toml").segment, Bytes{100});
}

TEST(ReadTree, PlacesJoinsOnHostsOfTheFileOrOfTheJob) {
    const std::string text =
        "[join.root]\non = \"b\"\nmessage = \"0, 1, rest\"\n[join.rest]\non = \"b\"\nmessage = \"2-5\"\n";
    // Of the ranks on b, the lowest that is among those below the join.
    const auto from_job = read_tree(text, "t.toml", {.procs = 6, .hosts = {"a", "b", "a", "a", "b", "b"}});
    EXPECT_EQ(from_job.joins[0].rank, 1);
    EXPECT_EQ(from_job.joins[1].rank, 4);
    const auto from_file = read_tree("[hosts]\na = \"0, 2-3\"\nb = \"1, 4-5\"\n" + text, "t.toml");
    EXPECT_EQ(from_file.joins, from_job.joins);
    EXPECT_THAT(from_file.hosts, ElementsAre("a", "b", "a", "a", "b", "b"));
    EXPECT_THAT(from_job.hosts, ElementsAre()) << "of the job, not of the tree";
    // With none below, the lowest there.
    const auto elsewhere = read_tree(text, "t.toml", {.procs = 6, .hosts = {"b", "b", "a", "a", "a", "a"}});
    EXPECT_EQ(elsewhere.joins[1].rank, 0);
}

TEST(ReadTree, TakesHostsWhoseNamesAreNumbers) {
    const auto tree =
        read_tree("[hosts]\n\"10.0.0.1\" = 0\n7 = 1\n[join.root]\non = \"7\"\nmessage = \"0-1\"\n", "t.toml");
    EXPECT_EQ(tree.joins[0].rank, 1);
    EXPECT_THAT(tree.hosts, ElementsAre("10.0.0.1", "7"));
}

struct Mistake {
    const char* name;
    const char* toml;
    const char* message;
    int procs = 0;
    const char* hosts = "";
};

void PrintTo(const Mistake& mistake, std::ostream* out) {
    *out << mistake.name;
}

class TreeMistakes : public ::testing::TestWithParam<Mistake> {};

TEST_P(TreeMistakes, AreRefusedWithPlaceAndFix) {
    const auto& mistake = GetParam();
    Job job{.procs = mistake.procs};
    if (*mistake.hosts != '\0') {
        job.hosts = hosts_from(mistake.hosts, mistake.procs);
    }
    EXPECT_EQ(refusal_of([&] { read_tree(mistake.toml, "t.toml", job); }), mistake.message);
}

constexpr auto tree_mistakes = std::to_array<Mistake>({
    {"Empty", "", "t.toml:1: the file has no join; add one such as [join.root] with message = \"0-7\"."},
    {"NoJoins", "name = \"x\"\n[join]\n",
     "t.toml:1: the file has no join; add one such as [join.root] with message = \"0-7\"."},
    {"JoinsInAList", "\n[[join]]\nmessage = 0\n",
     "t.toml:2: joins are tables with names: write [join.root], [join.left]."},
    {"JoinAsAValue", "join.root = 5\n", "t.toml:1: join 'root' must be a table: write [join.root]."},
    {"JoinWithoutItsPrefix", "\n[root]\nmessage = 0\n",
     "t.toml:2: no key 'root'; a join is written as [join.root]."},
    {"UnknownKey", "nmae = \"x\"\n[join.root]\nmessage = 0\n",
     "t.toml:1: no key 'nmae'; give schema, name, segment, hosts and join. Did you mean 'name'?"},
    {"UnknownTable", "[hostss]\na = 0\n[join.root]\nmessage = 0\n",
     "t.toml:1: no key 'hostss'; give schema, name, segment, hosts and join. Did you mean 'hosts'?"},
    {"UnknownEdge", "[join.root]\non = 0\nflags = \"0-3\"\n",
     "t.toml:3: join 'root' has no key 'flags'; give 'on' (a rank or a host), or a kind of edge (message, "
     "flag, futex, "
     "condvar) with what contributes through it. Did you mean 'flag'?"},
    {"NestedJoin", "[join.a]\nmessage = 0\n[join.a.b]\nmessage = 1\n",
     "t.toml:3: join 'a' has no key 'b'; give 'on' (a rank or a host), or a kind of edge (message, flag, "
     "futex, "
     "condvar) with what contributes through it."},
    {"OtherSchema", "schema = \"fathom.plan/1\"\n[join.root]\nmessage = 0\n",
     "t.toml:1: 'schema' must be \"fathom.tree-file/1\"."},
    {"NameAsNumber", "name = 7\n[join.root]\nmessage = 0\n", "t.toml:1: 'name' must be a text in quotes."},
    {"SegmentNotASize", "segment = \"lots\"\n[join.root]\nmessage = 0\n",
     "t.toml:1: 'segment': 'lots' is not a size; give bytes such as 8, 64k or 1M."},
    {"SegmentOfNothing", "\nsegment = 0\n[join.root]\nmessage = 0\n",
     "t.toml:2: 'segment' must have at least 1 byte; without it, messages are not divided."},
    {"SegmentNegative", "segment = -8\n[join.root]\nmessage = 0\n",
     "t.toml:1: 'segment' must have at least 1 byte; without it, messages are not divided."},
    {"SegmentAsList", "segment = [8]\n[join.root]\nmessage = 0\n",
     "t.toml:1: 'segment' must be a size such as 4096 or \"64k\"."},
    {"NameOfAJoin", "[join.7]\nmessage = 0\n",
     "t.toml:1: '7' is not a name of a join; begin with a letter, and continue with letters, digits, _ and "
     "-."},
    {"RankTwice", "[join.root]\nmessage = \"0-3\"\nflag = \"a\"\n[join.a]\nmessage = \"3-4\"\n",
     "t.toml:5: rank 3 contributes twice, also in line 2; remove it from one of them."},
    {"RankTwiceInAList", "[join.root]\nmessage = \"0-3, 2\"\n",
     "t.toml:2: rank 2 contributes twice, also in line 2; remove it from one of them."},
    {"ThreadTwice", "[join.root]\nmessage = \"0:0-3\"\nflag = \"0:2\"\n",
     "t.toml:3: thread 2 of rank 0 contributes twice, also in line 2; remove it from one of them."},
    {"RankMissing", "[join.root]\nmessage = \"0-2\"\nflag = \"5\"\n",
     "t.toml:3: rank 3 contributes to no join, although rank 5 does; add it to one: ranks are numbered from "
     "0 without "
     "gaps."},
    {"FirstRankMissing", "[join.root]\nmessage = \"1-2\"\n",
     "t.toml:2: rank 0 contributes to no join, although rank 1 does; add it to one: ranks are numbered from "
     "0 without "
     "gaps."},
    {"ThreadMissing", "[join.root]\nmessage = \"0\"\nflag = \"0:2\"\n",
     "t.toml:3: thread 1 of rank 0 contributes to no join, although thread 2 of rank 0 does; add it to one: "
     "threads are "
     "numbered from 0 without gaps."},
    {"ThreadByMessage", "[join.root]\nflag = \"0\"\nmessage = \"1-2:0-1\"\n",
     "t.toml:3: thread 1 of rank 1 contributes by message, but only thread 0 of a rank sends messages; make "
     "it a flag, futex or condvar edge."},
    {"FewerRanksThanTheJob", "\n[join.root]\nmessage = \"0-3\"\n",
     "t.toml:2: rank 4 contributes to no join: the job has 8 ranks, the tree 4; add it to one, or start 4 "
     "ranks.",
     8},
    {"MoreRanksThanTheJob", "[join.root]\nmessage = \"0-3\"\nflag = \"4-7\"\n",
     "t.toml:3: rank 6 is out of range: the job has 6 ranks, 0 to 5; remove it, or start 8 ranks.", 6},
    {"NegativeRank", "[join.root]\nmessage = -1\n",
     "t.toml:2: '-1' is not a rank; give ranks such as 0 or 0-3, threads of a rank as 2:0-1."},
    {"RanksBackwards", "[join.root]\nmessage = \"3-0\"\n",
     "t.toml:2: '3-0' runs backwards; give the smaller number first."},
    {"TooManyRanks", "[join.root]\nmessage = \"0-99999999\"\n",
     "t.toml:2: '0-99999999' is out of range; ranks and threads are numbered from 0 to 1048575."},
    {"TooManyThreads", "[join.root]\nmessage = \"0-2000:0-2000\"\n",
     "t.toml:2: more than 1048576 ranks and threads contribute; give fewer."},
    {"EmptyEntry", "[join.root]\nmessage = \"0,,1\"\n",
     "t.toml:2: 'message' has an empty entry; give ranks and joins, such as \"0-3, right\" or [0, 1, "
     "\"right\"]."},
    {"ListInAList", "[join.root]\nmessage = [0,\n [1, 2]]\n",
     "t.toml:3: 'message' has a list within its list; give ranks and joins, such as \"0-3, right\" or [0, 1, "
     "\"right\"]."},
    {"BrokenRank", "[join.root]\nmessage = 1.5\n",
     "t.toml:2: 'message' has a value of the wrong type; give ranks and joins, such as \"0-3, right\" or [0, "
     "1, "
     "\"right\"]."},
    {"NoContributions", "[join.root]\nmessage = \"0, a\"\n\n[join.a]\non = 0\n",
     "t.toml:4: join 'a' has no contributions; list ranks or joins in it, such as message = \"0-3\", or "
     "remove it."},
    {"EmptyList", "[join.root]\nmessage = []\n",
     "t.toml:1: join 'root' has no contributions; list ranks or joins in it, such as message = \"0-3\", or "
     "remove it."},
    {"UnknownJoin",
     "[join.root]\nmessage = [\"left\",\n \"rihgt\"]\n[join.left]\nmessage = 0\n[join.right]\nmessage = 1\n",
     "t.toml:3: no join 'rihgt'; add [join.rihgt], or correct the name. Did you mean 'right'?"},
    {"JoinTwice",
     "[join.root]\nmessage = \"a, b\"\n[join.a]\nmessage = 0\nflag = \"b\"\n[join.b]\nmessage = 1\n",
     "t.toml:5: join 'b' contributes twice, also in line 2; remove it from one of them."},
    {"JoinInItself", "[join.root]\nmessage = \"0, root\"\n",
     "t.toml:2: join 'root' lists itself; remove that."},
    {"TwoRoots", "[join.a]\nmessage = 0\n[join.b]\nmessage = 1\n",
     "t.toml:3: join 'b' is listed in no other, and 'a' (line 1) neither, but a tree has one root; list one "
     "of them in "
     "another join."},
    {"Cycle", "[join.a]\nmessage = \"0, c\"\n[join.b]\nmessage = \"1, a\"\n[join.c]\nmessage = \"2, b\"\n",
     "t.toml:4: joins contribute to each other in a cycle: a -> b -> c -> a; remove one of these edges."},
    {"CycleBesideTheRoot",
     "[join.root]\nmessage = 0\n[join.a]\nmessage = \"1, b\"\n[join.b]\nmessage = \"2, a\"\n",
     "t.toml:6: joins contribute to each other in a cycle: a -> b -> a; remove one of these edges."},
    {"PlaceOutOfRange", "[join.root]\nmessage = \"0-3\"\non = 4\n",
     "t.toml:3: join 'root' is on rank 4, which is out of range: ranks are 0 to 3."},
    {"PlaceNegative", "[join.root]\nmessage = \"0-3\"\non = -1\n",
     "t.toml:3: join 'root' is on rank -1, which is out of range: ranks are 0 to 3."},
    {"PlaceFarOutOfRange", "[join.root]\nmessage = \"0-3\"\non = 99999999999\n",
     "t.toml:3: join 'root' is on rank 99999999999, which is out of range: ranks are 0 to 3."},
    {"PlaceInQuotes", "[join.root]\non = \"3\"\nmessage = \"0-3\"\n",
     "t.toml:2: 'on' of join 'root' is \"3\"; write a rank without quotes: on = 3."},
    {"PlaceAsList", "[join.root]\non = [3]\nmessage = \"0-3\"\n",
     "t.toml:2: 'on' of join 'root' must be a rank such as 0, or a host in quotes."},
    {"PlaceOnAHostOfNobody", "[join.root]\non = \"a\"\nmessage = \"0-3\"\n",
     "t.toml:2: join 'root' is on host 'a', but it is not known where ranks are; add a table [hosts] with a "
     "= \"0-3\", "
     "or give a host list (--hosts)."},
    {"PlaceOnAnUnknownHost", "[join.root]\non = \"node2\"\nmessage = \"0-3\"\n",
     "t.toml:2: join 'root' is on host 'node2', but no rank is; name another host. Did you mean 'node1'?", 4,
     "node1:4"},
    {"HostsNotATable", "hosts = [\"a\"]\n[join.root]\nmessage = 0\n",
     "t.toml:1: 'hosts' must be a table of hosts and their ranks, such as a = \"0-3\"."},
    {"HostsWithoutRanks", "[hosts]\n[join.root]\nmessage = 0\n",
     "t.toml:1: 'hosts' has no ranks; give some, such as a = \"0-3\", or remove it."},
    {"HostWithoutAName", "[hosts]\n\"\" = 0\n[join.root]\nmessage = 0\n",
     "t.toml:2: a host has no name; give one."},
    {"HostOfAJoin", "[hosts]\na = \"0, root\"\n[join.root]\nmessage = 0\n",
     "t.toml:2: host 'a' has 'root', which is not a rank; give its ranks, such as \"0-3\"."},
    {"HostOfThreads", "[hosts]\na = \"0:1\"\n[join.root]\nmessage = 0\n",
     "t.toml:2: host 'a' lists threads; give its ranks, such as \"0-3\"."},
    {"RankOnTwoHosts", "[hosts]\na = \"0-2\"\nb = \"2-3\"\n[join.root]\nmessage = \"0-3\"\n",
     "t.toml:3: rank 2 is on two hosts, also in line 2; remove it from one."},
    {"RankOnNoHost", "[hosts]\na = \"0\"\nb = \"2-3\"\n[join.root]\nmessage = \"0-3\"\n",
     "t.toml:3: rank 1 is on no host, although rank 2 is; add it to one."},
    {"LastRankOnNoHost", "\n[hosts]\na = \"0-2\"\n[join.root]\nmessage = \"0-3\"\n",
     "t.toml:2: rank 3 is on no host; add it to one in [hosts]."},
    {"HostOfNoRank", "[hosts]\na = \"0-3\"\nb = 4\n[join.root]\nmessage = \"0-3\"\n",
     "t.toml:3: rank 4 is on host 'b', but contributes to no join; add it to one, or remove it from "
     "[hosts]."},
    {"HostsThatDoNotFit", "[hosts]\na = \"0-1\"\nb = \"2-3\"\n[join.root]\nmessage = \"0-3\"\n",
     "t.toml:3: the host list does not fit: ranks 2 and 3 share host 'b' in the tree, but are on 'x' and "
     "'y'; place "
     "ranks as in [hosts], or change [hosts].",
     4, "x:3,y:1"},
    {"SharedEdgeBetweenHosts",
     "[hosts]\na = \"0-1\"\nb = \"2-3\"\n\n[join.root]\nmessage = \"0-1\"\nflag = [\n2,\n3]\n",
     "t.toml:8: a flag edge needs shared memory, but rank 2 is on host 'b' and join 'root' on host 'a'; make "
     "it a "
     "message edge, or place the join on the same host."},
    {"SharedEdgeOfAJoin", "[join.root]\nmessage = \"0-1\"\ncondvar = \"b\"\n[join.b]\nmessage = \"2-3\"\n",
     "t.toml:3: a condvar edge needs shared memory, but join 'b' is on host 'y' and join 'root' on host 'x'; "
     "make it a "
     "message edge, or place the join on the same host.",
     4, "x:2,y:2"},
});

INSTANTIATE_TEST_SUITE_P(ReadTree, TreeMistakes, ::testing::ValuesIn(tree_mistakes),
                         [](const auto& mistake) { return std::string(mistake.param.name); });

/// What the parser refuses has its own words.
TEST(ReadTree, RefusesWhatIsNotTomlWithItsLine) {
    EXPECT_THAT(refusal_of([] { read_tree("[join.a]\nmessage = 0\n[join.a]\nmessage = 1\n", "t.toml"); }),
                ::testing::StartsWith("t.toml:3: "));
    EXPECT_THAT(refusal_of([] { read_tree("[join.a]\nmessage = [\n", "t.toml"); }),
                ::testing::MatchesRegex("t\\.toml:[23]: .*"));
}

TEST(ReadTree, QuotesHostileTextSafely) {
    EXPECT_THAT(refusal_of([] { read_tree("[join.root]\nmessage = \"a\\u001b[31mb\"\n", "t.toml"); }),
                HasSubstr("no join 'a\\x1b[31mb'"));
}

TEST(ReadTreeFile, NamesTheFile) {
    const TempFolder folder;
    const auto path = folder / "t.toml";
    write_file(path, "\n[join.root]\nmessage = \"1\"\n");
    EXPECT_THAT(refusal_of([&] { read_tree_file(path); }),
                ::testing::StartsWith(path.string() + ":3: rank 0 "));
    write_file(path, by_hand);
    EXPECT_EQ(read_tree_file(path), two_hosts());
    EXPECT_THAT(refusal_of([&] { read_tree_file(folder / "none.toml"); }),
                HasSubstr("none.toml: No such file"));
}

TEST(ReadTreeFile, IsNoLongerThanOtherInputs) {
    const TempFolder folder;
    const auto path = folder / "long.toml";
    write_file(path, "# " + std::string(longest_input, 'x') + "\n");
    EXPECT_THAT(refusal_of([&] { read_tree_file(path); }), HasSubstr("File too large"));
}

TEST(ReadTree, TakesLongChainsAndWideJoins) {
    std::string text = "[join.j0]\nmessage = \"0, j1\"\n";
    constexpr int deep = 20'000;
    for (int i = 1; i < deep; ++i) {
        const auto number = std::to_string(i);
        text += "[join.j" + number + "]\nmessage = \"" + number +
                (i + 1 < deep ? ", j" + std::to_string(i + 1) : "") + "\"\n";
    }
    const auto tree = read_tree(text, "t.toml");
    EXPECT_EQ(height_of(tree), deep);
    EXPECT_EQ(read_tree("join.root.message = \"0-1048575\"", "t.toml").leaves.size(), 1'048'576U);
}

}  // namespace
}  // namespace fathom::tree
