#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

/// What stands out as slow among things that should be equal. Conservative, so that noise names nothing: by a
/// factor that grows where there is little to compare with, against the scatter of the others, and only where
/// fast repetitions of the slow one take as long as slow ones of the others.
namespace fathom::analysis {

/// Times of one thing: its fast repetitions, the median, its slow ones.
struct Spread {
    double low = 0;
    double middle = 0;
    double high = 0;
};

/// Members that were measured in pairs; a pair may be missing.
class Network {
  public:
    explicit Network(std::size_t members) : members_(members), pairs_(members * members) {}

    void set(std::size_t a, std::size_t b, const Spread& spread) {
        pairs_[a * members_ + b] = spread;
        pairs_[b * members_ + a] = spread;
    }
    /// Nothing for a pair that was not measured, and for a member with itself.
    [[nodiscard]] const std::optional<Spread>& pair(std::size_t a, std::size_t b) const {
        return pairs_[a * members_ + b];
    }
    [[nodiscard]] std::size_t members() const { return members_; }

  private:
    std::size_t members_;
    std::vector<std::optional<Spread>> pairs_;
};

/// Members of which (nearly) all pairs are slow: against pairs of members that are not.
std::vector<std::size_t> slow_members(const Network& network);

struct SlowPair {
    std::size_t first;
    std::size_t second;
};

/// Pairs that are slow while most other pairs of both their members are not. Members `without` are left out.
std::vector<SlowPair> slow_pairs(const Network& network, std::span<const std::size_t> without);

/// Which of some things of one kind are slow, by their places.
std::vector<std::size_t> slow_ones(std::span<const Spread> things);

/// The middle one, or the lower or upper of the two in the middle. There must be one.
double lower_median(std::vector<double> values);
double upper_median(std::vector<double> values);

}  // namespace fathom::analysis
