#pragma once

#include <cstdint>
#include <memory>

#include "base/units.hpp"
#include "probe/interfaces/clock.hpp"

namespace fathom::probe {

/// What an amount of work takes on an undisturbed processor: `constant_ns` + units * `unit_ns`.
struct WorkRate {
    double constant_ns = 0;
    double unit_ns = 1;

    [[nodiscard]] std::int64_t units_for(Nanoseconds time) const;
};

/// Work that a program would do while its messages are under way, in amounts that can be repeated.
class Worker {
  public:
    Worker() = default;
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;
    virtual ~Worker() = default;

    /// This much work, however long it takes.
    virtual void work(std::int64_t units) = 0;
    /// Works until this rank's clock shows `time`, which it does when this returns. After calibrate() it
    /// reads the clock less often meanwhile.
    virtual void work_until(Nanoseconds time) = 0;

    /// Finds out what a unit takes; see calibration.hpp.
    virtual WorkRate calibrate() = 0;
};

/// Dependent arithmetic in registers: no memory traffic. A unit is some 1 ns.
std::unique_ptr<Worker> make_register_work(const Clock& clock);
/// Reads and writes its way through twice the memory that the largest cache holds, as fast as one core can. A
/// unit is a line of 64 bytes, some 3 ns.
std::unique_ptr<Worker> make_memory_work(const Clock& clock);

}  // namespace fathom::probe
