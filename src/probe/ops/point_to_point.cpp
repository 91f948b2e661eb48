#include "probe/mpi/byte_message.hpp"
#include "probe/mpi/check.hpp"
#include "probe/ops/buffer.hpp"
#include "probe/ops/data.hpp"
#include "probe/ops/registry.hpp"

namespace fathom::probe {
namespace {

constexpr int tag = 11;

/// The first rank sends and waits for the answer, the last answers; different bytes go either way.
class PingPong : public Operation {
  public:
    explicit PingPong(const OperationContext& context)
        : context_(context),
          message_(context.size),
          outgoing_(context.size, context.region),
          incoming_(context.size, context.region) {
        PingPong::prepare_check();
    }

    void call() override {
        const int partner = 1 - context_.rank;
        if (context_.rank == 0) {
            send(partner);
            receive(partner);
        } else {
            receive(partner);
            send(partner);
        }
    }

    void next(std::int64_t /*rep*/) override {
        outgoing_.next();
        incoming_.next();
    }

    void prepare_check() override {
        fill_pattern(outgoing_.bytes(), stream_of(context_.rank));
        fill_wrong(incoming_.bytes(), stream_of(1 - context_.rank));
    }

    [[nodiscard]] std::string check() const override {
        return compare_pattern(incoming_.bytes(), stream_of(1 - context_.rank));
    }

    [[nodiscard]] std::span<std::byte> received() override { return incoming_.bytes(); }

    [[nodiscard]] std::string datatype() const override { return "byte"; }

  private:
    [[nodiscard]] std::uint64_t stream_of(int rank) const {
        return mixed(context_.seed, static_cast<std::uint64_t>(rank));
    }
    void send(int partner) {
        FATHOM_MPI(MPI_Send, outgoing_.data(), message_.count(), message_.datatype(), partner, tag,
                   context_.communicator);
    }
    void receive(int partner) {
        FATHOM_MPI(MPI_Recv, incoming_.data(), message_.count(), message_.datatype(), partner, tag,
                   context_.communicator, MPI_STATUS_IGNORE);
    }

    OperationContext context_;
    mpi::ByteMessage message_;
    Buffer outgoing_;
    Buffer incoming_;
};

}  // namespace

std::unique_ptr<Operation> make_point_to_point(std::string_view name, const OperationContext& context) {
    if (name != "pingpong") {
        return nullptr;
    }
    return std::make_unique<PingPong>(context);
}

}  // namespace fathom::probe
