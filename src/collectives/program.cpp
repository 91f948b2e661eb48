#include "collectives/program.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include <fmt/format.h>

#include "base/error.hpp"
#include "collectives/shared_ring.hpp"
#include "tree/check.hpp"

namespace fathom::collectives {
namespace {

using tree::EdgeKind;
using tree::End;
using tree::Node;
using tree::Tree;

std::size_t at(int index) {
    return static_cast<std::size_t>(index);
}

/// What the whole tree looks like, whoever performs it.
class Shape {
  public:
    Shape(const Tree& tree, int size)
        : tree_(tree), ranks_(size), leaves_(static_cast<int>(tree.leaves.size())) {
        check();
        const auto nodes = tree.leaves.size() + tree.joins.size();
        children_.resize(tree.joins.size());
        runs_.resize(nodes);
        height_.resize(nodes);
        for (Node node = 0; node < static_cast<int>(nodes); ++node) {
            if (parent(node) >= 0) {
                children_[at(parent(node))].push_back(node);
            }
        }
        for (int leaf = 0; leaf < leaves_; ++leaf) {
            runs_[at(leaf)] = {Run{.first = leaf, .last = leaf}};
        }
        for (int join = static_cast<int>(tree.joins.size()) - 1; join >= 0; --join) {
            gather(join);
        }
    }

    [[nodiscard]] bool is_leaf(Node node) const { return node < leaves_; }
    [[nodiscard]] int join_of(Node node) const { return node - leaves_; }
    [[nodiscard]] Node node_of(int join) const { return leaves_ + join; }
    [[nodiscard]] int nodes() const { return static_cast<int>(runs_.size()); }
    [[nodiscard]] int leaves() const { return leaves_; }
    [[nodiscard]] const tree::Leaf& leaf(Node node) const { return tree_.leaves[at(node)]; }
    /// Of its first thread; those of the others follow.
    [[nodiscard]] Node first_leaf(int rank) const { return first_leaf_[at(rank)]; }
    /// Whether it is performed by a thread that has nothing else to do and does not call MPI.
    [[nodiscard]] bool is_thread(Node node) const { return is_leaf(node) && leaf(node).thread > 0; }
    [[nodiscard]] int rank(Node node) const {
        return is_leaf(node) ? tree_.leaves[at(node)].rank : tree_.joins[at(join_of(node))].rank;
    }
    [[nodiscard]] int parent(Node node) const {
        return is_leaf(node) ? tree_.leaves[at(node)].parent : tree_.joins[at(join_of(node))].parent;
    }
    [[nodiscard]] EdgeKind kind(Node node) const {
        return is_leaf(node) ? tree_.leaves[at(node)].edge : tree_.joins[at(join_of(node))].edge;
    }
    /// Whether the edge to the parent leaves the thread that performs the node.
    [[nodiscard]] bool leaves_thread(Node node) const {
        return parent(node) >= 0 && (is_thread(node) || rank(node_of(parent(node))) != rank(node));
    }
    [[nodiscard]] const std::vector<Node>& children(int join) const { return children_[at(join)]; }
    [[nodiscard]] const std::vector<Run>& runs(Node node) const { return runs_[at(node)]; }
    [[nodiscard]] int height(Node node) const { return height_[at(node)]; }

    /// Children that read the ring of a join, in the order of their counters.
    [[nodiscard]] std::vector<Node> readers(int join) const {
        std::vector<Node> found;
        for (const Node child : children(join)) {
            if (leaves_thread(child) && kind(child) != EdgeKind::message) {
                found.push_back(child);
            }
        }
        return found;
    }

  private:
    [[noreturn]] void reject(const std::string& why) const {
        throw BadInput(fmt::format("tree '{}': {}", tree_.name, why));
    }

    void check() {
        const auto& joins = tree_.joins;
        if (joins.empty() || joins[0].parent != -1) {
            reject("join 0 must be the root");
        }
        for (std::size_t i = 0; i < joins.size(); ++i) {
            if (i > 0 && (joins[i].parent < 0 || at(joins[i].parent) >= i)) {
                reject(fmt::format("join '{}' must come after its parent", joins[i].name));
            }
            if (joins[i].rank < 0 || joins[i].rank >= ranks_) {
                reject(fmt::format("join '{}' is on rank {}, but there are {} ranks", joins[i].name,
                                   joins[i].rank, ranks_));
            }
        }
        check_leaves();
    }

