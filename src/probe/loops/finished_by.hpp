#pragma once

#include "probe/interfaces/operation.hpp"
#include "probe/interfaces/start.hpp"

namespace fathom::probe {

/// An operation whose timed part ends only after a barrier, as in SKaMPI's older scheme.
class FinishedBy : public Operation {
  public:
    FinishedBy(Operation& operation, Start& barrier) : operation_(operation), barrier_(barrier) {}

    void call() override {
        operation_.call();
        barrier_.align();
    }
    void next(std::int64_t rep) override { operation_.next(rep); }
    void end_series() override { operation_.end_series(); }
    [[nodiscard]] std::int64_t cycle() const override { return operation_.cycle(); }
    [[nodiscard]] std::int64_t parts() const override { return operation_.parts(); }

    void prepare_check() override { operation_.prepare_check(); }
    [[nodiscard]] std::string check() const override { return operation_.check(); }
    [[nodiscard]] std::span<std::byte> received() override { return operation_.received(); }
    Tally take_tally() override { return operation_.take_tally(); }
    [[nodiscard]] std::string datatype() const override { return operation_.datatype(); }

  private:
    Operation& operation_;
    Start& barrier_;
};

}  // namespace fathom::probe
