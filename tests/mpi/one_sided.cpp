// One-sided operations in windows of every memory and with every type; what they promise besides their data.
// tests/mpi/operations.cpp tries them as they are by default.
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mpi/check.hpp"
#include "plan/operations.hpp"
#include "probe/mpi/check.hpp"
#include "probe/mpi/flavour.hpp"
#include "probe/mpi/local_clock.hpp"
#include "probe/mpi/mpi_group.hpp"
#include "probe/ops/registry.hpp"

using namespace fathom;

namespace {

/// The first two ranks, on a communicator of their own; the others have none.
class Two {
  public:
    explicit Two(test::Checks& each) : checks(each) {
        const bool member = each.size >= 2 && each.rank < 2;
        FATHOM_MPI(MPI_Comm_split, MPI_COMM_WORLD, member ? 0 : MPI_UNDEFINED, each.rank, &communicator);
    }
    Two(const Two&) = delete;
    Two& operator=(const Two&) = delete;
    ~Two() {
        if (communicator != MPI_COMM_NULL) {
            MPI_Comm_free(&communicator);
        }
    }

    [[nodiscard]] probe::OperationContext context(std::int64_t size) const {
        probe::OperationContext made;
        made.communicator = communicator;
        made.rank = checks.rank;
        made.procs = 2;
        made.size = {size};
        made.seed = 11;
        return made;
    }

    /// What is wrong after a call, with prepared data or those of the last call.
    std::string called(probe::Operation& operation, std::int64_t rep, bool prepared) const {
        operation.next(rep);
        if (prepared) {
            operation.prepare_check();
        }
        FATHOM_MPI(MPI_Barrier, communicator);
        operation.call();
        FATHOM_MPI(MPI_Barrier, communicator);
        return operation.check();
    }

