// Surveys of a machine: every pair of ranks in turn, and both directions at once.
#include <utility>

#include "plan/pairing.hpp"
#include "probe/mpi/byte_message.hpp"
#include "probe/mpi/check.hpp"
#include "probe/ops/buffer.hpp"
#include "probe/ops/data.hpp"
#include "probe/ops/registry.hpp"

namespace fathom::probe {
namespace {

constexpr int survey_tag = 13;
constexpr int handshake_tag = 14;

/// Two ranks at a time exchange a message each, with different bytes either way; a rank without a partner
/// does nothing.
class OfPairs : public Operation {
  public:
    void next(std::int64_t /*rep*/) override {
        outgoing_.next();
        incoming_.next();
    }

    void prepare_check() override {
        fill_pattern(outgoing_.bytes(), stream_of(context_.rank));
        if (met()) {
            fill_wrong(incoming_.bytes(), stream_of(partner_));
        }
    }

    [[nodiscard]] std::string check() const override {
        return met() ? compare_pattern(incoming_.bytes(), stream_of(partner_)) : std::string();
    }

    [[nodiscard]] std::span<std::byte> received() override {
        return met() ? incoming_.bytes() : std::span<std::byte>();
    }

    [[nodiscard]] std::string datatype() const override { return "byte"; }

  protected:
    explicit OfPairs(const OperationContext& context)
        : context_(context),
          message_(context.size),
          outgoing_(context.size, context.region),
          incoming_(context.size, context.region) {
        OfPairs::prepare_check();
    }

    [[nodiscard]] const OperationContext& context() const { return context_; }
    [[nodiscard]] bool met() const { return partner_ != plan::nobody; }
    [[nodiscard]] int partner() const { return partner_; }
    void meet(int partner) { partner_ = partner; }

    void ping_pong(bool sends_first) {
        if (sends_first) {
            send();
            receive();
        } else {
            receive();
            send();
        }
    }

    void both_at_once() {
        FATHOM_MPI(MPI_Sendrecv, outgoing_.data(), message_.count(), message_.datatype(), partner_,
                   survey_tag, incoming_.data(), message_.count(), message_.datatype(), partner_, survey_tag,
                   context_.communicator, MPI_STATUS_IGNORE);
    }

  private:
    [[nodiscard]] std::uint64_t stream_of(int rank) const {
        return splitmix64(context_.seed, static_cast<std::uint64_t>(rank));
    }
    void send() {
        FATHOM_MPI(MPI_Send, outgoing_.data(), message_.count(), message_.datatype(), partner_, survey_tag,
                   context_.communicator);
    }
    void receive() {
        FATHOM_MPI(MPI_Recv, incoming_.data(), message_.count(), message_.datatype(), partner_, survey_tag,
                   context_.communicator, MPI_STATUS_IGNORE);
    }

    OperationContext context_;
    mpi::ByteMessage message_;
    Buffer outgoing_;
    Buffer incoming_;
    int partner_ = plan::nobody;
};

/// The host of each rank; all on one where that is not known.
std::vector<int> hosts_in(const OperationContext& context) {
    return context.hosts.empty() ? std::vector<int>(static_cast<std::size_t>(context.procs)) : context.hosts;
}

/// A ping-pong of every pair in turn: a round of a schedule for each repetition.
class EveryPair : public OfPairs {
  public:
    explicit EveryPair(const OperationContext& context)
        : OfPairs(context), schedule_(hosts_in(context), context.settings.contended) {}

    /// Partners meet before their time starts; within a row of calls, or after a call that led in, they have
    /// met already. Where each pair is to have its hosts to itself, the pairs of the round before have to be
    /// done.
    void next(std::int64_t rep) override {
        OfPairs::next(rep);
        if (std::exchange(rep_, rep) == rep) {
            return;
        }
        meet(schedule_.partner(rep % schedule_.rounds(), context().rank));
        if (!context().settings.contended) {
            FATHOM_MPI(MPI_Barrier, context().communicator);
        }
        if (met()) {
            FATHOM_MPI(MPI_Sendrecv, nullptr, 0, MPI_BYTE, partner(), handshake_tag, nullptr, 0, MPI_BYTE,
                       partner(), handshake_tag, context().communicator, MPI_STATUS_IGNORE);
        }
    }

    void call() override {
        if (met()) {
            ping_pong(context().rank < partner());
        }
    }

    [[nodiscard]] std::int64_t cycle() const override { return schedule_.rounds(); }

  private:
    plan::PairSchedule schedule_;
    std::int64_t rep_ = -1;
};

/// By turns a ping-pong, one way at a time, and the same messages both ways at once.
class Duplex : public OfPairs {
  public:
    explicit Duplex(const OperationContext& context) : OfPairs(context) {
        const auto pairing = plan::pairing_of(context.settings.pairs, hosts_in(context));
        const auto rank = static_cast<std::size_t>(context.rank);
        meet(pairing.partner[rank]);
        leads_ = pairing.leads[rank];
    }

    void next(std::int64_t rep) override {
        OfPairs::next(rep);
        at_once_ = rep % 2 != 0;
    }

    void call() override {
        if (!met()) {
            return;
        }
        if (at_once_) {
            both_at_once();
        } else {
            ping_pong(leads_);
        }
    }

    [[nodiscard]] std::int64_t cycle() const override { return 2; }

  private:
    bool leads_ = false;
    bool at_once_ = false;
};

}  // namespace

std::unique_ptr<Operation> make_survey(const plan::OperationInfo& info, const OperationContext& context) {
    if (info.kind == plan::Kind::matrix) {
        return std::make_unique<EveryPair>(context);
    }
    return std::make_unique<Duplex>(context);
}

}  // namespace fathom::probe
