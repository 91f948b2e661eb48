#include "collectives/tree_collective.hpp"

#include <new>

#include <climits>
#include <fmt/format.h>

#include "base/error.hpp"
#include "collectives/engine.hpp"
#include "collectives/layout.hpp"
#include "collectives/mpi_failure.hpp"

namespace fathom::collectives {
namespace {

/// Runs a call and returns what MPI would.
template <class Body>
int code_of(const Body& body) {
    try {
        body();
        return MPI_SUCCESS;
    } catch (const MpiFailure& failure) {
        return failure.code;
    } catch (const std::bad_alloc&) {
        return MPI_ERR_NO_MEM;
    }
}

int packed_bytes(std::size_t elements, const Layout& layout) {
    const auto bytes = elements * layout.bytes;
    if (bytes > INT_MAX) {
        throw MpiFailure{MPI_ERR_COUNT};
    }
    return static_cast<int>(bytes);
}

void pack(const void* from, int count, const Layout& layout, std::byte* to, MPI_Comm communicator) {
    int position = 0;
    checked(MPI_Pack(from, count, layout.type, to, packed_bytes(static_cast<std::size_t>(count), layout),
                     &position, communicator));
}

void unpack(std::byte* from, void* to, int count, const Layout& layout, MPI_Comm communicator) {
    int position = 0;
    checked(MPI_Unpack(from, packed_bytes(static_cast<std::size_t>(count), layout), &position, to, count,
                       layout.type, communicator));
}

}  // namespace

struct TreeCollective::Parts {
    Parts(MPI_Comm communicator, const tree::Tree& tree, const TreeOptions& options)
        : engine(communicator, tree, options) {
        MPI_Comm_size(communicator, &size);
    }

    /// Predefined types never change, so the last one is remembered; a handle of another may be used again.
    const Layout& layout(MPI_Datatype type) {
        if (known.type != type) {
            known = layout_of(type);
            if (!known.named) {
                passing = known;
                known = {};
                return passing;
            }
        }
        return known;
    }

    void check(int count, int root) const {
        if (count < 0) {
            throw MpiFailure{MPI_ERR_COUNT};
        }
        if (root < 0 || root >= size) {
            throw MpiFailure{MPI_ERR_ROOT};
        }
    }

    /// A reduction to one rank or to all; `wanted` says whether this rank is to have the result.
    void reduce(Call& call, const void* send, void* receive, int count, MPI_Datatype datatype, bool wanted) {
        const auto& type = layout(datatype);
        const auto elements = static_cast<std::size_t>(count);
        call.layout = type;
        call.typed = !type.dense;
        const bool in_place = send == MPI_IN_PLACE;
        call.send = static_cast<const std::byte*>(in_place ? receive : send);
        call.in_place = in_place && !call.typed;
        call.cut = split(elements, type.bytes, engine.limits());
        if (wanted) {
            call.base = call.typed ? engine.staging(elements * type.bytes) : static_cast<std::byte*>(receive);
        }
        engine.perform(call);
        if (wanted && call.typed) {
            unpack(call.base, receive, count, type, engine.messages());
        }
    }

    Engine engine;
    int size = 0;
    Layout known;
    Layout passing;
};

TreeCollective::TreeCollective(MPI_Comm communicator, const tree::Tree& tree, const TreeOptions& options) try
    : parts_(std::make_unique<Parts>(communicator, tree, options)) {
} catch (const MpiFailure& failure) {
    throw NotMeasured(fmt::format("tree '{}' could not be set up: {}", tree.name, failure.text()));
}

TreeCollective::~TreeCollective() = default;

int TreeCollective::allreduce(const void* send, void* receive, int count, MPI_Datatype datatype, MPI_Op op) {
    return code_of([&] {
        parts_->check(count, 0);
        Call call{.way = Way::allreduce, .op = op};
        parts_->reduce(call, send, receive, count, datatype, true);
    });
}

int TreeCollective::reduce(const void* send, void* receive, int count, MPI_Datatype datatype, MPI_Op op,
                           int root) {
    return code_of([&] {
        parts_->check(count, root);
        Call call{.way = Way::reduce, .root = root, .op = op};
        parts_->reduce(call, send, receive, count, datatype, parts_->engine.rank() == root);
    });
}

int TreeCollective::bcast(void* buffer, int count, MPI_Datatype datatype, int root) {
    return code_of([&] {
        parts_->check(count, root);
        auto& engine = parts_->engine;
        const auto& type = parts_->layout(datatype);
        const auto bytes = static_cast<std::size_t>(count) * type.bytes;
        Call call{.way = Way::bcast, .root = root};
        call.cut = split(bytes, 1, engine.limits());
        // Ranks may describe the same data by different types, so only the order within one of MPI's own is
        // certain.
        const bool direct = type.dense && type.named;
        call.base = direct ? static_cast<std::byte*>(buffer) : engine.staging(bytes);
        const bool has_data = engine.rank() == root;
        if (!direct && has_data) {
            pack(buffer, count, type, call.base, engine.messages());
        }
        engine.perform(call);
        if (!direct && !has_data) {
            unpack(call.base, buffer, count, type, engine.messages());
        }
    });
}

int TreeCollective::barrier() {
    return code_of([&] {
        Call call{.way = Way::allreduce};
        call.cut = split(0, 1, parts_->engine.limits());
        parts_->engine.perform(call);
    });
}

int TreeCollective::threads() const {
    return 1 + static_cast<int>(parts_->engine.threads().size());
}

ThreadLeaf& TreeCollective::thread(int number) {
    return parts_->engine.threads().at(static_cast<std::size_t>(number) - 1);
}

void TreeCollective::trace(EventRing* ring, TimeSource time, const TraceChoice& choice) {
    parts_->engine.trace(ring, time, choice);
}

std::uint32_t TreeCollective::calls() const {
    return parts_->engine.calls();
}

std::size_t TreeCollective::events_per_call() const {
    return parts_->engine.events_per_call();
}

bool TreeCollective::crowded() const {
    return parts_->engine.crowded();
}

}  // namespace fathom::collectives
