#pragma once

#include <cstddef>

namespace fathom::tree {

/// A rank, a node or the like as the place of an element.
constexpr std::size_t at(int number) {
    return static_cast<std::size_t>(number);
}

}  // namespace fathom::tree
