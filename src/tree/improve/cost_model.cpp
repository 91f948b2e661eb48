#include "tree/improve/cost_model.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <queue>
#include <tuple>

#include "tree/improve/at.hpp"
#include "tree/walk.hpp"

namespace fathom::tree {
namespace {

/// Of a very large call only this many pieces are followed: the rest goes at the pace of the last ones.
constexpr std::int64_t most_segments = 32;

/// What an exchange between two ranks costs.
struct Edge {
    double latency = 0;
    double send = 0;
    double receive = 0;
    bool remote = false;
    bool one_write = false;  ///< all readers see one write
};

/// Follows the pieces of one call through a tree.
class Simulation {
  public:
    Simulation(const Tree& tree, const Places& places, Bytes size, Ways ways, const Costs& costs)
        : tree_(tree), places_(places), costs_(costs), ways_(ways), children_(children_of(tree)) {
        const auto segment = std::max<std::int64_t>(1, tree.segment.value_or(usual_segment).count);
        const auto pieces = std::max<std::int64_t>(1, (size.count + segment - 1) / segment);
        segments_ = static_cast<int>(std::min(pieces, most_segments));
        bytes_ = static_cast<double>(pieces == 1 ? size.count : segment);
        scale_ = static_cast<double>(pieces) / segments_;
        work_out_nodes();
        int ranks = 0;
        int hosts = 0;
        for (std::size_t rank = 0; rank < places.host.size(); ++rank) {
            ranks = std::max(ranks, static_cast<int>(rank) + 1);
            hosts = std::max(hosts, places.host[rank] + 1);
        }
        busy_.assign(at(ranks), 0);
        leaving_.assign(at(hosts), 0);
        entering_.assign(at(hosts), 0);
        waits_.assign(tree.joins.size() * at(segments_), 0);
        for (std::size_t join = 0; join < tree.joins.size(); ++join) {
            for (int segment_number = 0; segment_number < segments_; ++segment_number) {
                waits_[join * at(segments_) + at(segment_number)] = static_cast<int>(children_[join].size());
            }
        }
    }

    double run() {
        for (int segment = 0; segment < segments_; ++segment) {
            if (!ways_.down) {
                push(0, root_of(tree_), segment, true);
                continue;
            }
            for (int leaf = 0; leaf < static_cast<int>(tree_.leaves.size()); ++leaf) {
                hand_down(leaf, segment, 0);
            }
        }
        while (!events_.empty()) {
            const auto [time, number, node, segment, up] = events_.top();
            events_.pop();
            if (up) {
                has_result(node, segment, time);
            } else {
                contributes(node, segment, time);
            }
        }
        return costs_[Cost::constant] + last_ * scale_;
    }

  private:
    /// Time, number, node, segment, on the way up.
    using Event = std::tuple<double, int, Node, int, bool>;

    /// What does not change while pieces are on their way.
    void work_out_nodes() {
        const int nodes = node_count(tree_);
        std::vector<int> heights(at(nodes), 0);
        for (Node node = 0; node < nodes; ++node) {
            ranks_.push_back(rank_of(tree_, node));
            parents_.push_back(parent_of(tree_, node).value_or(-1));
        }
        for (Node node = 0; node < nodes; ++node) {
            edges_.push_back(parents_[at(node)] < 0 ? Edge{} : edge_to_parent(node));
        }
        // What has the longest way is sent first; joins come after their parents.
        for (auto join = static_cast<int>(tree_.joins.size()) - 1; join >= 0; --join) {
            auto& children = children_[at(join)];
            std::stable_sort(children.begin(), children.end(),
                             [&](Node one, Node other) { return heights[at(one)] > heights[at(other)]; });
            heights[at(node_of_join(tree_, join))] = children.empty() ? 0 : heights[at(children.front())] + 1;
        }
    }

    void push(double time, Node node, int segment, bool up) {
        events_.emplace(time, number_++, node, segment, up);
    }

