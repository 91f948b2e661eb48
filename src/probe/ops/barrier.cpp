#include "probe/mpi/check.hpp"
#include "probe/ops/registry.hpp"

namespace fathom::probe {
namespace {

/// Moves no data, so there is none to check: an error would show as a hang or an MPI error.
class Barrier : public Operation {
  public:
    explicit Barrier(const OperationContext& context) : communicator_(context.communicator) {}

    void call() override { FATHOM_MPI(MPI_Barrier, communicator_); }
    void prepare_check() override {}
    [[nodiscard]] std::string check() const override { return {}; }

  private:
    MPI_Comm communicator_;
};

}  // namespace

std::unique_ptr<Operation> make_barrier(const OperationContext& context) {
    return std::make_unique<Barrier>(context);
}

}  // namespace fathom::probe
