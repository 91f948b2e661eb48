// Collectives over trees: every shape, kind of edge, operation and size, against the library's result or one
// worked out by hand; events; simulated edges of shared memory.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <mpi.h>

#include "collectives/event_ring.hpp"
#include "collectives/host_memory.hpp"
#include "collectives/tree_collective.hpp"
#include "mpi/check.hpp"
#include "mpi/reducible.hpp"
#include "mpi/tree_shapes.hpp"

using namespace fathom;
using collectives::EventRing;
using collectives::TreeCollective;
using test::Affine;
using test::at;
using test::Checks;
using test::contribution;
using test::Gapped;
using test::noise;
using test::OwnTypes;
using tree::EdgeKind;
using tree::Tree;

namespace {

struct Bed {
    Checks& checks;
    std::vector<int> hosts;

    [[nodiscard]] int rank() const { return checks.rank; }
    [[nodiscard]] int size() const { return checks.size; }
    [[nodiscard]] std::vector<int> roots() const {
        if (size() == 1) {
            return {0};
        }
        return {0, size() - 1, size() / 2};
    }
};

void expect(const Bed& bed, bool holds, const Tree& made, const std::string& what, int line) {
    if (!holds) {
        bed.checks.expect(false, fmt::format("{}: {}", made.name, what).c_str(), line);
    }
}

std::int64_t read_wtime(const void* /*state*/) {
    constexpr double ns_per_s = 1e9;
    return static_cast<std::int64_t>(MPI_Wtime() * ns_per_s);
}

void bytes_are_as_the_library_has_them(const Bed& bed, const Tree& made, TreeCollective& collective,
                                       int bytes) {
    const auto mine = noise(bed.rank(), at(bytes));
    std::vector<unsigned char> expected(at(bytes) + 1, 7);
    std::vector<unsigned char> result(at(bytes) + 1, 7);
    MPI_Allreduce(mine.data(), expected.data(), bytes, MPI_BYTE, MPI_BXOR, MPI_COMM_WORLD);
    const auto what = [&](const char* operation) { return fmt::format("{} of {} B", operation, bytes); };

    expect(bed, collective.allreduce(mine.data(), result.data(), bytes, MPI_BYTE, MPI_BXOR) == MPI_SUCCESS,
           made, what("allreduce ends well"), __LINE__);
    expect(bed, result == expected, made, what("allreduce"), __LINE__);
    std::copy(mine.begin(), mine.end(), result.begin());
    collective.allreduce(MPI_IN_PLACE, result.data(), bytes, MPI_BYTE, MPI_BXOR);
    expect(bed, result == expected, made, what("allreduce in place"), __LINE__);

    for (const int root : bed.roots()) {
        const bool wanted = bed.rank() == root;
        std::fill(result.begin(), result.end(), static_cast<unsigned char>(7));
        const auto before = result;
        collective.reduce(mine.data(), wanted ? result.data() : nullptr, bytes, MPI_BYTE, MPI_BXOR, root);
        expect(bed, result == (wanted ? expected : before), made, what("reduce"), __LINE__);

        const auto source = noise(root + 100, at(bytes));
        std::vector<unsigned char> buffer = wanted ? source : std::vector<unsigned char>(at(bytes));
        buffer.resize(at(bytes) + 1, 9);
        collective.bcast(buffer.data(), bytes, MPI_BYTE, root);
        expect(bed, std::equal(source.begin(), source.end(), buffer.begin()) && buffer.back() == 9, made,
               what("bcast"), __LINE__);
    }
    if (bed.size() > 1) {
        const int root = bed.size() - 1;
        std::copy(mine.begin(), mine.end(), result.begin());
        const bool wanted = bed.rank() == root;
        collective.reduce(wanted ? MPI_IN_PLACE : result.data(), result.data(), bytes, MPI_BYTE, MPI_BXOR,
                          root);
        expect(bed, !wanted || result == expected, made, what("reduce in place"), __LINE__);
    }
}

void ranks_stay_in_order(const Bed& bed, const Tree& made, TreeCollective& collective, const OwnTypes& types,
                         int count) {
    std::vector<Affine> mine;
    std::vector<Affine> expected;
    for (std::size_t i = 0; i < at(count); ++i) {
        mine.push_back(contribution(bed.rank(), i));
        expected.push_back(test::of_all(bed.size(), i));
    }
    std::vector<Affine> result(at(count));
    collective.allreduce(mine.data(), result.data(), count, types.affine, types.join_affine);
    expect(bed, result == expected, made, fmt::format("allreduce of {} maps", count), __LINE__);
    if (!probe::mpi::simulated) {
        std::vector<Affine> of_library(at(count));
        MPI_Allreduce(mine.data(), of_library.data(), count, types.affine, types.join_affine, MPI_COMM_WORLD);
        expect(bed, result == of_library, made, "maps as the library has them", __LINE__);
    }
    for (const int root : bed.roots()) {
        std::fill(result.begin(), result.end(), Affine{});
        collective.reduce(mine.data(), result.data(), count, types.affine, types.join_affine, root);
        expect(bed, bed.rank() != root || result == expected, made, fmt::format("reduce of {} maps", count),
               __LINE__);
    }
    // Two descriptions of the same data.
    auto buffer = bed.rank() == 0 ? expected : std::vector<Affine>(at(count));
    if (bed.rank() == 0) {
        collective.bcast(buffer.data(), count, types.affine, 0);
    } else {
        collective.bcast(buffer.data(), 2 * count, MPI_UINT32_T, 0);
    }
    expect(bed, buffer == expected, made, "bcast of maps", __LINE__);
}

bool gaps_are(const std::vector<Gapped>& elements, std::uint32_t value) {
    return std::all_of(elements.begin(), elements.end(), [&](const Gapped& element) {
        return element.first_gap == value && element.second_gap == value;
    });
}

bool equal_maps(const std::vector<Gapped>& elements, int ranks) {
    for (std::size_t i = 0; i < elements.size(); ++i) {
        if (!(Affine{elements[i].factor, elements[i].summand} == test::of_all(ranks, i))) {
            return false;
        }
    }
    return true;
}

void gaps_stay_as_they_were(const Bed& bed, const Tree& made, TreeCollective& collective,
                            const OwnTypes& types, int count) {
    std::vector<Gapped> mine;
    for (std::size_t i = 0; i < at(count); ++i) {
        const auto map = contribution(bed.rank(), i);
        mine.push_back({map.factor, 11, map.summand, 11});
    }
    std::vector<Gapped> result(at(count), {0, 22, 0, 22});
    collective.allreduce(mine.data(), result.data(), count, types.gapped, types.join_gapped);
    expect(bed, equal_maps(result, bed.size()) && gaps_are(result, 22), made, "allreduce of gapped maps",
           __LINE__);
    expect(bed, gaps_are(mine, 11), made, "the contribution is untouched", __LINE__);

    const int root = bed.size() - 1;
    auto in_place = mine;
    collective.reduce(bed.rank() == root ? MPI_IN_PLACE : mine.data(), in_place.data(), count, types.gapped,
                      types.join_gapped, root);
    expect(bed, bed.rank() != root || (equal_maps(in_place, bed.size()) && gaps_are(in_place, 11)), made,
           "reduce of gapped maps in place", __LINE__);

    std::vector<Gapped> buffer(at(count), {0, 33, 0, 33});
    if (bed.rank() == root) {
        for (std::size_t i = 0; i < at(count); ++i) {
            const auto map = test::of_all(bed.size(), i);
            buffer[i] = {map.factor, 33, map.summand, 33};
        }
    }
    collective.bcast(buffer.data(), count, types.gapped, root);
    expect(bed, equal_maps(buffer, bed.size()) && gaps_are(buffer, 33), made, "bcast of gapped maps",
           __LINE__);
}

void everything_with(const Bed& bed, Tree made, const OwnTypes& types, bool large) {
    constexpr int odd = 13;
    constexpr int above_64k = 64 * 1024 + 1;
    constexpr int large_bytes = 1024 * 1024;  // far above what any library sends without asking the receiver
    {
        TreeCollective collective(MPI_COMM_WORLD, made, {.largest_bytes = at(large_bytes)});
        for (const int bytes : {0, 1, odd, above_64k}) {
            bytes_are_as_the_library_has_them(bed, made, collective, bytes);
        }
        if (large) {
            bytes_are_as_the_library_has_them(bed, made, collective, large_bytes);
        }
        for (const int count : {1, odd}) {
            ranks_stay_in_order(bed, made, collective, types, count);
            gaps_stay_as_they_were(bed, made, collective, types, count);
        }
        FATHOM_EXPECT(bed.checks, collective.barrier() == MPI_SUCCESS);
    }
    // Segments that hold a few elements, and buffers made for less than is sent.
    made.segment = Bytes{100};
    made.name += ", in segments";
    TreeCollective collective(MPI_COMM_WORLD, made, {.largest_bytes = 40});
    constexpr int several_segments = 333;
    bytes_are_as_the_library_has_them(bed, made, collective, several_segments);
    ranks_stay_in_order(bed, made, collective, types, several_segments);
    gaps_stay_as_they_were(bed, made, collective, types, several_segments);
}

/// As different trees need: kinds in turn, so that joins wait for several of them.
EdgeKind kind_in_turn(int node) {
    return values_of<EdgeKind>[at(node) % values_of<EdgeKind>.size()];
}

void every_shape_and_kind_of_edge_is_right(const Bed& bed, const OwnTypes& types) {
    for (const auto& shape : test::all_shapes(bed.size())) {
        for (const auto kind : values_of<EdgeKind>) {
            // Simulated edges of all kinds are messages.
            if (probe::mpi::simulated && kind != EdgeKind::message) {
                continue;
            }
            auto made = test::with_edges(shape, bed.hosts, kind);
            made.name += fmt::format(", {}", to_text(kind));
            everything_with(bed, made, types, true);
        }
        if (!probe::mpi::simulated) {
            auto mixed = test::with_edges(shape, bed.hosts, kind_in_turn);
            mixed.name += ", mixed";
            everything_with(bed, mixed, types, false);
        }
    }
}

/// Nothing separates the calls, and ranks run ahead of each other where an operation lets them.
void calls_follow_each_other_without_mixing(const Bed& bed, EdgeKind kind, int calls) {
    const auto first = test::with_edges(test::binomial(bed.size()), bed.hosts, kind);
    const auto second = test::with_edges(test::scattered(bed.size()), bed.hosts, kind);
    TreeCollective one(MPI_COMM_WORLD, first, {.largest_bytes = 64});
    TreeCollective other(MPI_COMM_WORLD, second, {.largest_bytes = 64});
    int wrong = 0;
    const std::int64_t ranks = bed.size();
    const std::int64_t sum_of_ranks = ranks * (ranks - 1) / 2;
    for (int call = 0; call < calls; ++call) {
        auto& collective = call % 2 == 0 ? one : other;
        const int root = call / 7 % bed.size();
        const std::int64_t mine = bed.rank() + std::int64_t{call};
        std::int64_t result = -1;
        const std::int64_t expected = sum_of_ranks + ranks * call;
        switch (call / 2 % 5) {
            case 0:
            case 1:
                collective.allreduce(&mine, &result, 1, MPI_INT64_T, MPI_SUM);
                wrong += result == expected ? 0 : 1;
                break;
            case 2:
                collective.reduce(&mine, &result, 1, MPI_INT64_T, MPI_SUM, root);
                wrong += bed.rank() != root || result == expected ? 0 : 1;
                break;
            case 3:
                result = bed.rank() == root ? expected : -1;
                collective.bcast(&result, 1, MPI_INT64_T, root);
                wrong += result == expected ? 0 : 1;
                break;
            default:
                collective.barrier();
        }
    }
    FATHOM_EXPECT(bed.checks, wrong == 0);
    FATHOM_EXPECT(bed.checks, one.calls() + other.calls() == static_cast<std::uint32_t>(calls));
}

/// Ranks that only send, or only receive, run ahead as far as the rings let them.
void one_way_calls_do_not_overtake(const Bed& bed, EdgeKind kind) {
    const auto made = test::with_edges(test::chain(bed.size()), bed.hosts, kind);
    TreeCollective collective(MPI_COMM_WORLD, made, {.largest_bytes = 64});
    constexpr int calls = 200;
    int wrong = 0;
    for (int call = 0; call < calls; ++call) {
        int result = -1;
        collective.reduce(&call, &result, 1, MPI_INT, MPI_MAX, 0);
        wrong += bed.rank() != 0 || result == call ? 0 : 1;
    }
    for (int call = 0; call < calls; ++call) {
        int value = bed.rank() == 0 ? call : -1;
        collective.bcast(&value, 1, MPI_INT, 0);
        wrong += value == call ? 0 : 1;
    }
    FATHOM_EXPECT(bed.checks, wrong == 0);
}

int sum_over_ranks(int value) {
    int sum = 0;
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}

void every_collector_has_one_event_a_call(const Bed& bed) {
    for (const auto& shape : test::all_shapes(bed.size())) {
        const auto made = test::with_edges(shape, bed.hosts, EdgeKind::flag);
        TreeCollective collective(MPI_COMM_WORLD, made, {.largest_bytes = 4096});
        EventRing ring(1000);
        const int nodes = static_cast<int>(made.leaves.size() + made.joins.size());
        double mine = 1;
        double sum = 0;
        collective.allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM);
        collective.trace(&ring, {.read = read_wtime, .state = nullptr}, {.every = 2});
        for (int call = 0; call < 4; ++call) {
            collective.allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM);
        }
        // Calls 2 and 4 of 0 to 4. The root has no edge above it, so no collector at its upper end.
        FATHOM_EXPECT(bed.checks, ring.events().size() == 2 * collective.events_per_call());
        FATHOM_EXPECT(bed.checks,
                      sum_over_ranks(static_cast<int>(ring.events().size())) == 2 * (2 * nodes - 1));
        for (const auto& event : ring.events()) {
            FATHOM_EXPECT(bed.checks, event.call == 2 || event.call == 4);
            FATHOM_EXPECT(bed.checks, event.down_ns != tree::Event::never && event.down_ns <= event.up_ns);
        }
        collective.trace(nullptr, {});
        collective.barrier();
        FATHOM_EXPECT(bed.checks, ring.events().size() == 2 * collective.events_per_call());
    }
}

