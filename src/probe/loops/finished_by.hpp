#pragma once

#include "probe/interfaces/start.hpp"
#include "probe/loops/wrapped_operation.hpp"

namespace fathom::probe {

/// An operation whose timed part ends only when other ranks are done too: after a barrier, as in SKaMPI's
/// older scheme, or their acknowledgements, as in MPBench.
class FinishedBy : public WrappedOperation {
  public:
    FinishedBy(Operation& operation, Start& others) : WrappedOperation(operation), others_(others) {}

    void call() override {
        wrapped().call();
        others_.align();
    }

  private:
    Start& others_;
};

}  // namespace fathom::probe
