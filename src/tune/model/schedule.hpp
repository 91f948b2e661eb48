#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <variant>
#include <vector>

#include "base/units.hpp"

namespace fathom::tune {

// Who sends to whom in a round. Ranks are those of the communicator, with root 0.

/// Every rank sends to the one `distance` further on, around the ring: one round for each distance.
struct Shift {
    std::int64_t first = 1;
    std::int64_t last = 1;
};

/// How much a message of an exchange or of a tree carries, in blocks.
enum class Payload {
    one,
    sender_group,    ///< the blocks of all ranks that the sender's half of the exchange stands for
    receiver_group,  ///< the same of the receiver's half
    all_but_group,   ///< all blocks but those of the sender's half
};

/// Core ranks (see Core) whose numbers differ by `mask` (exclusive or) send to each other: one round for each
/// mask.
struct Exchange {
    std::int64_t first_mask = 1;
    std::int64_t last_mask = 1;
    Payload payload = Payload::one;
    bool lowest = false;  ///< the core ranks are the lowest ranks; the others do not take part
};

/// Ranks whose numbers add up to `step` (modulo the process count) send to each other: one round for each
/// step.
struct Mirror {
    std::int64_t first = 0;
    std::int64_t last = 0;
};

/// One level of a binomial tree: multiples r of twice the distance send to r + distance, or receive from it.
struct Branch {
    std::int64_t distance = 1;
    bool to_root = false;
    bool whole_subtree = false;  ///< a block for each rank below the edge, instead of one
    std::int64_t ranks = 0;      ///< only of so many, the lowest ones; 0: of all
};

/// The upper half of the first 2 * `half` core ranks sends to the lower half.
struct Collapse {
    std::int64_t half = 1;
};

/// Ranks that have no place among the core ranks send to their neighbour, which stands for them.
struct Fold {
    bool back = false;  ///< the neighbour sends to them
};

/// Each rank beyond a power of two gets a message from the one that is as many below it.
struct Beyond {};

/// Neighbours send to each other: 0 and 1, 2 and 3, ..., or 1 and 2, 3 and 4, ..., around the ring.
struct Neighbours {
    bool odd = false;  ///< the second of these
};

/// Every rank sends to every other one, all at once.
struct AllAtOnce {};

/// Rank 0 sends to every other one, all at once, or receives from them.
struct Fan {};

/// Rank r sends to r + 1 in segments, as soon as it has them.
struct Chain {
    Bytes segment;
};

using Pattern =
    std::variant<Shift, Exchange, Mirror, Branch, Collapse, Fold, Beyond, Neighbours, AllAtOnce, Fan, Chain>;

/// A round, or several with equal messages, after what is before it.
struct Step {
    Pattern pattern;
    double block = 0;      ///< bytes of a block, as a share of the operation's size
    bool reduces = false;  ///< what is received is combined with what is there
    std::int64_t times = 1;
};

using Schedule = std::vector<Step>;

/// Exchanges need a power of two of ranks: the largest there is. Of the other ranks, each is represented by
/// its neighbour: rank 2i by rank 2i + 1, for as many i as are left over.
struct Core {
    std::int64_t ranks;
    std::int64_t folded;

    explicit constexpr Core(int procs)
        : ranks(static_cast<std::int64_t>(std::bit_floor(static_cast<unsigned>(procs)))),
          folded(procs - ranks) {}
    /// The rank that a core rank is.
    [[nodiscard]] constexpr int rank(std::int64_t core) const {
        return static_cast<int>(core < folded ? 2 * core + 1 : core + folded);
    }
    /// Ranks that some core ranks stand for.
    [[nodiscard]] constexpr std::int64_t blocks(std::int64_t first, std::int64_t count) const {
        return count + std::clamp<std::int64_t>(folded - first, 0, count);
    }
    /// Of the payload of an exchange from a core rank.
    [[nodiscard]] constexpr std::int64_t blocks(Payload payload, std::int64_t sender,
                                                std::int64_t mask) const {
        const auto half = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(mask)));
        switch (payload) {
            case Payload::sender_group:
                return blocks(sender & -half, half);
            case Payload::receiver_group:
                return blocks((sender ^ mask) & -half, half);
            case Payload::all_but_group:
                return ranks + folded - blocks(sender & -half, half);
            case Payload::one:
                break;
        }
        return 1;
    }
};

