// Farms of workers and kernels on real ranks: what goes beyond the data checks that every operation has.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "mpi/check.hpp"
#include "plan/operations.hpp"
#include "probe/interfaces/traced.hpp"
#include "probe/mpi/check.hpp"
#include "probe/mpi/local_clock.hpp"
#include "probe/mpi/mpi_group.hpp"
#include "probe/ops/registry.hpp"
#include "tree/tree.hpp"

using namespace fathom;

namespace {

struct Bench {
    test::Checks& checks;
    const probe::Clock& clock;

    /// On all ranks, or on each by itself.
    [[nodiscard]] probe::OperationContext context(bool alone = false) const {
        return {.communicator = alone ? MPI_COMM_SELF : MPI_COMM_WORLD,
                .rank = alone ? 0 : checks.rank,
                .procs = alone ? 1 : checks.size,
                .size = {64},
                .seed = 7,
                .clock = &clock};
    }
};

/// Calls with checked data, one after the other without waiting for the slower ranks.
std::string called(probe::Operation& operation, int calls = 1) {
    operation.next(0);
    operation.prepare_check();
    FATHOM_MPI(MPI_Barrier, MPI_COMM_WORLD);
    for (int i = 1; i < calls; ++i) {
        operation.call();
        operation.next(i);
    }
    operation.call();
    FATHOM_MPI(MPI_Barrier, MPI_COMM_WORLD);
    return operation.check();
}

/// Why it cannot be made; empty if it can.
std::string refusal(const std::string& name, const probe::OperationContext& context) {
    try {
        probe::make_operation(name, context);
        return {};
    } catch (const Unavailable& error) {
        return error.what();
    }
}

double sum_over_ranks(double value) {
    double sum = 0;
    FATHOM_MPI(MPI_Allreduce, &value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}

std::vector<std::string> farms() {
    std::vector<std::string> names;
    for (const auto& info : plan::operations()) {
        if (info.group == plan::Group::master_worker) {
            names.emplace_back(info.name);
        }
    }
    return names;
}

void every_farm_counts_all_pieces_even_if_some_workers_get_none(const Bench& bench) {
    for (const auto& name : farms()) {
        for (const std::int64_t pieces : {1, 7}) {
            auto context = bench.context();
            context.settings.pieces = pieces;
            context.settings.piece_work_us = 0;
            const auto farm = probe::make_operation(name, context);
            FATHOM_EXPECT(bench.checks, farm->parts() == pieces);
            constexpr int calls = 3;
            const auto all = static_cast<double>(calls * pieces);
            FATHOM_EXPECT(bench.checks, called(*farm, calls).empty());
            const auto tally = farm->take_tally();
            const bool is_master = bench.checks.rank == 0;
            FATHOM_EXPECT(bench.checks, sum_over_ranks(is_master ? 0 : tally.at("pieces")) == all);
            if (is_master) {
                FATHOM_EXPECT(bench.checks, tally.at("pieces") == all);
                FATHOM_EXPECT(bench.checks, tally.at("busy_ns") >= 0);
                FATHOM_EXPECT(bench.checks, tally.at("busy_ns") <= tally.at("total_ns"));
            }
            FATHOM_EXPECT(bench.checks, farm->take_tally().at("pieces") == 0);
        }
    }
}

void a_piece_takes_its_time(const Bench& bench) {
    auto context = bench.context();
    context.settings.pieces = 4;
    context.settings.piece_work_us = 2'000;
    const auto farm = probe::make_operation("master.any_source", context);
    FATHOM_EXPECT(bench.checks, called(*farm).empty());
    if (bench.checks.rank == 0) {
        const int rounds = (4 + bench.checks.size - 2) / (bench.checks.size - 1);
        const auto tally = farm->take_tally();
        FATHOM_EXPECT(bench.checks, tally.at("total_ns") >= rounds * 2e6);
        FATHOM_EXPECT(bench.checks, tally.at("total_ns") - tally.at("busy_ns") >= 2e6);
    }
}

void a_farm_that_needs_too_much_memory_says_so(const Bench& bench) {
    auto context = bench.context();
    context.settings.pieces = 100;
    context.memory = {12'800};  // two buffers of 100 pieces
    FATHOM_EXPECT(bench.checks, refusal("master.send", context).empty());
    context.memory.count -= 1;
    FATHOM_EXPECT(bench.checks, refusal("master.send", context).empty() == (bench.checks.rank != 0));
    context.size = {std::int64_t{1} << 61};
    context.memory = {INT64_MAX};
    context.settings.pieces = 1'000'000;
    if (bench.checks.rank == 0) {
        FATHOM_EXPECT(bench.checks,
                      refusal("master.send", context).starts_with("the master keeps 1000000 pieces of "));
    }
}

/// A process can have one buffer attached: the next operation is made before the last one is gone.
void a_buffered_farm_may_follow_another(const Bench& bench) {
    auto farm = probe::make_operation("master.bsend", bench.context());
    FATHOM_EXPECT(bench.checks, called(*farm).empty());
    for (int i = 0; i < 3; ++i) {
        auto other = probe::make_operation("master.bsend", bench.context());
        farm = std::move(other);
        FATHOM_EXPECT(bench.checks, called(*farm).empty());
    }
}

void a_solution_takes_as_many_iterations_on_any_number_of_ranks(const Bench& bench) {
    for (const std::int64_t grid : {5, 12, 17}) {
        auto alone = bench.context(true);
        alone.settings.grid = grid;
        const auto iterations = probe::make_operation("kernel.sor", alone)->parts();
        FATHOM_EXPECT(bench.checks, iterations > grid);
        for (const double imbalance : {0.0, 30.0, 100.0}) {
            auto context = bench.context();
            context.settings.grid = grid;
            context.settings.imbalance_percent = imbalance;
            const auto shared = probe::make_operation("kernel.sor", context);
            FATHOM_EXPECT(bench.checks, shared->parts() == iterations);
            FATHOM_EXPECT(bench.checks, called(*shared).empty());
        }
    }
}

void a_grid_with_fewer_rows_than_ranks_is_refused(const Bench& bench) {
    auto context = bench.context();
    context.settings.grid = bench.checks.size - 1;
    FATHOM_EXPECT(bench.checks,
                  refusal("kernel.sor", context) == fmt::format("a grid of {} rows is too small for {} ranks",
                                                                bench.checks.size - 1, bench.checks.size));
    context.settings.grid = bench.checks.size;
    FATHOM_EXPECT(bench.checks, refusal("kernel.sor", context).empty());
}

/// Else the others would be left alone in the first solution.
void if_one_rank_has_no_memory_all_refuse(const Bench& bench) {
    auto context = bench.context();
    context.settings.grid = 8;
    context.memory = {bench.checks.rank == bench.checks.size - 1 ? 100 : INT64_MAX};
    FATHOM_EXPECT(bench.checks, !refusal("kernel.sor", context).empty());
}

void a_kernel_counts_where_its_time_goes(const Bench& bench) {
    auto context = bench.context();
    context.settings.grid = 8;
    const auto sor = probe::make_operation("kernel.sor", context);
    FATHOM_EXPECT(bench.checks, sor->take_tally().at("total_ns") == 0);
    FATHOM_EXPECT(bench.checks, called(*sor).empty());
    auto tally = sor->take_tally();
    FATHOM_EXPECT(bench.checks, tally.at("compute_ns") > 0);
    FATHOM_EXPECT(bench.checks,
                  tally.at("compute_ns") + tally.at("point_to_point_ns") + tally.at("allreduce_ns") ==
                      tally.at("total_ns"));
    FATHOM_EXPECT(bench.checks, sor->take_tally().at("total_ns") == 0);
}

void a_single_sum_uses_one_communicator(const Bench& bench) {
    for (const std::int64_t iterations : {1, 2, 5}) {
        auto context = bench.context();
        context.settings.iterations = iterations;
        const auto gsum = probe::make_operation("kernel.gsum", context);
        FATHOM_EXPECT(bench.checks, gsum->parts() == iterations);
        FATHOM_EXPECT(bench.checks, called(*gsum).empty());
        const std::size_t sums = iterations == 1 ? 1 : 2;
        FATHOM_EXPECT(bench.checks, gsum->received().size() ==
                                        sums * sizeof(double) * static_cast<std::size_t>(bench.checks.size));
    }
}

/// Rank 0 joins all.
tree::Tree flat_tree(int ranks) {
    tree::Tree tree;
    tree.name = "flat";
    tree.joins = {{.name = "root", .rank = 0}};
    for (int rank = 0; rank < ranks; ++rank) {
        tree.leaves.push_back({.rank = rank, .parent = 0});
    }
    return tree;
}

/// Calls of which this rank's own end of its edge has events.
std::vector<std::int64_t> calls_of_own_leaf(probe::Traced& traced, int rank) {
    std::vector<std::int64_t> calls;
    for (const auto& event : traced.take_trace().events) {
        if (event.collector == tree::collector_of(tree::node_of_leaf(rank), tree::End::own)) {
            calls.push_back(event.call);
        }
    }
    return calls;
}

void kernels_run_over_trees_and_number_their_calls(const Bench& bench) {
    const auto tree = flat_tree(bench.checks.size);
    for (const std::int64_t iterations : {1, 4, 5}) {
        auto context = bench.context();
        context.settings.iterations = iterations;
        context.tree = &tree;
        context.trace = {.every = 1, .until = {}, .ring = 1'000};
        const auto gsum = probe::make_operation("kernel.gsum", context);
        FATHOM_EXPECT(bench.checks, called(*gsum, 2).empty());
        FATHOM_EXPECT(bench.checks, gsum->traced() != nullptr);
        FATHOM_EXPECT(bench.checks, gsum->traced()->calls() == 2 * iterations);
        std::vector<std::int64_t> expected(static_cast<std::size_t>(2 * iterations));
        std::iota(expected.begin(), expected.end(), std::int64_t{0});
        FATHOM_EXPECT(bench.checks, calls_of_own_leaf(*gsum->traced(), bench.checks.rank) == expected);
        FATHOM_EXPECT(bench.checks, gsum->traced()->take_trace().events.empty());
    }
    auto context = bench.context();
    context.settings.grid = 8;
    context.tree = &tree;
    const auto sor = probe::make_operation("kernel.sor", context);
    FATHOM_EXPECT(bench.checks, sor->traced() == nullptr);
    FATHOM_EXPECT(bench.checks, called(*sor).empty());
}

/// A tree in which rank r has r % 2 + 2 threads, all of which contribute to rank 0.
tree::Tree tree_of_threads(int ranks) {
    tree::Tree tree;
    tree.name = "threads";
    tree.joins = {{.name = "root", .rank = 0}};
    for (int rank = 0; rank < ranks; ++rank) {
        for (int thread = 0; thread < rank % 2 + 2; ++thread) {
            tree.leaves.push_back(
                {.rank = rank, .thread = thread, .parent = 0, .edge = tree::EdgeKind::flag});
        }
    }
    return tree;
}

void every_thread_of_a_tree_takes_part(const Bench& bench) {
    const auto tree = tree_of_threads(bench.checks.size);
    auto context = bench.context();
    context.tree = &tree;
    if (probe::mpi::simulated) {
        const auto words = refusal("allreduce", context);
        FATHOM_EXPECT(bench.checks,
                      words.starts_with("tree 'threads' has leaves for threads, and simulated"));
        return;
    }
    context.trace = {.every = 1, .until = {}, .ring = 1'000};
    context.rotate_root = true;
    for (const auto* name : {"barrier", "bcast", "reduce", "allreduce"}) {
        for (const auto op : {plan::ReduceOp::sum, plan::ReduceOp::user_ordered}) {
            context.settings.reduce_op = op;
            const auto operation = probe::make_operation(name, context);
            for (int call = 0; call < 3; ++call) {
                FATHOM_EXPECT(bench.checks, called(*operation).empty());
            }
            // Without a pause between them, as one repetition.
            operation->next(3);
            operation->prepare_check();
            operation->calls(5, 3);
            FATHOM_EXPECT(bench.checks, operation->traced()->calls() == 8);
            const auto trace = operation->traced()->take_trace();
            FATHOM_EXPECT(bench.checks, trace.dropped == 0);
            FATHOM_EXPECT(bench.checks, std::ranges::is_sorted(trace.events, {}, &journal::CallEvent::call));
        }
    }
    context.settings.reduce_op = plan::ReduceOp::sum;
    context.settings.iterations = 5;
    const auto gsum = probe::make_operation("kernel.gsum", context);
    FATHOM_EXPECT(bench.checks, called(*gsum, 2).empty());
    // Two sums of as many numbers as there are leaves.
    FATHOM_EXPECT(bench.checks, gsum->received().size() == 2 * sizeof(double) * tree.leaves.size());
    FATHOM_EXPECT(bench.checks, gsum->traced()->calls() == 10);
    std::vector<std::int64_t> expected(10);
    std::iota(expected.begin(), expected.end(), std::int64_t{0});
    const auto trace = gsum->traced()->take_trace();
    for (std::size_t leaf = 0; leaf < tree.leaves.size(); ++leaf) {
        if (tree.leaves[leaf].rank != bench.checks.rank) {
            continue;
        }
        std::vector<std::int64_t> calls;
        for (const auto& event : trace.events) {
            if (event.collector == tree::collector_of(static_cast<int>(leaf), tree::End::own)) {
                calls.push_back(event.call);
            }
        }
        FATHOM_EXPECT(bench.checks, calls == expected);
    }
    FATHOM_EXPECT(bench.checks,
                  refusal("kernel.sor", context).starts_with("kernel.sor computes in one thread"));
}

void a_tree_performs_what_it_can_and_refuses_the_rest(const Bench& bench) {
    const auto tree = flat_tree(bench.checks.size);
    auto context = bench.context();
    context.tree = &tree;
    context.trace = {.every = 2, .until = {}, .ring = 16};
    for (const auto* name : {"barrier", "bcast", "reduce", "allreduce"}) {
        const auto operation = probe::make_operation(name, context);
        FATHOM_EXPECT(bench.checks, called(*operation, 3).empty());
        FATHOM_EXPECT(bench.checks, operation->traced()->calls() == 3);
    }
    FATHOM_EXPECT(bench.checks, refusal("gather", context) == "no tree performs gather");
    FATHOM_EXPECT(bench.checks, refusal("iallreduce", context) == "no tree performs iallreduce");
    const auto larger = flat_tree(bench.checks.size + 1);
    context.tree = &larger;
    FATHOM_EXPECT(bench.checks, !refusal("allreduce", context).empty());
}

}  // namespace

int main(int argc, char** argv) {
    const auto body = [](test::Checks& checks) {
        probe::mpi::MpiGroup world(MPI_COMM_WORLD, true);
        const auto clock = probe::mpi::make_local_clock(world, clock::Source::automatic);
        const Bench bench{.checks = checks, .clock = *clock.clock};
        if (checks.size > 1) {
            every_farm_counts_all_pieces_even_if_some_workers_get_none(bench);
            a_piece_takes_its_time(bench);
            a_farm_that_needs_too_much_memory_says_so(bench);
            a_buffered_farm_may_follow_another(bench);
        }
        a_solution_takes_as_many_iterations_on_any_number_of_ranks(bench);
        a_grid_with_fewer_rows_than_ranks_is_refused(bench);
        if_one_rank_has_no_memory_all_refuse(bench);
        a_kernel_counts_where_its_time_goes(bench);
        a_single_sum_uses_one_communicator(bench);
        kernels_run_over_trees_and_number_their_calls(bench);
        every_thread_of_a_tree_takes_part(bench);
        a_tree_performs_what_it_can_and_refuses_the_rest(bench);
    };
    // Trees with threads need it.
    return test::run_on_all_ranks(argc, argv, body, plan::ThreadLevel::funneled);
}
