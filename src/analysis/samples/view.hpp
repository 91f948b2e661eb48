#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plan/plan.hpp"
#include "stats/reduction.hpp"
#include "store/store.hpp"

namespace fathom::analysis {

/// Some ranks of a job, or all.
class RankSet {
  public:
    /// All.
    RankSet() = default;
    /// `0,4-7`. Throws BadInput whose sentence says what to give instead.
    static RankSet parse(std::string_view text);

    [[nodiscard]] bool all() const { return spans_.empty(); }
    [[nodiscard]] bool contains(int rank) const;
    [[nodiscard]] int largest() const;
    [[nodiscard]] std::string text() const;

  private:
    struct Span {
        int first;
        int last;
    };
    std::vector<Span> spans_;
};

/// How to reduce samples if not as the run's plan says: over the ranks of a
/// repetition, over repetitions, and which ranks count.
struct View {
    std::optional<plan::OverRanks> over_ranks;
    std::optional<stats::Reduction> over_reps;
    RankSet ranks;
    std::optional<plan::RoundTrip> round_trip = {};
};

/// How the samples of a point are looked at. `over_ranks` is not automatic here.
struct WholeView {
    plan::OverRanks over_ranks = plan::OverRanks::max;
    stats::Reduction over_reps = stats::Reduction::parse("median");
    RankSet ranks;
    plan::SizeAs size_as = plan::SizeAs::each;
    plan::RoundTrip round_trip = plan::RoundTrip::half;
    bool every_rep = false;  ///< also those that preemption touched
};

/// The view of a point: what is not requested comes from its settings, or else from its
/// operation.
WholeView whole(const View& view, const store::PointRow& point, const plan::Plan& settings);

}  // namespace fathom::analysis
