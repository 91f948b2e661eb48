#include "probe/mpi/byte_message.hpp"
#include "probe/mpi/check.hpp"
#include "probe/ops/buffer.hpp"
#include "probe/ops/data.hpp"
#include "probe/ops/registry.hpp"

namespace fathom::probe {
namespace {

class Bcast : public Operation {
  public:
    explicit Bcast(const OperationContext& context)
        : context_(context), message_(context.size), buffer_(context.size, context.region) {
        Bcast::prepare_check();
    }

    void call() override {
        FATHOM_MPI(MPI_Bcast, buffer_.data(), message_.count(), message_.datatype(), root_,
                   context_.communicator);
    }

    void next() override {
        buffer_.next();
        if (context_.rotate_root) {
            root_ = root_ + 1 == context_.procs ? 0 : root_ + 1;
        }
    }

    void prepare_check() override {
        if (context_.rank == root_) {
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
    int root_ = 0;
};

}  // namespace

std::unique_ptr<Operation> make_bcast(const OperationContext& context) {
    return std::make_unique<Bcast>(context);
}

}  // namespace fathom::probe
