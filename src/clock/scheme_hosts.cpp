#include <algorithm>
#include <unordered_map>

#include "clock/schedule.hpp"
#include "clock/tree_shape.hpp"

namespace fathom::clock {
namespace {

class Hosts : public Schedule {
  public:
    Hosts(std::span<const int> host_of, int arity) : arity_(arity) {
        std::unordered_map<int, int> known;  // number of the host to its position in members_
        place_of_.reserve(host_of.size());
        for (int rank = 0; rank < static_cast<int>(host_of.size()); ++rank) {
            const auto [entry, is_new] =
                known.try_emplace(host_of[static_cast<std::size_t>(rank)], static_cast<int>(members_.size()));
            if (is_new) {
                members_.emplace_back();
            }
            auto& members = members_[static_cast<std::size_t>(entry->second)];
            place_of_.push_back({entry->second, static_cast<int>(members.size())});
            members.push_back(rank);
        }
        between_rounds_ = between().height();
        for (const auto& members : members_) {
            within_rounds_ = std::max(within_rounds_, within(members).height());
        }
    }

    [[nodiscard]] Flow flow() const override { return Flow::down; }
    [[nodiscard]] int rounds() const override { return between_rounds_ + within_rounds_; }
    [[nodiscard]] std::vector<PingRound> ping_rounds(int rank) const override {
        std::vector<PingRound> all;
        const auto [host, place] = place_of_[static_cast<std::size_t>(rank)];
        if (place == 0) {
            add(all, between(), host, 0, [&](int other) { return members_[std::size_t(other)].front(); });
        }
        const auto& members = members_[static_cast<std::size_t>(host)];
        add(all, within(members), place, between_rounds_,
            [&](int other) { return members[std::size_t(other)]; });
        return all;
    }

  private:
    struct Place {
        int host;
        int place;
    };

    [[nodiscard]] TreeShape between() const { return {static_cast<int>(members_.size()), arity_}; }
    [[nodiscard]] TreeShape within(const std::vector<int>& members) const {
        return {static_cast<int>(members.size()), arity_};
    }

    /// The exchanges of a node of a tree whose nodes are ranks by `rank_of`.
    template <typename RankOf>
    static void add(std::vector<PingRound>& all, const TreeShape& shape, int node, int first_round,
                    const RankOf& rank_of) {
        const int depth = shape.depth(node);
        const auto exchange = [&](int round, int server) {
            PingRound made{.round = first_round + round, .server = rank_of(server), .clients = {}};
            for (const int child : shape.children(server)) {
                made.clients.push_back(rank_of(child));
            }
            if (!made.clients.empty()) {
                all.push_back(std::move(made));
            }
        };
        if (node > 0) {
            exchange(depth - 1, shape.parent(node));
        }
        exchange(depth, node);
    }

    int arity_;
    std::vector<std::vector<int>> members_;  // ranks of each host in order
    std::vector<Place> place_of_;            // of each rank
    int between_rounds_ = 0;
    int within_rounds_ = 0;
};

}  // namespace

std::unique_ptr<Schedule> hosts_schedule(std::span<const int> host_of, int arity) {
    return std::make_unique<Hosts>(host_of, arity);
}

}  // namespace fathom::clock
