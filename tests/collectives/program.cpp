#include "collectives/program.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "base/error.hpp"
#include "collectives/shared_ring.hpp"
#include "mpi/tree_shapes.hpp"

namespace {

using namespace fathom;
using collectives::Part;
using collectives::Program;
using test::at;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using tree::EdgeKind;
using tree::Tree;

/// The reason for which a tree is refused.
std::string refused(const Tree& made, int ranks) {
    try {
        collectives::make_program(made, 0, ranks, true);
        return {};
    } catch (const Error& error) {
        return error.what();
    }
}

/// What a rank contributes, as text, so that the order of ranks shows; results of ranks that were not heard
/// of are empty.
using Texts = std::vector<std::string>;

std::string text_of(const tree::Leaf& leaf) {
    return std::to_string(leaf.rank) + (leaf.thread > 0 ? ":" + std::to_string(leaf.thread) : "") + " ";
}

/// Performs the way down of a whole tree on texts, each part by its own merges. Pieces are given to parts in
/// the order that `latest_first` says.
class Paper {
  public:
    Paper(const Tree& made, int ranks, bool latest_first) : tree_(made), latest_first_(latest_first) {
        for (int rank = 0; rank < ranks; ++rank) {
            programs_.push_back(collectives::make_program(made, rank, ranks, true));
        }
        handed_.resize(made.leaves.size() + made.joins.size());
        for (std::size_t i = 0; i < made.leaves.size(); ++i) {
            const auto& leaf = made.leaves[i];
            if (leaf.thread == 0) {
                first_leaf_.push_back(static_cast<int>(i));
            } else {
                handed_[i] = {text_of(leaf)};
            }
        }
        bool moved = true;
        while (moved) {
            moved = false;
            for (int rank = 0; rank < ranks; ++rank) {
                for (const auto& part : programs_[at(rank)].parts) {
                    moved = perform(rank, part) || moved;
                }
            }
        }
    }

    [[nodiscard]] std::string result() const {
        const auto& root = handed_[tree_.leaves.size()];
        return root.size() == 1 ? root[0] : "not joined";
    }

  private:
    bool perform(int rank, const Part& part) {
        const int top = part.joins.empty() ? first_leaf_[at(rank)]
                                           : static_cast<int>(tree_.leaves.size()) + part.joins.back().join;
        const bool ready = std::all_of(part.children.begin(), part.children.end(),
                                       [&](const auto& link) { return !handed_[at(link.node)].empty(); });
        if (!handed_[at(top)].empty() || !ready) {
            return false;
        }
        const std::string mine = text_of(tree_.leaves[at(first_leaf_[at(rank)])]);
        if (part.joins.empty()) {
            handed_[at(top)] = {mine};
            return true;
        }
        data_.assign(part.pieces.size(), "");
        waits_.assign(part.merges.size(), 2);
        left_.clear();
        for (const auto& join : part.joins) {
            left_.push_back(static_cast<int>(join.results.size()));
        }
        std::vector<std::pair<int, std::string>> inputs;
        if (part.leaf_piece >= 0) {
            inputs.emplace_back(part.leaf_piece, mine);
        }
        for (const auto& link : part.children) {
            for (int run = 0; run < link.runs; ++run) {
                inputs.emplace_back(link.first_piece + run, handed_[at(link.node)].at(at(run)));
            }
        }
        if (latest_first_) {
            std::reverse(inputs.begin(), inputs.end());
        }
        for (const auto& [piece, text] : inputs) {
            give(part, piece, text);
        }
        for (const int piece : part.joins.back().results) {
            handed_[at(top)].push_back(data_[at(piece)]);
        }
        return true;
    }

    void give(const Part& part, int piece, const std::string& text) {
        data_[at(piece)] = text;
        int next = part.pieces[at(piece)].next;
        for (; next >= 0; next = part.merges[at(next)].next) {
            if (--waits_[at(next)] > 0) {
                return;
            }
            const auto& merge = part.merges[at(next)];
            data_[at(merge.right)] = data_[at(merge.left)] + data_[at(merge.right)];
        }
        const auto& join = part.joins[at(~next)];
        if (--left_[at(~next)] == 0 && join.parent >= 0) {
            for (std::size_t run = 0; run < join.results.size(); ++run) {
                give(part, join.parent_piece + static_cast<int>(run), data_[at(join.results[run])]);
            }
        }
    }

