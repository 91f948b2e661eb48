#include "plan/sizes.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"

namespace fathom::plan {

std::vector<Bytes> expand_sizes(std::string_view specification) {
    const auto parts = split(specification, ':');
    if (parts.size() == 1) {
        return {parse_bytes(parts[0])};
    }
    if (parts.size() != 2) {
        throw BadInput(fmt::format("'{}' is no range of sizes; give FIRST:LAST such as 1:1M", specification));
    }
    const auto first = parse_bytes(parts[0]);
    const auto last = parse_bytes(parts[1]);
    if (first > last) {
        throw BadInput(
            fmt::format("the range '{}' runs backwards; give the smaller size first", specification));
    }
    std::vector<Bytes> sizes;
    // Doubling from 0 would stay there: 0 is followed by 1.
    for (auto size = first; size < last; size = {std::max<std::int64_t>(1, 2 * size.count)}) {
        sizes.push_back(size);
    }
    sizes.push_back(last);
    return sizes;
}

std::vector<Bytes> expand_sizes(const std::vector<std::string>& specifications) {
    std::vector<Bytes> sizes;
    for (const auto& specification : specifications) {
        const auto more = expand_sizes(specification);
        sizes.insert(sizes.end(), more.begin(), more.end());
    }
    std::sort(sizes.begin(), sizes.end());
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
    return sizes;
}

}  // namespace fathom::plan
