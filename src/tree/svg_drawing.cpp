#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/printable.hpp"
#include "base/text.hpp"
#include "base/xml.hpp"
#include "tree/check.hpp"
#include "tree/drawing.hpp"
#include "tree/figures.hpp"
#include "tree/walk.hpp"

namespace fathom::tree {
namespace {

// Layout, in pixels. Text of 12 pixels needs rows of 18, and about 7 for a letter; boxes hold two lines.
constexpr int usual_row = 18;
constexpr int box_height = 30;
constexpr int widest_level = 170;
constexpr int narrowest_level = 64;
constexpr int usual_width = 2'400;
constexpr int least_width = 760;
constexpr int letter_width = 7;
constexpr int leaf_width = 96;
constexpr int host_width = 120;
constexpr int margin = 16;
constexpr int head_height = 64;
constexpr std::size_t longest_host = 16;

/// How edges of each kind are drawn: a colour that is told apart by most people who confuse some (Okabe and
/// Ito 2008), and a dash pattern for those who print in black.
struct Pen {
    std::string_view colour;
    std::string_view dashes;
};
constexpr std::array<Pen, names_of<EdgeKind>.size()> pens{
    {{"#0072b2", "none"}, {"#d55e00", "6 3"}, {"#009e73", "2 3"}, {"#cc79a7", "8 3 2 3"}}};

const Pen& pen_of(EdgeKind kind) {
    return pens[static_cast<std::size_t>(kind)];
}

class SvgDrawing {
  public:
    SvgDrawing(const Tree& tree, const Hosts& hosts)
        : tree_(&tree),
          hosts_(&hosts),
          depths_(depths_of(tree)),
          height_(height_of(tree)),
          level_width_(std::clamp(usual_width / std::max(height_, 1), narrowest_level, widest_level)),
          box_width_(level_width_ * 7 / 10) {
        lay_out();
    }

    std::string draw() {
        begin();
        add_grounds();
        for (Node node = 0; node < node_count(*tree_); ++node) {
            add_edge(node);
        }
        for (Node node = 0; node < node_count(*tree_); ++node) {
            if (is_leaf(*tree_, node)) {
                add_leaf(node);
            } else {
                add_join(node);
            }
        }
        text_ += "</svg>\n";
        return std::move(text_);
    }

  private:
    /// Leaves have a row each, in the order in which a walk through the tree comes to them, so that edges do
    /// not cross; a join stands in the middle of its children.
    void lay_out() {
        rows_.assign(static_cast<std::size_t>(node_count(*tree_)), 0);
        const auto children = children_of(*tree_);
        std::vector<Node> left{root_of(*tree_)};
        while (!left.empty()) {
            const auto node = left.back();
            left.pop_back();
            if (is_leaf(*tree_, node)) {
                rows_[static_cast<std::size_t>(node)] = static_cast<double>(order_.size());
                order_.push_back(node);
                continue;
            }
            const auto& below = children[static_cast<std::size_t>(join_at(*tree_, node))];
            left.insert(left.end(), below.rbegin(), below.rend());
        }
        const auto spans = spans_of(*tree_);
        // Joins come after their parents.
        for (Node node = node_count(*tree_) - 1; node >= root_of(*tree_); --node) {
            const auto& below = children[static_cast<std::size_t>(join_at(*tree_, node))];
            rows_[static_cast<std::size_t>(node)] = (rows_[static_cast<std::size_t>(below.front())] +
                                                     rows_[static_cast<std::size_t>(below.back())]) /
                                                    2;
            // Boxes above each other with a single leaf each would overlap.
            row_height_ = spans[static_cast<std::size_t>(node)].count == 1 ? box_height + 4 : row_height_;
        }
    }

    /// Where a node begins; leaves are all at the right.
    [[nodiscard]] int x_of(Node node) const {
        return margin +
               level_width_ * (is_leaf(*tree_, node) ? height_ : depths_[static_cast<std::size_t>(node)]);
    }
    [[nodiscard]] double y_of(Node node) const {
        return head_height + row_height_ * (rows_[static_cast<std::size_t>(node)] + 0.5);
    }
    [[nodiscard]] std::string host_of(int rank) const {
        const auto at = static_cast<std::size_t>(rank);
        return at < hosts_->size() ? (*hosts_)[at] : std::string();
    }

    void begin() {
        const int width =
            2 * margin + level_width_ * height_ + leaf_width + (hosts_->empty() ? 0 : host_width);
        const int tall = head_height +
                         row_height_ * static_cast<int>(std::max<std::size_t>(tree_->leaves.size(), 2)) +
                         margin;
        const int all = std::max(width, least_width);  // room for the head
        text_ += fmt::format(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
            "font-family=\"system-ui, sans-serif\" font-size=\"12\">\n",
            all, tall);
        const auto lines = split(figures_text(*tree_, *hosts_), '\n');
        text_ += fmt::format("<title>{}</title>\n", xml_text(lines.front()));
        text_ += fmt::format("<rect width=\"{}\" height=\"{}\" fill=\"#ffffff\"/>\n", all, tall);
        text_ += fmt::format("<text x=\"{}\" y=\"22\" font-size=\"14\" font-weight=\"600\">{}</text>\n",
                             margin, xml_text(lines.front()));
        int x = margin;
        const auto figures = figures_of(*tree_, *hosts_);
        for (const auto kind : values_of<EdgeKind>) {
            const int count = figures.edges[static_cast<std::size_t>(kind)];
            if (count == 0) {
                continue;
            }
            text_ += fmt::format("<path d=\"M{} 42h28\" {}/><text x=\"{}\" y=\"46\">{} ({})</text>\n", x,
                                 stroke_of(kind), x + 34, to_text(kind), count);
            x += widest_level;
        }
    }

