// Reference algorithms: each against the library's result, or one worked out by hand, for all roots, odd
// sizes, datatypes with gaps, operations that do not commute, in place, and one call after the other.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <mpi.h>

#include "base/error.hpp"
#include "collectives/reference/algorithms.hpp"
#include "collectives/reference/reference_collective.hpp"
#include "mpi/check.hpp"
#include "mpi/reducible.hpp"
#include "plan/reference_algorithms.hpp"

using namespace fathom;
using collectives::ReferenceCollective;
using collectives::reference::Algorithm;
using collectives::reference::Order;
using test::Affine;
using test::Checks;
using test::contribution;
using test::Gapped;
using test::noise;
using test::of_all;
using test::OwnTypes;

namespace {

using Bytes = std::vector<unsigned char>;

constexpr std::array small_counts{0, 1, 3, 17, 1000};
constexpr int large_count = 65537;

std::size_t at(int index) {
    return static_cast<std::size_t>(index);
}

struct Bed {
    Checks& checks;
    const OwnTypes& types;

    [[nodiscard]] int rank() const { return checks.rank; }
    [[nodiscard]] int size() const { return checks.size; }
    /// All; for large messages the first, the last and one in between.
    [[nodiscard]] std::vector<int> roots(int count) const {
        std::vector<int> all;
        for (int root = 0; root < size(); ++root) {
            if (count < large_count || root == 0 || root == size() - 1 || root == size() / 2) {
                all.push_back(root);
            }
        }
        return all;
    }
};

/// One algorithm under test.
struct Subject {
    const Bed& bed;
    const Algorithm& algorithm;
    ReferenceCollective& collective;

