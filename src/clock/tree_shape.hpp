#pragma once

#include <cstdint>
#include <vector>

namespace fathom::clock {

/// A complete tree over the numbers 0 .. size - 1, filled level by level.
class TreeShape {
  public:
    TreeShape(int size, int arity) : size_(size), arity_(arity) {}

    [[nodiscard]] int size() const { return size_; }
    /// For a node other than 0.
    [[nodiscard]] int parent(int node) const { return (node - 1) / arity_; }
    [[nodiscard]] std::vector<int> children(int node) const {
        std::vector<int> all;
        const auto first = std::int64_t{node} * arity_ + 1;
        for (auto child = first; child < first + arity_ && child < size_; ++child) {
            all.push_back(static_cast<int>(child));
        }
        return all;
    }
    /// Steps from node 0.
    [[nodiscard]] int depth(int node) const {
        if (arity_ == 1) {
            return node;
        }
        int steps = 0;
        for (; node > 0; node = parent(node)) {
            ++steps;
        }
        return steps;
    }
    /// The largest depth.
    [[nodiscard]] int height() const { return size_ > 0 ? depth(size_ - 1) : 0; }

  private:
    int size_;
    int arity_;
};

}  // namespace fathom::clock
