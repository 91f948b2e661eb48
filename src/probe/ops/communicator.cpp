// Communicators that are created and freed within the timed part.
#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "probe/mpi/check.hpp"
#include "probe/mpi/flavour.hpp"
#include "probe/ops/registry.hpp"

namespace fathom::probe {
namespace {

constexpr int communicator_tag = 12;

/// What a row may hand to MPI.
struct CommunicatorArguments {
    MPI_Comm parent = MPI_COMM_NULL;
    MPI_Group lower_half = MPI_GROUP_NULL;
    int rank = 0;
};

int parity(int rank) {
    return rank % 2;
}

int lower_half(int procs) {
    return std::max(1, procs / 2);
}

struct CommunicatorCall {
    std::string_view name;
    int (*make)(const CommunicatorArguments& a, MPI_Comm* made);
    bool (*together)(int rank, int other, int procs);  ///< whether two ranks get a communicator in common
};

bool always(int /*rank*/, int /*other*/, int /*procs*/) {
    return true;
}

int duplicate_and_wait(const CommunicatorArguments& a, MPI_Comm* made) {
    MPI_Request request = MPI_REQUEST_NULL;
    const int code = MPI_Comm_idup(a.parent, made, &request);
    return code == MPI_SUCCESS ? MPI_Wait(&request, MPI_STATUS_IGNORE) : code;
}

constexpr auto communicator_calls = std::to_array<CommunicatorCall>({
    {"comm_dup", [](const CommunicatorArguments& a, MPI_Comm* made) { return MPI_Comm_dup(a.parent, made); },
     always},
    {"comm_idup", duplicate_and_wait, always},
    {"comm_split",
     [](const CommunicatorArguments& a, MPI_Comm* made) {
         return MPI_Comm_split(a.parent, parity(a.rank), a.rank, made);
     },
     [](int rank, int other, int /*procs*/) { return parity(rank) == parity(other); }},
    {"comm_create",
     [](const CommunicatorArguments& a, MPI_Comm* made) {
         return MPI_Comm_create(a.parent, a.lower_half, made);
     },
     [](int rank, int other, int procs) { return std::max(rank, other) < lower_half(procs); }},
});

/// In the call after prepare_check() the communicator is used once before it is freed. Timed calls only make
/// it and free it.
class CommunicatorMaking : public Operation {
  public:
    CommunicatorMaking(const OperationContext& context, const CommunicatorCall& row)
        : context_(context), row_(row) {
        for (int other = 0; other < context.procs; ++other) {
            if (row.together(context.rank, other, context.procs)) {
                expected_.push_back(other);
            }
        }
        members_.resize(expected_.size());
        std::vector<int> lower(static_cast<std::size_t>(lower_half(context.procs)));
        std::iota(lower.begin(), lower.end(), 0);
        MPI_Group all = MPI_GROUP_NULL;
        FATHOM_MPI(MPI_Comm_group, context.communicator, &all);
        FATHOM_MPI(MPI_Group_incl, all, static_cast<int>(lower.size()), lower.data(), &lower_half_);
        FATHOM_MPI(MPI_Group_free, &all);
        CommunicatorMaking::prepare_check();
    }
    ~CommunicatorMaking() override { MPI_Group_free(&lower_half_); }

    void call() override {
        MPI_Comm made = MPI_COMM_NULL;
        mpi::check(
            row_.make({.parent = context_.communicator, .lower_half = lower_half_, .rank = context_.rank},
                      &made),
            "the creation of a communicator");
        if (checked_) {
            checked_ = false;
            wrong_ = used(made);
        }
        if (made != MPI_COMM_NULL) {
            FATHOM_MPI(MPI_Comm_free, &made);
        }
    }

    void prepare_check() override {
        checked_ = true;
        wrong_.clear();
        std::fill(members_.begin(), members_.end(), -1);
    }

    [[nodiscard]] std::string check() const override {
        if (!wrong_.empty()) {
            return wrong_;
        }
        for (std::size_t i = 0; i < members_.size(); ++i) {
            if (members_[i] != expected_[i]) {
                return fmt::format("rank {} of the new communicator is rank {} of the old one, expected {}",
                                   i, members_[i], expected_[i]);
            }
        }
        return {};
    }

    [[nodiscard]] std::span<std::byte> received() override {
        return std::as_writable_bytes(std::span(members_));
    }

  private:
    /// Lets the members exchange their ranks; returns what is wrong otherwise.
    [[nodiscard]] std::string used(MPI_Comm made) {
        if (made == MPI_COMM_NULL || expected_.empty()) {
            return (made == MPI_COMM_NULL) == expected_.empty()
                       ? ""
                       : "a rank has a communicator that it does not belong to, or has none";
        }
        int size = 0;
        FATHOM_MPI(MPI_Comm_size, made, &size);
        if (size != static_cast<int>(expected_.size())) {
            return fmt::format("the new communicator has {} ranks, expected {}", size, expected_.size());
        }
        FATHOM_MPI(MPI_Allgather, &context_.rank, 1, MPI_INT, members_.data(), 1, MPI_INT, made);
        int likeness = 0;
        FATHOM_MPI(MPI_Comm_compare, context_.communicator, made, &likeness);
        if (likeness != (size == context_.procs ? MPI_CONGRUENT : MPI_UNEQUAL)) {
            return "MPI_Comm_compare gives an unexpected result for the new communicator";
        }
        return messages_are_kept_apart(made) ? "" : "a message in one communicator came out in the other";
    }

    /// Two messages to the own rank, sent in another order than they are awaited in.
    [[nodiscard]] bool messages_are_kept_apart(MPI_Comm made) const {
        constexpr int in_old = 1;
        constexpr int in_new = 2;
        int own = 0;
        FATHOM_MPI(MPI_Comm_rank, made, &own);
        int from_old = 0;
        int from_new = 0;
        std::array<MPI_Request, 4> requests{};
        auto* request = requests.data();
        FATHOM_MPI(MPI_Irecv, &from_old, 1, MPI_INT, context_.rank, communicator_tag, context_.communicator,
                   request++);
        FATHOM_MPI(MPI_Irecv, &from_new, 1, MPI_INT, own, communicator_tag, made, request++);
        FATHOM_MPI(MPI_Isend, &in_new, 1, MPI_INT, own, communicator_tag, made, request++);
        FATHOM_MPI(MPI_Isend, &in_old, 1, MPI_INT, context_.rank, communicator_tag, context_.communicator,
                   request++);
        FATHOM_MPI(MPI_Waitall, static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
        return from_old == in_old && from_new == in_new;
    }

    OperationContext context_;
    const CommunicatorCall& row_;
    MPI_Group lower_half_ = MPI_GROUP_NULL;
    std::vector<int> expected_;  ///< ranks of the old communicator, in the order of the new one
    std::vector<int> members_;
    bool checked_ = false;
    std::string wrong_;
};

}  // namespace

std::unique_ptr<Operation> make_communicator(const plan::OperationInfo& info,
                                             const OperationContext& context) {
    const auto* const row =
        std::ranges::find_if(communicator_calls, [&](const auto& each) { return each.name == info.call; });
    return row == communicator_calls.end() ? nullptr : std::make_unique<CommunicatorMaking>(context, *row);
}

}  // namespace fathom::probe