    [[nodiscard]] int rank() const { return bed.rank(); }
    [[nodiscard]] int size() const { return bed.size(); }
    [[nodiscard]] bool takes(bool commutative) const {
        return commutative || algorithm.order == Order::any_order;
    }
    void expect(bool holds, const std::string& what, int line) const {
        if (!holds) {
            bed.checks.expect(
                false, fmt::format("{} {}: {}", algorithm.operation, algorithm.name, what).c_str(), line);
        }
    }
    void expect_done(int code, const std::string& what, int line) const {
        expect(code == MPI_SUCCESS, what + " ends well", line);
    }
};

#define EXPECT_THAT(subject, condition, what) (subject).expect((condition), (what), __LINE__)
#define EXPECT_DONE(subject, code, what) (subject).expect_done((code), (what), __LINE__)

/// What a rank has for another: different for every pair.
Bytes for_rank(int from, int to, int bytes) {
    return noise(1000 * from + to, at(bytes));
}

void append(Bytes& all, const Bytes& more) {
    all.insert(all.end(), more.begin(), more.end());
}

/// Blocks in a row, one for each of the ranks.
template <class Block>
Bytes in_a_row(int ranks, const Block& block) {
    Bytes all;
    for (int rank = 0; rank < ranks; ++rank) {
        append(all, block(rank));
    }
    return all;
}

/// Memory for a result, with one byte more that has to stay.
Bytes room_for(std::size_t bytes) {
    return Bytes(bytes + 1, 7);
}

bool holds(const Bytes& room, const Bytes& expected) {
    return room.back() == 7 && std::equal(expected.begin(), expected.end(), room.begin());
}

void bcast(const Subject& subject, int count) {
    for (const int root : subject.bed.roots(count)) {
        const auto what = fmt::format("{} B from rank {}", count, root);
        const auto source = noise(root, at(count));
        auto buffer = room_for(at(count));
        if (subject.rank() == root) {
            std::copy(source.begin(), source.end(), buffer.begin());
        }
        EXPECT_DONE(subject, subject.collective.bcast(buffer.data(), count, MPI_BYTE, root), what);
        EXPECT_THAT(subject, holds(buffer, source), what);
    }
}

void gather(const Subject& subject, int count) {
    const auto own = noise(subject.rank(), at(count));
    const auto all = in_a_row(subject.size(), [&](int rank) { return noise(rank, at(count)); });
    for (const int root : subject.bed.roots(count)) {
        const auto what = fmt::format("{} B to rank {}", count, root);
        const bool wanted = subject.rank() == root;
        auto buffer = room_for(all.size());
        EXPECT_DONE(subject,
                    subject.collective.gather(own.data(), count, MPI_BYTE, wanted ? buffer.data() : nullptr,
                                              count, MPI_BYTE, root),
                    what);
        EXPECT_THAT(subject, wanted ? holds(buffer, all) : buffer == room_for(all.size()), what);
        auto in_place = room_for(all.size());
        std::copy(own.begin(), own.end(), in_place.begin() + std::ptrdiff_t{root} * count);
        const void* const send = wanted ? MPI_IN_PLACE : own.data();
        subject.collective.gather(send, count, MPI_BYTE, in_place.data(), count, MPI_BYTE, root);
        EXPECT_THAT(subject, !wanted || holds(in_place, all), what + " in place");
    }
}

void scatter(const Subject& subject, int count) {
    for (const int root : subject.bed.roots(count)) {
        const auto what = fmt::format("{} B from rank {}", count, root);
        const bool has_data = subject.rank() == root;
        const auto all = in_a_row(subject.size(), [&](int rank) { return for_rank(root, rank, count); });
        const auto expected = for_rank(root, subject.rank(), count);
        auto buffer = room_for(at(count));
        EXPECT_DONE(subject,
                    subject.collective.scatter(has_data ? all.data() : nullptr, count, MPI_BYTE,
                                               buffer.data(), count, MPI_BYTE, root),
                    what);
        EXPECT_THAT(subject, holds(buffer, expected), what);
        buffer = room_for(at(count));
        subject.collective.scatter(all.data(), count, MPI_BYTE, has_data ? MPI_IN_PLACE : buffer.data(),
                                   count, MPI_BYTE, root);
        EXPECT_THAT(subject, has_data ? buffer == room_for(at(count)) : holds(buffer, expected),
                    what + " in place");
    }
}

void allgather(const Subject& subject, int count) {
    const auto what = fmt::format("{} B", count);
    const auto own = noise(subject.rank(), at(count));
    Bytes expected(at(count) * at(subject.size()));
    MPI_Allgather(own.data(), count, MPI_BYTE, expected.data(), count, MPI_BYTE, MPI_COMM_WORLD);
    auto buffer = room_for(expected.size());
    EXPECT_DONE(subject,
                subject.collective.allgather(own.data(), count, MPI_BYTE, buffer.data(), count, MPI_BYTE),
                what);
    EXPECT_THAT(subject, holds(buffer, expected), what);
    buffer = room_for(expected.size());
    std::copy(own.begin(), own.end(), buffer.begin() + std::ptrdiff_t{subject.rank()} * count);
    subject.collective.allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, buffer.data(), count, MPI_BYTE);
    EXPECT_THAT(subject, holds(buffer, expected), what + " in place");
}

void alltoall(const Subject& subject, int count) {
    const auto what = fmt::format("{} B", count);
    const auto mine =
        in_a_row(subject.size(), [&](int rank) { return for_rank(subject.rank(), rank, count); });
    Bytes expected(mine.size());
    MPI_Alltoall(mine.data(), count, MPI_BYTE, expected.data(), count, MPI_BYTE, MPI_COMM_WORLD);
    auto buffer = room_for(expected.size());
    EXPECT_DONE(subject,
                subject.collective.alltoall(mine.data(), count, MPI_BYTE, buffer.data(), count, MPI_BYTE),
                what);
    EXPECT_THAT(subject, holds(buffer, expected), what);
    buffer = room_for(expected.size());
    std::copy(mine.begin(), mine.end(), buffer.begin());
    subject.collective.alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, buffer.data(), count, MPI_BYTE);
    EXPECT_THAT(subject, holds(buffer, expected), what + " in place");
}