    const Tree& tree_;
    bool latest_first_;
    std::vector<int> first_leaf_;  // of each rank
    std::vector<Program> programs_;
    std::vector<Texts> handed_;  // by each node
    Texts data_;
    std::vector<int> waits_;
    std::vector<int> left_;
};

TEST(CollectiveProgram, JoinsInTheOrderOfRanksInEveryTree) {
    for (int ranks = 1; ranks <= 17; ++ranks) {
        std::string expected;
        for (int rank = 0; rank < ranks; ++rank) {
            expected += std::to_string(rank) + " ";
        }
        for (const auto& made : test::all_shapes(ranks)) {
            EXPECT_EQ(Paper(made, ranks, false).result(), expected) << made.name;
            EXPECT_EQ(Paper(made, ranks, true).result(), expected) << made.name;
        }
    }
}

TEST(CollectiveProgram, JoinsInTheOrderOfRanksAndTheirThreads) {
    constexpr int ranks = 5;
    constexpr int more = 3;
    const std::vector<int> one_host(ranks, 0);
    for (const auto& shape : test::all_shapes(ranks)) {
        const auto made = test::with_threads(shape, one_host, more, EdgeKind::flag);
        std::string expected;
        for (const auto& leaf : made.leaves) {
            expected += text_of(leaf);
        }
        EXPECT_EQ(Paper(made, ranks, false).result(), expected) << made.name;
        EXPECT_EQ(Paper(made, ranks, true).result(), expected) << made.name;
    }
}

TEST(CollectiveProgram, AThreadHasALeafAndNothingElse) {
    // Leaves: 0 is rank 0, 1 its thread 1; 2 is rank 1, 3 its thread 1. All contribute to a join on rank 0.
    const auto shape = test::with_edges(test::flat(2), {0, 0}, EdgeKind::flag);
    const auto made = test::with_threads(shape, {0, 0}, 1, EdgeKind::futex);
    const auto first = collectives::make_program(made, 0, 2, true);
    ASSERT_EQ(first.parts.size(), 1U);
    EXPECT_EQ(first.parts[0].children.size(), 3U);
    EXPECT_THAT(first.parts[0].toward, ElementsAre(Part::own_leaf, ::testing::Ge(0)));
    ASSERT_EQ(first.threads.size(), 1U);
    EXPECT_EQ(first.threads[0].parent.node, 1);
    EXPECT_EQ(first.threads[0].parent.rank, 0);
    EXPECT_EQ(first.threads[0].parent.kind, EdgeKind::futex);
    EXPECT_TRUE(first.threads[0].parent.shared);
    EXPECT_EQ(first.threads[0].parent.readers, 3);
    EXPECT_EQ(first.threads[0].collector, 2U);
    // What goes to rank 1 alone is in the ring that the thread reads; what goes to rank 0 is not.
    EXPECT_THAT(first.threads[0].beside, ElementsAre(0, 1));
    const auto second = collectives::make_program(made, 1, 2, true);
    ASSERT_EQ(second.threads.size(), 1U);
    EXPECT_EQ(second.threads[0].collector, 6U);
    EXPECT_THAT(second.parts[0].joins, IsEmpty());
}

TEST(CollectiveProgram, MergesByHalvesIntoTheRightOne) {
    const auto program = collectives::make_program(test::flat(4), 0, 4, true);
    ASSERT_EQ(program.parts.size(), 1U);
    const auto& part = program.parts[0];
    EXPECT_EQ(part.children.size(), 3U);
    ASSERT_EQ(part.merges.size(), 3U);
    EXPECT_FALSE(part.pieces[at(part.leaf_piece)].written);
    EXPECT_EQ(part.merges[0].left, part.leaf_piece);
    // The last merge joins what both others made.
    EXPECT_EQ(part.merges[2].left, part.merges[0].right);
    EXPECT_EQ(part.merges[2].right, part.merges[1].right);
    EXPECT_EQ(part.merges[2].next, ~0);
}

TEST(CollectiveProgram, ALeafAloneHasNothingToJoin) {
    const auto program = collectives::make_program(test::flat(4), 2, 4, true);
    ASSERT_EQ(program.parts.size(), 1U);
    EXPECT_THAT(program.parts[0].joins, IsEmpty());
    EXPECT_THAT(program.parts[0].toward, ElementsAre(Part::above, Part::above, Part::own_leaf, Part::above));
    EXPECT_THAT(program.collectors, ElementsAre(4U));
}

TEST(CollectiveProgram, AJoinThatStandsElsewhereIsAPartOfItsOwn) {
    // Rank 0 contributes to join 1 on rank 3 and performs join 2, which contributes there too.
    const auto program = collectives::make_program(test::moved(4), 0, 4, true);
    ASSERT_EQ(program.parts.size(), 2U);
    EXPECT_TRUE(program.parts[0].has_leaf);
    EXPECT_FALSE(program.parts[1].has_leaf);
    EXPECT_THAT(program.parts[1].toward, ElementsAre(Part::above, 0, 1, Part::above));
}

TEST(CollectiveProgram, RanksThatAreNotNeighboursComeInRuns) {
    const auto program = collectives::make_program(test::scattered(6), 5, 6, false);
    EXPECT_EQ(program.most_runs, 3);
    const auto& root = program.parts[1].joins.empty() ? program.parts[0] : program.parts[1];
    EXPECT_THAT(root.children, ::testing::Each(::testing::Field(&collectives::Link::runs, 3)));
}

TEST(CollectiveProgram, EveryCollectorBelongsToOneRank) {
    constexpr int ranks = 9;
    for (const auto& made : test::all_shapes(ranks)) {
        std::vector<std::uint32_t> all;
        for (int rank = 0; rank < ranks; ++rank) {
            const auto program = collectives::make_program(made, rank, ranks, true);
            all.insert(all.end(), program.collectors.begin(), program.collectors.end());
        }
        std::sort(all.begin(), all.end());
        EXPECT_EQ(std::adjacent_find(all.begin(), all.end()), all.end()) << made.name;
        EXPECT_EQ(all.size(), 2 * (made.leaves.size() + made.joins.size()) - 1) << made.name;
    }
}

TEST(CollectiveProgram, EveryCollectorBelongsToOneThread) {
    constexpr int ranks = 4;
    const std::vector<int> one_host(ranks, 0);
    for (const auto& shape : test::all_shapes(ranks)) {
        const auto made = test::with_threads(shape, one_host, 2, EdgeKind::flag);
        std::vector<std::uint32_t> all;
        for (int rank = 0; rank < ranks; ++rank) {
            const auto program = collectives::make_program(made, rank, ranks, true);
            all.insert(all.end(), program.collectors.begin(), program.collectors.end());
            for (const auto& thread : program.threads) {
                all.push_back(thread.collector);
            }
        }
        std::sort(all.begin(), all.end());
        EXPECT_EQ(std::adjacent_find(all.begin(), all.end()), all.end()) << made.name;
        EXPECT_EQ(all.size(), 2 * (made.leaves.size() + made.joins.size()) - 1) << made.name;
    }
}

TEST(CollectiveProgram, SharedEdgesAreMessagesWithoutSharedMemory) {
    const auto made = test::with_edges(test::flat(3), {0, 0, 0}, EdgeKind::flag);
    EXPECT_TRUE(collectives::make_program(made, 1, 3, true).parts[0].parent->shared);
    EXPECT_FALSE(collectives::make_program(made, 1, 3, false).parts[0].parent->shared);
}

TEST(CollectiveProgram, ReadersOfARingKnowWhatIsForOthers) {
    const auto made = test::with_edges(test::flat(4), {0, 0, 0, 0}, EdgeKind::flag);
    const auto part = collectives::make_program(made, 2, 4, true).parts[0];
    EXPECT_EQ(part.parent->readers, 3);
    EXPECT_EQ(part.parent->reader, 1);
    EXPECT_THAT(part.beside, ElementsAre(0, 1, 0, 1));
}

TEST(CollectiveProgram, RefusesWhatIsNotATreeOverTheRanks) {
    EXPECT_THAT(refused(test::flat(3), 2), HasSubstr("it has leaves for 3 ranks, and there are 2"));
    EXPECT_THAT(refused(test::made_of("x", {}, {}), 0), HasSubstr("join 0 must be the root"));
    auto late = test::chain(3);
    late.joins[1].parent = 2;
    EXPECT_THAT(refused(late, 3), HasSubstr("join 'j1' must come after its parent"));
    auto elsewhere = test::flat(2);
    elsewhere.joins[0].rank = 2;
    EXPECT_THAT(refused(elsewhere, 2), HasSubstr("join 'j0' is on rank 2, but there are 2 ranks"));
    auto twice = test::flat(2);
    twice.leaves[1].rank = 0;
    EXPECT_THAT(refused(twice, 2), HasSubstr("every rank must be a leaf exactly once"));
    auto nowhere = test::flat(2);
    nowhere.leaves[1].parent = 1;
    EXPECT_THAT(refused(nowhere, 2), HasSubstr("rank 1 contributes to join 1, which does not exist"));
    auto empty = test::flat(2);
    empty.joins.push_back({.name = "j1", .rank = 0, .parent = 0});
    EXPECT_THAT(refused(empty, 2), HasSubstr("nothing contributes to join 'j1'"));
    auto late_thread = test::flat(2);
    late_thread.leaves[1].thread = 1;
    EXPECT_THAT(refused(late_thread, 2), HasSubstr("leaf 1 is thread 1 of rank 1"));
}

TEST(CollectiveProgram, RefusesThreadsThatWouldCallMpi) {
    const auto made = test::with_threads(test::flat(2), {0, 0}, 1, EdgeKind::message);
    EXPECT_THAT(refused(made, 2),
                HasSubstr("thread 1 of rank 0 contributes by message, but only thread 0 of a rank sends "
                          "messages; make it a flag, futex or condvar edge"));
}

TEST(CollectiveProgram, RefusesThreadsWithoutSharedMemory) {
    const auto made = test::with_threads(test::flat(2), {0, 0}, 1, EdgeKind::flag);
    EXPECT_THROW(collectives::make_program(made, 0, 2, false), Unavailable);
}

TEST(CollectiveProgram, RefusesAThreadWhoseJoinIsOnAnotherHost) {
    const auto made = test::with_threads(test::flat(2), {0, 0}, 1, EdgeKind::flag);
    const std::vector<int> two_hosts{0, 1};
    EXPECT_THROW(collectives::check_hosts(made, two_hosts), BadInput);
}

TEST(CollectiveProgram, RefusesSharedEdgesBetweenHosts) {
    const auto made = test::with_edges(test::flat(2), {0, 0}, EdgeKind::condvar);
    const std::vector<int> one_host{0, 0};
    const std::vector<int> two_hosts{0, 1};
    EXPECT_NO_THROW(collectives::check_hosts(made, one_host));
    EXPECT_THROW(collectives::check_hosts(made, two_hosts), BadInput);
}

TEST(RingPlaces, DoNotOverlap) {
    constexpr int ranks = 6;
    constexpr std::size_t segment = 1000;
    const std::vector<int> one_host(ranks, 0);
    auto shapes = test::all_shapes(ranks);
    for (auto& shape : shapes) {
        shape = test::with_edges(shape, one_host, EdgeKind::flag);
    }
    for (std::size_t i = 0, plain = shapes.size(); i < plain; ++i) {
        shapes.push_back(test::with_threads(shapes[i], one_host, 2, EdgeKind::flag));
    }
    for (const auto& made : shapes) {
        const auto places = collectives::place_rings(made, ranks, segment);
        const auto leaves = made.leaves.size();
        std::vector<std::vector<std::pair<std::size_t, std::size_t>>> used(ranks);
        for (auto& of_rank : used) {
            of_rank.emplace_back(0, collectives::bell_bytes);
        }
        for (std::size_t node = 0; node < places.down.size(); ++node) {
            const int rank = node < leaves ? made.leaves[node].rank : made.joins[node - leaves].rank;
            EXPECT_EQ(places.bell[node] > 0, node < leaves && made.leaves[node].thread > 0);
            if (places.bell[node] > 0) {
                used[at(rank)].emplace_back(places.bell[node], places.bell[node] + collectives::bell_bytes);
            }
            if (places.capacity_down[node] > 0) {
                used[at(rank)].emplace_back(
                    places.down[node],
                    places.down[node] + collectives::ring_bytes(1, places.capacity_down[node]));
            }
        }
        for (std::size_t join = 0; join < places.up.size(); ++join) {
            if (places.up[join] > 0) {
                used[at(made.joins[join].rank)].emplace_back(
                    places.up[join], places.up[join] + collectives::ring_bytes(1, segment));
            }
        }
        for (int rank = 0; rank < ranks; ++rank) {
            auto& parts = used[at(rank)];
            std::sort(parts.begin(), parts.end());
            for (std::size_t i = 1; i < parts.size(); ++i) {
                EXPECT_LE(parts[i - 1].second, parts[i].first) << made.name;
                EXPECT_EQ(parts[i].first % collectives::line_bytes, 0U);
            }
            EXPECT_LE(parts.back().second, places.bytes[at(rank)]);
        }
    }
}

}  // namespace
