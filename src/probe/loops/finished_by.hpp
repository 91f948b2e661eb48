#pragma once

#include "probe/interfaces/start.hpp"
#include "probe/loops/wrapped_operation.hpp"

namespace fathom::probe {

/// An operation whose timed part ends only after a barrier, as in SKaMPI's older scheme.
class FinishedBy : public WrappedOperation {
  public:
    FinishedBy(Operation& operation, Start& barrier) : WrappedOperation(operation), barrier_(barrier) {}

    void call() override {
        wrapped().call();
        barrier_.align();
    }

  private:
    Start& barrier_;
};

}  // namespace fathom::probe
