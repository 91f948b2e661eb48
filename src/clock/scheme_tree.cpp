#include "clock/schedule.hpp"
#include "clock/tree_shape.hpp"

namespace fathom::clock {
namespace {

class Tree : public Schedule {
  public:
    Tree(int size, int arity) : shape_(size, arity) {}

    [[nodiscard]] Flow flow() const override { return Flow::down; }
    [[nodiscard]] int rounds() const override { return shape_.height(); }
    [[nodiscard]] std::vector<PingRound> ping_rounds(int rank) const override {
        std::vector<PingRound> all;
        const int depth = shape_.depth(rank);
        if (rank > 0) {
            const int parent = shape_.parent(rank);
            all.push_back({.round = depth - 1, .server = parent, .clients = shape_.children(parent)});
        }
        if (auto children = shape_.children(rank); !children.empty()) {
            all.push_back({.round = depth, .server = rank, .clients = std::move(children)});
        }
        return all;
    }

  private:
    TreeShape shape_;
};

}  // namespace

std::unique_ptr<Schedule> tree_schedule(int size, int arity) {
    return std::make_unique<Tree>(size, arity);
}

}  // namespace fathom::clock
