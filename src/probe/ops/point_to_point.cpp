// Ways to send one message and to receive it, between two ranks and between all ranks in pairs.
#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "plan/pairing.hpp"
#include "probe/mpi/check.hpp"
#include "probe/mpi/flavour.hpp"
#include "probe/ops/one_way.hpp"

namespace fathom::probe {
namespace {

void receive_any_source(const Ends& e) {
    receive_from(e, MPI_ANY_SOURCE, message_tag);
}
void receive_any_tag(const Ends& e) {
    receive_from(e, e.partner, MPI_ANY_TAG);
}
void receive_and_wait(const Ends& e) {
    MPI_Request request = MPI_REQUEST_NULL;
    FATHOM_MPI(MPI_Irecv, e.in, e.count, e.type, e.partner, message_tag, e.communicator, &request);
    wait_for(request);
}
void probe_and_receive(const Ends& e) {
    for (int there = 0; there == 0;) {
        FATHOM_MPI(MPI_Iprobe, e.partner, message_tag, e.communicator, &there, MPI_STATUS_IGNORE);
    }
    receive(e);
}
void match_and_receive(const Ends& e) {
    MPI_Message message = MPI_MESSAGE_NULL;
    FATHOM_MPI(MPI_Mprobe, e.partner, message_tag, e.communicator, &message, MPI_STATUS_IGNORE);
    FATHOM_MPI(MPI_Mrecv, e.in, e.count, e.type, &message, MPI_STATUS_IGNORE);
}

/// Both ways at once in one call.
template <bool replace>
class SendReceive : public Talk {
  public:
    SendReceive(const OperationContext& context, const Roles& roles)
        : Talk(context, roles, {.one_buffer = replace}) {}

    void call() override {
        if (!has_partner()) {
            return;
        }
        const int count = message().count();
        const auto type = message().datatype();
        if constexpr (replace) {
            FATHOM_MPI(MPI_Sendrecv_replace, in(), count, type, partner(), message_tag, partner(),
                       message_tag, context().communicator, MPI_STATUS_IGNORE);
        } else {
            FATHOM_MPI(MPI_Sendrecv, out(), count, type, partner(), message_tag, in(), count, type, partner(),
                       message_tag, context().communicator, MPI_STATUS_IGNORE);
        }
    }
};

using Maker = std::unique_ptr<Operation> (*)(const OperationContext& context, const Roles& roles);

template <typename Channel>
std::unique_ptr<Operation> make(const OperationContext& context, const Roles& roles) {
    return std::make_unique<Channel>(context, roles);
}
template <auto Send, auto Receive, Shape shape = Shape::bytes>
constexpr Maker plain = make<Plain<Send, Receive, shape>>;

struct PointToPointCall {
    std::string_view call;
    Maker make;
};

constexpr auto send = send_by<MPI_Send>;
constexpr auto isend = send_and_wait<MPI_Isend>;

std::unique_ptr<Operation> make_replacing(const OperationContext& context, const Roles& roles) {
    if (mpi::simulated && context.size.count == 0) {
        throw Unavailable("SimGrid's MPI_Sendrecv_replace does not take empty messages");
    }
    return make<SendReceive<true>>(context, roles);
}

constexpr auto point_to_point_calls = std::to_array<PointToPointCall>({
    {"", plain<send, receive>}, {"isend", plain<isend, receive>}, {"irecv", plain<send, receive_and_wait>},
        {"isend_irecv", plain<isend, receive_and_wait>}, {"ssend", plain<send_by<MPI_Ssend>, receive>},
        {"issend", plain<send_and_wait<MPI_Issend>, receive>}, {"bsend", make_buffered},
        {"rsend", make_ready}, {"sendrecv", make<SendReceive<false>>}, {"sendrecv_replace", make_replacing},
        {"any_source", plain<send, receive_any_source>}, {"any_tag", plain<send, receive_any_tag>},
        {"iprobe", plain<send, probe_and_receive>}, {"mprobe", plain<send, match_and_receive>},
        {"persistent", make_persistent},
#if MPI_VERSION >= 4
        {"partitioned", make_partitioned},
#endif
        {"contiguous", plain<send, receive, Shape::contiguous>},
        {"vector", plain<send, receive, Shape::vector>}, {"indexed", plain<send, receive, Shape::indexed>},
        {"struct", plain<send, receive, Shape::record>}, {"packed", make_copied_by_hand},
        {"pack", make_packed},
});

/// Two ranks, the first of which begins.
Roles pingpong(const OperationContext& context, bool both_ways) {
    const auto turn = both_ways ? Turn::both : context.rank == 0 ? Turn::asks : Turn::answers;
    return {.partner = 1 - context.rank, .turns = {turn, turn}};
}

/// All ranks in pairs. Those who lead send in even repetitions, the others in odd ones.
Roles pairs(const OperationContext& context, bool both_ways) {
    const auto on_one_host = std::vector<int>(static_cast<std::size_t>(context.procs), 0);
    const auto pairing =
        plan::pairing_of(context.settings.pairs, context.hosts.empty() ? on_one_host : context.hosts);
    const auto rank = static_cast<std::size_t>(context.rank);
    Roles roles{.partner = pairing.partner[rank], .by_turns = !both_ways};
    if (roles.partner == plan::nobody) {
        return roles;
    }
    if (both_ways) {
        roles.turns = {Turn::both, Turn::both};
    } else if (pairing.leads[rank]) {
        roles.turns = {Turn::sends, Turn::receives};
    } else {
        roles.turns = {Turn::receives, Turn::sends};
    }
    return roles;
}

}  // namespace

std::unique_ptr<Operation> make_point_to_point(const plan::OperationInfo& info,
                                               const OperationContext& context) {
    const auto* const found = std::ranges::find(point_to_point_calls, info.call, &PointToPointCall::call);
    if (found == point_to_point_calls.end()) {
        return nullptr;
    }
    const auto roles = info.is(plan::Fact::in_pairs) ? pairs : pingpong;
    return found->make(context, roles(context, info.is(plan::Fact::both_ways)));
}

}  // namespace fathom::probe
