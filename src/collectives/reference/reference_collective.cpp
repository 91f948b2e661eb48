#include "collectives/reference/reference_collective.hpp"

#include <algorithm>
#include <new>
#include <vector>

#include <climits>
#include <fmt/format.h>

#include "base/error.hpp"
#include "collectives/mpi_failure.hpp"
#include "collectives/reference/algorithms.hpp"

namespace fathom::collectives {
namespace {

using reference::Algorithm;
using reference::Messages;
using reference::Order;
using reference::Scratch;
using reference::Slot;
using reference::Task;

/// What a layout is where data are only moved.
Layout bytes_alone() {
    return {.type = MPI_BYTE, .bytes = 1, .extent = 1, .true_extent = 1, .named = true, .dense = true};
}

/// Blocks of one rank's data in the caller's memory.
struct Typed {
    std::byte* at = nullptr;
    int count = 0;  ///< elements of a block
    int blocks = 1;
    Layout layout;

    [[nodiscard]] std::size_t block_bytes() const { return static_cast<std::size_t>(count) * layout.bytes; }
    [[nodiscard]] std::size_t bytes() const { return block_bytes() * static_cast<std::size_t>(blocks); }
    /// Two ranks may describe the same data by different types, so only the order within one of MPI's own is
    /// certain.
    [[nodiscard]] bool direct() const { return layout.dense && layout.named; }
    [[nodiscard]] std::byte* block(int number) const {
        return at + static_cast<std::ptrdiff_t>(number) * count * layout.extent;
    }
};

std::byte* memory_of(const void* buffer) {
    return static_cast<std::byte*>(const_cast<void*>(buffer));  // NOLINT: MPI's inputs are const
}

}  // namespace

struct ReferenceCollective::Parts {
    Parts(MPI_Comm communicator, const Algorithm& chosen, const ReferenceOptions& given)
        : algorithm(chosen), options(given), net(communicator, at_once(communicator, given)) {
        starts.resize(reference::index_of(net.size()) + 1);
        blocks.resize(starts.size());
        for (std::size_t slot = 0; slot < algorithm.buffers; ++slot) {
            memory.get(static_cast<Slot>(slot), options.largest_bytes);
        }
    }

    static std::size_t at_once(MPI_Comm communicator, const ReferenceOptions& given) {
        int ranks = 1;
        checked(MPI_Comm_size(communicator, &ranks));
        return reference::index_of(ranks) * (1 + given.largest_bytes / INT_MAX);
    }

    /// Runs a call and returns what MPI would.
    template <class Body>
    int result_of(std::string_view operation, const Body& body) {
        if (algorithm.operation != operation) {
            return MPI_ERR_UNSUPPORTED_OPERATION;
        }
        try {
            body();
            return MPI_SUCCESS;
        } catch (const MpiFailure& failure) {
            return failure.code;
        } catch (const std::bad_alloc&) {
            return MPI_ERR_NO_MEM;
        }
    }

    /// Predefined types never change, so the last one is remembered; a handle of another may be used again.
    Layout layout(MPI_Datatype type) {
        if (known.type == type) {
            return known;
        }
        auto found = layout_of(type);
        if (found.bytes > INT_MAX) {  // which MPI says by a negative number
            throw MpiFailure{MPI_ERR_TYPE};
        }
        if (found.named) {
            known = found;
        }
        return found;
    }

    void check(int count, int root) const {
        if (count < 0) {
            throw MpiFailure{MPI_ERR_COUNT};
        }
        if (root < 0 || root >= net.size()) {
            throw MpiFailure{MPI_ERR_ROOT};
        }
    }

    Typed typed(const void* buffer, int count, MPI_Datatype type, int in_blocks = 1) {
        check(count, 0);
        return {.at = memory_of(buffer), .count = count, .blocks = in_blocks, .layout = layout(type)};
    }

    Task task(const Layout& elements) {
        net.use(elements);
        return {.net = net,
                .memory = memory,
                .layout = elements,
                .segment = std::max<std::size_t>(1, options.segment_bytes),
                .starts = starts};
    }

    // Data as bytes in a row, and back.

    void pack_block(const Typed& data, int number, std::byte* to) const {
        int position = 0;
        const auto bytes = data.block_bytes();
        if (bytes > INT_MAX) {
            throw MpiFailure{MPI_ERR_COUNT};
        }
        checked(MPI_Pack(data.block(number), data.count, data.layout.type, to, static_cast<int>(bytes),
                         &position, net.communicator()));
    }

    /// Where the bytes of data are, packed if need be.
    const std::byte* bytes_of(const Typed& data) {
        if (data.direct()) {
            return data.at;
        }
        auto* const packed = memory.get(Slot::packed_in, data.bytes());
        for (int number = 0; number < data.blocks; ++number) {
            pack_block(data, number, packed + reference::index_of(number) * data.block_bytes());
        }
        return packed;
    }

