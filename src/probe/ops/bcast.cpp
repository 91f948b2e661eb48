#include "probe/mpi/byte_message.hpp"
#include "probe/mpi/check.hpp"
#include "probe/ops/buffer.hpp"
#include "probe/ops/data.hpp"
#include "probe/ops/registry.hpp"

namespace fathom::probe {
namespace {

constexpr int root = 0;

class Bcast : public Operation {
  public:
    explicit Bcast(const OperationContext& context)
        : context_(context), message_(context.size), buffer_(context.size) {
        Bcast::prepare_check();
    }

    void call() override {
        FATHOM_MPI(MPI_Bcast, buffer_.data(), message_.count(), message_.datatype(), root,
                   context_.communicator);
    }

    void prepare_check() override {
        if (context_.rank == root) {
            fill_pattern(buffer_.bytes(), context_.seed);
        } else {
            fill_wrong(buffer_.bytes(), context_.seed);
        }
    }

    [[nodiscard]] std::string check() const override {
        return compare_pattern(buffer_.bytes(), context_.seed);
    }
    [[nodiscard]] std::string datatype() const override { return "byte"; }

  private:
    OperationContext context_;
    mpi::ByteMessage message_;
    Buffer buffer_;
};

}  // namespace

std::unique_ptr<Operation> make_bcast(const OperationContext& context) {
    return std::make_unique<Bcast>(context);
}

}  // namespace fathom::probe
