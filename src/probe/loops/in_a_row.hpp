#pragma once

#include <cstdint>

#include "probe/loops/wrapped_operation.hpp"

namespace fathom::probe {

/// Several calls of an operation as one: what is between two time stamps in the loops of other
/// benchmarks.
class InARow : public WrappedOperation {
  public:
    InARow(Operation& operation, std::int64_t calls) : WrappedOperation(operation), calls_(calls) {}

    void call() override { wrapped().calls(calls_, rep_); }
    void next(std::int64_t rep) override {
        rep_ = rep;
        wrapped().next(rep);
    }
    [[nodiscard]] std::int64_t parts() const override { return calls_ * wrapped().parts(); }

  private:
    std::int64_t calls_;
    std::int64_t rep_ = 0;
};

}  // namespace fathom::probe