    test::Checks& checks;
    MPI_Comm communicator = MPI_COMM_NULL;
};

/// Why an operation is unavailable, or nothing.
struct Made {
    std::unique_ptr<probe::Operation> operation;
    std::string refusal;
};
Made make(std::string_view name, const probe::OperationContext& context) {
    try {
        return {probe::make_operation(name, context), {}};
    } catch (const Unavailable& error) {
        return {nullptr, error.what()};
    }
}

std::vector<std::string_view> calls_between_two() {
    std::vector<std::string_view> names;
    for (const auto& info : plan::operations()) {
        if (info.group == plan::Group::one_sided && info.of_two()) {
            names.push_back(info.name);
        }
    }
    return names;
}

/// Simulated ranks are on hosts of their own here; of swaps see probe/ops/one_sided.cpp.
bool may_be_refused([[maybe_unused]] std::string_view name, plan::WindowMemory memory) {
#if defined(OPEN_MPI) && OMPI_MAJOR_VERSION < 5
    return memory != plan::WindowMemory::shared && name.starts_with("compare_and_swap");
#else
    return probe::mpi::simulated && memory == plan::WindowMemory::shared;
#endif
}

void data_is_right_in_windows_of_every_memory(const Two& two) {
    for (const auto memory : values_of<plan::WindowMemory>) {
        for (const auto name : calls_between_two()) {
            for (const std::int64_t size : {0, 8, 100'000}) {
                for (const std::int64_t region : {0, 20'000}) {
                    auto context = two.context(size);
                    context.region = {region};
                    context.settings.window_memory = memory;
                    const auto made = make(name, context);
                    FATHOM_EXPECT(two.checks, made.operation || may_be_refused(name, memory));
                    for (std::int64_t rep = 0; made.operation && rep < 8; ++rep) {
                        const auto wrong = two.called(*made.operation, rep, true);
                        if (!wrong.empty()) {
                            fmt::print(stderr, "{} in {} memory: {}\n", name, to_text(memory), wrong);
                        }
                        FATHOM_EXPECT(two.checks, wrong.empty());
                    }
                }
            }
        }
    }
}

void sums_are_exact_in_every_type(const Two& two) {
    for (const std::string call : {"accumulate.lock", "get_accumulate.fence"}) {
        for (const auto type :
             {plan::ElementType::int_, plan::ElementType::float_, plan::ElementType::double_}) {
            auto context = two.context(4'000);
            context.settings.type = type;
            const auto made = make(call, context);
            FATHOM_EXPECT(two.checks, made.operation != nullptr);
            if (made.operation) {
                FATHOM_EXPECT(two.checks, made.operation->datatype() == to_text(type));
                FATHOM_EXPECT(two.checks, two.called(*made.operation, 0, true).empty());
                // What was added to what was there is not there again after another call.
                const auto wrong = two.called(*made.operation, 1, false);
                FATHOM_EXPECT(two.checks, wrong.empty() == (two.checks.rank == 0 && call[0] == 'a'));
            }
        }
    }
    FATHOM_EXPECT(two.checks, make("accumulate.lock", two.context(8)).operation->datatype() == "int");
    FATHOM_EXPECT(two.checks,
                  make("accumulate.lock", two.context(7)).operation->datatype() == "unsigned char");
}

void what_cannot_be_added_is_refused(const Two& two) {
    auto context = two.context(12);
    context.settings.type = plan::ElementType::double_;
    FATHOM_EXPECT(two.checks, make("accumulate.fence", context).refusal.find("double") != std::string::npos);
    context.settings.type = plan::ElementType::automatic;
    context.settings.reduce_op = plan::ReduceOp::user;
    FATHOM_EXPECT(two.checks,
                  make("accumulate.fence", context).refusal.find("sums only") != std::string::npos);
    FATHOM_EXPECT(two.checks, make("put.fence", context).refusal.empty());
}

/// Not just the first one after the data were prepared, wherever the number lies.
void every_swap_swaps(const Two& two) {
    for (const std::string synchronisation : {"fence", "pscw", "lock", "flush"}) {
        for (const std::int64_t region : {0, 10'000, 14'000}) {
            auto context = two.context(0);
            context.region = {region};
            // Where Open MPI can do it.
            context.settings.window_memory =
                probe::mpi::simulated ? plan::WindowMemory::allocate : plan::WindowMemory::shared;
            const auto made = make("compare_and_swap." + synchronisation, context);
            FATHOM_EXPECT(two.checks, made.operation != nullptr);
            constexpr std::int64_t round = 8;
            for (std::int64_t rep = 0; made.operation && rep < 3 * round; ++rep) {
                FATHOM_EXPECT(two.checks, two.called(*made.operation, rep, rep < round).empty());
            }
        }
    }
}

/// The target of passive calls waits at the end of a series until the origin has made all of its calls.
void a_series_ends_when_the_origin_is_done(const Two& two) {
    for (const std::string_view name : {"put.lock", "put.flush", "fetch_and_op.flush"}) {
        const auto made = make(name, two.context(1'000));
        FATHOM_EXPECT(two.checks, made.operation != nullptr);
        made.operation->prepare_check();
        FATHOM_MPI(MPI_Barrier, two.communicator);
        made.operation->call();
        made.operation->end_series();
        FATHOM_EXPECT(two.checks, made.operation->check().empty());
        FATHOM_MPI(MPI_Barrier, two.communicator);
    }
}

/// And data arrive nevertheless. How long the origin's call takes meanwhile is up to the library.
void a_working_target_works_as_long_as_asked(const Two& two) {
    probe::mpi::MpiGroup group(two.communicator, false);
    const auto clock = probe::mpi::make_local_clock(group, clock::Source::automatic);
    for (const auto& info : plan::operations()) {
        if (info.call != "put" || !info.synchronisation) {
            continue;
        }
        auto context = two.context(1'000);
        context.clock = clock.clock.get();
        context.settings.target = plan::Target::working;
        context.settings.target_work_us = 300;
        const auto made = make(info.name, context);
        FATHOM_EXPECT(two.checks, made.operation != nullptr);
        made.operation->prepare_check();
        FATHOM_MPI(MPI_Barrier, two.communicator);
        const auto begin = context.clock->now();
        made.operation->call();
        const auto took = context.clock->now() - begin;
        made.operation->end_series();
        FATHOM_MPI(MPI_Barrier, two.communicator);
        FATHOM_EXPECT(two.checks, made.operation->check().empty());
        if (two.checks.rank == 1 && info.has_passive_target()) {
            FATHOM_EXPECT(two.checks, took >= Nanoseconds{300'000});
        }
    }
}

void ranks_on_two_hosts_share_no_memory(const Two& two) {
    auto context = two.context(8);
    context.settings.window_memory = plan::WindowMemory::shared;
    for (const std::string_view name : {"put.fence", "win_allocate_shared"}) {
        const auto refusal = make(name, context).refusal;
        FATHOM_EXPECT(two.checks, (refusal.find("one host") != std::string::npos) == probe::mpi::simulated);
    }
}

/// Otherwise the other rank would wait forever in the creation of the window.
void a_rank_without_memory_is_heard_by_both(const Two& two) {
    for (const std::string_view name : {"put.fence", "get_accumulate.lock", "win_create", "win_allocate"}) {
        auto context = two.context(100'000);
        context.memory = {two.checks.rank == 1 ? 1'000 : INT64_MAX};
        const auto made = make(name, context);
        FATHOM_EXPECT(two.checks, made.operation == nullptr);
        FATHOM_EXPECT(two.checks, made.refusal.find("memory") != std::string::npos);
    }
}

/// A spoilt pattern, size or place of a fresh window shows; what is timed leaves the data alone.
void only_the_checked_call_uses_the_window(const Two& two) {
    for (const std::string_view name : {"win_create", "win_allocate"}) {
        const auto made = make(name, two.context(4'096));
        FATHOM_EXPECT(two.checks, made.operation != nullptr);
        if (!made.operation) {
            continue;
        }
        FATHOM_EXPECT(two.checks, two.called(*made.operation, 0, true).empty());
        made.operation->received()[0] ^= std::byte{1};
        FATHOM_EXPECT(two.checks, !two.called(*made.operation, 1, false).empty());
        FATHOM_EXPECT(two.checks, two.called(*made.operation, 2, true).empty());
    }
}

}  // namespace

int main(int argc, char** argv) {
    return test::run_on_all_ranks(argc, argv, [](test::Checks& checks) {
        const Two two(checks);
        if (two.communicator == MPI_COMM_NULL) {
            return;
        }
        FATHOM_MPI(MPI_Comm_set_errhandler, two.communicator, MPI_ERRORS_RETURN);
        data_is_right_in_windows_of_every_memory(two);
        sums_are_exact_in_every_type(two);
        what_cannot_be_added_is_refused(two);
        every_swap_swaps(two);
        a_series_ends_when_the_origin_is_done(two);
        a_working_target_works_as_long_as_asked(two);
        ranks_on_two_hosts_share_no_memory(two);
        a_rank_without_memory_is_heard_by_both(two);
        only_the_checked_call_uses_the_window(two);
    });
}
