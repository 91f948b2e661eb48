#pragma once

#include <cmath>

#include <mpi.h>

#include "probe/interfaces/clock.hpp"

namespace fathom::probe::mpi {

/// Its origin may differ from process to process: Open MPI counts from MPI_Init.
class Wtime : public Clock {
  public:
    [[nodiscard]] Nanoseconds now() const override { return {std::llround(MPI_Wtime() * 1e9)}; }
    [[nodiscard]] std::string_view name() const override { return "wtime"; }
};

}  // namespace fathom::probe::mpi
