#include "tree/improve/search.hpp"

#include <algorithm>
#include <optional>

#include "base/splitmix64.hpp"

namespace fathom::tree {
namespace {

/// Beyond the best of them, other starts rarely lead anywhere else.
constexpr std::size_t best_starts = 4;
constexpr std::size_t drawn_starts = 4;
/// Steps of one descent; each makes the tree faster, and most descents end after a few.
constexpr int most_steps = 64;
/// A step that gains less is within the error of any prediction.
constexpr double least_gain = 1e-3;

class Descent {
  public:
    explicit Descent(const SearchSpace& space) : space_(space) {}

    [[nodiscard]] Candidate evaluated(RankTree ranks) const {
        const auto tree = tree_of(ranks, space_.hosts, "candidate");
        return {.ranks = std::move(ranks),
                .predicted_ns = predicted_ns(tree, space_.places, space_.size, space_.ways, space_.costs)};
    }

    /// Keeps every tree on the way and those beside it, since the prediction is not exact.
    void from(const Candidate& start) {
        auto current = start;
        keep(current);
        for (int step = 0; step < most_steps; ++step) {
            std::optional<Candidate> best;
            for (auto& neighbour : neighbours_of(current.ranks, space_.hosts, space_.size, space_.kinds)) {
                auto candidate = evaluated(std::move(neighbour));
                if (!best || candidate.predicted_ns < best->predicted_ns) {
                    best = std::move(candidate);
                }
            }
            if (!best || best->predicted_ns > (1 - least_gain) * current.predicted_ns) {
                return;
            }
            current = std::move(*best);
            keep(current);
        }
    }

    void keep(const Candidate& candidate) {
        const bool is_new = std::none_of(found_.begin(), found_.end(),
                                         [&](const Candidate& one) { return one.ranks == candidate.ranks; });
        if (is_new) {
            found_.push_back(candidate);
        }
    }

    [[nodiscard]] std::vector<Candidate> take() { return std::move(found_); }

  private:
    const SearchSpace& space_;
    std::vector<Candidate> found_;
};

bool faster(const Candidate& a, const Candidate& b) {
    return a.predicted_ns < b.predicted_ns;
}

}  // namespace

std::vector<Candidate> candidates(const SearchSpace& space, const std::vector<RankTree>& starts,
                                  std::uint64_t seed, std::size_t most,
                                  const std::function<bool(const RankTree&)>& known) {
    Descent descent(space);
    std::vector<Candidate> shapes;
    const auto procs = static_cast<int>(space.places.host.size());
    for (auto& shape : combinations_of_shapes(procs, space.hosts, space.kinds)) {
        shapes.push_back(descent.evaluated(std::move(shape)));
        descent.keep(shapes.back());
    }
    std::stable_sort(shapes.begin(), shapes.end(), faster);
    for (const auto& start : starts) {
        descent.from(descent.evaluated(start));
    }
    for (std::size_t i = 0; i < std::min(best_starts, shapes.size()); ++i) {
        descent.from(shapes[i]);
    }
    for (std::size_t i = 0; i < drawn_starts && !shapes.empty(); ++i) {
        descent.from(shapes[splitmix64(seed, i) % shapes.size()]);
    }
    auto found = descent.take();
    std::erase_if(found, [&](const Candidate& candidate) { return known(candidate.ranks); });
    std::stable_sort(found.begin(), found.end(), faster);
    if (found.size() > most) {
        found.resize(most);
    }
    return found;
}

}  // namespace fathom::tree
