// Every operation of the registry on real ranks: the data check passes on what MPI did, and catches data that
// did not arrive and a corrupted byte. Arguments select groups of operations; without
// any, all are tried.
#include "plan/operations.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "mpi/check.hpp"
#include "mpi/faults.hpp"
#include "plan/distribution.hpp"
#include "probe/interfaces/nonblocking.hpp"
#include "probe/mpi/byte_message.hpp"
#include "probe/mpi/check.hpp"
#include "probe/mpi/flavour.hpp"
#include "probe/mpi/local_clock.hpp"
#include "probe/mpi/mpi_group.hpp"
#include "probe/ops/availability.hpp"
#include "probe/ops/registry.hpp"

using namespace fathom;

namespace {

constexpr std::uint64_t seed = 7;

/// What the tests of one operation need: the ranks that take part in it, on a communicator of their own.
struct Place {
    MPI_Comm communicator = MPI_COMM_NULL;  ///< null on ranks that do not take part
    int rank = 0;
    int size = 0;
};

/// The ranks of all kinds of operations.
class Places {
  public:
    explicit Places(const test::Checks& checks)
        : all_(split(true)),
          two_(split(checks.rank == 0 || checks.rank == checks.size - 1)),
          one_(split(checks.rank == 0)) {}
    Places(const Places&) = delete;
    Places& operator=(const Places&) = delete;
    ~Places() {
        for (auto* place : {&all_, &two_, &one_}) {
            if (place->communicator != MPI_COMM_NULL) {
                MPI_Comm_free(&place->communicator);
            }
        }
    }

    [[nodiscard]] const Place& of(const plan::OperationInfo& info) const {
        return info.kind == plan::Kind::single ? one_ : info.of_two() ? two_ : all_;
    }

  private:
    static Place split(bool member) {
        Place place;
        FATHOM_MPI(MPI_Comm_split, MPI_COMM_WORLD, member ? 0 : MPI_UNDEFINED, 0, &place.communicator);
        if (member) {
            FATHOM_MPI(MPI_Comm_set_errhandler, place.communicator, MPI_ERRORS_RETURN);
            FATHOM_MPI(MPI_Comm_rank, place.communicator, &place.rank);
            FATHOM_MPI(MPI_Comm_size, place.communicator, &place.size);
        }
        return place;
    }

    Place all_;
    Place two_;
    Place one_;
};

/// Operations with something else than usual.
struct Variant {
    std::int64_t region = 0;
    bool rotate_root = false;
    plan::OperationSettings settings = {};
    std::int64_t memory = INT64_MAX;
};

/// All there is to test with.
struct Bench {
    test::Checks& checks;
    const Places& places;
    const probe::mpi::LocalClock& clock;
    bool odd_windows_work;
    std::set<std::string, std::less<>> groups;  ///< to be tested; empty: all
    std::set<std::string, std::less<>> faulty;  ///< operations that this library does wrong on these ranks

