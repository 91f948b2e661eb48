#pragma once

#include <cstddef>
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

/// One message at a time.
class OneWay : public Talk {
  public:
    void call() override {
        switch (turn()) {
            case Turn::sends:
                send();
                break;
            case Turn::receives:
                receive();
                break;
            case Turn::asks:
                send();
                receive();
                break;
            case Turn::answers:
                receive();
                send();
                break;
            case Turn::idle:
            case Turn::both:
                break;
        }
    }

  protected:
    OneWay(const OperationContext& context, const Roles& roles, const Layout& layout = {})
        : Talk(context, roles, layout) {}
    virtual void send() = 0;
    virtual void receive() = 0;

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

/// By calls that need nothing but their arguments.
template <auto Send, auto Receive, Shape shape = Shape::bytes>
class Plain : public OneWay {
  public:
    Plain(const OperationContext& context, const Roles& roles, Bytes besides = {0})
        : OneWay(context, roles, {.data = shape, .message = shape, .besides = besides}) {}

  protected:
    void send() override { Send(ends()); }
    void receive() override { Receive(ends()); }
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