    static std::string stroke_of(EdgeKind kind) {
        const auto& pen = pen_of(kind);
        return fmt::format("fill=\"none\" stroke=\"{}\" stroke-width=\"1.5\" stroke-dasharray=\"{}\"",
                           pen.colour, pen.dashes);
    }

    /// Rows of leaves on the same host, one after the other, on a common ground with its name.
    void add_grounds() {
        constexpr std::array<std::string_view, 2> greys{"#f3f4f6", "#e7e9ee"};
        std::size_t shade = 0;
        for (std::size_t first = 0; first < order_.size() && !hosts_->empty();) {
            const auto host = host_of(rank_of(*tree_, order_[first]));
            auto end = first + 1;
            while (end < order_.size() && host_of(rank_of(*tree_, order_[end])) == host) {
                ++end;
            }
            const int x = margin + level_width_ * height_ - 8;
            const int y = head_height + row_height_ * static_cast<int>(first);
            const int tall = row_height_ * static_cast<int>(end - first);
            text_ += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\"/>\n", x, y,
                                 leaf_width + host_width, tall, greys[shade % greys.size()]);
            text_ += fmt::format("<text x=\"{}\" y=\"{}\" fill=\"#4b5563\">{}</text>\n", x + leaf_width,
                                 y + row_height_ / 2 + 4, xml_text(printable(host, longest_host)));
            first = end;
            ++shade;
        }
    }

    void add_edge(Node node) {
        const auto parent = parent_of(*tree_, node);
        if (!parent) {
            return;
        }
        const int from = x_of(*parent) + box_width_;
        const int to = x_of(node);
        const int next_level = from + level_width_ - box_width_;
        text_ += fmt::format("<path d=\"M{} {:.1f}C{} {:.1f} {} {:.1f} {} {:.1f}", from, y_of(*parent),
                             next_level, y_of(*parent), from, y_of(node), next_level, y_of(node));
        // Leaves of higher joins: straight on to the right.
        text_ += fmt::format("H{}\" {}><title>{}: {} to {}</title></path>\n", to,
                             stroke_of(edge_of(*tree_, node)), to_text(edge_of(*tree_, node)),
                             xml_text(node_text(*tree_, node)), xml_text(node_text(*tree_, *parent)));
    }

    void add_leaf(Node node) {
        const auto& leaf = tree_->leaves[static_cast<std::size_t>(node)];
        text_ +=
            fmt::format("<circle cx=\"{}\" cy=\"{:.1f}\" r=\"3\"/><text x=\"{}\" y=\"{:.1f}\">{}{}</text>\n",
                        x_of(node), y_of(node), x_of(node) + 8, y_of(node) + 4, leaf.rank,
                        leaf.thread == 0 ? std::string() : fmt::format(":{}", leaf.thread));
    }

    void add_join(Node node) {
        const auto& join = tree_->joins[static_cast<std::size_t>(join_at(*tree_, node))];
        const auto host = host_of(join.rank);
        const auto place = fmt::format("rank {}{}", join.rank, host.empty() ? "" : " on " + host);
        const double top = y_of(node) - box_height / 2.0;
        const auto letters = static_cast<std::size_t>((box_width_ - 6) / letter_width);
        text_ += fmt::format(
            "<g><title>{} ({})</title><rect x=\"{}\" y=\"{:.1f}\" width=\"{}\" height=\"{}\" rx=\"4\" "
            "fill=\"#ffffff\" "
            "stroke=\"#111827\"/>",
            xml_text(join.name), xml_text(place), x_of(node), top, box_width_, box_height);
        text_ += fmt::format("<text x=\"{}\" y=\"{:.1f}\" font-weight=\"600\">{}</text>", x_of(node) + 6,
                             top + 13, xml_text(printable(join.name, letters)));
        text_ += fmt::format("<text x=\"{}\" y=\"{:.1f}\" font-size=\"10\" fill=\"#4b5563\">{}</text></g>\n",
                             x_of(node) + 6, top + 25, xml_text(printable(place, letters + 3)));
    }

    const Tree* tree_;
    const Hosts* hosts_;
    std::vector<int> depths_;
    int height_;
    int level_width_;
    int box_width_;
    int row_height_ = usual_row;
    std::vector<double> rows_;  ///< of every node; of joins between rows
    std::vector<Node> order_;   ///< of leaves, by row
    std::string text_;
};

}  // namespace

std::string svg_drawing(const Tree& tree, const Hosts& hosts) {
    return SvgDrawing(tree, hosts).draw();
}

}  // namespace fathom::tree
