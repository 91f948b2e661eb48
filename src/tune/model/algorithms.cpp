#include "tune/model/algorithms.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace fathom::tune {
namespace {

/// The powers of two below a number: distances of trees and dissemination.
std::vector<std::int64_t> powers_below(std::int64_t number) {
    std::vector<std::int64_t> powers;
    for (std::int64_t power = 1; power < number; power *= 2) {
        powers.push_back(power);
    }
    return powers;
}

std::vector<std::int64_t> falling(std::vector<std::int64_t> powers) {
    std::reverse(powers.begin(), powers.end());
    return powers;
}

void append_steps(Schedule& schedule, Schedule more) {
    schedule.insert(schedule.end(), more.begin(), more.end());
}

/// One round of a tree for each distance, the root's first message going furthest; towards the root the
/// other way round.
Schedule tree_down(std::int64_t procs, double block, bool whole_subtree) {
    Schedule schedule;
    for (const auto distance : falling(powers_below(procs))) {
        schedule.push_back({Branch{distance, false, whole_subtree, procs}, block});
    }
    return schedule;
}
Schedule tree_up(int procs, double block, bool whole_subtree, bool reduces) {
    Schedule schedule;
    for (const auto distance : powers_below(procs)) {
        schedule.push_back({Branch{distance, true, whole_subtree}, block, reduces});
    }
    return schedule;
}

/// A step only if there are ranks that are not core ranks.
void append_fold(Schedule& schedule, int procs, bool back, double block, bool reduces) {
    if (Core(procs).folded > 0) {
        schedule.push_back({Fold{back}, block, reduces});
    }
}

Schedule ring(int procs, double block, bool reduces) {
    return procs > 1 ? Schedule{{Shift{1, 1}, block, reduces, procs - 1}} : Schedule{};
}

Schedule allgather_doubling(int procs, double block) {
    Schedule schedule;
    append_fold(schedule, procs, false, block, false);
    for (const auto mask : powers_below(Core(procs).ranks)) {
        schedule.push_back({Exchange{mask, mask, Payload::sender_group}, block});
    }
    append_fold(schedule, procs, true, static_cast<double>(procs) * block, false);
    return schedule;
}

/// Each core rank ends with the sum of its share: vectors are halved while distances double, so that most
/// data goes to neighbours.
Schedule halving_nearest_first(int procs) {
    Schedule schedule;
    append_fold(schedule, procs, false, 1, true);
    double share = 1;
    for (const auto mask : powers_below(Core(procs).ranks)) {
        share /= 2;
        schedule.push_back({Exchange{mask, mask}, share, true});
    }
    return schedule;
}

Schedule bcast_binomial(int procs, const AlgorithmSettings& /*settings*/) {
    return tree_down(procs, 1, false);
}
Schedule bcast_scatter_doubling(int procs, const AlgorithmSettings& /*settings*/) {
    // Over the largest power of two; the others get a copy.
    const auto ranks = Core(procs).ranks;
    double share = 1 / static_cast<double>(ranks);
    auto schedule = tree_down(ranks, share, true);
    for (const auto mask : powers_below(ranks)) {
        schedule.push_back({Exchange{mask, mask, Payload::one, true}, share});
        share *= 2;
    }
    if (ranks < procs) {
        schedule.push_back({Beyond{}, 1});
    }
    return schedule;
}
Schedule bcast_scatter_ring(int procs, const AlgorithmSettings& /*settings*/) {
    auto schedule = tree_down(procs, 1.0 / procs, true);
    append_steps(schedule, ring(procs, 1.0 / procs, false));
    return schedule;
}
Schedule bcast_chain(int /*procs*/, const AlgorithmSettings& settings) {
    return {{Chain{settings.chain_segment}, 1}};
}

Schedule alltoall_bruck(int procs, const AlgorithmSettings& /*settings*/) {
    Schedule schedule;
    for (const auto distance : powers_below(procs)) {
        // The blocks whose way has this bit.
        const auto blocks =
            procs / (2 * distance) * distance + std::max<std::int64_t>(0, procs % (2 * distance) - distance);
        schedule.push_back({Shift{distance, distance}, static_cast<double>(blocks)});
    }
    return schedule;
}
Schedule alltoall_at_once(int /*procs*/, const AlgorithmSettings& /*settings*/) {
    return {{AllAtOnce{}, 1}};
}
Schedule alltoall_shift(int procs, const AlgorithmSettings& /*settings*/) {
    return {{Shift{1, procs - 1}, 1}};
}
Schedule alltoall_exchange(int procs, const AlgorithmSettings& /*settings*/) {
    return std::has_single_bit(static_cast<unsigned>(procs)) ? Schedule{{Exchange{1, procs - 1}, 1}}
                                                             : Schedule{{Mirror{0, procs - 1}, 1}};
}

Schedule allgather_recursive(int procs, const AlgorithmSettings& /*settings*/) {
    return allgather_doubling(procs, 1);
}
Schedule allgather_bruck(int procs, const AlgorithmSettings& /*settings*/) {
    Schedule schedule;
    for (const auto distance : powers_below(procs)) {
        schedule.push_back({Shift{procs - distance, procs - distance},
                            static_cast<double>(std::min(distance, procs - distance))});
    }
    return schedule;
}
Schedule allgather_ring(int procs, const AlgorithmSettings& /*settings*/) {
    return ring(procs, 1, false);
}
Schedule allgather_neighbours(int procs, const AlgorithmSettings& settings) {
    if (procs % 2 != 0) {
        return allgather_ring(procs, settings);
    }
    const std::int64_t more = procs / 2 - 1;
    Schedule schedule{{Neighbours{false}, 1}};
    if (more > 0) {
        schedule.push_back({Neighbours{true}, 2, false, (more + 1) / 2});
        schedule.push_back({Neighbours{false}, 2, false, more / 2});
    }
    return schedule;
}

Schedule reduce_scatter_halving(int procs, const AlgorithmSettings& /*settings*/) {
    Schedule schedule;
    append_fold(schedule, procs, false, procs, true);
    for (const auto mask : falling(powers_below(Core(procs).ranks))) {
        schedule.push_back({Exchange{mask, mask, Payload::receiver_group}, 1, true});
    }
    append_fold(schedule, procs, true, 1, false);
    return schedule;
}
Schedule reduce_scatter_doubling(int procs, const AlgorithmSettings& /*settings*/) {
    Schedule schedule;
    append_fold(schedule, procs, false, procs, true);
    for (const auto mask : powers_below(Core(procs).ranks)) {
        schedule.push_back({Exchange{mask, mask, Payload::all_but_group}, 1, true});
    }
    append_fold(schedule, procs, true, 1, false);
    return schedule;
}
Schedule reduce_scatter_pairwise(int procs, const AlgorithmSettings& /*settings*/) {
    return {{Shift{1, procs - 1}, 1, true}};
}

Schedule allreduce_doubling(int procs, const AlgorithmSettings& /*settings*/) {
    Schedule schedule;
    append_fold(schedule, procs, false, 1, true);
    for (const auto mask : powers_below(Core(procs).ranks)) {
        schedule.push_back({Exchange{mask, mask}, 1, true});
    }
    append_fold(schedule, procs, true, 1, false);
    return schedule;
}
Schedule allreduce_rabenseifner(int procs, const AlgorithmSettings& /*settings*/) {
    auto schedule = halving_nearest_first(procs);
    const auto ranks = static_cast<double>(Core(procs).ranks);
    double share = 1 / ranks;
    for (const auto mask : falling(powers_below(Core(procs).ranks))) {
        schedule.push_back({Exchange{mask, mask}, share});
        share *= 2;
    }
    append_fold(schedule, procs, true, 1, false);
    return schedule;
}
Schedule allreduce_ring(int procs, const AlgorithmSettings& /*settings*/) {
    auto schedule = ring(procs, 1.0 / procs, true);
    append_steps(schedule, ring(procs, 1.0 / procs, false));
    return schedule;
}

Schedule reduce_binomial(int procs, const AlgorithmSettings& /*settings*/) {
    return tree_up(procs, 1, false, true);
}
Schedule reduce_rabenseifner(int procs, const AlgorithmSettings& /*settings*/) {
    auto schedule = halving_nearest_first(procs);
    double share = 1 / static_cast<double>(Core(procs).ranks);
    for (const auto half : falling(powers_below(Core(procs).ranks))) {
        schedule.push_back({Collapse{half}, share});
        share *= 2;
    }
    return schedule;
}

Schedule gather_binomial(int procs, const AlgorithmSettings& /*settings*/) {
    return tree_up(procs, 1, true, false);
}
Schedule scatter_binomial(int procs, const AlgorithmSettings& /*settings*/) {
    return tree_down(procs, 1, true);
}
Schedule linear(int /*procs*/, const AlgorithmSettings& /*settings*/) {
    return {{Fan{}, 1}};
}

Schedule dissemination(int procs, const AlgorithmSettings& /*settings*/) {
    Schedule schedule;
    for (const auto distance : powers_below(procs)) {
        schedule.push_back({Shift{distance, distance}, 0});
    }
    return schedule;
}

constexpr auto table = std::to_array<Algorithm>({
    {"bcast", "binomial", "lg p (alpha + n beta)", bcast_binomial},
    {"bcast", "scatter_rd_allgather", "2 lg p alpha + 2 (p-1)/p n beta", bcast_scatter_doubling},
    {"bcast", "scatter_ring_allgather", "(lg p + p-1) alpha + 2 (p-1)/p n beta", bcast_scatter_ring},
    {"bcast", "chain", "(p-2 + n/s) (alpha + s beta), in segments of s bytes", bcast_chain},
    {"alltoall", "bruck", "lg p (alpha + p/2 b beta)", alltoall_bruck},
    {"alltoall", "isend_irecv", "alpha + (p-2) o + (p-1) b beta", alltoall_at_once},
    {"alltoall", "pairwise_exchange", "(p-1) (alpha + b beta)", alltoall_exchange},
    {"alltoall", "pairwise_shift", "(p-1) (alpha + b beta)", alltoall_shift},
    {"allgather", "recursive_doubling", "lg p alpha + (p-1) b beta", allgather_recursive},
    {"allgather", "bruck", "lg p alpha + (p-1) b beta", allgather_bruck},
    {"allgather", "ring", "(p-1) (alpha + b beta)", allgather_ring},
    {"allgather", "neighbor_exchange", "p/2 alpha + (p-1) b beta", allgather_neighbours},
    {"reduce_scatter", "recursive_halving", "lg p alpha + (p-1) b (beta + gamma)", reduce_scatter_halving},
    {"reduce_scatter", "recursive_doubling", "lg p alpha + (p lg p - (p-1)) b (beta + gamma)",
     reduce_scatter_doubling},
    {"reduce_scatter", "pairwise", "(p-1) (alpha + b (beta + gamma))", reduce_scatter_pairwise},
    {"allreduce", "recursive_doubling", "lg p (alpha + n (beta + gamma))", allreduce_doubling},
    {"allreduce", "rabenseifner", "2 lg p alpha + (p-1)/p n (2 beta + gamma)", allreduce_rabenseifner},
    {"allreduce", "ring", "2 (p-1) alpha + (p-1)/p n (2 beta + gamma)", allreduce_ring},
    {"reduce", "binomial", "lg p (alpha + n (beta + gamma))", reduce_binomial},
    {"reduce", "rabenseifner", "2 lg p alpha + (p-1)/p n (2 beta + gamma)", reduce_rabenseifner},
    {"gather", "binomial", "lg p alpha + (p-1) b beta", gather_binomial},
    {"gather", "linear", "alpha + (p-2) o + (p-1) b beta", linear},
    {"scatter", "binomial", "lg p alpha + (p-1) b beta", scatter_binomial},
    {"scatter", "linear", "alpha + (p-2) o + (p-1) b beta", linear},
    {"barrier", "dissemination", "lg p alpha", dissemination},
});

}  // namespace

std::span<const Algorithm> algorithms() {
    return table;
}

std::vector<const Algorithm*> algorithms_of(std::string_view operation) {
    std::vector<const Algorithm*> found;
    for (const auto& algorithm : table) {
        if (algorithm.operation == operation) {
            found.push_back(&algorithm);
        }
    }
    return found;
}

std::vector<std::string> modelled_operations() {
    std::vector<std::string> names;
    for (const auto& algorithm : table) {
        if (names.empty() || names.back() != algorithm.operation) {
            names.emplace_back(algorithm.operation);
        }
    }
    return names;
}

}  // namespace fathom::tune