/// Of bytes, by an operation of the library.
void reduce(const Subject& subject, int count) {
    const auto mine = noise(subject.rank(), at(count));
    Bytes expected(at(count));
    MPI_Allreduce(mine.data(), expected.data(), count, MPI_BYTE, MPI_BXOR, MPI_COMM_WORLD);
    for (const int root : subject.bed.roots(count)) {
        const auto what = fmt::format("{} B to rank {}", count, root);
        const bool wanted = subject.rank() == root;
        auto buffer = room_for(at(count));
        EXPECT_DONE(subject,
                    subject.collective.reduce(mine.data(), wanted ? buffer.data() : nullptr, count, MPI_BYTE,
                                              MPI_BXOR, root),
                    what);
        EXPECT_THAT(subject, wanted ? holds(buffer, expected) : buffer == room_for(at(count)), what);
        std::copy(mine.begin(), mine.end(), buffer.begin());
        subject.collective.reduce(wanted ? MPI_IN_PLACE : mine.data(), buffer.data(), count, MPI_BYTE,
                                  MPI_BXOR, root);
        EXPECT_THAT(subject, !wanted || holds(buffer, expected), what + " in place");
    }
}

void allreduce(const Subject& subject, int count) {
    const auto what = fmt::format("{} B", count);
    const auto mine = noise(subject.rank(), at(count));
    Bytes expected(at(count));
    MPI_Allreduce(mine.data(), expected.data(), count, MPI_BYTE, MPI_BXOR, MPI_COMM_WORLD);
    auto buffer = room_for(at(count));
    EXPECT_DONE(subject, subject.collective.allreduce(mine.data(), buffer.data(), count, MPI_BYTE, MPI_BXOR),
                what);
    EXPECT_THAT(subject, holds(buffer, expected), what);
    std::copy(mine.begin(), mine.end(), buffer.begin());
    subject.collective.allreduce(MPI_IN_PLACE, buffer.data(), count, MPI_BYTE, MPI_BXOR);
    EXPECT_THAT(subject, holds(buffer, expected), what + " in place");
}

/// Uneven blocks, some of them empty.
std::vector<int> uneven_counts(int ranks, int about) {
    std::vector<int> counts;
    for (int rank = 0; rank < ranks; ++rank) {
        counts.push_back(rank % 4 == 2 ? 0 : about + rank % 3);
    }
    return counts;
}

void reduce_scatter(const Subject& subject, const std::vector<int>& counts, const std::string& what) {
    std::size_t total = 0;
    std::size_t start = 0;
    for (int rank = 0; rank < subject.size(); ++rank) {
        start = rank == subject.rank() ? total : start;
        total += at(counts[at(rank)]);
    }
    const auto mine = noise(subject.rank(), total);
    Bytes sum(total);
    MPI_Allreduce(mine.data(), sum.data(), static_cast<int>(total), MPI_BYTE, MPI_BXOR, MPI_COMM_WORLD);
    const auto first = sum.begin() + static_cast<std::ptrdiff_t>(start);
    const Bytes expected(first, first + counts[at(subject.rank())]);
    auto buffer = room_for(expected.size());
    EXPECT_DONE(
        subject,
        subject.collective.reduce_scatter(mine.data(), buffer.data(), counts.data(), MPI_BYTE, MPI_BXOR),
        what);
    EXPECT_THAT(subject, holds(buffer, expected), what);
    auto in_place = room_for(total);
    std::copy(mine.begin(), mine.end(), in_place.begin());
    subject.collective.reduce_scatter(MPI_IN_PLACE, in_place.data(), counts.data(), MPI_BYTE, MPI_BXOR);
    EXPECT_THAT(subject, holds(in_place, expected), what + " in place");
}

