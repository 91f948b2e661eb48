#include "probe/mpi/local_worker.hpp"

#include "probe/mpi/flavour.hpp"

#ifdef FATHOM_SIMULATED

#include <simgrid/host.h>
#include <smpi/smpi.h>

namespace fathom::probe::mpi {
namespace {

/// Computes on the simulated host; a unit is 1 ns of its time.
class SimulatedWork : public Worker {
  public:
    explicit SimulatedWork(const Clock& clock) : clock_(clock) {}

    void work(std::int64_t units) override {
        constexpr double ns_per_s = 1e9;
        if (units > 0) {
            smpi_execute_flops(static_cast<double>(units) / ns_per_s * sg_host_get_speed(sg_host_self()));
        }
    }
    void work_until(Nanoseconds time) override { work((time - clock_.now()).count); }
    WorkRate calibrate() override { return {}; }

  private:
    const Clock& clock_;
};

}  // namespace

std::unique_ptr<Worker> make_worker(plan::Work /*kind*/, const Clock& clock) {
    return std::make_unique<SimulatedWork>(clock);
}

}  // namespace fathom::probe::mpi

#else

namespace fathom::probe::mpi {

std::unique_ptr<Worker> make_worker(plan::Work kind, const Clock& clock) {
    return kind == plan::Work::memory ? make_memory_work(clock) : make_register_work(clock);
}

}  // namespace fathom::probe::mpi

#endif