    /// Whether this rank takes part in an operation that can be made of these ranks.
    [[nodiscard]] bool fits(const plan::OperationInfo& info) const;
    /// Whether the library has its calls, besides.
    [[nodiscard]] bool has(const plan::OperationInfo& info) const {
        return fits(info) && probe::why_unavailable(info).empty();
    }
    /// Nothing where this library does not support it.
    [[nodiscard]] std::unique_ptr<probe::Operation> make(const plan::OperationInfo& info, std::int64_t size,
                                                         const Variant& variant = {}) const {
        if (info.name == "win_allocate" && size % test::even_window != 0 && !odd_windows_work) {
            return nullptr;
        }
        const auto& place = places.of(info);
        auto settings = variant.settings;
        settings.pieces = std::min<std::int64_t>(settings.pieces, 10);
        settings.piece_work_us = 0;
        settings.iterations = std::min<std::int64_t>(settings.iterations, 10);
        settings.grid = std::min<std::int64_t>(settings.grid, 8);
        settings.window = std::min<std::int64_t>(settings.window, 4);
        try {
            return probe::make_operation(info.name,
                                         {.communicator = place.communicator,
                                          .rank = place.rank,
                                          .procs = place.size,
                                          .size = {info.sized ? size : 0},
                                          .seed = seed,
                                          .region = {variant.region},
                                          .rotate_root = variant.rotate_root,
                                          .memory = {variant.memory},
                                          .settings = settings,
                                          .hosts = std::vector<int>(static_cast<std::size_t>(place.size)),
                                          .clock = clock.clock.get()});
        } catch (const Unavailable&) {
            return nullptr;
        }
    }
};

/// One call with checked data; what is wrong afterwards.
std::string called(const Bench& bench, const plan::OperationInfo& info, probe::Operation& operation,
                   std::int64_t rep) {
    const auto communicator = bench.places.of(info).communicator;
    operation.next(rep);
    operation.prepare_check();
    FATHOM_MPI(MPI_Barrier, communicator);
    operation.call();
    FATHOM_MPI(MPI_Barrier, communicator);
    return operation.check();
}

/// Many ranks share the cores: fewer sizes there.
std::vector<std::int64_t> sizes_for(const test::Checks& checks) {
    constexpr int few = 2;
    return checks.size <= few || probe::mpi::simulated ? std::vector<std::int64_t>{0, 1, 3, 8, 1000, 100'000}
                                                       : std::vector<std::int64_t>{0, 1000};
}

bool persistent(const plan::OperationInfo& info) {
    return info.form == plan::Form::persistent;
}

/// The call that a study of overlap is of; of others their own.
std::string_view studied(const plan::OperationInfo& info) {
    return info.overlaps() && info.form ? plan::collective_of(info.call, *info.form)->name : info.name;
}

bool Bench::fits(const plan::OperationInfo& info) const {
    if (faulty.contains(studied(info)) || (!groups.empty() && !groups.contains(to_text(info.group)))) {
        return false;
    }
    if (persistent(info) && !checks.persistent_calls_work) {
        return false;
    }
    return checks.size >= info.min_procs && places.of(info).communicator != MPI_COMM_NULL;
}

/// Says which operation it was, where something is wrong.
void expect_right(const Bench& bench, const plan::OperationInfo& info, const std::string& wrong) {
    if (!wrong.empty()) {
        fmt::print(stderr, "{}: {}\n", info.name, wrong);
    }
    FATHOM_EXPECT(bench.checks, wrong.empty());
}

void data_is_right_after_the_call(const Bench& bench) {
    for (const auto& info : plan::operations()) {
        if (!bench.fits(info)) {
            continue;
        }
        for (const auto size : info.sized ? sizes_for(bench.checks) : std::vector<std::int64_t>{0}) {
            const auto operation = bench.make(info, size);
            for (std::int64_t rep = 0; operation && rep < std::max<std::int64_t>(2, operation->cycle());
                 ++rep) {
                expect_right(bench, info, called(bench, info, *operation, rep));
            }
        }
    }
}

void data_is_right_wherever_they_lie_and_whoever_is_root(const Bench& bench) {
    for (const auto& info : plan::operations()) {
        // Of a study's collective there is a row of its own.
        if (!bench.fits(info) || (info.overlaps() && !info.of_two())) {
            continue;
        }
        for (const std::int64_t region : {0, 4'000}) {
            for (const bool rotate_root : {false, true}) {
                const auto operation = bench.make(info, 1000, {.region = region, .rotate_root = rotate_root});
                for (std::int64_t rep = 0; operation && rep < bench.checks.size + 3; ++rep) {
                    expect_right(bench, info, called(bench, info, *operation, rep));
                }
            }
        }
    }
}

void studies_give_the_same_data_by_start_tests_and_wait(const Bench& bench) {
    for (const auto& info : plan::operations()) {
        const auto operation = info.overlaps() && bench.fits(info) ? bench.make(info, 1000) : nullptr;
        if (!operation) {
            continue;
        }
        auto* const exchange = dynamic_cast<probe::Nonblocking*>(operation.get());
        FATHOM_EXPECT(bench.checks, exchange != nullptr);
        const auto communicator = bench.places.of(info).communicator;
        for (std::int64_t rep = 0; exchange != nullptr && rep < 3; ++rep) {
            operation->next(rep);
            operation->prepare_check();
            FATHOM_MPI(MPI_Barrier, communicator);
            exchange->post();
            // Also after a test has found it done.
            for (std::int64_t test = 0; test < rep; ++test) {
                exchange->test();
            }
            exchange->wait();
            FATHOM_MPI(MPI_Barrier, communicator);
            expect_right(bench, info, operation->check());
        }
    }
}

void the_root_wanders_only_where_it_is_to(const Bench& bench) {
    const auto& bcast = plan::find_operation("bcast");
    if (!bench.fits(bcast)) {
        return;
    }
    const auto still = bench.make(bcast, 64);
    const auto wandering = bench.make(bcast, 64, {.rotate_root = true});
    for (int rep = 0; rep < 2 * bench.checks.size; ++rep) {
        // Before any call only the root has the right data.
        still->prepare_check();
        wandering->prepare_check();
        FATHOM_EXPECT(bench.checks, still->check().empty() == (bench.checks.rank == 0));
        FATHOM_EXPECT(bench.checks,
                      wandering->check().empty() == (bench.checks.rank == rep % bench.checks.size));
        still->next(rep);
        wandering->next(rep);
    }
}

/// On every rank that gets anything; and somebody must.
void the_check_sees_what_did_not_come_and_what_was_spoilt(const Bench& bench) {
    for (const auto& info : plan::operations()) {
        const auto operation = bench.fits(info) ? bench.make(info, 64) : nullptr;
        if (!operation) {
            continue;
        }
        const auto communicator = bench.places.of(info).communicator;
        for (std::int64_t rep = 0; rep < operation->cycle(); ++rep) {
            operation->next(rep);
            operation->prepare_check();
            const bool receives = !operation->received().empty();
            if (operation->check().empty() == receives) {
                fmt::print(stderr, "{}: before the call\n", info.name);
            }
            FATHOM_EXPECT(bench.checks, operation->check().empty() != receives);
            FATHOM_MPI(MPI_Barrier, communicator);
            operation->call();
            FATHOM_MPI(MPI_Barrier, communicator);
            const auto bytes = operation->received();
            if (receives) {
                bytes[bytes.size() / 2] ^= std::byte{0x10};
                if (operation->check().empty()) {
                    fmt::print(stderr, "{}: a spoilt byte\n", info.name);
                }
                FATHOM_EXPECT(bench.checks, !operation->check().empty());
            }
            const int mine = receives ? 1 : 0;
            int anyone = 0;
            FATHOM_MPI(MPI_Allreduce, &mine, &anyone, 1, MPI_INT, MPI_MAX, communicator);
            FATHOM_EXPECT(bench.checks, anyone == 1 || !info.sized || bench.checks.size == 1);
        }
    }
}

/// Creates it and calls it with checked data; returns the result. The name of the datatype must be the
/// right one.
std::int64_t tried(const Bench& bench, const plan::OperationInfo& info, std::int64_t size,
                   const plan::OperationSettings& settings, const std::string& datatype) {
    const auto operation = bench.make(info, size, {.settings = settings});
    FATHOM_EXPECT(bench.checks, operation != nullptr);
    if (!operation) {
        fmt::print(stderr, "{} cannot be made of {}\n", info.name, datatype);
        return 0;
    }
    FATHOM_EXPECT(bench.checks, operation->datatype() == datatype);
    expect_right(bench, info, called(bench, info, *operation, 0));
    expect_right(bench, info, called(bench, info, *operation, 1));
    return static_cast<std::int64_t>(operation->received().size());
}

using plan::ElementType;
using plan::ReduceOp;

plan::OperationSettings reducing(plan::ElementType type, plan::ReduceOp op = plan::ReduceOp::sum) {
    plan::OperationSettings settings;
    settings.type = type;
    settings.reduce_op = op;
    return settings;
}

plan::OperationSettings sharing(plan::SizeAs size_as, plan::Distribution distribution) {
    plan::OperationSettings settings;
    settings.size_as = size_as;
    settings.distribution = distribution;
    return settings;
}

void reductions_are_right_of_every_type_and_by_every_operation(const Bench& bench) {
    const std::string ordered = "4-byte matrices, user-defined, not commutative";
    for (const auto& info : plan::operations()) {
        const bool reduction = info.group == plan::Group::collective && info.element > 1;
        if (!reduction || !bench.has(info)) {
            continue;
        }
        for (const auto type : {ElementType::int_, ElementType::float_, ElementType::double_}) {
            const std::string name(to_text(type));
            tried(bench, info, 1000, reducing(type), name);
            tried(bench, info, 24, reducing(type, ReduceOp::user), name + ", user-defined sum");
            FATHOM_EXPECT(bench.checks, !bench.make(info, 1002, {.settings = reducing(type)}));
            FATHOM_EXPECT(bench.checks,
                          !bench.make(info, 24, {.settings = reducing(type, ReduceOp::user_ordered)}));
        }
        FATHOM_EXPECT(bench.checks, !bench.make(info, 1004, {.settings = reducing(ElementType::double_)}));
        FATHOM_EXPECT(
            bench.checks,
            !bench.make(info, 1002, {.settings = reducing(ElementType::automatic, ReduceOp::user_ordered)}));
        tried(bench, info, 1001, reducing(ElementType::automatic, ReduceOp::user),
              "unsigned char, user-defined sum");
        // SimGrid 3.32 begins MPI_Iexscan with zeros, which only some operators ignore.
        const bool from_zeros = probe::mpi::simulated && info.name == "iexscan";
        for (const auto op : {ReduceOp::max, ReduceOp::min}) {
            if (from_zeros && op == ReduceOp::min) {
                continue;
            }
            for (const auto type : {ElementType::int_, ElementType::float_, ElementType::double_}) {
                tried(bench, info, 1000, reducing(type, op),
                      fmt::format("{}, {}", to_text(type), to_text(op)));
            }
        }
        for (const auto op : {ReduceOp::band, ReduceOp::bor, ReduceOp::bxor}) {
            if (from_zeros && op == ReduceOp::band) {
                continue;
            }
            tried(bench, info, 1000, reducing(ElementType::automatic, op),
                  fmt::format("int, {}", to_text(op)));
            tried(bench, info, 1001, reducing(ElementType::automatic, op),
                  fmt::format("unsigned char, {}", to_text(op)));
            FATHOM_EXPECT(bench.checks,
                          !bench.make(info, 24, {.settings = reducing(ElementType::float_, op)}));
            FATHOM_EXPECT(bench.checks,
                          !bench.make(info, 24, {.settings = reducing(ElementType::double_, op)}));
        }
        if (!from_zeros) {
            tried(bench, info, 1000, reducing(ElementType::int_, ReduceOp::empty),
                  "int, user-defined, empty");
            tried(bench, info, 1000, reducing(ElementType::automatic, ReduceOp::empty),
                  "float, user-defined, empty");
        }
        const bool scan = info.call.ends_with("scan");
        if (probe::mpi::simulated && (scan || info.call != info.name)) {
            // SimGrid 3.32 does them wrong.
            FATHOM_EXPECT(
                bench.checks,
                !bench.make(info, 24,
                            {.settings = reducing(ElementType::automatic, ReduceOp::user_ordered)}));
        } else {
            tried(bench, info, 24, reducing(ElementType::automatic, ReduceOp::user_ordered), ordered);
            tried(bench, info, 1000, reducing(ElementType::automatic, ReduceOp::user_ordered), ordered);
        }
    }
}

void blocks_are_shared_out_as_asked_for(const Bench& bench) {
    for (const auto& info : plan::operations()) {
        const auto base = info.call;
        const bool by_rank = base.find("gather") != base.npos || base.find("scatter") != base.npos ||
                             base.starts_with("alltoall");
        if (info.group != plan::Group::collective || !by_rank || base.starts_with("neighbor") ||
            !bench.has(info)) {
            continue;
        }
        const bool exact = base.ends_with('v') || base.ends_with('w') || base == "reduce_scatter";
        const auto distributions = std::span(values_of<plan::Distribution>);
        for (const auto distribution : distributions.first(exact ? distributions.size() : 1)) {
            for (const auto size_as : values_of<plan::SizeAs>) {
                const std::int64_t size = distribution == plan::Distribution::random ? 24 : 1000;
                const auto got = tried(bench, info, size, sharing(size_as, distribution),
                                       info.element > 1 ? "float" : "byte");
                const std::int64_t procs = bench.checks.size;
                const auto elements = size / info.element * (size_as == plan::SizeAs::each ? procs : 1);
                auto shares = plan::shares(distribution, elements, bench.checks.size, seed);
                if (!exact) {
                    std::fill(shares.begin(), shares.end(), elements / procs);
                }
                const auto own = shares[static_cast<std::size_t>(bench.checks.rank)] * info.element;
                const auto all =
                    std::accumulate(shares.begin(), shares.end(), std::int64_t{0}) * info.element;
                const auto expected = base.starts_with("alltoall")        ? own * procs
                                      : base.find("scatter") != base.npos ? own
                                      : base.starts_with("allgather")     ? all
                                      : bench.checks.rank == 0            ? all
                                                                          : 0;
                FATHOM_EXPECT(bench.checks, got == expected);
            }
        }
    }
}

void settings_of_blocks_leave_other_collectives_alone(const Bench& bench) {
    const auto settings = sharing(plan::SizeAs::total, plan::Distribution::one_heavy);
    for (const auto* name : {"bcast", "allreduce", "scan", "neighbor_allgather"}) {
        const auto& info = plan::find_operation(name);
        const auto usual = bench.fits(info) ? bench.make(info, 1000) : nullptr;
        if (usual) {
            const auto got = tried(bench, info, 1000, settings, usual->datatype());
            FATHOM_EXPECT(bench.checks, got == static_cast<std::int64_t>(usual->received().size()));
        }
    }
}

void blocks_that_do_not_fit_into_memory_are_refused(const Bench& bench) {
    const std::int64_t procs = bench.checks.size;
    const std::int64_t all = procs * 1000;
    const auto heavy = plan::shares(plan::Distribution::one_heavy, all, bench.checks.size, seed).back();
    const auto settings = sharing(plan::SizeAs::each, plan::Distribution::one_heavy);
    const auto enough = [&](std::string_view name, std::int64_t memory) {
        const auto& info = plan::find_operation(name);
        if (bench.has(info)) {
            FATHOM_EXPECT(bench.checks,
                          bench.make(info, 1000, {.settings = settings, .memory = memory}) != nullptr);
            FATHOM_EXPECT(bench.checks,
                          !bench.make(info, 1000, {.settings = settings, .memory = memory - 1}));
        }
    };
    enough("bcast", 1000);
    enough("allgather", 1000 + all);
    enough("allgatherv", heavy + all);
    enough("alltoallv", all + procs * heavy);
    enough("pack", 1000 + 2 * 1000 - 8);  // 125 blocks of 8 bytes with 124 gaps between them
}

void the_check_sees_what_the_library_does_wrong(const Bench& bench) {
    for (const auto& name : bench.faulty) {
        const auto& info = plan::find_operation(name);
        const auto operation = bench.make(info, 64);
        const auto wrong = called(bench, info, *operation, 0);
        const int mine = wrong.find("sent to its neighbour") != std::string::npos ? 1 : 0;
        int anyone = 0;
        FATHOM_MPI(MPI_Allreduce, &mine, &anyone, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        FATHOM_EXPECT(bench.checks, anyone == 1);
    }
}

void sizes_beyond_two_gigabytes_are_cut_right(test::Checks& checks) {
    const std::int64_t size = (std::int64_t{5} << 30) + 3;
    const auto cut = probe::mpi::cut_bytes({size});
    FATHOM_EXPECT(checks, cut.block * cut.blocks + cut.rest == size);
    try {
        const probe::mpi::ByteMessage message({size});
        MPI_Count bytes = 0;
        FATHOM_MPI(MPI_Type_size_x, message.datatype(), &bytes);
        FATHOM_EXPECT(checks, static_cast<std::int64_t>(bytes) * message.count() == size);
    } catch (const Unavailable&) {
        FATHOM_EXPECT(checks, probe::mpi::simulated);  // SimGrid says it cannot; real libraries can
    }
    const probe::mpi::ByteMessage edge({2147483647});
    FATHOM_EXPECT(checks, edge.count() == 2147483647);
}

}  // namespace

int main(int argc, char** argv) {
    return test::run_on_all_ranks(argc, argv, [&](test::Checks& checks) {
        checks.persistent_calls_work = test::persistent_calls_work();
        if (!checks.persistent_calls_work && checks.rank == 0) {
            fmt::print("persistent collectives of this library give wrong data; they are left out\n");
        }
        const bool windows_work = test::odd_windows_work();
        if (!windows_work && checks.rank == 0) {
            fmt::print(
                "windows of {} bytes are allocated in the wrong place by this library; they are left out\n",
                test::even_window / 2);
        }
        const Places places(checks);
        probe::mpi::MpiGroup world(MPI_COMM_WORLD, true);
        const auto clock = probe::mpi::make_local_clock(world, clock::Source::automatic);
        const Bench bench{.checks = checks,
                          .places = places,
                          .clock = clock,
                          .odd_windows_work = windows_work,
                          .groups = {argv + 1, argv + argc},
                          .faulty = test::wrong_neighbours()};
        for (const auto& name : bench.faulty) {
            if (checks.rank == 0) {
                fmt::print("{} of this library gives wrong data on these ranks; it is left out\n", name);
            }
        }
        data_is_right_after_the_call(bench);
        the_check_sees_what_did_not_come_and_what_was_spoilt(bench);
        studies_give_the_same_data_by_start_tests_and_wait(bench);
        // Spinning ranks on few cores are slow: what follows is tried with up to three of them.
        constexpr int few = 3;
        if (checks.size > few && !probe::mpi::simulated) {
            return;
        }
        data_is_right_wherever_they_lie_and_whoever_is_root(bench);
        the_root_wanders_only_where_it_is_to(bench);
        reductions_are_right_of_every_type_and_by_every_operation(bench);
        blocks_are_shared_out_as_asked_for(bench);
        settings_of_blocks_leave_other_collectives_alone(bench);
        blocks_that_do_not_fit_into_memory_are_refused(bench);
        the_check_sees_what_the_library_does_wrong(bench);
        sizes_beyond_two_gigabytes_are_cut_right(checks);
    });
}