    [[nodiscard]] Edge edge_to_parent(Node node) const {
        const int a = ranks_[at(node)];
        const int b = ranks_[at(parents_[at(node)])];
        if (a == b) {
            return {};
        }
        const auto shared = [&](Cost latency, Cost send, bool one_write) {
            return Edge{.latency = costs_[latency] + costs_[Cost::flag_per_byte] * bytes_,
                        .send = costs_[send],
                        .one_write = one_write};
        };
        switch (edge_of(tree_, node)) {
            case EdgeKind::flag:
                return shared(Cost::flag_latency, Cost::flag_send, true);
            case EdgeKind::futex:
                return shared(Cost::futex_latency, Cost::futex_send, false);
            case EdgeKind::condvar:
                return shared(Cost::condvar_latency, Cost::condvar_send, false);
            case EdgeKind::message:
                break;
        }
        if (places_.host[at(a)] == places_.host[at(b)]) {
            return {.latency = costs_[Cost::host_latency] + costs_[Cost::host_per_byte] * bytes_,
                    .send = costs_[Cost::host_send],
                    .receive = costs_[Cost::host_receive]};
        }
        const bool far = places_.site[at(a)] != places_.site[at(b)];
        return {.latency = far ? costs_[Cost::far_latency] + costs_[Cost::far_per_byte] * bytes_
                               : costs_[Cost::remote_latency] + costs_[Cost::remote_per_byte] * bytes_,
                .send = costs_[Cost::remote_send],
                .receive = costs_[Cost::remote_receive],
                .remote = true};
    }

    /// When what a rank sends at a time is there; the rank and the interfaces are busy meanwhile.
    double there(const Edge& edge, int from, int to, double time) {
        double left = std::max(time, busy_[at(from)]) + edge.send;
        busy_[at(from)] = left;
        if (!edge.remote) {
            return left + edge.latency;
        }
        const double occupied =
            costs_[Cost::interface_per_message] + costs_[Cost::interface_per_byte] * bytes_;
        auto& leaving = leaving_[at(places_.host[at(from)])];
        left = std::max(left, leaving);
        leaving = left + occupied;
        auto& entering = entering_[at(places_.host[at(to)])];
        const double entered = std::max(left + edge.latency, entering);
        entering = entered + occupied;
        return entered + occupied;
    }

    void hand_down(Node node, int segment, double time) {
        const Node parent = parents_[at(node)];
        const int from = ranks_[at(node)];
        const int to = ranks_[at(parent)];
        push(from == to ? time : there(edges_[at(node)], from, to, time), node, segment, false);
    }

    /// A contribution has reached the join above its node.
    void contributes(Node node, int segment, double time) {
        const Node parent = parents_[at(node)];
        const int rank = ranks_[at(parent)];
        const auto join = at(join_at(tree_, parent));
        const double work =
            edges_[at(node)].receive + costs_[Cost::join] + costs_[Cost::join_per_byte] * bytes_;
        const double done = std::max(time, busy_[at(rank)]) + work;
        busy_[at(rank)] = done;
        if (--waits_[join * at(segments_) + at(segment)] > 0) {
            return;
        }
        if (parent == root_of(tree_)) {
            if (ways_.up) {
                push(done, parent, segment, true);
            } else {
                last_ = std::max(last_, done);
            }
            return;
        }
        hand_down(parent, segment, done);
    }

    void has_result(Node node, int segment, double time) {
        if (is_leaf(tree_, node)) {
            last_ = std::max(last_, time);
            return;
        }
        const int rank = ranks_[at(node)];
        const auto& receivers = children_[at(join_at(tree_, node))];
        bool written = false;
        for (const Node child : receivers) {
            const int to = ranks_[at(child)];
            if (to == rank) {
                push(std::max(time, busy_[at(rank)]), child, segment, true);
                continue;
            }
            auto way = edges_[at(child)];
            if (way.one_write && written) {
                way.send = 0;
            }
            written = written || way.one_write;
            const double arrived = there(way, rank, to, time);
            const double taken = std::max(arrived, busy_[at(to)]) + way.receive;
            busy_[at(to)] = taken;
            push(taken, child, segment, true);
        }
    }

