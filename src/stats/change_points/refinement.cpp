#include "stats/change_points/refinement.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

namespace fathom::stats {
namespace {

using Points = std::map<std::int64_t, double>;

constexpr double infinite = std::numeric_limits<double>::infinity();

/// The line through two points, at x.
double on_line(const Points::value_type& first, const Points::value_type& second, std::int64_t x) {
    const double slope = (second.second - first.second) / static_cast<double>(second.first - first.first);
    return first.second + slope * static_cast<double>(x - first.first);
}

/// Zero has no geometric middle with anything: half of the other end then.
std::int64_t middle(std::int64_t low, std::int64_t high) {
    const double place = low > 0 ? std::sqrt(static_cast<double>(low)) * std::sqrt(static_cast<double>(high))
                                 : static_cast<double>(high) / 2;
    return std::clamp(static_cast<std::int64_t>(std::llround(place)), low + 1, high - 1);
}

}  // namespace

Refinement::Refinement(double epsilon, std::size_t most_points)
    : epsilon_(epsilon), most_points_(most_points) {}

void Refinement::add(std::int64_t x, double t, double standard_error) {
    standard_errors_[x] = standard_error;
    const auto added = points_.insert_or_assign(x, t).first;
    if (points_.size() == 3) {
        // Until now there was nothing to predict from.
        for (auto point = points_.cbegin(); std::next(point) != points_.cend(); ++point) {
            estimate(point);
        }
    } else if (points_.size() > 3) {
        estimate_around(added);
    }
}

void Refinement::skip(std::int64_t x) {
    skipped_.insert(x);
}

std::optional<std::int64_t> Refinement::next() const {
    if (points_.size() >= most_points_) {
        return std::nullopt;
    }
    const auto found = std::find_if(queue_.begin(), queue_.end(), [&](const Segment& segment) {
        return !skipped_.contains(middle(segment.low, segment.high));
    });
    if (found == queue_.end() || found->error < epsilon_) {
        return std::nullopt;
    }
    return middle(found->low, found->high);
}

double Refinement::largest_error() const {
    return queue_.empty() ? 0 : queue_.begin()->error;
}

std::optional<Refinement::Worst> Refinement::worst() const {
    if (queue_.empty()) {
        return std::nullopt;
    }
    const auto& segment = *queue_.begin();
    return Worst{.error = segment.error, .low = segment.low, .high = segment.high};
}

double Refinement::error_of(Point b) const {
    const auto c = std::next(b);
    double error =
        b->first > 0 ? static_cast<double>(c->first - b->first) / static_cast<double>(b->first) : infinite;
    if (const auto d = std::next(c); d != points_.end()) {
        error = std::min(error, share_off(c, d, b));
    }
    if (b != points_.begin()) {
        error = std::min(error, share_off(std::prev(b), b, c));
    }
    return error;
}

/// How far the line through two points misses a third, as a share of its time, beyond what noise explains.
double Refinement::share_off(Point from, Point to, Point at) const {
    if (at->second <= 0) {
        return infinite;
    }
    constexpr double sigmas = 3;
    const double reach =
        static_cast<double>(at->first - from->first) / static_cast<double>(to->first - from->first);
    const auto error = [&](Point point) { return standard_errors_.at(point->first); };
    const double noise = std::hypot(error(at), error(from) * (1 - reach), error(to) * reach);
    const double off = std::abs(on_line(*from, *to, at->first) - at->second);
    return std::max(0.0, off - sigmas * noise) / at->second;
}

void Refinement::forget(std::int64_t low) {
    if (const auto known = segments_.find(low); known != segments_.end()) {
        queue_.erase(known->second);
        segments_.erase(known);
    }
}

/// The segment from b to its neighbour. Between neighbouring sizes there is nothing to be wrong about.
void Refinement::estimate(Point b) {
    forget(b->first);
    const auto c = std::next(b);
    if (c->first - b->first < 2) {
        return;
    }
    const Segment segment{error_of(b), b->first, c->first};
    segments_.emplace(b->first, segment);
    queue_.insert(segment);
}

/// A point is an end of two segments and helps to predict the next one on either side.
void Refinement::estimate_around(Point added) {
    auto first = added;
    for (int steps = 0; steps < 2 && first != points_.begin(); ++steps) {
        --first;
    }
    auto end = added;
    for (int steps = 0; steps < 2 && end != std::prev(points_.end()); ++steps) {
        ++end;
    }
    for (; first != end; ++first) {
        estimate(first);
    }
}

}  // namespace fathom::stats
