#include "tune/model/costing.hpp"

#include <algorithm>
#include <map>

namespace fathom::tune {
namespace {

/// What decides how long a round takes, in blocks.
struct RoundLoad {
    std::int64_t inside = -1;    ///< the largest message; -1: there is none
    std::int64_t between = -1;   ///< the same between hosts
    std::int64_t interface = 0;  ///< the most that passes one interface one way

    friend auto operator<=>(const RoundLoad&, const RoundLoad&) = default;
};

/// Follows every message.
class LoadCount {
  public:
    explicit LoadCount(const Layout& layout)
        : layout_(layout),
          leaving_(static_cast<std::size_t>(layout.hosts())),
          entering_(static_cast<std::size_t>(layout.hosts())) {}

    template <typename AnyPattern>
    RoundLoad of(const AnyPattern& pattern) {
        if (host_.empty()) {
            for (int rank = 0; rank < layout_.procs(); ++rank) {
                host_.push_back(layout_.host_of(rank));
            }
        }
        std::fill(leaving_.begin(), leaving_.end(), 0);
        std::fill(entering_.begin(), entering_.end(), 0);
        RoundLoad load;
        visit_messages(pattern, layout_.procs(), [&](int from, int to, std::int64_t blocks) {
            const int source = host_[static_cast<std::size_t>(from)];
            const int target = host_[static_cast<std::size_t>(to)];
            if (source == target) {
                load.inside = std::max(load.inside, blocks);
                return;
            }
            load.between = std::max(load.between, blocks);
            auto& leaves = leaving_[static_cast<std::size_t>(source)];
            auto& enters = entering_[static_cast<std::size_t>(target)];
            load.interface = std::max({load.interface, leaves += blocks, enters += blocks});
        });
        return load;
    }

  private:
    const Layout& layout_;
    std::vector<int> host_;  ///< of each rank: divisions take longer than all else
    std::vector<std::int64_t> leaving_;
    std::vector<std::int64_t> entering_;
};

/// Of a shift by a distance, with ranks on hosts by block: a host of m ranks keeps the messages of m - d
/// ranks, and of m - (p - d), which go once around.
RoundLoad load_of_shift(std::int64_t distance, const Layout& layout) {
    RoundLoad load;
    for (const std::int64_t ranks : layout.host_sizes()) {
        const auto kept = std::max<std::int64_t>(0, ranks - distance) +
                          std::max<std::int64_t>(0, ranks - (layout.procs() - distance));
        if (kept > 0) {
            load.inside = 1;
        }
        if (kept < ranks) {
            load.between = 1;
            load.interface = std::max(load.interface, ranks - kept);
        }
    }
    return load;
}

/// Of ranks whose sum is `step`: those of a host have their partners on a range of ranks as wide.
RoundLoad load_of_mirror(std::int64_t step, const Layout& layout) {
    const std::int64_t procs = layout.procs();
    RoundLoad load;
    std::int64_t begin = 0;
    for (int host = 0; host < layout.hosts(); ++host) {
        const std::int64_t ranks = layout.ranks_beside(static_cast<int>(begin));
        // Where the partner of its last rank is, seen from its first rank.
        const auto image = (((step - (begin + ranks - 1) - begin) % procs) + 2 * procs) % procs;
        const auto kept =
            std::max<std::int64_t>(0, ranks - image) + std::max<std::int64_t>(0, image + ranks - procs);
        if (kept > 1) {  // one may be a rank without a partner
            load.inside = 1;
        }
        if (kept < ranks) {
            load.between = 1;
            load.interface = std::max(load.interface, ranks - kept);
        }
        begin += ranks;
    }
    return load;
}

/// Of the largest message of an exchange, anywhere.
std::int64_t largest_blocks(Payload payload, std::int64_t mask, int procs) {
    const Core core(procs);
    const auto half = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(mask)));
    return payload == Payload::all_but_group
               ? core.blocks(payload, core.ranks - 1, half)
               : core.blocks(payload, payload == Payload::sender_group ? 0 : half, half);
}

/// Adds the steps of a schedule to a sum.
class Costing {
  public:
    Costing(const Network& network, const Layout& layout)
        : network_(network), layout_(layout), count_(layout) {}

    void add(const Step& step) {
        std::visit([&](const auto& pattern) { add(pattern, step); }, step.pattern);
    }
    [[nodiscard]] CostCurve curve() {
        for (const auto& [round, times] : rounds_) {
            add_round(round, static_cast<double>(times));
        }
        return sum_.curve();
    }

  private:
    /// Rounds that take the same time.
    struct EqualRounds {
        RoundLoad load;
        double block;
        bool reduces;

        friend auto operator<=>(const EqualRounds&, const EqualRounds&) = default;
    };

    void put(const RoundLoad& load, const Step& step, std::int64_t rounds = 1) {
        rounds_[{load, step.block, step.reduces}] += rounds * step.times;
    }

    void add_round(const EqualRounds& round, double times) {
        const auto& load = round.load;
        const double block = round.block;
        const auto part = [&](const Link& link, std::int64_t blocks) {
            return CostSum::Part{.link = blocks < 0 ? nullptr : &link,
                                 .bytes_per_size = static_cast<double>(blocks) * block};
        };
        auto between = part(network_.between, load.between);
        between.interface_bytes_per_size = static_cast<double>(load.interface) * block;
        between.interface_ns_per_byte = network_.interface_ns_per_byte;
        const auto largest = static_cast<double>(std::max(load.inside, load.between));
        sum_.add_round(part(network_.inside, load.inside), between,
                       round.reduces ? network_.reduce_ns_per_byte * largest * block : 0, times);
    }

