#include "collectives/element_map.hpp"

#include <algorithm>
#include <cstring>

namespace fathom::collectives {

ElementMap ElementMap::of(const std::vector<std::ptrdiff_t>& offsets, std::ptrdiff_t extent) {
    ElementMap map{.stretches = {}, .bytes = offsets.size(), .extent = extent};
    for (const auto offset : offsets) {
        auto* const last = map.stretches.empty() ? nullptr : &map.stretches.back();
        if (last != nullptr && last->offset + static_cast<std::ptrdiff_t>(last->bytes) == offset) {
            ++last->bytes;
        } else {
            map.stretches.push_back({.offset = offset, .bytes = 1});
        }
    }
    return map;
}

/// Calls body(offset in memory, bytes) for stretches, or parts of them, one after the other.
template <class Body>
void ElementMap::for_each(std::size_t first, std::size_t count, const Body& body) const {
    if (count == 0) {
        return;
    }
    const bool gapless = stretches.size() == 1 && static_cast<std::ptrdiff_t>(bytes) == extent;
    if (gapless) {
        body(stretches.front().offset + static_cast<std::ptrdiff_t>(first), count);
        return;
    }
    auto base = static_cast<std::ptrdiff_t>(first / bytes) * extent;
    auto skipped = first % bytes;
    while (true) {
        for (const auto& stretch : stretches) {
            if (skipped >= stretch.bytes) {
                skipped -= stretch.bytes;
                continue;
            }
            const auto taken = std::min(count, stretch.bytes - skipped);
            body(base + stretch.offset + static_cast<std::ptrdiff_t>(skipped), taken);
            skipped = 0;
            count -= taken;
            if (count == 0) {
                return;
            }
        }
        base += extent;
    }
}

void ElementMap::pack(const std::byte* elements, std::size_t first, std::size_t count, std::byte* to) const {
    for_each(first, count, [&](std::ptrdiff_t offset, std::size_t length) {
        std::memcpy(to, elements + offset, length);
        to += length;
    });
}

void ElementMap::unpack(const std::byte* from, std::size_t first, std::size_t count,
                        std::byte* elements) const {
    for_each(first, count, [&](std::ptrdiff_t offset, std::size_t length) {
        std::memcpy(elements + offset, from, length);
        from += length;
    });
}

}  // namespace fathom::collectives
