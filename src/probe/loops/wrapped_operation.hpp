#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "probe/interfaces/operation.hpp"

namespace fathom::probe {

/// Passes everything on to another operation; what derives from it changes a part.
class WrappedOperation : public Operation {
  public:
    void call() override { operation_.call(); }
    void next(std::int64_t rep) override { operation_.next(rep); }
    void end_series() override { operation_.end_series(); }
    [[nodiscard]] std::int64_t cycle() const override { return operation_.cycle(); }
    [[nodiscard]] std::int64_t parts() const override { return operation_.parts(); }

    void prepare_check() override { operation_.prepare_check(); }
    [[nodiscard]] std::string check() const override { return operation_.check(); }
    [[nodiscard]] std::span<std::byte> received() override { return operation_.received(); }
    Tally take_tally() override { return operation_.take_tally(); }
    [[nodiscard]] Traced* traced() override { return operation_.traced(); }
    [[nodiscard]] bool shares_cores() const override { return operation_.shares_cores(); }
    [[nodiscard]] std::string datatype() const override { return operation_.datatype(); }

  protected:
    explicit WrappedOperation(Operation& operation) : operation_(operation) {}
    [[nodiscard]] Operation& wrapped() { return operation_; }
    [[nodiscard]] const Operation& wrapped() const { return operation_; }

  private:
    Operation& operation_;
};

}  // namespace fathom::probe
