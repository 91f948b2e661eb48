// Trees whose leaves are threads of ranks: every operation by all threads at the same time, against results
// worked out by hand; events of all threads; what is refused.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <mpi.h>

#include "base/error.hpp"
#include "collectives/event_ring.hpp"
#include "collectives/host_memory.hpp"
#include "collectives/tree_collective.hpp"
#include "mpi/check.hpp"
#include "mpi/reducible.hpp"
#include "mpi/tree_shapes.hpp"

using namespace fathom;
using collectives::EventRing;
using collectives::ThreadType;
using collectives::TreeCollective;
using test::Affine;
using test::at;
using test::Checks;
using test::contribution;
using test::Gapped;
using test::noise;
using test::of_all;
using test::OwnTypes;
using tree::EdgeKind;
using tree::Tree;

namespace {

constexpr std::array shared_kinds{EdgeKind::flag, EdgeKind::futex, EdgeKind::condvar};

struct Bed {
    Checks& checks;
    std::vector<int> hosts;

    [[nodiscard]] int rank() const { return checks.rank; }
    [[nodiscard]] int size() const { return checks.size; }
};

/// A datatype as all threads of a rank use it.
struct Type {
    explicit Type(MPI_Datatype datatype) : of_mpi(datatype), of_threads(datatype) {}
    MPI_Datatype of_mpi;
    ThreadType of_threads;
};

/// Types and operations, with their descriptions for threads.
struct Types {
    OwnTypes own;
    Type bytes{MPI_BYTE};
    Type affine{own.affine};
    Type gapped{own.gapped};
    Type numbers{MPI_INT64_T};
};

/// One leaf of this rank, whichever thread performs it.
class Leaf {
  public:
    Leaf(TreeCollective& collective, int thread) : collective_(collective), thread_(thread) {}

    [[nodiscard]] int thread() const { return thread_; }
    int allreduce(const void* send, void* receive, int count, const Type& type, MPI_Op op) {
        return thread_ == 0 ? collective_.allreduce(send, receive, count, type.of_mpi, op)
                            : collective_.thread(thread_).allreduce(send, receive, count, type.of_threads);
    }
    int reduce(const void* send, void* receive, int count, const Type& type, MPI_Op op, int root) {
        return thread_ == 0 ? collective_.reduce(send, receive, count, type.of_mpi, op, root)
                            : collective_.thread(thread_).reduce(send, count, type.of_threads, root);
    }
    int bcast(void* buffer, int count, const Type& type, int root) {
        return thread_ == 0 ? collective_.bcast(buffer, count, type.of_mpi, root)
                            : collective_.thread(thread_).bcast(buffer, count, type.of_threads, root);
    }
    int barrier() { return thread_ == 0 ? collective_.barrier() : collective_.thread(thread_).barrier(); }

  private:
    TreeCollective& collective_;
    int thread_;
};

/// What one thread finds wrong; all of it is reported when it has ended.
class Findings {
  public:
    void expect(bool holds, const std::string& what) {
        if (!holds) {
            wrong_.push_back(what);
        }
    }
    void report(const Bed& bed, const Tree& made, int thread, int line) const {
        for (const auto& what : wrong_) {
            bed.checks.expect(false, fmt::format("{}, thread {}: {}", made.name, thread, what).c_str(), line);
        }
    }