void reduce_scatter(const Subject& subject, int count) {
    reduce_scatter(subject, std::vector<int>(at(subject.size()), count), fmt::format("{} B each", count));
    reduce_scatter(subject, uneven_counts(subject.size(), count), fmt::format("about {} B each", count));
    const auto total = at(count) * at(subject.size());
    const auto mine = noise(subject.rank(), total);
    Bytes expected(at(count));
    MPI_Reduce_scatter_block(mine.data(), expected.data(), count, MPI_BYTE, MPI_BXOR, MPI_COMM_WORLD);
    auto buffer = room_for(at(count));
    subject.collective.reduce_scatter_block(mine.data(), buffer.data(), count, MPI_BYTE, MPI_BXOR);
    EXPECT_THAT(subject, holds(buffer, expected), fmt::format("{} B in equal blocks", count));
}

void of_bytes(const Subject& subject, int count) {
    const auto operation = subject.algorithm.operation;
    if (operation == "bcast") {
        bcast(subject, count);
    } else if (operation == "gather") {
        gather(subject, count);
    } else if (operation == "scatter") {
        scatter(subject, count);
    } else if (operation == "allgather") {
        allgather(subject, count);
    } else if (operation == "alltoall") {
        alltoall(subject, count);
    } else if (operation == "reduce") {
        reduce(subject, count);
    } else if (operation == "allreduce") {
        allreduce(subject, count);
    } else if (operation == "reduce_scatter") {
        reduce_scatter(subject, count);
    } else {
        EXPECT_DONE(subject, subject.collective.barrier(), "a barrier");
    }
}

// Elements with gaps, whose order counts. Values in gaps are those of the memory they are in.

constexpr std::uint32_t gap_of_inputs = 11;
constexpr std::uint32_t gap_of_outputs = 22;

Gapped gapped(const Affine& map, std::uint32_t gap) {
    return {map.factor, gap, map.summand, gap};
}

template <class Map>
std::vector<Gapped> gapped_maps(std::size_t count, std::uint32_t gap, const Map& map) {
    std::vector<Gapped> all;
    for (std::size_t i = 0; i < count; ++i) {
        all.push_back(gapped(map(i), gap));
    }
    return all;
}

bool same(const std::vector<Gapped>& one, const std::vector<Gapped>& other) {
    return one.size() == other.size() &&
           (one.empty() || std::memcmp(one.data(), other.data(), one.size() * sizeof(Gapped)) == 0);
}

std::vector<Gapped> unwritten(std::size_t count) {
    return gapped_maps(count, gap_of_outputs, [](std::size_t /*any*/) { return Affine{}; });
}

void gapped_reductions(const Subject& subject, int count) {
    const auto operation = subject.algorithm.operation;
    const auto type = subject.bed.types.gapped;
    const auto op = subject.bed.types.join_gapped;
    const bool in_blocks = operation == "reduce_scatter";
    const auto total = at(count) * (in_blocks ? at(subject.size()) : 1);
    const auto mine =
        gapped_maps(total, gap_of_inputs, [&](std::size_t i) { return contribution(subject.rank(), i); });
    const auto untouched = mine;
    auto result = unwritten(at(count));
    const auto first = in_blocks ? at(subject.rank() * count) : 0;
    const auto expected = gapped_maps(at(count), gap_of_outputs,
                                      [&](std::size_t i) { return of_all(subject.size(), first + i); });
    const auto what = fmt::format("{} maps with gaps", count);
    if (operation == "allreduce") {
        EXPECT_DONE(subject, subject.collective.allreduce(mine.data(), result.data(), count, type, op), what);
        EXPECT_THAT(subject, same(result, expected), what);
    } else if (operation == "reduce_scatter") {
        EXPECT_DONE(subject,
                    subject.collective.reduce_scatter_block(mine.data(), result.data(), count, type, op),
                    what);
        EXPECT_THAT(subject, same(result, expected), what);
        auto in_place = mine;
        subject.collective.reduce_scatter_block(MPI_IN_PLACE, in_place.data(), count, type, op);
        in_place.resize(at(count));
        EXPECT_THAT(
            subject,
            same(in_place, gapped_maps(at(count), gap_of_inputs,
                                       [&](std::size_t i) { return of_all(subject.size(), first + i); })),
            what + " in place");
    } else {
        for (const int root : subject.bed.roots(count)) {
            result = unwritten(at(count));
            EXPECT_DONE(subject, subject.collective.reduce(mine.data(), result.data(), count, type, op, root),
                        what);
            EXPECT_THAT(subject, same(result, subject.rank() == root ? expected : unwritten(at(count))),
                        what);
        }
    }
    EXPECT_THAT(subject, same(mine, untouched), "the contribution is untouched");
}