/// A clock that shows how often it was read.
std::int64_t read_count(const void* state) {
    return (*static_cast<std::int64_t*>(const_cast<void*>(state)))++;
}

/// A call that is not traced reads the clock once.
void calls_in_a_window_of_time_are_traced(const Bed& bed) {
    const auto made = test::with_edges(test::all_shapes(bed.size()).front(), bed.hosts, EdgeKind::flag);
    TreeCollective collective(MPI_COMM_WORLD, made, {.largest_bytes = 64});
    EventRing ring(1000);
    std::int64_t reads = 0;
    collective.barrier();
    collective.trace(&ring, {.read = read_count, .state = &reads}, {.from = 3, .until = 4});
    for (int call = 0; call < 10; ++call) {
        collective.barrier();
    }
    FATHOM_EXPECT(bed.checks, ring.events().size() == collective.events_per_call());
    for (const auto& event : ring.events()) {
        FATHOM_EXPECT(bed.checks, event.call == 4);
    }
    collective.trace(&ring, {.read = read_count, .state = &reads}, {.every = 2, .until = 3});
    ring.clear();
    collective.barrier();  // number 11
    collective.barrier();  // is traced, so that the next one is later than the window
    collective.barrier();
    collective.barrier();
    for (const auto& event : ring.events()) {
        FATHOM_EXPECT(bed.checks, event.call == 12);
    }
    FATHOM_EXPECT(bed.checks, ring.events().size() == collective.events_per_call());
}

