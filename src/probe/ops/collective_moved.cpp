#include <fmt/format.h>

#include "probe/mpi/byte_message.hpp"
#include "probe/ops/collective.hpp"
#include "probe/ops/data.hpp"

namespace fathom::probe::collective {
namespace {

Layout bytes_of(const OperationContext& context, const Call& call) {
    return layout_of(call.row.in, call.row.out, call.by_counts(), 1, context);
}

/// Owns the datatype that the base class hands to MPI: it has to be there first. Where blocks differ, bytes
/// are counted one by one.
struct Message {
    Message(const Call& call, const Layout& layout) : bytes({call.by_counts() ? 0 : layout.block}) {}
    mpi::ByteMessage bytes;

    [[nodiscard]] Elements elements(const Call& call, const Layout& layout) const {
        return {.count = call.by_counts() ? static_cast<int>(layout.block) : bytes.count(),
                .type = bytes.datatype()};
    }
};

/// Blocks of bytes from one rank to another. Block k of rank s is a stream of its own, so that any mistake in
/// who gets what shows.
class Moved : private Message, public Collective {
  public:
    Moved(const OperationContext& context, Call call, const Layout& layout)
        : Message(call, layout), Collective(context, call, layout, elements(call, layout)) {
        Moved::prepare_check();
        bind();
    }

    void prepare_check() override {
        for (int block = 0; has(row().in) && block < layout().in.blocks(); ++block) {
            fill_pattern(input(block), stream(context().rank, block));
        }
        for (int block = 0; has(row().out) && block < layout().out.blocks(); ++block) {
            fill_wrong(output(block), stream_of_output(block));
        }
        for (int thread = 1; thread < contributors().own; ++thread) {
            fill_wrong(output_of(thread), stream_of_output(0));
        }
        const bool sends_from_output = row().in.who == Who::nobody && context().rank == root();
        if (sends_from_output) {
            fill_pattern(output(0), stream_of_output(0));
        }
    }

    [[nodiscard]] std::string check() const override {
        for (int block = 0; has(row().out) && block < layout().out.blocks(); ++block) {
            const auto wrong = compare_pattern(output(block), stream_of_output(block));
            if (!wrong.empty()) {
                return row().in.blocks == Blocks::of_neighbours ? wrong_neighbour(block, wrong)
                       : layout().out.blocks() > 1
                           ? fmt::format("in the block of rank {}: {}", sender(block), wrong)
                           : wrong;
            }
        }
        for (int thread = 1; thread < contributors().own; ++thread) {
            if (const auto wrong = compare_pattern(output_of(thread), stream_of_output(0)); !wrong.empty()) {
                return in_thread(thread, wrong);
            }
        }
        return {};
    }

    [[nodiscard]] std::string datatype() const override { return "byte"; }

  private:
    [[nodiscard]] std::uint64_t stream(int sender, int block) const {
        return splitmix64(splitmix64(context().seed, static_cast<std::uint64_t>(sender)),
                          static_cast<std::uint64_t>(block));
    }
    /// An output block comes from the rank or neighbour it stands for, or the root; there it is the one for
    /// the receiver, or the only one. The neighbour above sends it to its neighbour below, and the other way
    /// round, even where both are one rank (MPI 4.1, section 8.6).
    [[nodiscard]] std::uint64_t stream_of_output(int block) const {
        const auto to = row().in.blocks;
        const int index = to == Blocks::for_each        ? context().rank
                          : to == Blocks::of_neighbours ? opposite(block)
                                                        : 0;
        return stream(sender(block), index);
    }
    static int opposite(int neighbour) { return static_cast<int>(static_cast<unsigned>(neighbour) ^ 1U); }
    [[nodiscard]] int sender(int block) const {
        const auto from = row().out.blocks;
        return from == Blocks::for_each || from == Blocks::from_each ? block
               : from == Blocks::of_neighbours                       ? neighbour(block)
                                                                     : root();
    }

    /// Libraries are known to confuse blocks where neighbours are the same rank.
    [[nodiscard]] std::string wrong_neighbour(int block, const std::string& wrong) const {
        for (int other = 0; other < neighbours; ++other) {
            if (compare_pattern(output(block), stream(sender(block), other)).empty()) {
                return fmt::format(
                    "block {} is what neighbour {}, rank {}, sent to its neighbour {}, and MPI (4.1, section "
                    "8.6) wants what it sent to its neighbour {}",
                    block, block, sender(block), other, opposite(block));
            }
        }
        return fmt::format("in the block of neighbour {}, rank {}: {}", block, sender(block), wrong);
    }
};

/// Moves no data, so there is none to check: an error would show as a hang or an MPI error.
class Empty : public Collective {
  public:
    Empty(const OperationContext& context, Call call)
        : Collective(context, call, bytes_of(context, call), {}) {
        bind();
    }
    void prepare_check() override {}
    [[nodiscard]] std::string check() const override { return {}; }
};

}  // namespace

std::unique_ptr<Operation> make_moved(const OperationContext& context, Call call) {
    return std::make_unique<Moved>(context, call, bytes_of(context, call));
}

std::unique_ptr<Operation> make_empty(const OperationContext& context, Call call) {
    return std::make_unique<Empty>(context, call);
}

}  // namespace fathom::probe::collective
