#include <algorithm>

#include "analysis/across_runs/comparison.hpp"

namespace fathom::analysis {

std::size_t Comparison::count(Change verdict) const {
    return static_cast<std::size_t>(std::count_if(
        points.begin(), points.end(), [&](const auto& point) { return point.verdict == verdict; }));
}

std::size_t Comparison::beyond_limit() const {
    return static_cast<std::size_t>(
        std::count_if(points.begin(), points.end(), [](const auto& point) { return point.beyond_limit; }));
}

std::size_t Comparison::open() const {
    return static_cast<std::size_t>(std::count_if(points.begin(), points.end(),
                                                  [](const auto& point) { return point.doubt.has_value(); }));
}

std::size_t Comparison::disturbed() const {
    return static_cast<std::size_t>(std::count_if(points.begin(), points.end(), [](const auto& point) {
        return point.first_disturbed || point.second_disturbed;
    }));
}

std::size_t Comparison::newly_failed() const {
    return static_cast<std::size_t>(std::count_if(unmatched.begin(), unmatched.end(),
                                                  [](const auto& point) { return point.newly_failed; }));
}

Gate Comparison::gate() const {
    return beyond_limit() + newly_failed() > 0 ? Gate::fails : open() > 0 ? Gate::undecided : Gate::holds;
}

}  // namespace fathom::analysis
