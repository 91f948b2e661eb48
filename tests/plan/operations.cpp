#include "plan/operations.hpp"

#include <algorithm>
#include <array>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/test_support.hpp"
#include "base/text.hpp"

namespace fathom::plan {
namespace {

using testing::refusal_of;

TEST(KnownOperation, IsNoneForANameThatNobodyHas) {
    EXPECT_EQ(known_operation("frobnicate"), nullptr);
    EXPECT_EQ(known_operation("bcast"), &find_operation("bcast"));
}

TEST(Operations, HaveSaneRows) {
    std::set<std::string_view> names;
    for (const auto& row : operations()) {
        EXPECT_TRUE(names.insert(row.name).second) << row.name << " is there twice";
        EXPECT_EQ(row.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_.-"),
                  std::string_view::npos)
            << row.name;
        EXPECT_TRUE(row.name.front() >= 'a' && row.name.front() <= 'z') << row.name;
        EXPECT_FALSE(row.summary.empty()) << row.name;
        EXPECT_GE(row.min_procs, row.of_two() ? 2 : 1) << row.name;
        EXPECT_EQ(&find_operation(row.name), &row);
    }
    EXPECT_EQ(operation_names().size(), operations().size());
}

TEST(Operations, NameTheirMpiCalls) {
    for (const auto& row : operations()) {
        const auto calls = split(row.calls, ',');
        EXPECT_EQ(calls.empty(), row.name == "empty") << row.name << " makes no calls";
        for (const auto& call : calls) {
            EXPECT_EQ(call.substr(0, 4), "MPI_") << row.name << ": " << call;
            EXPECT_TRUE(call.size() > 4 && call[4] >= 'A' && call[4] <= 'Z') << row.name << ": " << call;
        }
        EXPECT_THAT(row.version, ::testing::AnyOf(10, 20, 21, 22, 30, 31, 40, 41)) << row.name;
    }
}

TEST(Operations, OfMessagesMoveBytesInProportionToTheirSize) {
    for (const auto& row : operations()) {
        for (const int procs : {row.min_procs, 2, 3, 1024}) {
            const double traffic = row.traffic(1e6, procs);
            EXPECT_GE(traffic, 0) << row.name;
            EXPECT_DOUBLE_EQ(row.traffic(0, procs), 0) << row.name << " moves no bytes at size 0";
            EXPECT_NEAR(row.traffic(2e6, procs), 2 * traffic, 1e-3)
                << row.name << " is not linear in the size";
        }
        // The size of a window is that of memory, which does not move.
        const bool moves = row.sized && !row.name.starts_with("win_");
        EXPECT_EQ(moves, row.traffic(1e6, 1024) > 0) << row.name;
        EXPECT_THAT(row.element, ::testing::AnyOf(1, 4)) << row.name;
    }
}

TEST(Operations, AreMadeFromTheirFactors) {
    const auto count = [](Group group) {
        return std::count_if(operations().begin(), operations().end(),
                             [&](const auto& row) { return row.group == group; });
    };
    constexpr int collectives = 19;
    EXPECT_EQ(operations().size(), 188);
    EXPECT_EQ(count(Group::point_to_point), 2 * 22) << "calls, between two ranks and in pairs";
    EXPECT_EQ(count(Group::collective), 3 * collectives) << "each in three forms";
    EXPECT_EQ(count(Group::one_sided), 6 * 4 + 3) << "calls by synchronisation, and windows that are made";
    EXPECT_EQ(count(Group::overlap), 2 + collectives) << "messages, and every non-blocking collective";
}

TEST(Operations, OfAGroupFollowEachOther) {
    EXPECT_TRUE(std::ranges::is_sorted(operations(), {}, &OperationInfo::group));
}

TEST(Operations, ThatAreProductsSaySoInNameCallsVersionAndSummary) {
    struct Row {
        std::string_view name;
        std::string_view call;
        std::string_view calls;
        int version;
        std::string_view summary;
    };
    const auto rows = std::to_array<Row>({
        {"pairs.mprobe", "mprobe", "MPI_Send, MPI_Mprobe, MPI_Mrecv", 30, "matched by MPI_Mprobe"},
        {"reduce_scatter_block", "reduce_scatter_block", "MPI_Reduce_scatter_block", 22,
         "sum over all ranks, a block of it on each"},
        {"ibcast", "bcast", "MPI_Ibcast, MPI_Wait", 30, "bcast, started and waited for"},
        {"neighbor_alltoall_init", "neighbor_alltoall", "MPI_Neighbor_alltoall_init, MPI_Start, MPI_Wait", 40,
         "persistent neighbor_alltoall"},
        {"put.flush", "put", "MPI_Put, MPI_Win_flush", 30,
         "writes to the other rank's window, under lock_all, then a flush"},
        {"get_accumulate.fence", "get_accumulate", "MPI_Get_accumulate, MPI_Win_fence", 30,
         "adds and returns the previous values, between two fences"},
        {"overlap.iallreduce", "allreduce", "MPI_Iallreduce, MPI_Test, MPI_Wait", 30,
         "MPI_Iallreduce with work before its completion: overhead, availability, overlap and progress on "
         "every "
         "rank"},
    });
    for (const auto& row : rows) {
        const auto& info = find_operation(row.name);
        EXPECT_EQ(info.call, row.call) << row.name;
        EXPECT_EQ(info.calls, row.calls) << row.name;
        EXPECT_EQ(info.version, row.version) << row.name;
        EXPECT_EQ(info.summary, row.summary) << row.name;
    }
    EXPECT_EQ(find_operation("put.flush").synchronisation, Synchronisation::flush);
    EXPECT_EQ(find_operation("overlap.iallreduce").form, Form::non_blocking);
    EXPECT_EQ(find_operation("ring").form, std::nullopt);
}

TEST(Operations, StateWhatNoNameCanTell) {
    EXPECT_TRUE(find_operation("message-rate").is(Fact::in_pairs));
    EXPECT_FALSE(find_operation("bandwidth").is(Fact::in_pairs));
    EXPECT_TRUE(find_operation("pairs.sendrecv").is(Fact::both_ways));
    EXPECT_EQ(find_operation("pairs.sendrecv").kind, Kind::collective);
    EXPECT_TRUE(find_operation("ireduce_scatter").is(Fact::by_counts));
    EXPECT_FALSE(find_operation("reduce_scatter_block").is(Fact::by_counts));
    EXPECT_TRUE(find_operation("overlap.igather").is(Fact::in_blocks));
    EXPECT_FALSE(find_operation("neighbor_allgather").is(Fact::in_blocks));
    EXPECT_TRUE(find_operation("overlap.irecv").is(Fact::receives));
}

TEST(CollectiveOf, IsFoundByCallAndForm) {
    EXPECT_EQ(collective_of("bcast", Form::persistent), &find_operation("bcast_init"));
    EXPECT_EQ(collective_of("ibcast", Form::blocking), nullptr);
}

TEST(Operations, RefuseAnUnknownNameWithTheNearest) {
    EXPECT_EQ(refusal_of([] { find_operation("bcsat"); }),
              "no operation 'bcsat'. Did you mean 'bcast'? ('fathom list ops' shows all.)");
    EXPECT_EQ(refusal_of([] { find_operation("frobnicate"); }),
              "no operation 'frobnicate'. ('fathom list ops' shows all.)");
    EXPECT_EQ(refusal_of([] { find_operation("BCAST"); }),
              "no operation 'BCAST'. ('fathom list ops' shows all.)");
}

TEST(OperationGiven, IsOurNameOrTheOnlyMpiCallOfThatMeaningInAnyCase) {
    EXPECT_EQ(&operation_given("bcast"), &find_operation("bcast"));
    EXPECT_EQ(&operation_given("MPI_Bcast"), &find_operation("bcast"));
    EXPECT_EQ(&operation_given("mpi_allreduce"), &find_operation("allreduce"));
    EXPECT_EQ(&operation_given("MPI_IALLTOALLV"), &find_operation("ialltoallv"));
    EXPECT_EQ(&operation_given("MPI_Allgather_init"), &find_operation("allgather_init"));
    EXPECT_EQ(&operation_given("MPI_Comm_dup"), &find_operation("comm_dup"));
    for (const auto& row : operations()) {
        if (row.group == Group::collective) {
            EXPECT_EQ(&operation_given(split(row.calls, ',').front()), &row) << row.calls;
        }
    }
}

TEST(OperationGiven, RefusesACallOfSeveralOperationsWithTheirNames) {
    EXPECT_EQ(refusal_of([] { operation_given("MPI_Put"); }),
              "'MPI_Put' is not an operation; it is called by put.fence, put.pscw, put.lock and put.flush. "
              "('fathom list ops MPI_Put' shows all.)");
    EXPECT_THAT(
        refusal_of([] { operation_given("MPI_Send"); }),
        ::testing::MatchesRegex("'MPI_Send' is not an operation; it is called by pingpong, pingpong.irecv, "
                                "pingpong.any_source, pingpong.any_tag and [0-9]+ more\\. .*"));
}

TEST(OperationGiven, RefusesOtherWordsWithTheNearest) {
    EXPECT_EQ(refusal_of([] { operation_given("MPI_Alreduce"); }),
              "no operation 'MPI_Alreduce'. Did you mean 'allreduce'? ('fathom list ops' shows all.)");
    EXPECT_EQ(refusal_of([] { operation_given("MPI_Matrix"); }),
              "no operation 'MPI_Matrix'. Did you mean 'matrix'? ('fathom list ops' shows all.)");
    EXPECT_EQ(refusal_of([] { operation_given("bcsat"); }),
              "no operation 'bcsat'. Did you mean 'bcast'? ('fathom list ops' shows all.)");
}

TEST(Operations, OfAPairNeedTwoProcessesAndCountHalfARoundTrip) {
    const auto& pingpong = find_operation("pingpong");
    EXPECT_EQ(pingpong.kind, Kind::round_trip);
    EXPECT_EQ(pingpong.min_procs, 2);
    EXPECT_EQ(pingpong.legs(), 2);
    EXPECT_EQ(pingpong.pattern(), "first-last");
}

TEST(Operations, OfAllRanksRunOnOneProcessToo) {
    const auto& allreduce = find_operation("allreduce");
    EXPECT_EQ(allreduce.kind, Kind::collective);
    EXPECT_EQ(allreduce.min_procs, 1);
    EXPECT_EQ(allreduce.legs(), 1);
    EXPECT_EQ(allreduce.pattern(), "all");
}

TEST(Traffic, IsWhatTheBusiestProcessMustMove) {
    EXPECT_DOUBLE_EQ(find_operation("pingpong").traffic(1000, 2), 1000);
    EXPECT_DOUBLE_EQ(find_operation("bcast").traffic(1000, 64), 1000);
    EXPECT_DOUBLE_EQ(find_operation("barrier").traffic(0, 64), 0);
    // Reduce-scatter and allgather each move (n-1)/n of the message.
    EXPECT_DOUBLE_EQ(find_operation("allreduce").traffic(1000, 4), 1500);
    EXPECT_DOUBLE_EQ(find_operation("allreduce").traffic(1000, 1), 0);
}

TEST(Rate, IsTrafficOverTime) {
    EXPECT_DOUBLE_EQ(find_operation("bcast").rate_bytes_per_s(Bytes{1000}, 2, 500), 2e9);
    EXPECT_DOUBLE_EQ(find_operation("allreduce").rate_bytes_per_s(Bytes{4096}, 2, 4096), 1e9);
}

TEST(Rate, IsZeroWhereItMakesNoSense) {
    EXPECT_DOUBLE_EQ(find_operation("barrier").rate_bytes_per_s(Bytes{0}, 8, 500), 0);
    EXPECT_DOUBLE_EQ(find_operation("bcast").rate_bytes_per_s(Bytes{1000}, 2, 0), 0);
}

TEST(Rate, DoesNotOverflowBeyond2GiB) {
    EXPECT_DOUBLE_EQ(find_operation("bcast").rate_bytes_per_s(Bytes{std::int64_t{16} << 30}, 2, 1e9),
                     17179869184.0);
}

}  // namespace
}  // namespace fathom::plan