void events_have_the_ways_that_an_operation_has(const Bed& bed) {
    for (const auto& shape : test::all_shapes(bed.size())) {
        const auto made = test::with_edges(shape, bed.hosts, kind_in_turn);
        TreeCollective collective(MPI_COMM_WORLD, made, {.largest_bytes = 64});
        const int edges = static_cast<int>(made.leaves.size() + made.joins.size()) - 1;
        EventRing ring(1000);
        collective.trace(&ring, {.read = read_wtime, .state = nullptr});
        for (const int root : bed.roots()) {
            double value = 1;
            double sum = 0;
            ring.clear();
            collective.reduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, root);
            int down = 0;
            for (const auto& event : ring.events()) {
                down += event.down_ns != tree::Event::never ? 1 : 0;
            }
            FATHOM_EXPECT(bed.checks, sum_over_ranks(down) == 2 * edges + 1);

            // Every edge is passed once, in one way; the root is passed in both.
            ring.clear();
            collective.bcast(&value, 1, MPI_DOUBLE, root);
            int ways = 0;
            for (const auto& event : ring.events()) {
                ways += event.down_ns != tree::Event::never ? 1 : 0;
                ways += event.up_ns != tree::Event::never ? 1 : 0;
            }
            FATHOM_EXPECT(bed.checks, sum_over_ranks(ways) == 2 * edges + 2);
        }
    }
}