/// Calls `visit(from, to, blocks)` for each message of a round; of patterns with several rounds, of the
/// first. AllAtOnce, Fan and Chain are not rounds: they have none.
template <typename Visit>
void visit_messages(const Shift& shift, int procs, Visit visit) {
    const auto distance = shift.first % procs;
    for (int rank = 0; rank < procs; ++rank) {
        visit(rank, static_cast<int>((rank + distance) % procs), std::int64_t{1});
    }
}
template <typename Visit>
void visit_messages(const Exchange& exchange, int procs, Visit visit) {
    const Core core(procs);
    const auto mask = exchange.first_mask;
    const auto rank = [&](std::int64_t place) {
        return exchange.lowest ? static_cast<int>(place) : core.rank(place);
    };
    for (std::int64_t sender = 0; sender < core.ranks; ++sender) {
        visit(rank(sender), rank(sender ^ mask), core.blocks(exchange.payload, sender, mask));
    }
}
template <typename Visit>
void visit_messages(const Mirror& mirror, int procs, Visit visit) {
    for (int rank = 0; rank < procs; ++rank) {
        const auto other = static_cast<int>((mirror.first - rank + procs) % procs);
        if (other != rank) {
            visit(rank, other, std::int64_t{1});
        }
    }
}
template <typename Visit>
void visit_messages(const Branch& branch, int procs, Visit visit) {
    const auto distance = branch.distance;
    const std::int64_t ranks = branch.ranks > 0 ? branch.ranks : procs;
    for (std::int64_t rank = 0; rank + distance < ranks; rank += 2 * distance) {
        const auto parent = static_cast<int>(rank);
        const auto child = static_cast<int>(rank + distance);
        const auto blocks = branch.whole_subtree ? std::min(distance, ranks - rank - distance) : 1;
        visit(branch.to_root ? child : parent, branch.to_root ? parent : child, blocks);
    }
}
template <typename Visit>
void visit_messages(const Collapse& collapse, int procs, Visit visit) {
    const Core core(procs);
    for (std::int64_t receiver = 0; receiver < collapse.half; ++receiver) {
        visit(core.rank(receiver + collapse.half), core.rank(receiver), std::int64_t{1});
    }
}
template <typename Visit>
void visit_messages(const Fold& fold, int procs, Visit visit) {
    const auto folded = static_cast<int>(Core(procs).folded);
    for (int pair = 0; pair < folded; ++pair) {
        visit(2 * pair + (fold.back ? 1 : 0), 2 * pair + (fold.back ? 0 : 1), std::int64_t{1});
    }
}
template <typename Visit>
void visit_messages(const Beyond& /*unused*/, int procs, Visit visit) {
    const auto ranks = static_cast<int>(Core(procs).ranks);
    for (int rank = ranks; rank < procs; ++rank) {
        visit(rank - ranks, rank, std::int64_t{1});
    }
}
template <typename Visit>
void visit_messages(const Neighbours& neighbours, int procs, Visit visit) {
    for (int rank = neighbours.odd ? 1 : 0; rank < procs; rank += 2) {
        const int other = (rank + 1) % procs;
        visit(rank, other, std::int64_t{1});
        visit(other, rank, std::int64_t{1});
    }
}
template <typename Visit>
void visit_messages(const AllAtOnce& /*unused*/, int /*procs*/, Visit /*visit*/) {}
template <typename Visit>
void visit_messages(const Fan& /*unused*/, int /*procs*/, Visit /*visit*/) {}
template <typename Visit>
void visit_messages(const Chain& /*unused*/, int /*procs*/, Visit /*visit*/) {}

}  // namespace fathom::tune