    void check_leaves() {
        std::vector<bool> used(tree_.joins.size());
        for (std::size_t i = 1; i < tree_.joins.size(); ++i) {
            used[at(tree_.joins[i].parent)] = true;
        }
        for (int i = 0; i < leaves_; ++i) {
            check_leaf(i);
            used[at(leaf(i).parent)] = true;
            if (leaf(i).thread == 0) {
                first_leaf_.push_back(i);
            }
        }
        if (static_cast<int>(first_leaf_.size()) != ranks_) {
            reject(fmt::format("it has leaves for {} ranks, and there are {}", first_leaf_.size(), ranks_));
        }
        const auto unused = std::find(used.begin(), used.end(), false);
        if (unused != used.end()) {
            reject(fmt::format("nothing contributes to join '{}'",
                               tree_.joins[at(static_cast<int>(unused - used.begin()))].name));
        }
    }

    void check_leaf(int index) const {
        const auto& own = leaf(index);
        const bool next_thread =
            index > 0 && own.rank == leaf(index - 1).rank && own.thread == leaf(index - 1).thread + 1;
        const bool next_rank = own.thread == 0 && own.rank == (index == 0 ? 0 : leaf(index - 1).rank + 1);
        if (!next_thread && !next_rank) {
            reject(
                fmt::format("every rank must be a leaf exactly once, in order, and so must its threads from "
                            "0 on; leaf {} "
                            "is thread {} of rank {}",
                            index, own.thread, own.rank));
        }
        if (own.parent < 0 || at(own.parent) >= tree_.joins.size()) {
            reject(fmt::format("{} contributes to join {}, which does not exist",
                               tree::node_text(tree_, index), own.parent));
        }
        if (is_thread(index) && own.edge == EdgeKind::message) {
            reject(tree::sentence_of_message_from_thread(tree_, index));
        }
    }

    void gather(int join) {
        auto& runs = runs_[at(node_of(join))];
        auto& height = height_[at(node_of(join))];
        for (const Node child : children(join)) {
            const auto& more = runs_[at(child)];
            runs.insert(runs.end(), more.begin(), more.end());
            height = std::max(height, height_[at(child)] + 1);
        }
        std::sort(runs.begin(), runs.end(), [](const Run& a, const Run& b) { return a.first < b.first; });
        std::size_t used = 0;
        for (std::size_t i = 1; i < runs.size(); ++i) {
            if (runs[i].first == runs[used].last + 1) {
                runs[used].last = runs[i].last;
            } else {
                runs[++used] = runs[i];
            }
        }
        runs.resize(used + 1);
    }

    const Tree& tree_;
    int ranks_;
    int leaves_;
    std::vector<Node> first_leaf_;  // of each rank
    std::vector<std::vector<Node>> children_;
    std::vector<std::vector<Run>> runs_;
    std::vector<int> height_;
};

/// Makes the parts of one rank.
class Compiler {
  public:
    Compiler(const Shape& shape, int rank, int size, bool shared_memory)
        : shape_(shape),
          rank_(rank),
          size_(size),
          shared_memory_(shared_memory),
          local_(at(shape.nodes()), -1) {}

    Program compile() {
        const Node leaf = shape_.first_leaf(rank_);
        add_part(top_of(leaf));
        for (Node node = shape_.leaves(); node < shape_.nodes(); ++node) {
            if (shape_.rank(node) == rank_ && top_of(node) == node && node != top_of(leaf)) {
                add_part(node);
            }
        }
        for (Node node = leaf + 1; node < shape_.leaves() && shape_.rank(node) == rank_; ++node) {
            add_thread(node);
        }
        for (Node node = 0; node < shape_.nodes(); ++node) {
            program_.most_runs = std::max(program_.most_runs, static_cast<int>(shape_.runs(node).size()));
        }
        return std::move(program_);
    }

  private:
    [[nodiscard]] Node top_of(Node node) const {
        while (shape_.parent(node) >= 0 && !shape_.leaves_thread(node)) {
            node = shape_.node_of(shape_.parent(node));
        }
        return node;
    }

    int event(Node node, End end) {
        program_.collectors.push_back(static_cast<std::uint32_t>(tree::collector_of(node, end)));
        return static_cast<int>(program_.collectors.size()) - 1;
    }

    void add_part(Node top) {
        Part part;
        part.toward.assign(at(size_), Part::above);
        // Children come after their parents in a tree: backwards, they come first.
        for (Node node = shape_.nodes() - 1; node >= shape_.leaves(); --node) {
            if (shape_.rank(node) == rank_ && top_of(node) == top) {
                local_[at(node)] = static_cast<int>(part.joins.size());
                part.joins.push_back({.join = shape_.join_of(node)});
            }
        }
        const Node leaf = shape_.first_leaf(rank_);
        part.has_leaf = top_of(leaf) == top;
        for (int join = 0; join < static_cast<int>(part.joins.size()); ++join) {
            add_join(part, join);
        }
        if (part.has_leaf) {
            part.toward[at(rank_)] = Part::own_leaf;
            part.leaf_own_event = event(leaf, End::own);
            if (!part.joins.empty()) {
                part.leaf_parent_event = event(leaf, End::parent);
            }
        }
        if (shape_.parent(top) >= 0) {
            add_parent(part, top);
        }
        mark_written_below(part);
        program_.parts.push_back(std::move(part));
    }