void a_full_ring_counts_what_it_drops(const Bed& bed) {
    TreeCollective collective(MPI_COMM_WORLD, test::flat(bed.size()), {});
    EventRing ring(1);
    collective.trace(&ring, {.read = read_wtime, .state = nullptr});
    for (int call = 0; call < 3; ++call) {
        collective.barrier();
    }
    FATHOM_EXPECT(bed.checks, ring.events().size() == 1);
    FATHOM_EXPECT(bed.checks, ring.events()[0].call == 0);
    FATHOM_EXPECT(bed.checks, ring.dropped() == 3 * collective.events_per_call() - 1);
}

template <class Body>
std::string refusal(const Body& body) {
    try {
        body();
        return {};
    } catch (const std::exception& error) {
        return error.what();
    }
}

void what_cannot_be_performed_is_refused(const Bed& bed) {
    const auto made_with = [&](const Tree& made) {
        return refusal([&] { TreeCollective(MPI_COMM_WORLD, made, {}); });
    };
    FATHOM_EXPECT(bed.checks, made_with(test::flat(bed.size() + 1)) ==
                                  fmt::format("tree 'flat': it has leaves for {} ranks, and there are {}",
                                              bed.size() + 1, bed.size()));
    if (probe::mpi::simulated && bed.size() > 1 && bed.hosts[0] != bed.hosts[1]) {
        auto far = test::flat(bed.size());
        far.leaves[1].edge = EdgeKind::futex;
        FATHOM_EXPECT(
            bed.checks,
            made_with(far) ==
                "tree 'flat': the edge from rank 1 to join 'j0' is a futex, but ranks 1 and 0 are on "
                "different hosts; make it a message");
    }
}

