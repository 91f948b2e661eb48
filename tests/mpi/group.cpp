// The MPI group behind the engine: messages of any length, idle waiting, agreement, the barrier and orders on
// top of it; and the teams of ranks that measure together.
#include <numeric>
#include <string>
#include <vector>

#include "mpi/check.hpp"
#include "probe/mpi/mpi_group.hpp"
#include "probe/start/binomial.hpp"
#include "probe/start/dissemination.hpp"
#include "probe/teams.hpp"

using namespace fathom;

namespace {

void texts_arrive_whole(test::Checks& checks, probe::Group& group) {
    for (const std::size_t length : {std::size_t{0}, std::size_t{1}, std::size_t{1} << 20}) {
        const std::string text(length, 'x');
        if (group.rank() == 0) {
            for (int rank = 1; rank < group.size(); ++rank) {
                FATHOM_EXPECT(checks, group.receive(rank) == text);
            }
        } else {
            group.send(0, text);
        }
    }
}

void idle_ranks_are_woken(test::Checks& checks, probe::Group& group) {
    if (group.rank() == 0) {
        for (int rank = 1; rank < group.size(); ++rank) {
            group.send(rank, "wake");
        }
    } else {
        FATHOM_EXPECT(checks, group.receive_idle(0) == "wake");
    }
}

void the_first_text_wins_on_all_ranks(test::Checks& checks, probe::Group& group) {
    const int last = group.size() - 1;
    const auto mine = group.rank() >= last / 2 ? "from " + std::to_string(group.rank()) : std::string();
    FATHOM_EXPECT(checks, group.first_of(mine) == "from " + std::to_string(last / 2));
    FATHOM_EXPECT(checks, group.first_of("").empty());
}

void barriers_follow_each_other_without_mixing(test::Checks& checks, probe::Group& group) {
    constexpr int rounds = 20;
    probe::DisseminationBarrier barrier(group);
    for (int round = 0; round < rounds; ++round) {
        barrier.align();
    }
    // Had a token been lost or doubled, this exchange would meet it.
    FATHOM_EXPECT(checks, group.first_of("").empty());
}

void orders_reach_every_rank(test::Checks& checks, probe::Group& group) {
    for (const std::size_t length : {std::size_t{0}, std::size_t{9}, std::size_t{1} << 16}) {
        const std::string text(length, 'x');
        FATHOM_EXPECT(checks, probe::broadcast_text_idle(group, group.rank() == 0 ? text : "mine") == text);
    }
}

void a_team_holds_the_first_ranks(test::Checks& checks, probe::Teams& teams) {
    for (int procs = 1; procs <= checks.size; ++procs) {
        std::vector<int> ranks(static_cast<std::size_t>(procs));
        std::iota(ranks.begin(), ranks.end(), 0);
        auto* const team = teams.of(ranks);
        FATHOM_EXPECT(checks, (team != nullptr) == (checks.rank < procs));
        FATHOM_EXPECT(checks, teams.of(ranks) == team);
        if (team == nullptr) {
            continue;
        }
        FATHOM_EXPECT(checks, team->group().size() == procs);
        FATHOM_EXPECT(checks, team->group().rank() == checks.rank);
        FATHOM_EXPECT(checks, team->world_rank(procs - 1) == procs - 1);
        FATHOM_EXPECT(checks, team->group().largest(checks.rank) == procs - 1);
        int members = 0;
        MPI_Comm_size(team->measured(), &members);
        FATHOM_EXPECT(checks, members == procs);
    }
}

void a_pair_may_be_any_two(test::Checks& checks, probe::Teams& teams) {
    for (int procs = 2; procs <= checks.size; ++procs) {
        auto* const pair = teams.of({0, procs - 1});
        const bool member = checks.rank == 0 || checks.rank == procs - 1;
        FATHOM_EXPECT(checks, (pair != nullptr) == member);
        if (pair == nullptr) {
            continue;
        }
        FATHOM_EXPECT(checks, pair->group().size() == 2);
        FATHOM_EXPECT(checks, pair->world_rank(pair->group().rank()) == checks.rank);
        FATHOM_EXPECT(checks, pair->group().largest(checks.rank) == procs - 1);
    }
}

void a_team_in_groups_has_a_communicator_for_each(test::Checks& checks, probe::Teams& teams) {
    if (checks.size < 4) {
        return;
    }
    auto* const team = teams.in_groups({{0, 1}, {2, 3}});
    FATHOM_EXPECT(checks, (team != nullptr) == (checks.rank < 4));
    FATHOM_EXPECT(checks, teams.in_groups({{0, 1}, {2, 3}}) == team);
    if (team == nullptr) {
        return;
    }
    FATHOM_EXPECT(checks, team->group().size() == 4);
    FATHOM_EXPECT(checks, team->groups() == 2);
    FATHOM_EXPECT(checks, team->ranks_in_group() == 2);
    FATHOM_EXPECT(checks, team->first_of_group() == checks.rank / 2 * 2);
    FATHOM_EXPECT(checks, team->hosts_of_group(2).size() == 2);
    int members = 0;
    int rank = 0;
    int all = 0;
    MPI_Comm_size(team->measured(), &members);
    MPI_Comm_rank(team->measured(), &rank);
    MPI_Comm_size(team->joint(), &all);
    FATHOM_EXPECT(checks, members == 2);
    FATHOM_EXPECT(checks, rank == checks.rank % 2);
    FATHOM_EXPECT(checks, all == 4);
}

}  // namespace

int main(int argc, char** argv) {
    return test::run_on_all_ranks(argc, argv, [](test::Checks& checks) {
        probe::mpi::MpiGroup group(MPI_COMM_WORLD, checks.size > 2);
        texts_arrive_whole(checks, group);
        idle_ranks_are_woken(checks, group);
        the_first_text_wins_on_all_ranks(checks, group);
        barriers_follow_each_other_without_mixing(checks, group);
        orders_reach_every_rank(checks, group);
        probe::Teams teams;
        a_team_holds_the_first_ranks(checks, teams);
        a_pair_may_be_any_two(checks, teams);
        a_team_in_groups_has_a_communicator_for_each(checks, teams);
    });
}
