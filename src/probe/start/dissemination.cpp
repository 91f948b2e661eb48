#include "probe/start/dissemination.hpp"

#include <cstdint>

namespace fathom::probe {

bool DisseminationBarrier::align() {
    const std::int64_t size = group_.size();
    const std::int64_t rank = group_.rank();
    for (std::int64_t distance = 1; distance < size; distance *= 2) {
        group_.exchange_token(static_cast<int>((rank + distance) % size),
                              static_cast<int>((rank - distance + size) % size));
    }
    return true;
}

}  // namespace fathom::probe
