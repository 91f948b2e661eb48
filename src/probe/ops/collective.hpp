#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <mpi.h>

#include "probe/interfaces/nonblocking.hpp"
#include "probe/interfaces/operation.hpp"
#include "probe/ops/buffer.hpp"
#include "probe/ops/collective_layout.hpp"
#include "probe/ops/implementation.hpp"
#include "probe/ops/registry.hpp"

/// What the files of the collectives share: collective.cpp has the table, collective_call.cpp makes the
/// calls, collective_moved.cpp and collective_reduced.cpp check what comes out of them.
namespace fathom::probe::collective {

/// What a row may hand to MPI. Counts and places (displacements) are for the forms with one for each rank.
struct Arguments {
    const void* in = nullptr;
    void* out = nullptr;
    int count = 0;  ///< of one block; where blocks differ, of this rank's own
    MPI_Datatype type = MPI_BYTE;
    MPI_Op op = MPI_OP_NULL;
    int root = 0;
    MPI_Comm communicator = MPI_COMM_NULL;
    const int* in_counts = nullptr;
    const int* in_places = nullptr;
    const int* out_counts = nullptr;
    const int* out_places = nullptr;
    const MPI_Datatype* types = nullptr;
    int thread = 0;  ///< of this rank, that makes the call
};

/// What an output is made of.
enum class Content {
    nothing,  ///< a barrier
    moved,    ///< a block of another rank's input
    reduced,  ///< over all ranks
    reduced_up_to,
    reduced_below,
};

/// One collective in its three forms, and its blocking form by an implementation of ours.
struct Row {
    std::string_view name;
    Content content;
    Side in;
    Side out;
    int (*call)(const Arguments& a);
    int (*start)(const Arguments& a, MPI_Request* request);
    int (*init)(const Arguments& a, MPI_Request* request);  ///< nullptr where the library has none
    int (*call_own)(const Arguments& a, Implementation& own) = nullptr;  ///< nullptr where we have none
};

using plan::Form;

/// What is to be made: a row of the table, and what the registry says of it.
struct Call {
    const Row& row;
    const plan::OperationInfo& info;

    [[nodiscard]] Form form() const { return info.form.value(); }
    /// One for each rank.
    [[nodiscard]] bool by_counts() const { return info.is(plan::Fact::by_counts); }
};

/// What the elements are to MPI; the count is of one block.
struct Elements {
    int count = 0;
    MPI_Datatype type = MPI_BYTE;
    MPI_Op op = MPI_OP_NULL;
};

/// A communicator of its own with a periodic grid of two dimensions.
class Grid {
  public:
    explicit Grid(MPI_Comm communicator, int procs);
    Grid(const Grid&) = delete;
    Grid& operator=(const Grid&) = delete;
    ~Grid();

    [[nodiscard]] MPI_Comm communicator() const { return communicator_; }
    /// In MPI's order: for each dimension the one below, then the one above.
    [[nodiscard]] int neighbour(int index) const { return ranks_.at(static_cast<std::size_t>(index)); }

  private:
    MPI_Comm communicator_ = MPI_COMM_NULL;
    std::array<int, neighbours> ranks_{};
};

/// A call of the table in one of its forms, with the buffers of this rank. All but the blocking form are an
/// exchange in three calls too.
class Collective : public Operation, public Nonblocking {
  public:
    void call() override;
    void calls(std::int64_t count, std::int64_t rep) override;
    void post() override;
    bool test() override;
    void wait() override;
    void next(std::int64_t rep) override;
    [[nodiscard]] std::span<std::byte> received() override;
    [[nodiscard]] Traced* traced() override;
    [[nodiscard]] std::string remark() const override { return remark_of(own_.get()); }
    [[nodiscard]] bool shares_cores() const override { return threads_share_cores(own_.get()); }
    ~Collective() override;

  protected:
    Collective(const OperationContext& context, Call call, Layout layout, const Elements& elements);

    /// Once the buffers hold data: a persistent call is bound to them.
    void bind();

    /// Whether a rank is the root and a thread its first one: what else a root has in a call, threads have
    /// not.
    [[nodiscard]] bool is_root(int thread) const { return context_.rank == root_ && thread == 0; }
    [[nodiscard]] bool has(const Side& side, int thread = 0) const {
        return side.who == Who::everybody || (side.who == Who::root && is_root(thread));
    }
    /// Whether the call says what is in the output of this rank's thread afterwards.
    [[nodiscard]] bool gets_something(int thread = 0) const {
        const bool undefined = row_.content == Content::reduced_below && context_.rank == 0;
        return has(row_.out, thread) && !undefined;
    }
    /// Each thread of this rank that contributes has its own; only with one thread there are several blocks.
    [[nodiscard]] std::span<std::byte> input(int block) const { return part(inputs_[0], layout_.in, block); }
    [[nodiscard]] std::span<std::byte> output(int block) const {
        return part(outputs_[0], layout_.out, block);
    }
    [[nodiscard]] std::span<std::byte> input_of(int thread) const { return at(inputs_, thread).bytes(); }
    [[nodiscard]] std::span<std::byte> output_of(int thread) const { return at(outputs_, thread).bytes(); }
    [[nodiscard]] const Contributors& contributors() const { return contributors_; }

    [[nodiscard]] const OperationContext& context() const { return context_; }
    [[nodiscard]] const Row& row() const { return row_; }
    [[nodiscard]] const Layout& layout() const { return layout_; }
    [[nodiscard]] int root() const { return root_; }
    [[nodiscard]] int neighbour(int index) const { return grid_->neighbour(index); }

  private:
    [[nodiscard]] std::span<std::byte> part(const Buffer& buffer, const Cut& cut, int block) const {
        const auto bytes = static_cast<std::size_t>(layout_.element_bytes);
        return buffer.bytes().subspan(static_cast<std::size_t>(cut.start(block)) * bytes,
                                      static_cast<std::size_t>(cut.size(block)) * bytes);
    }
    static const Buffer& at(const std::vector<Buffer>& buffers, int thread) {
        return buffers[static_cast<std::size_t>(thread)];
    }
    [[nodiscard]] std::vector<Buffer> make_buffers(const Cut& cut) const;
    [[nodiscard]] Arguments arguments(int thread, int root) const;
    [[nodiscard]] bool stays() const;
    [[nodiscard]] int root_after(int root) const;
    void calls_of(int thread, std::int64_t count);

    OperationContext context_;
    const Row& row_;
    Form form_;
    Layout layout_;
    Elements elements_;
    std::unique_ptr<Grid> grid_;           ///< where there are neighbours
    std::unique_ptr<Implementation> own_;  ///< where the library does not perform it
    Contributors contributors_;
    std::vector<Buffer> inputs_;  ///< of each thread
    std::vector<Buffer> outputs_;
    std::unique_ptr<LeafThreads> threads_;
    std::vector<int> in_counts_;
    std::vector<int> in_places_;
    std::vector<int> out_counts_;
    std::vector<int> out_places_;
    std::vector<MPI_Datatype> types_;
    int root_ = 0;
    Arguments arguments_;  ///< of the first thread's next call: putting them together is not to be timed
    MPI_Request request_ = MPI_REQUEST_NULL;
};

/// Blocks of bytes from rank to rank, and no bytes at all.
std::unique_ptr<Operation> make_moved(const OperationContext& context, Call call);
std::unique_ptr<Operation> make_empty(const OperationContext& context, Call call);
/// Sums and other reductions over ranks, of the type and by the operation of the settings.
std::unique_ptr<Operation> make_reduced(const OperationContext& context, Call call);

}  // namespace fathom::probe::collective
