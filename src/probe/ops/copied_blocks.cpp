// Blocks that are gathered before they are sent, and scattered after they arrived.
#include <climits>
#include <fmt/format.h>

#include "probe/mpi/check.hpp"
#include "probe/mpi/flavour.hpp"
#include "probe/ops/one_way.hpp"

namespace fathom::probe {
namespace {

/// By hand.
class ByHand : public OneWay {
  public:
    ByHand(const OperationContext& context, const Roles& roles)
        : OneWay(context, roles, {.data = Shape::vector, .besides = context.size}), copy_(context.size) {}

    [[nodiscard]] std::string datatype() const override {
        return fmt::format("byte, copied from {} in {}", vector_blocks[0].length, vector_cycle.stride);
    }

  protected:
    void send() override {
        copy_together(out(), copy_.data(), context().size.count);
        auto copied = ends();
        copied.out = copy_.data();
        send_by<MPI_Send>(copied);
    }
    void receive() override {
        auto copied = ends();
        copied.in = copy_.data();
        probe::receive(copied);
        copy_apart(copy_.data(), in(), context().size.count);
    }

  private:
    Buffer copy_;
};

/// The same by MPI's own calls.
class Packed : public OneWay {
  public:
    Packed(const OperationContext& context, const Roles& roles)
        : OneWay(context, roles,
                 {.data = Shape::vector, .message = Shape::vector, .besides = countable(context.size)}),
          copy_(Bytes{packed_size()}) {}

    [[nodiscard]] std::string datatype() const override { return "packed from " + message().text(); }

  protected:
    void send() override {
        int position = 0;
        FATHOM_MPI(MPI_Pack, out(), message().count(), message().datatype(), copy_.data(), copy_size(),
                   &position, context().communicator);
        FATHOM_MPI(MPI_Send, copy_.data(), position, MPI_PACKED, partner(), message_tag,
                   context().communicator);
    }
    void receive() override {
        FATHOM_MPI(MPI_Recv, copy_.data(), copy_size(), MPI_PACKED, partner(), message_tag,
                   context().communicator, MPI_STATUS_IGNORE);
        if (mpi::simulated && context().size.count == 0) {
            return;  // SimGrid divides by the size of the datatype
        }
        int position = 0;
        FATHOM_MPI(MPI_Unpack, copy_.data(), copy_size(), &position, in(), message().count(),
                   message().datatype(), context().communicator);
    }

  private:
    static Bytes countable(Bytes size) {
        if (size.count > INT_MAX) {
            throw Unavailable(fmt::format("{} exceed MPI_Pack's 32-bit positions", to_text(size)));
        }
        return size;
    }
    [[nodiscard]] int packed_size() const {
        int size = 0;
        FATHOM_MPI(MPI_Pack_size, message().count(), message().datatype(), context().communicator, &size);
        return size;
    }
    [[nodiscard]] int copy_size() const { return static_cast<int>(copy_.bytes().size()); }

    Buffer copy_;
};

}  // namespace

std::unique_ptr<Operation> make_copied_by_hand(const OperationContext& context, const Roles& roles) {
    return std::make_unique<ByHand>(context, roles);
}

std::unique_ptr<Operation> make_packed(const OperationContext& context, const Roles& roles) {
    return std::make_unique<Packed>(context, roles);
}

}  // namespace fathom::probe