/// Maps of two numbers in a row, by the library where it can.
void ordered_reductions(const Subject& subject, int count) {
    const auto operation = subject.algorithm.operation;
    const auto type = subject.bed.types.affine;
    const auto op = subject.bed.types.join_affine;
    const bool in_blocks = operation == "reduce_scatter";
    const auto total = at(count) * (in_blocks ? at(subject.size()) : 1);
    std::vector<Affine> mine;
    std::vector<Affine> expected;
    for (std::size_t i = 0; i < total; ++i) {
        mine.push_back(contribution(subject.rank(), i));
        expected.push_back(of_all(subject.size(), i));
    }
    std::vector<Affine> result(at(count));
    const auto what = fmt::format("{} maps", count);
    if (operation == "allreduce") {
        EXPECT_DONE(subject, subject.collective.allreduce(mine.data(), result.data(), count, type, op), what);
        EXPECT_THAT(subject, result == expected, what);
        if (!probe::mpi::simulated) {
            std::vector<Affine> of_library(at(count));
            MPI_Allreduce(mine.data(), of_library.data(), count, type, op, MPI_COMM_WORLD);
            EXPECT_THAT(subject, result == of_library, what + " as the library has them");
        }
    } else if (operation == "reduce") {
        for (const int root : subject.bed.roots(count)) {
            std::fill(result.begin(), result.end(), Affine{});
            EXPECT_DONE(subject, subject.collective.reduce(mine.data(), result.data(), count, type, op, root),
                        what);
            EXPECT_THAT(subject, subject.rank() != root || result == expected, what);
        }
    } else {
        const std::vector<int> counts(at(subject.size()), count);
        EXPECT_DONE(subject,
                    subject.collective.reduce_scatter(mine.data(), result.data(), counts.data(), type, op),
                    what);
        const auto first = expected.begin() + std::ptrdiff_t{subject.rank()} * count;
        EXPECT_THAT(subject, std::equal(result.begin(), result.end(), first), what);
    }
}

