// Messages of two ranks as exchanges: the first rank sends or receives, the other one is always ready.
#include <utility>

#include "plan/operations.hpp"
#include "probe/interfaces/nonblocking.hpp"
#include "probe/mpi/check.hpp"
#include "probe/ops/one_way.hpp"
#include "probe/ops/registry.hpp"
#include "probe/overlap/test_transport.hpp"

namespace fathom::probe {
namespace {

/// One message from one rank of a pair to the other.
class OverlapMessage : public Talk, public Nonblocking {
  public:
    OverlapMessage(const OperationContext& context, int sender)
        : Talk(context, roles(context, sender), {}), sends_(context.rank == sender) {
        // The rank that is not looked at has its receive posted before the other one starts.
        posts_early_ = !sends_ && context.rank != 0;
    }

    void next(std::int64_t rep) override {
        Talk::next(rep);
        if (posts_early_) {
            start();
        }
    }
    void call() override {
        post();
        wait();
    }
    void post() override {
        if (!posts_early_) {
            start();
        }
    }
    bool test() override {
        int done = 0;
        FATHOM_MPI(MPI_Test, &request_, &done, MPI_STATUS_IGNORE);
        return done != 0;
    }
    void wait() override { wait_for(request_); }

  private:
    static Roles roles(const OperationContext& context, int sender) {
        const auto turn = context.rank == sender ? Turn::sends : Turn::receives;
        return {.partner = 1 - context.rank, .turns = {turn, turn}};
    }

    void start() {
        const int count = message().count();
        const auto type = message().datatype();
        if (sends_) {
            FATHOM_MPI(MPI_Isend, out(), count, type, partner(), message_tag, context().communicator,
                       &request_);
        } else {
            FATHOM_MPI(MPI_Irecv, in(), count, type, partner(), message_tag, context().communicator,
                       &request_);
        }
    }

    bool sends_;
    bool posts_early_ = false;
    MPI_Request request_ = MPI_REQUEST_NULL;
};

}  // namespace

/// For tests of studies, FATHOM_TRANSPORT puts another transport in the place of the library's.
std::unique_ptr<Operation> make_overlap(const plan::OperationInfo& info, const OperationContext& context) {
    const bool message = info.of_two();
    const int sender = info.is(plan::Fact::receives) ? 1 : 0;
    auto operation =
        message ? std::make_unique<OverlapMessage>(context, sender) : make_collective(info, context);
    const auto transport = asked_transport();
    if (operation == nullptr || !transport || context.clock == nullptr) {
        return operation;
    }
    const bool works = !message || context.rank == 0;
    return with_test_transport(*transport, std::move(operation),
                               {.clock = *context.clock, .size = context.size, .works = works});
}

}  // namespace fathom::probe