    /// Where bytes are to come, which unpack() brings to their place.
    std::byte* room_for(const Typed& data) {
        return data.direct() ? data.at : memory.get(Slot::packed_out, data.bytes());
    }

    void unpack(std::byte* from, const Typed& data) const {
        if (data.direct()) {
            return;
        }
        for (int number = 0; number < data.blocks; ++number) {
            const auto bytes = data.block_bytes();
            if (bytes > INT_MAX) {
                throw MpiFailure{MPI_ERR_COUNT};
            }
            int position = 0;
            checked(MPI_Unpack(from + reference::index_of(number) * bytes, static_cast<int>(bytes), &position,
                               data.block(number), data.count, data.layout.type, net.communicator()));
        }
    }

    /// The own block of several, from another place or, packed, from its own.
    void own_block(const Typed* from, const Typed& all, std::byte* to) {
        if (from == nullptr) {
            if (!all.direct()) {
                pack_block(all, net.rank(), to);
            }
            return;
        }
        task(bytes_alone()).copy(bytes_of(*from), to, from->bytes());
    }

    // Reductions

    void reduce(Task& call, const void* send, void* receive, MPI_Op op) const {
        int commutes = 0;
        checked(MPI_Op_commutative(op, &commutes));
        call.op = op;
        call.commutative = commutes != 0;
        if (!call.commutative && algorithm.order == Order::commutative) {
            throw MpiFailure{MPI_ERR_OP};
        }
        call.out = memory_of(receive);
        call.in = send == MPI_IN_PLACE ? call.out : memory_of(send);
    }

    /// Blocks start where `blocks` says.
    void reduce_scatter(const void* send, void* receive, MPI_Datatype type, MPI_Op op) {
        auto call = task(layout(type));
        reduce(call, send, receive, op);
        call.count = blocks.back();
        call.blocks = blocks;
        if (call.in == call.out) {  // results come where inputs are
            auto* const inputs = call.room(Slot::packed_in, call.count);
            call.copy(call.out, inputs, call.count);
            call.in = inputs;
        }
        algorithm.perform(call);
    }

