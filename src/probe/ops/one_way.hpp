#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include <mpi.h>

#include "probe/mpi/check.hpp"
#include "probe/ops/talk.hpp"

/// Messages that are sent by one call and received by another.
namespace fathom::probe {

/// Of the measured messages.
inline constexpr int message_tag = 11;

/// What a call may hand to MPI.
struct Ends {
    const std::byte* out = nullptr;
    std::byte* in = nullptr;
    int count = 0;
    MPI_Datatype type = MPI_BYTE;
    int partner = 0;
    MPI_Comm communicator = MPI_COMM_NULL;
};

inline void wait_for(MPI_Request& request) {
    FATHOM_MPI(MPI_Wait, &request, MPI_STATUS_IGNORE);
}

/// The calls that send differ by name only.
template <auto Call>
void send_by(const Ends& e) {
    mpi::check(Call(e.out, e.count, e.type, e.partner, message_tag, e.communicator), "a blocking send");
}
template <auto Call>
void send_and_wait(const Ends& e) {
    MPI_Request request = MPI_REQUEST_NULL;
    mpi::check(Call(e.out, e.count, e.type, e.partner, message_tag, e.communicator, &request),
               "a non-blocking send");
    wait_for(request);
}

inline void receive_from(const Ends& e, int source, int tag) {
    FATHOM_MPI(MPI_Recv, e.in, e.count, e.type, source, tag, e.communicator, MPI_STATUS_IGNORE);
}
inline void receive(const Ends& e) {
    receive_from(e, e.partner, message_tag);
}

/// What a rank does in its turn, by these two. Comparisons in place of a switch, which may become an indirect
/// branch: a message takes 200 ns, and a wrong prediction up to 20.
template <typename Send, typename Receive>
void take(Turn turn, Send send, Receive receive) {
    if (turn == Turn::asks) {
        send();
        receive();
    } else if (turn == Turn::answers) {
        receive();
        send();
    } else if (turn == Turn::sends) {
        send();
    } else if (turn == Turn::receives) {
        receive();
    }
}

/// One message at a time, as calls take it.
class OneMessage : public Talk {
  protected:
    OneMessage(const OperationContext& context, const Roles& roles, const Layout& layout)
        : Talk(context, roles, layout) {}

    [[nodiscard]] Ends ends() const {
        return {.out = out(),
                .in = in(),
                .count = message().count(),
                .type = message().datatype(),
                .partner = partner(),
                .communicator = context().communicator};
    }
    [[nodiscard]] bool will_send() const {
        return turn() == Turn::sends || turn() == Turn::asks || turn() == Turn::answers;
    }
};

/// By ways to send and to receive that keep something between calls.
class OneWay : public OneMessage {
  public:
    void call() override {
        take(
            turn(), [this] { send(); }, [this] { receive(); });
    }

  protected:
    OneWay(const OperationContext& context, const Roles& roles, const Layout& layout = {})
        : OneMessage(context, roles, layout) {}
    virtual void send() = 0;
    virtual void receive() = 0;
};

/// By calls that need nothing but their arguments. They are called directly, as in a plain program.
template <auto Send, auto Receive, Shape shape = Shape::bytes>
class Plain : public OneMessage {
  public:
    Plain(const OperationContext& context, const Roles& roles, Bytes besides = {0})
        : OneMessage(context, roles, {.data = shape, .message = shape, .besides = besides}) {}

    void call() override { perform(); }
    void calls(std::int64_t count, std::int64_t rep) override {
        perform();
        for (std::int64_t i = 1; i < count; ++i) {
            next(rep);
            perform();
        }
    }

  private:
    void perform() {
        const Ends e = ends();
        take(
            turn(), [&e] { Send(e); }, [&e] { Receive(e); });
    }
};

/// Those that need more than their arguments.
std::unique_ptr<Operation> make_buffered(const OperationContext& context, const Roles& roles);
std::unique_ptr<Operation> make_ready(const OperationContext& context, const Roles& roles);
std::unique_ptr<Operation> make_persistent(const OperationContext& context, const Roles& roles);
/// Needs MPI 4.0.
std::unique_ptr<Operation> make_partitioned(const OperationContext& context, const Roles& roles);
std::unique_ptr<Operation> make_copied_by_hand(const OperationContext& context, const Roles& roles);
std::unique_ptr<Operation> make_packed(const OperationContext& context, const Roles& roles);

}  // namespace fathom::probe
