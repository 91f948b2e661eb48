#pragma once

#include <fmt/format.h>

#include "probe/mpi/check.hpp"
#include "probe/ops/registry.hpp"

namespace fathom::probe {

/// Memory of a buffer for this many bytes: with a region there is one more slice at either end.
inline Bytes memory_of(std::int64_t bytes, const OperationContext& context) {
    return {context.region.count > 0 ? context.region.count + 2 * bytes : bytes};
}

/// Called before any of it is allocated. Throws Unavailable if there is less.
inline void need_memory(Bytes needed, const OperationContext& context) {
    if (needed > context.memory) {
        throw Unavailable(fmt::format("needs {} of memory on every rank, and {} are free for each",
                                      to_text(needed), to_text(context.memory)));
    }
}

}  // namespace fathom::probe
