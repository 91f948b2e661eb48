#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tree/file.hpp"
#include "tree/sample_trees.hpp"

namespace fathom::tree {
namespace {

void expect_read_back(const Tree& tree) {
    const auto text = write_tree(tree);
    EXPECT_EQ(read_tree(text, "t.toml"), tree) << text;
    EXPECT_EQ(write_tree(read_tree(text, "t.toml")), text);
}

TEST(WriteTree, IsWhatAPersonWouldWrite) {
    auto tree = two_hosts();
    tree.segment = Bytes{65'536};
    EXPECT_EQ(write_tree(tree), R"(schema = "fathom.tree-file/1"
name = "two hosts"
segment = "64KiB"

[hosts]
a = "0-3"
b = "4-7"

[join.root]
on = 0
message = "right"
flag = "left"

[join.left]
on = 0
flag = "0-3"

[join.right]
on = 4
flag = "4-7"
)");
    expect_read_back(tree);
}

TEST(WriteTree, IsReadBackUnchangedForEveryShape) {
    for (const auto shape : values_of<Shape>) {
        for (const int procs : {1, 2, 5, 8, 17, 64, 300}) {
            expect_read_back(made(shape, procs, procs > 4 ? 4 : 1));
        }
    }
}

TEST(WriteTree, IsReadBackUnchangedWithThreadsKindsAndAnyOrderOfJoins) {
    expect_read_back(even_and_odd());
    expect_read_back({.name = "",
                      .joins = {{.name = "z", .rank = 2},
                                {.name = "y", .rank = 0, .parent = 0, .edge = EdgeKind::futex},
                                {.name = "a-1_", .rank = 1, .parent = 0, .edge = EdgeKind::condvar},
                                {.name = "b", .rank = 1, .parent = 2, .edge = EdgeKind::flag}},
                      .leaves = {{.rank = 0, .thread = 0, .parent = 1, .edge = EdgeKind::flag},
                                 {.rank = 0, .thread = 1, .parent = 3, .edge = EdgeKind::condvar},
                                 {.rank = 0, .thread = 2, .parent = 1, .edge = EdgeKind::flag},
                                 {.rank = 1, .thread = 0, .parent = 3, .edge = EdgeKind::condvar},
                                 {.rank = 1, .thread = 1, .parent = 0, .edge = EdgeKind::futex},
                                 {.rank = 2, .thread = 0, .parent = 2, .edge = EdgeKind::futex}},
                      .segment = Bytes{1'000}});
}

TEST(WriteTree, KeepsOddNames) {
    for (const std::string text : {"'single'", "\"double\"", "both ' and \"", R"(back\slash)", "tab\there",
                                   "two\nlines", "caf\xc3\xa9", "'''", "\"\"\"", " blanks ", "#", "\x01",
                                   "\x7f", "a.b", "\xc2\x85", "\xe2\x80\xa8", "\xe2\x80\xae", "7"}) {
        auto tree = two_hosts();
        tree.name = text;
        for (auto& host : tree.hosts) {
            host = host == "a" ? text : "other";
        }
        expect_read_back(tree);
    }
}

TEST(WriteTree, BreaksLongLists) {
    Tree tree{.name = "many", .joins = {{.name = "root"}}, .leaves = {}, .segment = std::nullopt};
    for (int rank = 0; rank < 400; ++rank) {
        tree.leaves.push_back({.rank = rank, .edge = rank % 2 == 0 ? EdgeKind::flag : EdgeKind::futex});
    }
    expect_read_back(tree);
    const auto text = write_tree(tree);
    for (std::size_t begin = 0; begin < text.size();) {
        const auto end = text.find('\n', begin);
        EXPECT_LE(end - begin, 100U);
        begin = end + 1;
    }
}

}  // namespace
}  // namespace fathom::tree