    void add(const Shift& shift, const Step& step) {
        auto distance = shift.first;
        while (distance <= shift.last) {
            if (!layout_.by_block()) {
                put(count_.of(Shift{distance, distance}), step);
                ++distance;
                continue;
            }
            // Further away than a host is wide, everything leaves it.
            const std::int64_t width = layout_.most_on_a_host();
            const auto last_far = std::min(shift.last, layout_.procs() - width);
            const bool far = distance >= width && distance <= last_far;
            put(load_of_shift(distance, layout_), step, far ? last_far - distance + 1 : 1);
            distance = far ? last_far + 1 : distance + 1;
        }
    }

    void add(const Exchange& exchange, const Step& step) {
        // What leaves a host depends on the highest bit of the mask alone, if hosts have a power of two of
        // ranks and the core ranks are all ranks. Otherwise masks are looked at one by one while that is
        // fast.
        constexpr std::int64_t looked_at = 2'048;
        const bool aligned = layout_.by_block() && layout_.host_sizes().size() == 1 &&
                             std::has_single_bit(static_cast<unsigned>(layout_.most_on_a_host())) &&
                             (exchange.lowest || Core(layout_.procs()).folded == 0);
        const bool one_by_one = !aligned && !layout_.is_flat() && exchange.last_mask < looked_at;
        auto mask = exchange.first_mask;
        while (mask <= exchange.last_mask) {
            const auto next =
                one_by_one ? mask + 1
                           : static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(mask) + 1));
            const auto last = std::min(exchange.last_mask, next - 1);
            put(load_of(Exchange{mask, mask, exchange.payload, exchange.lowest}), step, last - mask + 1);
            mask = last + 1;
        }
    }

    [[nodiscard]] RoundLoad load_of(const Exchange& exchange) {
        if (layout_.is_flat()) {
            const auto blocks = largest_blocks(exchange.payload, exchange.first_mask, layout_.procs());
            return {.between = blocks, .interface = blocks};
        }
        return count_.of(exchange);
    }

    void add(const Mirror& mirror, const Step& step) {
        // A host that keeps some of its messages in a step is one of four at most: the sum is that of ranks
        // around one of two places. With more hosts than can be looked at, there is one that keeps none.
        constexpr std::int64_t looked_at = std::int64_t{1} << 23;
        if (layout_.by_block() && mirror.last * layout_.hosts() > looked_at) {
            put({.inside = layout_.is_flat() ? -1 : 1, .between = 1, .interface = layout_.most_on_a_host()},
                step, mirror.last - mirror.first + 1);
            return;
        }
        for (auto one = mirror.first; one <= mirror.last; ++one) {
            put(layout_.by_block() ? load_of_mirror(one, layout_) : count_.of(Mirror{one, one}), step);
        }
    }

    void add(const AllAtOnce& /*unused*/, const Step& step) {
        // A full host and its ranks are the last ones: they have most to send between hosts together.
        CostSum::Burst slowest{};
        double most = -1;
        for (const auto ranks : layout_.host_sizes()) {
            const auto inside = static_cast<double>(ranks - 1);
            const auto between = static_cast<double>(layout_.procs() - ranks);
            if (const double load = static_cast<double>(ranks) * between; load > most) {
                most = load;
                slowest = {
                    .inside = inside, .between = between, .block = step.block, .interface_messages = load};
            }
        }
        sum_.add_burst(network_, slowest);
    }

    void add(const Fan& /*unused*/, const Step& step) {
        const int beside = layout_.ranks_beside(0);
        const auto between = static_cast<double>(layout_.procs() - beside);
        sum_.add_burst(network_, {.inside = static_cast<double>(beside - 1),
                                  .between = between,
                                  .block = step.block,

                                  .interface_messages = between});
    }

    void add(const Chain& chain, const Step& /*step*/) {
        Pipeline pipeline{.segment = chain.segment, .inside = network_.inside, .between = network_.between};
        if (layout_.by_block()) {
            pipeline.between_hops = layout_.hosts() - 1;
            pipeline.inside_hops = layout_.procs() - layout_.hosts();
            pipeline.last_inside = layout_.ranks_beside(layout_.procs() - 1) > 1;
        } else {
            for (int rank = 1; rank < layout_.procs(); ++rank) {
                pipeline.last_inside = layout_.host_of(rank - 1) == layout_.host_of(rank);
                ++(pipeline.last_inside ? pipeline.inside_hops : pipeline.between_hops);
            }
        }
        if (layout_.procs() > 1) {
            sum_.add_pipeline(pipeline);
        }
    }

    template <typename AnyRound>
    void add(const AnyRound& round, const Step& step) {
        put(count_.of(round), step);
    }

    const Network& network_;
    const Layout& layout_;
    LoadCount count_;
    std::map<EqualRounds, std::int64_t> rounds_;
    CostSum sum_;
};

}  // namespace

CostCurve cost_of(const Schedule& schedule, const Network& network, const Layout& layout) {
    Costing costing(network, layout);
    for (const auto& step : schedule) {
        costing.add(step);
    }
    return costing.curve();
}

}  // namespace fathom::tune