/// Senders and receivers describe the same data by different types, one of them with gaps.
void moved_with_gaps(const Subject& subject, int count) {
    const auto operation = subject.algorithm.operation;
    auto& collective = subject.collective;
    const auto type = subject.bed.types.gapped;
    const int numbers = 2 * count;
    const int ranks = subject.size();
    const auto mine = [&](int rank, int blocks) {
        std::vector<Affine> all;
        for (std::size_t i = 0; i < at(count) * at(blocks); ++i) {
            all.push_back(contribution(rank, i));
        }
        return all;
    };
    // What has come, as block `block` of rank `from`, where blocks of the result are in a row.
    const auto expect = [&](const std::vector<Gapped>& result, const auto& block_of, const char* what) {
        const auto blocks = result.size() / at(count);
        auto expected = unwritten(result.size());
        for (std::size_t number = 0; number < blocks; ++number) {
            const auto [from, block] = block_of(static_cast<int>(number));
            for (std::size_t i = 0; i < at(count); ++i) {
                expected[number * at(count) + i] =
                    gapped(contribution(from, at(block) * at(count) + i), gap_of_outputs);
            }
        }
        EXPECT_THAT(subject, same(result, expected), fmt::format("{} of {} with gaps", what, count));
    };
    struct Source {
        int from;
        int block;
    };
    if (operation == "allgather") {
        auto result = unwritten(at(count * ranks));
        collective.allgather(mine(subject.rank(), 1).data(), numbers, MPI_UINT32_T, result.data(), count,
                             type);
        expect(
            result,
            [](int number) {
                return Source{number, 0};
            },
            "blocks");
    } else if (operation == "alltoall") {
        auto result = unwritten(at(count * ranks));
        collective.alltoall(mine(subject.rank(), ranks).data(), numbers, MPI_UINT32_T, result.data(), count,
                            type);
        expect(
            result,
            [&](int number) {
                return Source{number, subject.rank()};
            },
            "blocks");
        // In place.
        for (int block = 0; block < ranks; ++block) {
            for (std::size_t i = 0; i < at(count); ++i) {
                result[at(block * count) + i] =
                    gapped(contribution(subject.rank(), at(block * count) + i), gap_of_outputs);
            }
        }
        collective.alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, result.data(), count, type);
        expect(
            result,
            [&](int number) {
                return Source{number, subject.rank()};
            },
            "blocks in place");
    }
    for (const int root : subject.bed.roots(count)) {
        const bool at_root = subject.rank() == root;
        auto one = unwritten(at(count));
        auto all = unwritten(at(count * ranks));
        if (operation == "bcast") {
            auto source = mine(root, 1);
            if (at_root) {
                collective.bcast(source.data(), count, subject.bed.types.affine, root);
            } else {
                collective.bcast(one.data(), count, type, root);
                expect(
                    one,
                    [&](int /*only*/) {
                        return Source{root, 0};
                    },
                    "bcast");
            }
        } else if (operation == "scatter") {
            collective.scatter(mine(root, ranks).data(), numbers, MPI_UINT32_T, one.data(), count, type,
                               root);
            expect(
                one,
                [&](int /*only*/) {
                    return Source{root, subject.rank()};
                },
                "a block");
        } else if (operation == "gather") {
            collective.gather(mine(subject.rank(), 1).data(), numbers, MPI_UINT32_T, all.data(), count, type,
                              root);
            if (at_root) {
                expect(
                    all,
                    [](int number) {
                        return Source{number, 0};
                    },
                    "blocks");
            }
        }
    }
}

bool reduces(const Algorithm& algorithm) {
    return algorithm.operation.find("reduce") != std::string_view::npos;
}

void every_algorithm_is_right(const Bed& bed) {
    for (const auto& algorithm : collectives::reference::algorithms()) {
        ReferenceCollective collective(MPI_COMM_WORLD, algorithm.operation, algorithm.name,
                                       {.largest_bytes = at(large_count) * at(bed.size())});
        const Subject subject{bed, algorithm, collective};
        for (const int count : small_counts) {
            of_bytes(subject, count);
        }
        of_bytes(subject, large_count);
        if (!reduces(algorithm)) {
            if (algorithm.operation != "barrier") {
                moved_with_gaps(subject, 5);
            }
            continue;
        }
        if (subject.takes(false)) {
            for (const int count : small_counts) {
                ordered_reductions(subject, count);
            }
            gapped_reductions(subject, 1);
            gapped_reductions(subject, 41);
        }
    }
}

/// Memory made for less than comes, and a pipeline of many segments.
void algorithms_take_more_than_they_were_made_for(const Bed& bed) {
    constexpr int several = 333;
    for (const auto& algorithm : collectives::reference::algorithms()) {
        ReferenceCollective collective(MPI_COMM_WORLD, algorithm.operation, algorithm.name,
                                       {.largest_bytes = 8, .segment_bytes = 10});
        const Subject subject{bed, algorithm, collective};
        of_bytes(subject, several);
        of_bytes(subject, 1);
    }
}