    const Algorithm& algorithm;
    ReferenceOptions options;
    Messages net;
    Scratch memory;
    std::vector<std::size_t> starts;
    std::vector<std::size_t> blocks;
    Layout known;
};

ReferenceCollective::ReferenceCollective(MPI_Comm communicator, std::string_view operation,
                                         std::string_view name, const ReferenceOptions& options) try {
    const auto* const found = reference::find_algorithm(operation, name);
    if (found == nullptr) {
        throw BadInput(fmt::format("no reference algorithm '{}' performs {}", name, operation));
    }
    parts_ = std::make_unique<Parts>(communicator, *found, options);
} catch (const MpiFailure& failure) {
    throw NotMeasured(fmt::format("reference:{} could not be set up: {}", name, failure.text()));
}

ReferenceCollective::~ReferenceCollective() = default;

int ReferenceCollective::barrier() {
    return parts_->result_of("barrier", [&] { parts_->algorithm.perform(parts_->task(bytes_alone())); });
}

int ReferenceCollective::bcast(void* buffer, int count, MPI_Datatype datatype, int root) {
    return parts_->result_of("bcast", [&] {
        parts_->check(count, root);
        const auto data = parts_->typed(buffer, count, datatype);
        auto call = parts_->task(bytes_alone());
        const bool has_data = call.rank() == root;
        call.out = has_data ? memory_of(parts_->bytes_of(data)) : parts_->room_for(data);
        call.count = data.bytes();
        call.root = root;
        parts_->algorithm.perform(call);
        if (!has_data) {
            parts_->unpack(call.out, data);
        }
    });
}

int ReferenceCollective::gather(const void* send, int send_count, MPI_Datatype send_type, void* receive,
                                int receive_count, MPI_Datatype receive_type, int root) {
    return parts_->result_of("gather", [&] {
        auto& parts = *parts_;
        parts.check(0, root);
        auto call = parts.task(bytes_alone());
        call.root = root;
        if (call.rank() != root) {
            const auto own = parts.typed(send, send_count, send_type);
            call.in = parts.bytes_of(own);
            call.count = own.bytes();
            parts.algorithm.perform(call);
            return;
        }
        const auto all = parts.typed(receive, receive_count, receive_type, call.size());
        call.out = parts.room_for(all);
        call.count = all.block_bytes();
        if (send == MPI_IN_PLACE) {
            parts.own_block(nullptr, all, call.block(call.out, root));
        } else {
            const auto own = parts.typed(send, send_count, send_type);
            parts.own_block(&own, all, call.block(call.out, root));
        }
        parts.algorithm.perform(call);
        parts.unpack(call.out, all);
    });
}

int ReferenceCollective::scatter(const void* send, int send_count, MPI_Datatype send_type, void* receive,
                                 int receive_count, MPI_Datatype receive_type, int root) {
    return parts_->result_of("scatter", [&] {
        auto& parts = *parts_;
        parts.check(0, root);
        auto call = parts.task(bytes_alone());
        call.root = root;
        if (call.rank() != root) {
            const auto own = parts.typed(receive, receive_count, receive_type);
            call.out = parts.room_for(own);
            call.count = own.bytes();
            parts.algorithm.perform(call);
            parts.unpack(call.out, own);
            return;
        }
        const auto all = parts.typed(send, send_count, send_type, call.size());
        call.in = parts.bytes_of(all);
        call.count = all.block_bytes();
        parts.algorithm.perform(call);
        if (receive != MPI_IN_PLACE) {
            const auto own = parts.typed(receive, receive_count, receive_type);
            call.out = parts.room_for(own);
            call.copy(call.block(call.in, root), call.out, call.count);
            parts.unpack(call.out, own);
        }
    });
}

int ReferenceCollective::allgather(const void* send, int send_count, MPI_Datatype send_type, void* receive,
                                   int receive_count, MPI_Datatype receive_type) {
    return parts_->result_of("allgather", [&] {
        auto& parts = *parts_;
        auto call = parts.task(bytes_alone());
        const auto all = parts.typed(receive, receive_count, receive_type, call.size());
        call.out = parts.room_for(all);
        call.count = all.block_bytes();
        if (send == MPI_IN_PLACE) {
            parts.own_block(nullptr, all, call.block(call.out, call.rank()));
        } else {
            const auto own = parts.typed(send, send_count, send_type);
            parts.own_block(&own, all, call.block(call.out, call.rank()));
        }
        parts.algorithm.perform(call);
        parts.unpack(call.out, all);
    });
}

int ReferenceCollective::alltoall(const void* send, int send_count, MPI_Datatype send_type, void* receive,
                                  int receive_count, MPI_Datatype receive_type) {
    return parts_->result_of("alltoall", [&] {
        auto& parts = *parts_;
        auto call = parts.task(bytes_alone());
        const auto all = parts.typed(receive, receive_count, receive_type, call.size());
        call.out = parts.room_for(all);
        call.count = all.block_bytes();
        if (send != MPI_IN_PLACE) {
            call.in = parts.bytes_of(parts.typed(send, send_count, send_type, call.size()));
        } else if (all.direct()) {  // results come where inputs are
            auto* const inputs = parts.memory.get(Slot::packed_in, all.bytes());
            call.copy(all.at, inputs, all.bytes());
            call.in = inputs;
        } else {
            call.in = parts.bytes_of(all);
        }
        parts.algorithm.perform(call);
        parts.unpack(call.out, all);
    });
}

int ReferenceCollective::reduce(const void* send, void* receive, int count, MPI_Datatype datatype, MPI_Op op,
                                int root) {
    return parts_->result_of("reduce", [&] {
        parts_->check(count, root);
        auto call = parts_->task(parts_->layout(datatype));
        parts_->reduce(call, send, receive, op);
        call.count = static_cast<std::size_t>(count);
        call.root = root;
        parts_->algorithm.perform(call);
    });
}

int ReferenceCollective::allreduce(const void* send, void* receive, int count, MPI_Datatype datatype,
                                   MPI_Op op) {
    return parts_->result_of("allreduce", [&] {
        parts_->check(count, 0);
        auto call = parts_->task(parts_->layout(datatype));
        parts_->reduce(call, send, receive, op);
        call.count = static_cast<std::size_t>(count);
        parts_->algorithm.perform(call);
    });
}

int ReferenceCollective::reduce_scatter(const void* send, void* receive, const int* counts,
                                        MPI_Datatype datatype, MPI_Op op) {
    return parts_->result_of("reduce_scatter", [&] {
        auto& blocks = parts_->blocks;
        for (std::size_t rank = 0; rank + 1 < blocks.size(); ++rank) {
            parts_->check(counts[rank], 0);
            blocks[rank + 1] = blocks[rank] + static_cast<std::size_t>(counts[rank]);
        }
        parts_->reduce_scatter(send, receive, datatype, op);
    });
}

int ReferenceCollective::reduce_scatter_block(const void* send, void* receive, int count,
                                              MPI_Datatype datatype, MPI_Op op) {
    return parts_->result_of("reduce_scatter", [&] {
        parts_->check(count, 0);
        reference::equal_blocks(static_cast<std::size_t>(count), parts_->net.size(), parts_->blocks);
        parts_->reduce_scatter(send, receive, datatype, op);
    });
}

}  // namespace fathom::collectives