void wrong_arguments_are_returned_as_mpi_does(const Bed& bed, const OwnTypes& types) {
    auto made = test::flat(bed.size());
    made.segment = Bytes{4};
    TreeCollective collective(MPI_COMM_WORLD, made, {.largest_bytes = 1000});
    int value = 0;
    FATHOM_EXPECT(bed.checks, collective.bcast(&value, -1, MPI_INT, 0) == MPI_ERR_COUNT);
    FATHOM_EXPECT(bed.checks, collective.bcast(&value, 1, MPI_INT, bed.size()) == MPI_ERR_ROOT);
    MPI_Datatype wide = MPI_DATATYPE_NULL;
    constexpr int more_than_fits = 100;
    MPI_Type_contiguous(more_than_fits, MPI_INT, &wide);
    MPI_Type_commit(&wide);
    FATHOM_EXPECT(bed.checks,
                  collective.allreduce(nullptr, nullptr, 1, wide, types.join_affine) == MPI_ERR_TYPE);
    MPI_Type_free(&wide);
}

/// What the edge from rank `size - 1` to rank 0 took on the way up, in simulated time, where both share a
/// host.
std::int64_t simulated_way_up(const Bed& bed, double edge_ns) {
    auto made = test::flat(bed.size());
    made.leaves.back().edge = EdgeKind::flag;
    TreeCollective collective(MPI_COMM_WORLD, made, {.largest_bytes = 8, .simulated_edge_ns = edge_ns});
    EventRing ring(1000);
    collective.trace(&ring, {.read = read_wtime, .state = nullptr});
    collective.barrier();
    const auto collector = static_cast<std::uint32_t>(
        tree::collector_of(bed.size() - 1, bed.rank() == 0 ? tree::End::parent : tree::End::own));
    std::int64_t mine = 0;
    for (const auto& event : ring.events()) {
        if (event.collector == collector) {
            mine = bed.rank() == 0 ? -event.up_ns : event.up_ns;
        }
    }
    std::int64_t way = 0;
    MPI_Allreduce(&mine, &way, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    return way;
}

void a_simulated_edge_of_shared_memory_costs_what_it_should(const Bed& bed) {
    if (!probe::mpi::simulated || bed.size() < 2 || bed.hosts.front() != bed.hosts.back()) {
        return;
    }
    const auto free_way = simulated_way_up(bed, 0);
    const auto dear_way = simulated_way_up(bed, 5000);
    FATHOM_EXPECT(bed.checks, std::abs(dear_way - free_way - 5000) <= 2);
}

}  // namespace

int main(int argc, char** argv) {
    return test::run_on_all_ranks(argc, argv, [](Checks& checks) {
        const Bed bed{.checks = checks, .hosts = [] {
                          const collectives::HostMemory hosts(MPI_COMM_WORLD);
                          return std::vector<int>(hosts.host_of().begin(), hosts.host_of().end());
                      }()};
        const OwnTypes types;
        constexpr int few_ranks = 5;
        const int calls = probe::mpi::simulated && bed.size() > few_ranks ? 1'000 : 10'000;
        every_shape_and_kind_of_edge_is_right(bed, types);
        for (const auto kind : values_of<EdgeKind>) {
            if (!probe::mpi::simulated || kind == EdgeKind::flag) {
                calls_follow_each_other_without_mixing(bed, kind, calls);
                one_way_calls_do_not_overtake(bed, kind);
            }
        }
        every_collector_has_one_event_a_call(bed);
        calls_in_a_window_of_time_are_traced(bed);
        events_have_the_ways_that_an_operation_has(bed);
        a_full_ring_counts_what_it_drops(bed);
        what_cannot_be_performed_is_refused(bed);
        wrong_arguments_are_returned_as_mpi_does(bed, types);
        a_simulated_edge_of_shared_memory_costs_what_it_should(bed);
    });
}