    void add_thread(Node leaf) {
        ThreadPlan plan{.parent = link_of(leaf, shape_.rank(shape_.node_of(shape_.parent(leaf)))),
                        .beside = beside(leaf),
                        .collector = static_cast<std::uint32_t>(tree::collector_of(leaf, End::own))};
        program_.threads.push_back(std::move(plan));
    }

    /// The ranks whose first thread has a leaf in these runs.
    template <class Body>
    void for_ranks(const std::vector<Run>& runs, const Body& body) const {
        for (const auto& run : runs) {
            for (Node leaf = run.first; leaf <= run.last; ++leaf) {
                if (!shape_.is_thread(leaf)) {
                    body(shape_.rank(leaf));
                }
            }
        }
    }

    struct Input {
        Run run;
        int piece = 0;
    };

    void add_join(Part& part, int index) {
        auto& join = part.joins[at(index)];
        const Node node = shape_.node_of(join.join);
        join.own_event = event(node, End::own);
        if (shape_.parent(node) >= 0 && !shape_.leaves_thread(node)) {
            join.parent_event = event(node, End::parent);
            join.parent = local_[at(shape_.node_of(shape_.parent(node)))];
        }
        auto children = shape_.children(join.join);
        // What has the longest way is sent first.
        std::stable_sort(children.begin(), children.end(),
                         [&](Node a, Node b) { return shape_.height(a) > shape_.height(b); });
        std::vector<Input> inputs;
        for (const Node child : children) {
            add_child(part, index, child, inputs);
        }
        std::sort(inputs.begin(), inputs.end(),
                  [](const Input& a, const Input& b) { return a.run.first < b.run.first; });
        std::size_t begin = 0;
        for (std::size_t i = 1; i <= inputs.size(); ++i) {
            if (i == inputs.size() || inputs[i].run.first != inputs[i - 1].run.last + 1) {
                const auto whole = merge(part, std::span(inputs).subspan(begin, i - begin));
                next_of(part, whole) = ~index;
                part.joins[at(index)].results.push_back(whole.piece);
                begin = i;
            }
        }
    }

    void add_child(Part& part, int index, Node child, std::vector<Input>& inputs) {
        auto& join = part.joins[at(index)];
        const auto& runs = shape_.runs(child);
        const int first = static_cast<int>(part.pieces.size());
        for (const auto& run : runs) {
            inputs.push_back({.run = run, .piece = static_cast<int>(part.pieces.size())});
            part.pieces.push_back({});
        }
        if (shape_.leaves_thread(child)) {
            const int number = static_cast<int>(part.children.size());
            Link link = link_of(child, shape_.rank(child));
            link.join = index;
            link.first_piece = first;
            link.event = event(child, End::parent);
            (link.shared ? join.shared : join.messages).push_back(number);
            part.children.push_back(link);
            for_ranks(runs, [&](int rank) { part.toward[at(rank)] = number; });
        } else if (shape_.is_leaf(child)) {
            part.leaf_piece = first;
            join.has_leaf = true;
        } else {
            const int below = local_[at(child)];
            part.joins[at(below)].parent_piece = first;
            join.own_children.push_back(below);
            for (std::size_t i = 0; i < runs.size(); ++i) {
                part.pieces[at(first) + i].local = true;
            }
        }
    }

    /// A merge that ends in `piece`, or the piece itself.
    struct Partial {
        int piece = 0;
        int merge = -1;
    };

    static int& next_of(Part& part, const Partial& partial) {
        return partial.merge < 0 ? part.pieces[at(partial.piece)].next : part.merges[at(partial.merge)].next;
    }

    /// By halves: the same brackets in every call, so that rounding is the same too, and after the last
    /// arrival only the logarithm of the number of pieces is left to merge.
    static Partial merge(Part& part, std::span<const Input> inputs) {
        if (inputs.size() == 1) {
            return {.piece = inputs[0].piece};
        }
        const auto left = merge(part, inputs.first(inputs.size() / 2));
        const auto right = merge(part, inputs.subspan(inputs.size() / 2));
        const int made = static_cast<int>(part.merges.size());
        part.merges.push_back({.left = left.piece, .right = right.piece});
        next_of(part, left) = made;
        next_of(part, right) = made;
        part.pieces[at(right.piece)].written = true;
        return {.piece = right.piece, .merge = made};
    }

    /// What is written as a piece of a parent lies in a piece of the child.
    static void mark_written_below(Part& part) {
        for (auto join = part.joins.rbegin(); join != part.joins.rend(); ++join) {
            for (std::size_t run = 0; join->parent_piece >= 0 && run < join->results.size(); ++run) {
                if (part.pieces[at(join->parent_piece) + run].written) {
                    part.pieces[at(join->results[run])].written = true;
                }
            }
        }
    }

