#include "analysis/matrix/slow_members.hpp"

#include <algorithm>
#include <cmath>

#include "stats/student.hpp"

namespace fathom::analysis {
namespace {

constexpr double least_factor = 1.5;

double at_place(std::vector<double>& values, std::size_t place) {
    const auto where = values.begin() + static_cast<std::ptrdiff_t>(place);
    std::nth_element(values.begin(), where, values.end());
    return *where;
}

std::vector<double> all(std::span<const Spread> spreads, double Spread::*field) {
    std::vector<double> found;
    found.reserve(spreads.size());
    for (const auto& spread : spreads) {
        found.push_back(spread.*field);
    }
    return found;
}

double median(const std::vector<double>& values) {
    return (lower_median(values) + upper_median(values)) / 2;
}

/// How much others must be slower than 1.5 times where there is just one to compare with; with more, less. A
/// member of many pairs is slow by chance less often than a single pair.
constexpr double more_for_members = 4;
constexpr double more_for_single = 8;

/// What others are compared with.
class Reference {
  public:
    Reference(std::span<const Spread> usual, double more_for_few)
        : count_(usual.size()), more_for_few_(more_for_few) {
        if (count_ == 0) {
            return;
        }
        middle_ = median(all(usual, &Spread::middle));
        high_ = upper_median(all(usual, &Spread::high));
        std::vector<double> distances;
        for (const auto& spread : usual) {
            distances.push_back(std::abs(log_ratio(spread.middle)));
        }
        scatter_ = median(distances);
    }

    [[nodiscard]] bool much_faster_than(double low, double middle) const {
        constexpr double deviations = 5;
        if (count_ == 0 || middle_ <= 0) {
            return false;
        }
        return middle >= factor() * middle_ && low >= high_ &&
               log_ratio(middle) >= deviations * stats::mad_to_sigma * scatter_;
    }

  private:
    /// A few others say little about what is normal.
    [[nodiscard]] double factor() const { return least_factor + more_for_few_ / static_cast<double>(count_); }
    [[nodiscard]] double log_ratio(double middle) const {
        constexpr double least_ns = 1e-3;
        return std::log(std::max(least_ns, middle) / std::max(least_ns, middle_));
    }

    std::size_t count_;
    double more_for_few_;
    double middle_ = 0;
    double high_ = 0;
    double scatter_ = 0;
};

std::vector<Spread> pairs_of(const Network& network, std::size_t member) {
    std::vector<Spread> found;
    for (std::size_t other = 0; other < network.members(); ++other) {
        if (const auto& pair = network.pair(member, other)) {
            found.push_back(*pair);
        }
    }
    return found;
}

std::vector<Spread> pairs_among(const Network& network, const std::vector<bool>& left_out) {
    std::vector<Spread> found;
    for (std::size_t b = 0; b < network.members(); ++b) {
        for (std::size_t a = 0; a < b; ++a) {
            if (const auto& pair = network.pair(a, b); pair && !left_out[a] && !left_out[b]) {
                found.push_back(*pair);
            }
        }
    }
    return found;
}

/// Of the fastest pairs of a member but a tenth: the rest of them, (nearly) all, take that long at least.
double fastest(std::span<const Spread> pairs, double Spread::*field) {
    constexpr std::size_t tenth = 10;
    auto values = all(pairs, field);
    return at_place(values, values.size() / tenth);
}

/// Members whose fastest pairs are slow against those of half of the other members.
std::vector<bool> suspects_in(const Network& network) {
    std::vector<std::optional<double>> middles;
    for (std::size_t member = 0; member < network.members(); ++member) {
        const auto pairs = pairs_of(network, member);
        middles.push_back(pairs.empty() ? std::nullopt : std::optional(fastest(pairs, &Spread::middle)));
    }
    std::vector<bool> suspects(network.members());
    for (std::size_t member = 0; member < network.members(); ++member) {
        std::vector<double> others;
        for (std::size_t other = 0; other < network.members(); ++other) {
            if (other != member && middles[other]) {
                others.push_back(*middles[other]);
            }
        }
        suspects[member] = middles[member] && !others.empty() &&
                           *middles[member] >= least_factor * lower_median(std::move(others));
    }
    return suspects;
}

/// Whether a pair is slow against most other pairs of one of its members.
bool slow_for(const Network& network, std::size_t member, std::size_t partner, double middle,
              const std::vector<bool>& left_out) {
    std::vector<double> others;
    for (std::size_t other = 0; other < network.members(); ++other) {
        if (const auto& pair = network.pair(member, other); pair && other != partner && !left_out[other]) {
            others.push_back(pair->middle);
        }
    }
    return !others.empty() && middle >= least_factor * upper_median(std::move(others));
}

}  // namespace

double lower_median(std::vector<double> values) {
    return at_place(values, (values.size() - 1) / 2);
}

double upper_median(std::vector<double> values) {
    return at_place(values, values.size() / 2);
}

std::vector<std::size_t> slow_members(const Network& network) {
    const auto suspects = suspects_in(network);
    const Reference reference(pairs_among(network, suspects), more_for_members);
    std::vector<std::size_t> slow;
    for (std::size_t member = 0; member < network.members(); ++member) {
        if (!suspects[member]) {
            continue;
        }
        // One slow pair may be due to the partner or the path.
        const auto pairs = pairs_of(network, member);
        if (pairs.size() > 1 &&
            reference.much_faster_than(fastest(pairs, &Spread::low), fastest(pairs, &Spread::middle))) {
            slow.push_back(member);
        }
    }
    return slow;
}

std::vector<SlowPair> slow_pairs(const Network& network, std::span<const std::size_t> without) {
    std::vector<bool> left_out(network.members());
    for (const auto member : without) {
        left_out[member] = true;
    }
    const auto usual = pairs_among(network, left_out);
    const Reference reference(usual, more_for_single);
    std::vector<SlowPair> slow;
    for (std::size_t b = 0; b < network.members(); ++b) {
        for (std::size_t a = 0; a < b; ++a) {
            const auto& pair = network.pair(a, b);
            if (pair && !left_out[a] && !left_out[b] && reference.much_faster_than(pair->low, pair->middle) &&
                slow_for(network, a, b, pair->middle, left_out) &&
                slow_for(network, b, a, pair->middle, left_out)) {
                slow.push_back({.first = a, .second = b});
            }
        }
    }
    return slow;
}

std::vector<std::size_t> slow_ones(std::span<const Spread> things) {
    const Reference reference(things, more_for_single);
    std::vector<std::size_t> slow;
    for (std::size_t i = 0; i < things.size(); ++i) {
        if (reference.much_faster_than(things[i].low, things[i].middle)) {
            slow.push_back(i);
        }
    }
    return slow;
}

}  // namespace fathom::analysis
