#pragma once

#include <cstdint>

#include "probe/interfaces/operation.hpp"

namespace fathom::probe {

/// Several calls of an operation as one: what is between two time stamps in the loops of other
/// benchmarks.
class InARow : public Operation {
  public:
    InARow(Operation& operation, std::int64_t calls) : operation_(operation), calls_(calls) {}

    void call() override {
        operation_.call();
        for (std::int64_t i = 1; i < calls_; ++i) {
            operation_.next(rep_);
            operation_.call();
        }
    }
    void next(std::int64_t rep) override {
        rep_ = rep;
        operation_.next(rep);
    }
    void end_series() override { operation_.end_series(); }
    [[nodiscard]] std::int64_t cycle() const override { return operation_.cycle(); }
    [[nodiscard]] std::int64_t parts() const override { return calls_ * operation_.parts(); }

    void prepare_check() override { operation_.prepare_check(); }
    [[nodiscard]] std::string check() const override { return operation_.check(); }
    [[nodiscard]] std::span<std::byte> received() override { return operation_.received(); }
    Tally take_tally() override { return operation_.take_tally(); }
    [[nodiscard]] std::string datatype() const override { return operation_.datatype(); }

  private:
    Operation& operation_;
    std::int64_t calls_;
    std::int64_t rep_ = 0;
};

}  // namespace fathom::probe
