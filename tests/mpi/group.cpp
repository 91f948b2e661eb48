// The MPI group behind the engine: messages of any length, idle waiting, agreement, and the barrier on top of
// it.
#include <string>

#include "mpi/check.hpp"
#include "probe/mpi/mpi_group.hpp"
#include "probe/start/dissemination.hpp"

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

}  // namespace

int main(int argc, char** argv) {
    return test::run_on_all_ranks(argc, argv, [](test::Checks& checks) {
        probe::mpi::MpiGroup group(MPI_COMM_WORLD, checks.size > 2);
        texts_arrive_whole(checks, group);
        idle_ranks_are_woken(checks, group);
        the_first_text_wins_on_all_ranks(checks, group);
        barriers_follow_each_other_without_mixing(checks, group);
    });
}
