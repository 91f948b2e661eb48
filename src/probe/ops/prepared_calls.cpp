// Messages whose calls need something made ready: an attached buffer, a posted receive, a request.
#include <algorithm>

#include <fmt/format.h>

#include "probe/mpi/attached_buffer.hpp"
#include "probe/mpi/check.hpp"
#include "probe/ops/one_way.hpp"

namespace fathom::probe {
namespace {

constexpr int ready_tag = message_tag + 1;

/// From an attached buffer. A process can have only one: it is attached when a message is about to be sent,
/// since another operation may be there when this one is made.
class Buffered : public Plain<send_by<MPI_Bsend>, receive> {
  public:
    Buffered(const OperationContext& context, const Roles& roles)
        : Plain(context, roles, memory_for(context.size)),
          room_(room_for(context.size)),
          buffer_(context.size, room_, context.communicator) {}

    /// A message may need its sender until it has left, which detaching waits for: else it would lie there
    /// while the sender waits for the next start. Between calls in a row it is done only for room.
    void next(std::int64_t rep) override {
        Talk::next(rep);
        if (rep != rep_ || sent_ == room_) {
            buffer_.detach();
            sent_ = 0;
        }
        rep_ = rep;
        if (will_send()) {
            buffer_.attach();
            ++sent_;
        }
    }

  private:
    /// Messages that the buffer holds.
    static std::int64_t room_for(Bytes size) {
        constexpr std::int64_t usual = 1 << 20;
        constexpr std::int64_t most = 64;
        // SimGrid's overhead is 0, and so may be a message.
        const auto each = std::max<std::int64_t>(1, size.count + MPI_BSEND_OVERHEAD);
        return std::clamp<std::int64_t>(usual / each, 1, most);
    }
    static Bytes memory_for(Bytes size) { return {room_for(size) * (size.count + MPI_BSEND_OVERHEAD)}; }

    std::int64_t room_;
    mpi::AttachedBuffer buffer_;
    std::int64_t sent_ = 0;  ///< since it was attached
    std::int64_t rep_ = 0;
};

/// In ready mode: a receive is posted, and the sender knows, before it sends.
class Ready : public OneWay {
  public:
    Ready(const OperationContext& context, const Roles& roles) : OneWay(context, roles) {}

    void call() override {
        if (turn() == Turn::asks) {
            post();  // before the message that is answered
        }
        OneWay::call();
    }

    void next(std::int64_t rep) override {
        Talk::next(rep);
        if (turn() == Turn::receives || turn() == Turn::answers) {
            post();
            FATHOM_MPI(MPI_Send, nullptr, 0, MPI_BYTE, partner(), ready_tag, context().communicator);
        } else if (will_send()) {
            FATHOM_MPI(MPI_Recv, nullptr, 0, MPI_BYTE, partner(), ready_tag, context().communicator,
                       MPI_STATUS_IGNORE);
        }
    }

    /// The memory of a posted receive is not ours; nobody sends before the barrier that follows.
    void prepare_check() override {
        const bool posted = request_ != MPI_REQUEST_NULL;
        mpi::check(retract(), "MPI_Cancel");
        Talk::prepare_check();
        if (posted) {
            post();
        }
    }

    ~Ready() override { retract(); }

  protected:
    void send() override { send_by<MPI_Rsend>(ends()); }
    void receive() override { wait_for(request_); }

  private:
    void post() {
        FATHOM_MPI(MPI_Irecv, in(), message().count(), message().datatype(), partner(), message_tag,
                   context().communicator, &request_);
    }
    int retract() {
        if (request_ == MPI_REQUEST_NULL) {
            return MPI_SUCCESS;
        }
        const int code = MPI_Cancel(&request_);
        return code != MPI_SUCCESS ? code : MPI_Wait(&request_, MPI_STATUS_IGNORE);
    }

    MPI_Request request_ = MPI_REQUEST_NULL;
};

/// By requests that are made once and started for every message.
class Bound : public OneWay {
  public:
    ~Bound() override {
        for (auto* request : {&out_request_, &in_request_}) {
            if (*request != MPI_REQUEST_NULL) {
                MPI_Request_free(request);
            }
        }
    }

  protected:
    Bound(const OperationContext& context, const Roles& roles) : OneWay(in_one_place(context), roles) {}

    void send() override { start_and_wait(out_request_); }
    void receive() override { start_and_wait(in_request_); }

    static void start_and_wait(MPI_Request& request) {
        FATHOM_MPI(MPI_Start, &request);
        wait_for(request);
    }
    MPI_Request& out_request() { return out_request_; }
    MPI_Request& in_request() { return in_request_; }

  private:
    static const OperationContext& in_one_place(const OperationContext& context) {
        if (context.region.count > 0) {
            throw Unavailable("a persistent request is bound to its buffers");
        }
        return context;
    }

    MPI_Request out_request_ = MPI_REQUEST_NULL;
    MPI_Request in_request_ = MPI_REQUEST_NULL;
};

class Persistent : public Bound {
  public:
    Persistent(const OperationContext& context, const Roles& roles) : Bound(context, roles) {
        if (has_partner()) {
            FATHOM_MPI(MPI_Send_init, out(), message().count(), message().datatype(), partner(), message_tag,
                       context.communicator, &out_request());
            FATHOM_MPI(MPI_Recv_init, in(), message().count(), message().datatype(), partner(), message_tag,
                       context.communicator, &in_request());
        }
    }
};

#if MPI_VERSION >= 4
class Partitioned : public Bound {
  public:
    Partitioned(const OperationContext& context, const Roles& roles)
        : Bound(context, roles),
          parts_(static_cast<int>(equal_parts(context.size, context.settings.partitions))) {
        const MPI_Count part = context.size.count / parts_;
        if (has_partner()) {
            FATHOM_MPI(MPI_Psend_init, out(), parts_, part, MPI_BYTE, partner(), message_tag,
                       context.communicator, MPI_INFO_NULL, &out_request());
            FATHOM_MPI(MPI_Precv_init, in(), parts_, part, MPI_BYTE, partner(), message_tag,
                       context.communicator, MPI_INFO_NULL, &in_request());
        }
    }

    [[nodiscard]] std::string datatype() const override {
        return fmt::format("byte in {} part{}", parts_, parts_ == 1 ? "" : "s");
    }

  protected:
    void send() override {
        FATHOM_MPI(MPI_Start, &out_request());
        for (int part = 0; part < parts_; ++part) {
            FATHOM_MPI(MPI_Pready, part, out_request());
        }
        wait_for(out_request());
    }

  private:
    int parts_;
};
#endif

}  // namespace

std::unique_ptr<Operation> make_buffered(const OperationContext& context, const Roles& roles) {
    return std::make_unique<Buffered>(context, roles);
}

std::unique_ptr<Operation> make_ready(const OperationContext& context, const Roles& roles) {
    return std::make_unique<Ready>(context, roles);
}

std::unique_ptr<Operation> make_persistent(const OperationContext& context, const Roles& roles) {
    return std::make_unique<Persistent>(context, roles);
}

#if MPI_VERSION >= 4
std::unique_ptr<Operation> make_partitioned(const OperationContext& context, const Roles& roles) {
    return std::make_unique<Partitioned>(context, roles);
}
#endif

}  // namespace fathom::probe
