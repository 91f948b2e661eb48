#include "tune/model/crossings.hpp"

#include <algorithm>
#include <cmath>

namespace fathom::tune {
namespace {

/// Sums of a million rounds are known to about this share.
constexpr double rounding_of_sums = 1e-11;

bool clearly_below(Line one, Line other, std::int64_t size) {
    const auto at = static_cast<double>(size);
    return one.at(at) < other.at(at) * (1 - rounding_of_sums);
}

/// The first size above `size` at which a line is clearly below another one that it is not below yet;
/// `beyond` if there is none before.
std::int64_t first_below(Line one, Line other, std::int64_t size, std::int64_t beyond) {
    if (!(one.per_byte_ns < other.per_byte_ns) || !clearly_below(one, other, beyond - 1)) {
        return beyond;
    }
    auto above = size;
    auto below = beyond - 1;
    while (below - above > 1) {
        const auto middle = above + (below - above) / 2;
        (clearly_below(one, other, middle) ? below : above) = middle;
    }
    return below;
}

}  // namespace

std::vector<BestRange> lower_envelope(std::span<const CostCurve> curves, Bytes first, Bytes last) {
    std::vector<BestRange> ranges;
    if (curves.empty()) {
        return ranges;
    }
    std::vector<CurvePiece> pieces(curves.size());
    for (auto size = first.count; size <= last.count;) {
        auto end = last.count;
        for (std::size_t i = 0; i < curves.size(); ++i) {
            if (ranges.empty() || pieces[i].last.count < size) {
                pieces[i] = curves[i].piece({size});
            }
            end = std::min(end, pieces[i].last.count);
        }
        std::size_t best = ranges.empty() ? 0 : ranges.back().curve;
        for (std::size_t i = 0; i < curves.size(); ++i) {
            if (clearly_below(pieces[i].time, pieces[best].time, size)) {
                best = i;
            }
        }
        auto next = end + 1;
        for (std::size_t i = 0; i < curves.size(); ++i) {
            next = std::min(next, first_below(pieces[i].time, pieces[best].time, size, next));
        }
        if (ranges.empty() || ranges.back().curve != best) {
            ranges.push_back({.curve = best, .first = {size}, .last = {next - 1}});
        }
        ranges.back().last = {next - 1};
        size = next;
    }
    return ranges;
}

}  // namespace fathom::tune
