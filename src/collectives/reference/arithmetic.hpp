#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <span>

/// What the reference algorithms know of ranks and blocks before any message is sent.
namespace fathom::collectives::reference {

inline std::size_t index_of(int number) {
    return static_cast<std::size_t>(number);
}

/// The largest power of two that is not above a positive number.
inline int power_of_two_within(int number) {
    return static_cast<int>(std::bit_floor(static_cast<unsigned>(number)));
}

/// The number whose binary digits, as many as those of `range - 1`, are in reverse order.
inline int reversed_bits(int number, int range) {
    int reversed = 0;
    for (int digit = 1; digit < range; digit *= 2) {
        reversed = 2 * reversed + number % 2;
        number /= 2;
    }
    return reversed;
}

inline int flipped(int number, int bit) {
    return static_cast<int>(static_cast<unsigned>(number) ^ static_cast<unsigned>(bit));
}

/// Where blocks start, and where the last one ends. A range is from its first block to before its last.
using Starts = std::span<const std::size_t>;

inline std::size_t elements_between(Starts starts, int first, int last) {
    return starts[index_of(last)] - starts[index_of(first)];
}

/// `parts` shares of a total that differ by one element at most. Writes `parts` + 1 starts.
inline Starts share_out(std::size_t total, int parts, std::span<std::size_t> starts) {
    const auto count = index_of(parts);
    for (std::size_t part = 0; part <= count; ++part) {
        starts[part] = total / count * part + std::min(part, total % count);
    }
    return starts.first(count + 1);
}

/// The same number of elements for each.
inline Starts equal_blocks(std::size_t block, int parts, std::span<std::size_t> starts) {
    for (std::size_t part = 0; part <= index_of(parts); ++part) {
        starts[part] = part * block;
    }
    return starts.first(index_of(parts) + 1);
}

/// Ranks around a root, which is number 0, and the binomial tree over them: the children of a node are 1, 2,
/// 4, ... further on, each with a subtree of as many.
class Binomial {
  public:
    Binomial(int rank, int size, int root) : size_(size), root_(root), node_((rank - root + size) % size) {}

    [[nodiscard]] int node() const { return node_; }
    [[nodiscard]] bool is_root() const { return node_ == 0; }
    [[nodiscard]] int rank_of(int node) const { return (node + root_) % size_; }
    [[nodiscard]] int parent() const { return rank_of(node_ - lowest_bit()); }
    /// How far the subtree of this node reaches, in a tree of only so many nodes.
    [[nodiscard]] int reach(int nodes) const {
        return node_ == 0 ? nodes : std::min(lowest_bit(), nodes - node_);
    }
    /// The smallest power of two that is not below the reach: children are less far than this.
    [[nodiscard]] int beyond_children(int nodes) const {
        return static_cast<int>(std::bit_ceil(static_cast<unsigned>(reach(nodes))));
    }

  private:
    [[nodiscard]] int lowest_bit() const { return node_ & -node_; }

    int size_;
    int root_;
    int node_;
};

/// Ranks folded to a power of two: as many as are too many act together with a neighbour, in pairs from rank
/// 0 on. One of a pair acts for both, the upper one unless the other has to. Places are numbers of those that
/// act; ranks of a place are neighbours, so their order is that of places.
class Fold {
  public:
    explicit Fold(int rank, int size, int has_to_act = -1)
        : places_(power_of_two_within(size)), pairs_(size - places_), has_to_act_(has_to_act), rank_(rank) {}

    [[nodiscard]] int places() const { return places_; }
    [[nodiscard]] bool acts() const { return rank_of(place()) == rank_; }
    [[nodiscard]] bool paired() const { return rank_ < 2 * pairs_; }
    /// The other of its pair.
    [[nodiscard]] int neighbour() const { return flipped(rank_, 1); }
    [[nodiscard]] int place() const { return place_of(rank_); }
    [[nodiscard]] int place_of(int rank) const { return rank < 2 * pairs_ ? rank / 2 : rank - pairs_; }
    /// Who acts there.
    [[nodiscard]] int rank_of(int place) const {
        const int upper = end_of(place) - 1;
        return upper - 1 == has_to_act_ && place < pairs_ ? upper - 1 : upper;
    }
    /// The ranks of a place are from the first to before the end.
    [[nodiscard]] int first_of(int place) const { return place < pairs_ ? 2 * place : place + pairs_; }
    [[nodiscard]] int end_of(int place) const { return first_of(place + 1); }

  private:
    int places_;
    int pairs_;
    int has_to_act_;
    int rank_;
};

}  // namespace fathom::collectives::reference