/// Nothing separates the calls, and ranks run ahead of each other where an operation lets them.
void calls_follow_each_other_without_mixing(const Bed& bed) {
    std::vector<std::unique_ptr<ReferenceCollective>> all;
    for (const auto& algorithm : collectives::reference::algorithms()) {
        all.push_back(std::make_unique<ReferenceCollective>(
            MPI_COMM_WORLD, algorithm.operation, algorithm.name,
            collectives::ReferenceOptions{.largest_bytes = 64 * at(bed.size())}));
    }
    // Ranks that share a core wait for each other's time slices, many simulated ones for each other's turns.
    constexpr int few_ranks = 2;
    const int calls = bed.size() > few_ranks ? 30 : 300;
    const std::int64_t ranks = bed.size();
    int wrong = 0;
    for (int call = 0; call < calls; ++call) {
        for (std::size_t i = 0; i < all.size(); ++i) {
            const auto operation = collectives::reference::algorithms()[i].operation;
            const int root = call % bed.size();
            const std::int64_t mine = bed.rank() + std::int64_t{call};
            const std::int64_t sum = ranks * (ranks - 1) / 2 + ranks * call;
            std::int64_t result = -1;
            if (operation == "bcast") {
                result = bed.rank() == root ? call : -1;
                all[i]->bcast(&result, 1, MPI_INT64_T, root);
                wrong += result == call ? 0 : 1;
            } else if (operation == "reduce") {
                all[i]->reduce(&mine, &result, 1, MPI_INT64_T, MPI_SUM, root);
                wrong += bed.rank() != root || result == sum ? 0 : 1;
            } else if (operation == "allreduce") {
                all[i]->allreduce(&mine, &result, 1, MPI_INT64_T, MPI_SUM);
                wrong += result == sum ? 0 : 1;
            } else if (operation == "gather") {
                std::vector<std::int64_t> gathered(at(bed.size()));
                all[i]->gather(&mine, 1, MPI_INT64_T, gathered.data(), 1, MPI_INT64_T, root);
                wrong += bed.rank() != root || gathered.back() == ranks - 1 + call ? 0 : 1;
            } else if (operation == "barrier") {
                all[i]->barrier();
            }
        }
    }
    FATHOM_EXPECT(bed.checks, wrong == 0);
}

void what_cannot_be_performed_is_refused(const Bed& bed) {
    int value = 0;
    int result = 0;
    ReferenceCollective ring(MPI_COMM_WORLD, "allreduce", "ring", {});
    FATHOM_EXPECT(bed.checks,
                  ring.allreduce(&value, &result, 1, bed.types.affine, bed.types.join_affine) == MPI_ERR_OP);
    FATHOM_EXPECT(bed.checks, ring.barrier() == MPI_ERR_UNSUPPORTED_OPERATION);
    ReferenceCollective bcast(MPI_COMM_WORLD, "bcast", "binomial", {});
    FATHOM_EXPECT(bed.checks, bcast.bcast(&value, -1, MPI_INT, 0) == MPI_ERR_COUNT);
    FATHOM_EXPECT(bed.checks, bcast.bcast(&value, 1, MPI_INT, bed.size()) == MPI_ERR_ROOT);
    std::string refusal;
    try {
        ReferenceCollective(MPI_COMM_WORLD, "bcast", "ring", {});
    } catch (const BadInput& error) {
        refusal = error.what();
    }
    FATHOM_EXPECT(bed.checks, refusal == "no reference algorithm 'ring' performs bcast");
}

void the_registry_of_plans_has_the_same_algorithms(const Bed& bed) {
    const auto planned = plan::reference_algorithms();
    const auto performed = collectives::reference::algorithms();
    FATHOM_EXPECT(bed.checks, std::equal(planned.begin(), planned.end(), performed.begin(), performed.end(),
                                         [](const auto& one, const auto& other) {
                                             return one.operation == other.operation &&
                                                    one.name == other.name &&
                                                    one.commutative == (other.order == Order::commutative);
                                         }));
}

}  // namespace

int main(int argc, char** argv) {
    return test::run_on_all_ranks(argc, argv, [](Checks& checks) {
        const OwnTypes types;
        const Bed bed{.checks = checks, .types = types};
        every_algorithm_is_right(bed);
        algorithms_take_more_than_they_were_made_for(bed);
        calls_follow_each_other_without_mixing(bed);
        what_cannot_be_performed_is_refused(bed);
        the_registry_of_plans_has_the_same_algorithms(bed);
    });
}
