// Streams: a window of messages in flight, between two ranks or between all in pairs.
#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

#include "plan/pairing.hpp"
#include "probe/mpi/byte_message.hpp"
#include "probe/mpi/check.hpp"
#include "probe/ops/buffer.hpp"
#include "probe/ops/data.hpp"
#include "probe/ops/registry.hpp"

namespace fathom::probe {
namespace {

constexpr int data_tag = 21;
constexpr int done_tag = 22;

/// The leader of a pair sends the window, its partner receives it and says so with an empty message; or both
/// send and receive. Every message has memory of its own at both ends.
class Stream : public Operation {
  public:
    Stream(const OperationContext& context, const plan::OperationInfo& info)
        : context_(context),
          both_ways_(info.is(plan::Fact::both_ways)),
          message_(context.size),
          outgoing_(needed(), context.region),
          incoming_(needed(), context.region),
          requests_(static_cast<std::size_t>(both_ways_ ? 2 * window() : window()), MPI_REQUEST_NULL) {
        auto hosts = context.hosts;
        hosts.resize(static_cast<std::size_t>(context.procs));
        const auto pairing = plan::pairing_of(
            info.is(plan::Fact::in_pairs) ? context.settings.pairs : std::vector<std::string>(), hosts);
        partner_ = pairing.partner[static_cast<std::size_t>(context.rank)];
        leads_ = pairing.leads[static_cast<std::size_t>(context.rank)];
        Stream::prepare_check();
    }

    void call() override {
        if (partner_ == plan::nobody) {
            return;
        }
        auto* request = requests_.data();
        if (receives()) {
            for (std::int64_t i = 0; i < window(); ++i) {
                FATHOM_MPI(MPI_Irecv, slot(incoming_, i).data(), message_.count(), message_.datatype(),
                           partner_, data_tag, context_.communicator, request++);
            }
        }
        if (sends()) {
            for (std::int64_t i = 0; i < window(); ++i) {
                FATHOM_MPI(MPI_Isend, slot(outgoing_, i).data(), message_.count(), message_.datatype(),
                           partner_, data_tag, context_.communicator, request++);
            }
        }
        FATHOM_MPI(MPI_Waitall, static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
        if (both_ways_) {
            return;
        }
        if (leads_) {
            FATHOM_MPI(MPI_Recv, nullptr, 0, MPI_BYTE, partner_, done_tag, context_.communicator,
                       MPI_STATUS_IGNORE);
        } else {
            FATHOM_MPI(MPI_Send, nullptr, 0, MPI_BYTE, partner_, done_tag, context_.communicator);
        }
    }

    void next(std::int64_t /*rep*/) override {
        outgoing_.next();
        incoming_.next();
    }

    [[nodiscard]] std::int64_t parts() const override { return window(); }

    void prepare_check() override {
        for (std::int64_t i = 0; i < window(); ++i) {
            fill_pattern(slot(outgoing_, i), stream(context_.rank, i));
            fill_wrong(slot(incoming_, i), stream(partner_, i));
        }
    }

    [[nodiscard]] std::string check() const override {
        for (std::int64_t i = 0; receives() && i < window(); ++i) {
            const auto wrong = compare_pattern(slot(incoming_, i), stream(partner_, i));
            if (!wrong.empty()) {
                return fmt::format("in message {} of rank {}: {}", i, partner_, wrong);
            }
        }
        return {};
    }

    [[nodiscard]] std::span<std::byte> received() override {
        return receives() ? incoming_.bytes() : std::span<std::byte>();
    }

    [[nodiscard]] std::string datatype() const override { return "byte"; }

  private:
    [[nodiscard]] std::int64_t window() const { return context_.settings.window; }
    [[nodiscard]] bool sends() const { return partner_ != plan::nobody && (both_ways_ || leads_); }
    [[nodiscard]] bool receives() const { return partner_ != plan::nobody && (both_ways_ || !leads_); }

    /// Checked before any of it is allocated.
    [[nodiscard]] Bytes needed() const {
        const Bytes each{window() * context_.size.count};
        const Bytes both{2 * (each.count + context_.region.count)};
        if (both > context_.memory) {
            throw Unavailable(
                fmt::format("{} messages of {} each way need {} on every rank, and {} are free for each; use "
                            "a smaller --window",
                            window(), to_text(context_.size), to_text(both), to_text(context_.memory)));
        }
        return each;
    }
    [[nodiscard]] std::span<std::byte> slot(const Buffer& buffer, std::int64_t index) const {
        const auto size = static_cast<std::size_t>(context_.size.count);
        return buffer.bytes().subspan(static_cast<std::size_t>(index) * size, size);
    }
    [[nodiscard]] std::uint64_t stream(int rank, std::int64_t index) const {
        return splitmix64(splitmix64(context_.seed, static_cast<std::uint64_t>(rank)),
                          static_cast<std::uint64_t>(index));
    }

    OperationContext context_;
    bool both_ways_;  ///< at once
    mpi::ByteMessage message_;
    Buffer outgoing_;
    Buffer incoming_;
    std::vector<MPI_Request> requests_;
    int partner_ = plan::nobody;
    bool leads_ = false;
};

}  // namespace

std::unique_ptr<Operation> make_stream(const plan::OperationInfo& info, const OperationContext& context) {
    return std::make_unique<Stream>(context, info);
}

}  // namespace fathom::probe
