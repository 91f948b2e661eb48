// Work of simulated ranks is simulated computing time, to the nanosecond.
#include <cstdlib>

#include <mpi.h>

#include "mpi/check.hpp"
#include "probe/mpi/local_clock.hpp"
#include "probe/mpi/local_worker.hpp"
#include "probe/mpi/mpi_group.hpp"

using namespace fathom;

namespace {

void a_unit_is_a_nanosecond(test::Checks& checks, const probe::Clock& clock, probe::Worker& worker) {
    const auto rate = worker.calibrate();
    for (const std::int64_t asked : {0LL, 1LL, 1'000LL, 1'000'000LL, 1'000'000'000LL}) {
        FATHOM_EXPECT(checks, rate.units_for({asked}) == asked);
        const auto begin = clock.now();
        worker.work(rate.units_for({asked}));
        FATHOM_EXPECT(checks, std::abs((clock.now() - begin).count - asked) <= 1);
    }
}

void work_ends_when_the_clock_shows_the_time(test::Checks& checks, const probe::Clock& clock,
                                             probe::Worker& worker) {
    const Nanoseconds end{clock.now().count + 12'345};
    worker.work_until(end);
    FATHOM_EXPECT(checks, std::abs((clock.now() - end).count) <= 1);
    worker.work_until({0});
    FATHOM_EXPECT(checks, std::abs((clock.now() - end).count) <= 1);
}

}  // namespace

int main(int argc, char** argv) {
    return test::run_on_all_ranks(argc, argv, [](test::Checks& checks) {
        probe::mpi::MpiGroup group(MPI_COMM_WORLD, false);
        const auto local = probe::mpi::make_local_clock(group, clock::Source::automatic);
        for (const auto kind : values_of<plan::Work>) {
            const auto worker = probe::mpi::make_worker(kind, *local.clock);
            a_unit_is_a_nanosecond(checks, *local.clock, *worker);
            work_ends_when_the_clock_shows_the_time(checks, *local.clock, *worker);
        }
    });
}
