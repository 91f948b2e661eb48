// What messages between two ranks and in pairs promise besides right data, which tests/mpi/operations.cpp
// looks at: whose turn it is, gaps that nobody writes into, one attached buffer for all, and refusals.
#include <memory>
#include <string>
#include <string_view>

#include "mpi/check.hpp"
#include "probe/mpi/check.hpp"
#include "probe/ops/availability.hpp"
#include "probe/ops/registry.hpp"

using namespace fathom;

namespace {

probe::OperationContext context_of(const test::Checks& checks, std::int64_t size) {
    return {.communicator = MPI_COMM_WORLD, .rank = checks.rank, .procs = checks.size, .size = {size}};
}

std::unique_ptr<probe::Operation> make(const test::Checks& checks, std::string_view name, std::int64_t size) {
    return probe::make_operation(name, context_of(checks, size));
}

/// Why there is no such operation; empty if there is one.
std::string refusal(std::string_view name, const probe::OperationContext& context) {
    try {
        probe::make_operation(name, context);
    } catch (const Unavailable& reason) {
        return reason.what();
    }
    return {};
}

/// One call with data to be checked.
void call(probe::Operation& operation, std::int64_t rep) {
    operation.next(rep);
    operation.prepare_check();
    FATHOM_MPI(MPI_Barrier, MPI_COMM_WORLD);
    operation.call();
}

void the_first_half_sends_in_even_repetitions_and_the_second_in_odd_ones(test::Checks& checks) {
    const int half = checks.size / 2;
    const auto operation = make(checks, "pairs", 64);
    FATHOM_EXPECT(checks, operation->cycle() == 2);
    for (std::int64_t rep = 0; rep < 4; ++rep) {
        call(*operation, rep);
        const bool first = checks.rank < half;
        const bool left_over = checks.rank == 2 * half;
        const bool receives = !left_over && first == (rep % 2 == 1);
        FATHOM_EXPECT(checks, operation->received().empty() != receives);
        FATHOM_EXPECT(checks, operation->check().empty());
    }
}

void both_ways_at_once_all_receive_in_every_repetition(test::Checks& checks) {
    const auto operation = make(checks, "pairs.sendrecv", 64);
    FATHOM_EXPECT(checks, operation->cycle() == 1);
    const bool left_over = checks.size % 2 == 1 && checks.rank == checks.size - 1;
    FATHOM_EXPECT(checks, operation->received().empty() == left_over);
}

void pairs_are_those_that_were_asked_for(test::Checks& checks) {
    auto context = context_of(checks, 64);
    context.settings.pairs = {"0-1"};
    const auto operation = probe::make_operation("pairs", context);
    call(*operation, 0);
    FATHOM_EXPECT(checks, operation->received().empty() == (checks.rank != 1));
    FATHOM_EXPECT(checks, operation->check().empty());
}

void what_is_written_into_a_gap_is_seen(test::Checks& checks) {
    for (const auto* name : {"pairs.vector", "pairs.indexed", "pairs.struct", "pairs.packed", "pairs.pack"}) {
        const auto operation = make(checks, name, 1000);
        call(*operation, 0);
        FATHOM_EXPECT(checks, operation->check().empty());
        const auto first = operation->received();
        if (!first.empty()) {
            first.data()[first.size()] ^= std::byte{1};
            FATHOM_EXPECT(checks, operation->check().find("between blocks 0 and 1") != std::string::npos);
        }
    }
}

/// More messages in a row than the attached buffer has room for, while the buffer of the operation before is
/// let go only after the next one was made.
void an_attached_buffer_is_handed_on_and_never_full(test::Checks& checks) {
    std::unique_ptr<probe::Operation> operation;
    for (const std::int64_t size : {0, 8, 100'000, 3'000'000}) {
        operation = make(checks, "pairs.bsend", size);
        for (std::int64_t rep = 0; rep < 3; ++rep) {
            for (int in_a_row = 0; in_a_row < 100; ++in_a_row) {
                operation->next(rep);
                operation->call();
            }
        }
        call(*operation, 3);
        FATHOM_EXPECT(checks, operation->check().empty());
    }
}

void what_does_not_fit_into_memory_is_refused(test::Checks& checks) {
    auto context = context_of(checks, 1000);
    context.memory = {3'000};  // enough for two messages, but not for two with gaps
    FATHOM_EXPECT(checks, refusal("pairs", context).empty());
    FATHOM_EXPECT(checks,
                  refusal("pairs.vector", context).find("of memory on every rank") != std::string::npos);
    FATHOM_EXPECT(checks,
                  refusal("pairs.bsend", context).find("of memory on every rank") != std::string::npos);
}

void a_request_that_is_bound_to_its_buffers_does_not_wander(test::Checks& checks) {
    auto context = context_of(checks, 1000);
    context.region = {100'000};
    FATHOM_EXPECT(checks, refusal("pairs", context).empty());
    FATHOM_EXPECT(checks,
                  refusal("pairs.persistent", context).find("bound to its buffers") != std::string::npos);
}

void a_partitioned_message_has_the_parts_that_divide_it(test::Checks& checks) {
    auto context = context_of(checks, 1000);
    if (!probe::why_unavailable(plan::find_operation("pairs.partitioned")).empty()) {
        return;
    }
    context.settings.partitions = 7;
    const auto operation = probe::make_operation("pairs.partitioned", context);
    FATHOM_EXPECT(checks, operation->datatype() == "byte in 5 parts");
    for (std::int64_t rep = 0; rep < 2; ++rep) {
        call(*operation, rep);
        FATHOM_EXPECT(checks, operation->check().empty());
    }
}

}  // namespace

int main(int argc, char** argv) {
    return test::run_on_all_ranks(argc, argv, [](test::Checks& checks) {
        the_first_half_sends_in_even_repetitions_and_the_second_in_odd_ones(checks);
        both_ways_at_once_all_receive_in_every_repetition(checks);
        pairs_are_those_that_were_asked_for(checks);
        what_is_written_into_a_gap_is_seen(checks);
        an_attached_buffer_is_handed_on_and_never_full(checks);
        what_does_not_fit_into_memory_is_refused(checks);
        a_request_that_is_bound_to_its_buffers_does_not_wander(checks);
        a_partitioned_message_has_the_parts_that_divide_it(checks);
    });
}
