#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "analysis/overlap/rounds.hpp"
#include "base/units.hpp"
#include "journal/records.hpp"
#include "store/store.hpp"

namespace fathom::analysis {

/// What a repetition of a study took on one rank, without the cost of reading the clock.
struct StudyTime {
    Nanoseconds start;  ///< on the clock of the rank
    double whole_ns = 0;
    double post_ns = 0;
    double tests_ns = 0;
    double wait_ns = 0;

    [[nodiscard]] double calls_ns() const { return post_ns + tests_ns + wait_ns; }
};

/// What a stored repetition took. `in_parts`: its calls were timed each, as by scheme `time`; else all as
/// one. `reading` is what an empty repetition takes on the rank.
StudyTime study_time(const journal::StudySample& sample, Nanoseconds reading, bool in_parts);

/// The stored samples of a study of overlap, put together by repetition.
class OverlapSamples {
  public:
    /// A repetition on all ranks, in the order of ranks(); all 0 on one that has no part in the step.
    using Repetition = std::vector<StudyTime>;
    /// What is looked at in a repetition.
    using Look = std::function<double(const Repetition&)>;

    OverlapSamples(const store::Store& store, const store::PointRow& point);

    [[nodiscard]] const std::vector<journal::StudyStep>& steps() const { return steps_; }
    /// The first step of a scheme with or without tests; null if there is none.
    [[nodiscard]] const journal::StudyStep* find(journal::StepScheme scheme, bool tests) const;
    [[nodiscard]] const std::vector<int>& ranks() const { return ranks_; }
    [[nodiscard]] int rounds() const { return rounds_; }

    /// The median and the mean of what is looked at, over the repetitions of each round that are valid on all
    /// ranks.
    [[nodiscard]] Rounds medians(const journal::StudyStep& step, const Look& look) const;
    [[nodiscard]] Rounds means(const journal::StudyStep& step, const Look& look) const;

  private:
    using Reduce = double (*)(const std::vector<double>&);
    [[nodiscard]] Rounds reduced(const journal::StudyStep& step, const Look& look, Reduce reduce) const;

    std::vector<journal::StudyStep> steps_;
    std::vector<int> ranks_;
    int rounds_ = 0;
    std::map<std::pair<int, int>, std::vector<Repetition>> repetitions_;  ///< by step and round; valid ones
};

/// The rank at this place in ranks(), the whole of it.
OverlapSamples::Look whole_of(std::size_t place);
/// The largest over ranks of some part of their times.
OverlapSamples::Look largest(double (*part)(const StudyTime&));

}  // namespace fathom::analysis