  private:
    std::vector<std::string> wrong_;
};

/// Runs body(thread, findings) on all threads of this rank that are leaves.
template <class Body>
void on_all_threads(const Bed& bed, const Tree& made, int threads, const Body& body, int line) {
    std::vector<Findings> findings(at(threads));
    std::vector<std::thread> others;
    for (int thread = 1; thread < threads; ++thread) {
        others.emplace_back([&, thread] { body(thread, findings[at(thread)]); });
    }
    body(0, findings[0]);
    for (auto& other : others) {
        other.join();
    }
    for (int thread = 0; thread < threads; ++thread) {
        findings[at(thread)].report(bed, made, thread, line);
    }
}

int leaf_number(const Tree& made, int rank, int thread) {
    const auto found = std::find_if(made.leaves.begin(), made.leaves.end(), [&](const tree::Leaf& leaf) {
        return leaf.rank == rank && leaf.thread == thread;
    });
    return static_cast<int>(found - made.leaves.begin());
}

void bytes_of_all_threads_are_joined(const Tree& made, Leaf leaf, int rank, int size, const Types& types,
                                     int bytes, Findings& findings) {
    const auto leaves = static_cast<int>(made.leaves.size());
    const auto mine = noise(leaf_number(made, rank, leaf.thread()), at(bytes));
    std::vector<unsigned char> expected(at(bytes) + 1, 0);
    for (int other = 0; other < leaves; ++other) {
        const auto theirs = noise(other, at(bytes));
        for (std::size_t i = 0; i < theirs.size(); ++i) {
            expected[i] = static_cast<unsigned char>(expected[i] ^ theirs[i]);
        }
    }
    expected.back() = 7;
    const auto what = [&](const char* operation) { return fmt::format("{} of {} B", operation, bytes); };
    std::vector<unsigned char> result(at(bytes) + 1, 7);
    findings.expect(leaf.allreduce(mine.data(), result.data(), bytes, types.bytes, MPI_BXOR) == MPI_SUCCESS,
                    what("allreduce ends well"));
    findings.expect(result == expected, what("allreduce"));
    std::copy(mine.begin(), mine.end(), result.begin());
    leaf.allreduce(MPI_IN_PLACE, result.data(), bytes, types.bytes, MPI_BXOR);
    findings.expect(result == expected, what("allreduce in place"));
    for (int root = 0; root < size; ++root) {
        const bool wanted = rank == root && leaf.thread() == 0;
        std::fill(result.begin(), result.end(), static_cast<unsigned char>(7));
        const auto before = result;
        leaf.reduce(mine.data(), wanted ? result.data() : nullptr, bytes, types.bytes, MPI_BXOR, root);
        findings.expect(result == (wanted ? expected : before), what("reduce"));

        const auto source = noise(root + 100, at(bytes));
        auto buffer = wanted ? source : std::vector<unsigned char>(at(bytes));
        buffer.resize(at(bytes) + 1, 9);
        leaf.bcast(buffer.data(), bytes, types.bytes, root);
        findings.expect(std::equal(source.begin(), source.end(), buffer.begin()) && buffer.back() == 9,
                        what("bcast"));
    }
}

void leaves_stay_in_order(const Tree& made, Leaf leaf, int rank, int size, const Types& types, int count,
                          Findings& findings) {
    const auto leaves = static_cast<int>(made.leaves.size());
    const int own = leaf_number(made, rank, leaf.thread());
    std::vector<Affine> mine;
    std::vector<Affine> expected;
    for (std::size_t i = 0; i < at(count); ++i) {
        mine.push_back(contribution(own, i));
        expected.push_back(of_all(leaves, i));
    }
    std::vector<Affine> result(at(count));
    leaf.allreduce(mine.data(), result.data(), count, types.affine, types.own.join_affine);
    findings.expect(result == expected, fmt::format("allreduce of {} maps", count));
    for (int root = 0; root < size; ++root) {
        std::fill(result.begin(), result.end(), Affine{});
        leaf.reduce(mine.data(), result.data(), count, types.affine, types.own.join_affine, root);
        findings.expect(rank != root || leaf.thread() != 0 || result == expected,
                        fmt::format("reduce of {} maps", count));
    }
    // Two descriptions of the same data.
    const bool has_data = rank == 0 && leaf.thread() == 0;
    std::vector<std::uint32_t> words(2 * at(count));
    if (has_data) {
        leaf.bcast(expected.data(), count, types.affine, 0);
    } else {
        leaf.bcast(words.data(), count * static_cast<int>(sizeof(Affine)), types.bytes, 0);
        for (std::size_t i = 0; i < at(count); ++i) {
            findings.expect(Affine{words[2 * i], words[2 * i + 1]} == expected[i], "bcast of maps");
        }
    }
}

void gaps_stay_as_they_were(const Tree& made, Leaf leaf, int rank, const Types& types, int count,
                            Findings& findings) {
    constexpr std::uint32_t gap = 22;
    const auto leaves = static_cast<int>(made.leaves.size());
    std::vector<Gapped> mine;
    for (std::size_t i = 0; i < at(count); ++i) {
        const auto map = contribution(leaf_number(made, rank, leaf.thread()), i);
        mine.push_back({map.factor, 11, map.summand, 11});
    }
    const auto right = [&](const std::vector<Gapped>& elements) {
        for (std::size_t i = 0; i < elements.size(); ++i) {
            const auto& element = elements[i];
            if (!(Affine{element.factor, element.summand} == of_all(leaves, i)) || element.first_gap != gap ||
                element.second_gap != gap) {
                return false;
            }
        }
        return true;
    };
    std::vector<Gapped> result(at(count), {0, gap, 0, gap});
    leaf.allreduce(mine.data(), result.data(), count, types.gapped, types.own.join_gapped);
    findings.expect(right(result), "allreduce of gapped maps");
    auto buffer = rank == 0 && leaf.thread() == 0 ? result : std::vector<Gapped>(at(count), {0, gap, 0, gap});
    leaf.bcast(buffer.data(), count, types.gapped, 0);
    findings.expect(right(buffer), "bcast of gapped maps");
}

void everything_with(const Bed& bed, Tree made, const Types& types, int threads, bool large) {
    constexpr int odd = 13;
    constexpr int above_64k = 64 * 1024 + 1;
    constexpr int large_bytes = 1024 * 1024;
    {
        TreeCollective collective(MPI_COMM_WORLD, made, {.largest_bytes = at(large_bytes)});
        FATHOM_EXPECT(bed.checks, collective.threads() == threads);
        on_all_threads(
            bed, made, threads,
            [&](int thread, Findings& findings) {
                const Leaf leaf(collective, thread);
                std::vector<int> sizes{0, 1, odd, above_64k};
                if (large) {
                    sizes.push_back(large_bytes);
                }
                for (const int bytes : sizes) {
                    bytes_of_all_threads_are_joined(made, leaf, bed.rank(), bed.size(), types, bytes,
                                                    findings);
                }
                for (const int count : {1, odd}) {
                    leaves_stay_in_order(made, leaf, bed.rank(), bed.size(), types, count, findings);
                    gaps_stay_as_they_were(made, leaf, bed.rank(), types, count, findings);
                }
            },
            __LINE__);
    }
    // Segments that hold a few elements, and buffers made for less than is sent.
    made.segment = Bytes{100};
    made.name += ", in segments";
    TreeCollective collective(MPI_COMM_WORLD, made, {.largest_bytes = 40});
    on_all_threads(
        bed, made, threads,
        [&](int thread, Findings& findings) {
            constexpr int several_segments = 333;
            const Leaf leaf(collective, thread);
            bytes_of_all_threads_are_joined(made, leaf, bed.rank(), bed.size(), types, several_segments,
                                            findings);
            leaves_stay_in_order(made, leaf, bed.rank(), bed.size(), types, several_segments, findings);
            gaps_stay_as_they_were(made, leaf, bed.rank(), types, several_segments, findings);
        },
        __LINE__);
}

/// Every kind with one shape, and every shape with a kind.
void every_shape_and_kind_of_edge_is_right(const Bed& bed, const Types& types) {
    constexpr int more = 2;
    std::size_t turn = 0;
    for (const auto& shape : test::all_shapes(bed.size())) {
        ++turn;
        for (std::size_t i = 0; i < shared_kinds.size(); ++i) {
            const auto kind = shared_kinds[i];
            const bool large = shape.name == "scattered";
            if (!large && i != turn % shared_kinds.size()) {
                continue;
            }
            // Between ranks by messages in one case, so that a rank waits for both.
            const auto between = kind == EdgeKind::futex ? EdgeKind::message : kind;
            auto made =
                test::with_threads(test::with_edges(shape, bed.hosts, between), bed.hosts, more, kind);
            made.name += fmt::format(", {}", to_text(kind));
            everything_with(bed, made, types, more + 1, large);
        }
    }
}

/// Threads of different ranks in different numbers.
void ranks_may_have_different_numbers_of_threads(const Bed& bed, const Types& types) {
    auto made = test::with_threads(test::with_edges(test::binomial(bed.size()), bed.hosts, EdgeKind::flag),
                                   bed.hosts, 2, EdgeKind::flag);
    std::erase_if(made.leaves, [](const tree::Leaf& leaf) { return leaf.thread > leaf.rank % 3; });
    made.name = "uneven";
    everything_with(bed, made, types, 1 + bed.rank() % 3, false);
}

/// Nothing separates the calls, and threads run ahead of each other where an operation lets them.
void calls_follow_each_other_without_mixing(const Bed& bed, EdgeKind kind, const Types& types) {
    constexpr int more = 1;
    const auto with = [&](const Tree& shape) {
        return test::with_threads(test::with_edges(shape, bed.hosts, kind), bed.hosts, more, kind);
    };
    const auto first = with(test::binomial(bed.size()));
    const auto second = with(test::scattered(bed.size()));
    TreeCollective one(MPI_COMM_WORLD, first, {.largest_bytes = 64});
    TreeCollective other(MPI_COMM_WORLD, second, {.largest_bytes = 64});
    // Threads that spin on shared cores wait for the scheduler, and longer on a busy machine.
    const int calls = one.crowded() && kind == EdgeKind::flag ? 2'000 : 10'000;
    const auto leaves = static_cast<std::int64_t>(first.leaves.size());
    const std::int64_t sum_of_leaves = leaves * (leaves - 1) / 2;
    on_all_threads(
        bed, first, more + 1,
        [&](int thread, Findings& findings) {
            const std::int64_t own = leaf_number(first, bed.rank(), thread);
            int wrong = 0;
            for (int call = 0; call < calls; ++call) {
                Leaf leaf(call % 2 == 0 ? one : other, thread);
                const int root = call / 7 % bed.size();
                const bool at_root = bed.rank() == root && thread == 0;
                const std::int64_t mine = own + call;
                const std::int64_t expected = sum_of_leaves + leaves * call;
                std::int64_t result = at_root ? expected : -1;
                switch (call / 2 % 5) {
                    case 0:
                    case 1:
                        leaf.allreduce(&mine, &result, 1, types.numbers, MPI_SUM);
                        wrong += result == expected ? 0 : 1;
                        break;
                    case 2:
                        leaf.reduce(&mine, &result, 1, types.numbers, MPI_SUM, root);
                        wrong += !at_root || result == expected ? 0 : 1;
                        break;
                    case 3:
                        leaf.bcast(&result, 1, types.numbers, root);
                        wrong += result == expected ? 0 : 1;
                        break;
                    default:
                        leaf.barrier();
                }
            }
            findings.expect(wrong == 0, fmt::format("{} wrong results, {}", wrong, to_text(kind)));
        },
        __LINE__);
    FATHOM_EXPECT(bed.checks, one.calls() + other.calls() == static_cast<std::uint32_t>(calls));
    FATHOM_EXPECT(bed.checks, one.thread(1).calls() == one.calls());
}

void a_barrier_waits_for_all_threads(const Bed& bed) {
    constexpr int more = 2;
    constexpr int rounds = 300;
    const auto made = test::with_threads(test::with_edges(test::chain(bed.size()), bed.hosts, EdgeKind::flag),
                                         bed.hosts, more, EdgeKind::condvar);
    TreeCollective collective(MPI_COMM_WORLD, made, {});
    std::atomic<int> arrivals{0};
    on_all_threads(
        bed, made, more + 1,
        [&](int thread, Findings& findings) {
            Leaf leaf(collective, thread);
            int early = 0;
            for (int round = 1; round <= rounds; ++round) {
                arrivals.fetch_add(1);
                leaf.barrier();
                early += arrivals.load() >= round * (more + 1) ? 0 : 1;
            }
            findings.expect(early == 0, "left a barrier early");
        },
        __LINE__);
}

std::int64_t read_clock(const void* /*state*/) {
    return std::chrono::steady_clock::now().time_since_epoch().count();
}

int sum_over_ranks(int value) {
    int sum = 0;
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}

void every_collector_has_one_event_a_call(const Bed& bed, const Types& types) {
    constexpr int more = 2;
    for (const auto& shape : test::all_shapes(bed.size())) {
        const auto made = test::with_threads(test::with_edges(shape, bed.hosts, EdgeKind::flag), bed.hosts,
                                             more, EdgeKind::futex);
        TreeCollective collective(MPI_COMM_WORLD, made, {.largest_bytes = 64});
        std::vector<EventRing> rings(at(more + 1), EventRing(1000));
        collective.trace(&rings[0], {.read = read_clock, .state = nullptr}, {.every = 2});
        for (int thread = 1; thread <= more; ++thread) {
            collective.thread(thread).trace(&rings[at(thread)], {.read = read_clock, .state = nullptr},
                                            {.every = 2});
        }
        on_all_threads(
            bed, made, more + 1,
            [&](int thread, Findings& /*none*/) {
                Leaf leaf(collective, thread);
                std::int64_t sum = 0;
                const std::int64_t mine = 1;
                for (int call = 0; call < 3; ++call) {
                    leaf.allreduce(&mine, &sum, 1, types.numbers, MPI_SUM);
                }
            },
            __LINE__);
        int events = 0;
        for (const auto& ring : rings) {
            events += static_cast<int>(ring.events().size());
            for (const auto& event : ring.events()) {
                FATHOM_EXPECT(bed.checks, event.call == 0 || event.call == 2);
                FATHOM_EXPECT(bed.checks,
                              event.down_ns != tree::Event::never && event.down_ns <= event.up_ns);
            }
        }
        for (int thread = 1; thread <= more; ++thread) {
            const auto own = rings[at(thread)].events();
            FATHOM_EXPECT(bed.checks, own.size() == 2);
            const int leaf = leaf_number(made, bed.rank(), thread);
            FATHOM_EXPECT(bed.checks, own[0].collector == static_cast<std::uint32_t>(
                                                              tree::collector_of(leaf, tree::End::own)));
        }
        const auto nodes = static_cast<int>(made.leaves.size() + made.joins.size());
        FATHOM_EXPECT(bed.checks, sum_over_ranks(events) == 2 * (2 * nodes - 1));
    }
}

void wrong_arguments_are_returned_as_mpi_does(const Bed& bed, const Types& types) {
    auto made = test::with_threads(test::with_edges(test::flat(bed.size()), bed.hosts, EdgeKind::flag),
                                   bed.hosts, 1, EdgeKind::flag);
    made.segment = Bytes{4};
    TreeCollective collective(MPI_COMM_WORLD, made, {.largest_bytes = 1000});
    auto& leaf = collective.thread(1);
    int value = 0;
    FATHOM_EXPECT(bed.checks, leaf.bcast(&value, -1, types.bytes.of_threads, 0) == MPI_ERR_COUNT);
    FATHOM_EXPECT(bed.checks, leaf.bcast(&value, 1, types.bytes.of_threads, bed.size()) == MPI_ERR_ROOT);
    FATHOM_EXPECT(bed.checks, leaf.reduce(&value, 1, types.bytes.of_threads, -1) == MPI_ERR_ROOT);
    MPI_Datatype wide = MPI_DATATYPE_NULL;
    constexpr int more_than_fits = 100;
    MPI_Type_contiguous(more_than_fits, MPI_INT, &wide);
    MPI_Type_commit(&wide);
    FATHOM_EXPECT(bed.checks, leaf.allreduce(nullptr, nullptr, 1, ThreadType(wide)) == MPI_ERR_TYPE);
    MPI_Type_free(&wide);
}

void what_cannot_be_performed_is_refused(const Bed& bed) {
    const auto refusal = [&](const Tree& made) -> std::string {
        try {
            TreeCollective(MPI_COMM_WORLD, made, {});
            return {};
        } catch (const Error& error) {
            return error.what();
        }
    };
    auto made = test::with_threads(test::flat(bed.size()), bed.hosts, 1, EdgeKind::message);
    made.name = "t";
    FATHOM_EXPECT(bed.checks, refusal(made) ==
                                  "tree 't': thread 1 of rank 0 contributes by message, but only thread 0 of "
                                  "a rank sends messages; make it a flag, futex or condvar edge");
    if (probe::mpi::simulated) {
        made.leaves[1].edge = EdgeKind::flag;
        std::erase_if(made.leaves, [](const tree::Leaf& leaf) { return leaf.rank > 0 && leaf.thread > 0; });
        FATHOM_EXPECT(bed.checks, refusal(made) ==
                                      "tree 't' has leaves for threads, and simulated ranks have none; give "
                                      "each rank one leaf");
    }
}

}  // namespace

int main(int argc, char** argv) {
    const auto body = [](Checks& checks) {
        const Bed bed{.checks = checks, .hosts = [] {
                          const collectives::HostMemory hosts(MPI_COMM_WORLD);
                          return std::vector<int>(hosts.host_of().begin(), hosts.host_of().end());
                      }()};
        what_cannot_be_performed_is_refused(bed);
        if (probe::mpi::simulated) {
            return;
        }
        const Types types;
        every_shape_and_kind_of_edge_is_right(bed, types);
        ranks_may_have_different_numbers_of_threads(bed, types);
        for (const auto kind : shared_kinds) {
            calls_follow_each_other_without_mixing(bed, kind, types);
        }
        a_barrier_waits_for_all_threads(bed);
        every_collector_has_one_event_a_call(bed, types);
        wrong_arguments_are_returned_as_mpi_does(bed, types);
    };
    return test::run_on_all_ranks(argc, argv, body, plan::ThreadLevel::funneled);
}