    const Tree& tree_;
    const Places& places_;
    const Costs& costs_;
    Ways ways_;
    std::vector<std::vector<Node>> children_;
    std::vector<int> ranks_;  // of each node
    std::vector<Node> parents_;
    std::vector<Edge> edges_;  // from each node to its parent
    int segments_ = 1;
    double bytes_ = 0;
    double scale_ = 1;
    std::vector<double> busy_;     // until when, of each rank
    std::vector<double> leaving_;  // of each host
    std::vector<double> entering_;
    std::vector<int> waits_;  // contributions, by join and segment
    std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
    int number_ = 0;
    double last_ = 0;
};

double badness(std::span<const MeasuredTree> measured, const Places& places, Ways ways, const Costs& costs) {
    double sum = 0;
    for (const auto& one : measured) {
        const double predicted = std::max(1.0, predicted_ns(one.tree, places, one.size, ways, costs));
        const double ratio = std::log(predicted / one.time_ns);
        sum += ratio * ratio;
    }
    return sum;
}

}  // namespace

Places places_of(int procs, const Hosts& hosts) {
    Places places{.host = std::vector<int>(at(procs), 0), .site = std::vector<int>(at(procs), 0)};
    std::map<std::string, int> numbers;
    for (std::size_t rank = 0; rank < hosts.size(); ++rank) {
        places.host[rank] = numbers.try_emplace(hosts[rank], static_cast<int>(numbers.size())).first->second;
    }
    return places;
}

double predicted_ns(const Tree& tree, const Places& places, Bytes size, Ways ways, const Costs& costs) {
    return Simulation(tree, places, size, ways, costs).run();
}

Costs fitted(std::span<const MeasuredTree> measured, const Places& places, Ways ways, const Costs& start) {
    // Costs are changed by factors: from a tenfold change, which finds costs that are of no account, to one
    // in a hundred, which is below the noise of most measurements.
    constexpr std::array<double, 5> factors{8, 2.5, 1.5, 1.15, 1.03};
    constexpr int most_rounds = 12;
    auto best = start;
    double least = badness(measured, places, ways, best);
    const auto improves = [&](const Costs& other) {
        const double found = badness(measured, places, ways, other);
        if (found < least) {
            least = found;
            best = other;
            return true;
        }
        return false;
    };
    // Where predictions are right already, large changes of costs only make them worse.
    constexpr double far_off = 0.05;
    for (const double factor : factors) {
        bool moved = std::sqrt(least / static_cast<double>(std::max<std::size_t>(1, measured.size()))) >
                     far_off * std::log(factor);
        for (int round = 0; round < most_rounds && moved; ++round) {
            moved = false;
            for (const double by : {factor, 1 / factor}) {
                auto scaled = best;
                for (auto& value : scaled.values) {
                    value *= by;
                }
                moved = improves(scaled) || moved;
            }
            for (std::size_t cost = 0; cost < best.values.size(); ++cost) {
                for (const double by : {factor, 1 / factor}) {
                    auto other = best;
                    other.values[cost] *= by;
                    moved = improves(other) || moved;
                }
            }
        }
    }
    return best;
}

double mean_error(std::span<const MeasuredTree> measured, const Places& places, Ways ways,
                  const Costs& costs) {
    double sum = 0;
    for (const auto& one : measured) {
        sum += std::abs(predicted_ns(one.tree, places, one.size, ways, costs) / one.time_ns - 1);
    }
    return measured.empty() ? 0 : sum / static_cast<double>(measured.size());
}

}  // namespace fathom::tree
