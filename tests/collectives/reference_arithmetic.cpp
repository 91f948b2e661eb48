#include <set>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "collectives/reference/arithmetic.hpp"

namespace fathom::collectives::reference {
namespace {

using ::testing::ElementsAre;

TEST(Shares, DifferByOneElementAtMost) {
    std::vector<std::size_t> starts(5);
    EXPECT_THAT(share_out(10, 4, starts), ElementsAre(0, 3, 6, 8, 10));
    EXPECT_THAT(share_out(2, 4, starts), ElementsAre(0, 1, 2, 2, 2));
    EXPECT_THAT(share_out(0, 4, starts), ElementsAre(0, 0, 0, 0, 0));
    EXPECT_EQ(elements_between(share_out(10, 4, starts), 1, 3), 5U);
}

TEST(Bits, AreReversedWithinARange) {
    EXPECT_EQ(reversed_bits(0, 1), 0);
    EXPECT_EQ(reversed_bits(1, 8), 4);
    EXPECT_EQ(reversed_bits(6, 8), 3);
    EXPECT_EQ(reversed_bits(6, 16), 6);
}

TEST(PowerOfTwo, IsTheLargestWithin) {
    EXPECT_EQ(power_of_two_within(1), 1);
    EXPECT_EQ(power_of_two_within(15), 8);
    EXPECT_EQ(power_of_two_within(16), 16);
}

TEST(BinomialTree, ReachesEveryRankOnceFromItsParent) {
    for (int size = 1; size <= 17; ++size) {
        for (int root = 0; root < size; ++root) {
            int children = 0;
            for (int rank = 0; rank < size; ++rank) {
                const Binomial tree(rank, size, root);
                EXPECT_EQ(tree.is_root(), rank == root);
                EXPECT_EQ(tree.rank_of(tree.node()), rank);
                for (int distance = 1; distance < tree.reach(size); distance *= 2) {
                    EXPECT_LT(distance, tree.beyond_children(size));
                    const Binomial child(tree.rank_of(tree.node() + distance), size, root);
                    EXPECT_EQ(child.parent(), rank);
                    EXPECT_EQ(child.reach(size), std::min(distance, tree.reach(size) - distance));
                    ++children;
                }
            }
            EXPECT_EQ(children, size - 1);
        }
    }
}

TEST(FoldedRanks, AreAPowerOfTwoInTheOrderOfRanks) {
    for (int size = 1; size <= 17; ++size) {
        for (int has_to_act = -1; has_to_act < size; ++has_to_act) {
            std::set<int> acting;
            for (int rank = 0; rank < size; ++rank) {
                const Fold fold(rank, size, has_to_act);
                EXPECT_EQ(fold.places(), power_of_two_within(size));
                EXPECT_GE(rank, fold.first_of(fold.place()));
                EXPECT_LT(rank, fold.end_of(fold.place()));
                EXPECT_EQ(fold.paired(), fold.end_of(fold.place()) - fold.first_of(fold.place()) == 2);
                if (fold.acts()) {
                    acting.insert(fold.place());
                } else {
                    EXPECT_EQ(fold.neighbour(), fold.rank_of(fold.place()));
                    EXPECT_NE(rank, has_to_act);
                }
            }
            EXPECT_EQ(static_cast<int>(acting.size()), power_of_two_within(size));
        }
    }
}

}  // namespace
}  // namespace fathom::collectives::reference
