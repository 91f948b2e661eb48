#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/printable.hpp"
#include "tree/contributors.hpp"
#include "tree/drawing.hpp"
#include "tree/walk.hpp"

namespace fathom::tree {
namespace {

/// Columns that a line needs to say anything beyond its branches: an edge, a name and a rank.
constexpr int least_room = 40;
/// Columns of a branch.
constexpr int branch_width = 3;

/// A terminal that is narrower wraps lines.
constexpr int least_columns = least_room + 2 * branch_width;

/// A line under a join: a join, or leaves that stand side by side and have the same kind of edge.
struct Branch {
    EdgeKind edge = EdgeKind::message;
    std::vector<Node> nodes;
};

class TextDrawing {
  public:
    TextDrawing(const Tree& tree, const Hosts& hosts, int columns)
        : tree_(&tree),
          hosts_(&hosts),
          columns_(std::max(columns, least_columns)),
          children_(children_of(tree)) {}

    std::string draw() {
        add_line(join_text(root_of(*tree_)));
        add_branches(root_of(*tree_), "");
        return std::move(text_);
    }

  private:
    void add_line(const std::string& line) {
        text_ += printable(line, static_cast<std::size_t>(columns_)) + "\n";
    }

    [[nodiscard]] std::string on_host(int rank) const {
        const auto at = static_cast<std::size_t>(rank);
        return at < hosts_->size() ? fmt::format(" on {}", printable_name((*hosts_)[at])) : std::string();
    }

    [[nodiscard]] std::string join_text(Node node) const {
        const auto& join = tree_->joins[static_cast<std::size_t>(join_at(*tree_, node))];
        return fmt::format("{} (rank {}{})", printable_name(join.name), join.rank, on_host(join.rank));
    }

    [[nodiscard]] std::string leaves_text(const std::vector<Node>& nodes) const {
        std::vector<Contributor> who;
        for (const auto node : nodes) {
            const auto& leaf = tree_->leaves[static_cast<std::size_t>(node)];
            who.push_back({.rank = leaf.rank, .thread = leaf.thread});
        }
        return fmt::format("{} {}", nodes.size() == 1 ? "rank" : "ranks",
                           fmt::join(contributor_words(who), ", "));
    }

    [[nodiscard]] std::vector<Branch> branches_of(Node join) const {
        std::vector<Branch> branches;
        for (const auto child : children_[static_cast<std::size_t>(join_at(*tree_, join))]) {
            const auto edge = edge_of(*tree_, child);
            const bool goes_on = is_leaf(*tree_, child) && !branches.empty() &&
                                 branches.back().edge == edge &&
                                 is_leaf(*tree_, branches.back().nodes.front());
            if (goes_on) {
                branches.back().nodes.push_back(child);
            } else {
                branches.push_back({.edge = edge, .nodes = {child}});
            }
        }
        return branches;
    }

    /// `indent` is what stands before the branches.
    void add_branches(Node join, const std::string& indent) {
        ++depth_;
        if (branch_width * depth_ + least_room > columns_) {
            add_line(indent + "└─ ... " + below_text(join));
            --depth_;
            return;
        }
        const auto branches = branches_of(join);
        for (std::size_t i = 0; i < branches.size(); ++i) {
            const bool last = i + 1 == branches.size();
            const auto node = branches[i].nodes.front();
            const auto edge = to_text(branches[i].edge);
            add_line(fmt::format("{}{}─ {} ─ {}", indent, last ? "└" : "├", edge,
                                 is_leaf(*tree_, node) ? leaves_text(branches[i].nodes) : join_text(node)));
            if (!is_leaf(*tree_, node)) {
                add_branches(node, indent + (last ? "   " : "│  "));
            }
        }
        --depth_;
    }

    /// What is not drawn below a join.
    [[nodiscard]] std::string below_text(Node join) const {
        int leaves = 0;
        int joins = 0;
        std::vector<Node> left{join};
        while (!left.empty()) {
            const auto node = left.back();
            left.pop_back();
            for (const auto child : children_[static_cast<std::size_t>(join_at(*tree_, node))]) {
                if (is_leaf(*tree_, child)) {
                    ++leaves;
                } else {
                    ++joins;
                    left.push_back(child);
                }
            }
        }
        return fmt::format("{} more {} and {} {} below", joins, joins == 1 ? "join" : "joins", leaves,
                           leaves == 1 ? "leaf" : "leaves");
    }

    const Tree* tree_;
    const Hosts* hosts_;
    int columns_;
    std::vector<std::vector<Node>> children_;
    int depth_ = 0;
    std::string text_;
};

}  // namespace

std::string text_drawing(const Tree& tree, const Hosts& hosts, int columns) {
    return TextDrawing(tree, hosts, columns).draw();
}

}  // namespace fathom::tree