    [[nodiscard]] Link link_of(Node node, int other) const {
        Link link{.node = node, .rank = other, .kind = shape_.kind(node)};
        link.shared = shared_memory_ && link.kind != EdgeKind::message;
        link.runs = static_cast<int>(shape_.runs(node).size());
        if (link.shared) {
            const auto readers = shape_.readers(shape_.parent(node));
            link.readers = static_cast<int>(readers.size());
            link.reader = static_cast<int>(std::find(readers.begin(), readers.end(), node) - readers.begin());
        }
        return link;
    }

    void add_parent(Part& part, Node top) {
        const int above = shape_.parent(top);
        part.parent = link_of(top, shape_.rank(shape_.node_of(above)));
        part.parent->event = shape_.is_leaf(top) ? part.leaf_own_event : part.joins.back().own_event;
        if (part.parent->shared) {
            part.beside = beside(top);
        } else if (!shape_.is_leaf(top)) {
            // A message is sent from where its data lie, and that must not be a slot, which others write to
            // again.
            for (const int piece : part.joins.back().results) {
                part.pieces[at(piece)].written = true;
            }
        }
    }

    /// Ranks whose first thread lies below another reader of the ring that `own` reads.
    [[nodiscard]] std::vector<std::uint8_t> beside(Node own) const {
        std::vector<std::uint8_t> ranks(at(size_), 0);
        for (const Node reader : shape_.readers(shape_.parent(own))) {
            if (reader != own) {
                for_ranks(shape_.runs(reader), [&](int rank) { ranks[at(rank)] = 1; });
            }
        }
        return ranks;
    }

    const Shape& shape_;
    int rank_;
    int size_;
    bool shared_memory_;
    std::vector<int> local_;  // index within its part of each node that is a join of ours
    Program program_;
};

}  // namespace

Program make_program(const Tree& tree, int rank, int size, bool shared_memory) {
    const Shape shape(tree, size);
    if (!shared_memory && shape.leaves() > size) {
        throw Unavailable(fmt::format(
            "tree '{}' has leaves for threads, and simulated ranks have none; give each rank one leaf",
            tree.name));
    }
    return Compiler(shape, rank, size, shared_memory).compile();
}

void check_hosts(const Tree& tree, std::span<const int> host_of) {
    const Shape shape(tree, static_cast<int>(host_of.size()));
    for (Node node = 0; node < shape.nodes(); ++node) {
        if (!shape.leaves_thread(node) || shape.kind(node) == EdgeKind::message) {
            continue;
        }
        const int lower = shape.rank(node);
        const int upper = shape.rank(shape.node_of(shape.parent(node)));
        if (host_of[at(lower)] != host_of[at(upper)]) {
            throw BadInput(
                fmt::format("tree '{}': the edge from {} to join '{}' is a {}, but ranks {} and {} are on "
                            "different hosts; make it a "
                            "message",
                            tree.name, tree::node_text(tree, node), tree.joins[at(shape.parent(node))].name,
                            to_text(shape.kind(node)), lower, upper));
        }
    }
}

RingPlaces place_rings(const Tree& tree, int size, std::size_t segment_bytes) {
    const Shape shape(tree, size);
    RingPlaces places{.bytes = std::vector<std::size_t>(at(size), bell_bytes),
                      .down = std::vector<std::size_t>(at(shape.nodes())),
                      .up = std::vector<std::size_t>(tree.joins.size()),
                      .bell = std::vector<std::size_t>(at(shape.nodes())),
                      .capacity_down = std::vector<std::size_t>(at(shape.nodes()))};
    const auto place = [&](int rank, std::size_t bytes) {
        auto& used = places.bytes[at(rank)];
        const auto begin = used;
        used += bytes;
        return begin;
    };
    for (Node node = 0; node < shape.nodes(); ++node) {
        if (shape.is_thread(node)) {
            places.bell[at(node)] = place(shape.rank(node), bell_bytes);
        }
        if (shape.leaves_thread(node) && shape.kind(node) != EdgeKind::message) {
            places.capacity_down[at(node)] = shape.runs(node).size() * segment_bytes;
            places.down[at(node)] = place(shape.rank(node), ring_bytes(1, places.capacity_down[at(node)]));
        }
        if (!shape.is_leaf(node)) {
            const auto readers = shape.readers(shape.join_of(node)).size();
            if (readers > 0) {
                places.up[at(shape.join_of(node))] =
                    place(shape.rank(node), ring_bytes(readers, segment_bytes));
            }
        }
    }
    return places;
}

}  // namespace fathom::collectives
