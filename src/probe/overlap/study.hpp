#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/units.hpp"
#include "journal/samples.hpp"
#include "plan/plan.hpp"
#include "probe/interfaces/clock.hpp"
#include "probe/interfaces/group.hpp"
#include "probe/interfaces/operation.hpp"
#include "probe/interfaces/start.hpp"
#include "probe/overlap/step_loop.hpp"
#include "probe/overlap/worker.hpp"

namespace fathom::probe {

/// What a study is made with, on one rank. What is referred to must live as long as the study.
struct StudyBench {
    Group& group;
    const Clock& clock;
    Worker& worker;
    Nanoseconds empty;       ///< what an empty repetition takes here
    Nanoseconds resolution;  ///< of the clock
    std::function<Nanoseconds(Nanoseconds own)> global;
    std::function<std::unique_ptr<Start>(Nanoseconds longest_call)> make_start;
    /// Gives the loop what communicates, somewhere else in memory every time and warmed up. Returns why if it
    /// cannot, the same on all ranks.
    std::function<std::string(StepLoop& loop)> renew;
    std::function<void(Nanoseconds per_call)> pause = {};  ///< between two rounds, on all ranks
};

/// What a study is to be.
struct StudyRules {
    plan::OverlapSettings settings;
    Bytes size;
    Nanoseconds at_once;  ///< what the communication takes by itself, the same on all ranks
    Nanoseconds budget;   ///< for all rounds
    int rounds = 12;
    std::optional<std::int64_t> reps;  ///< of every step over all rounds; absent: what the budget allows
    bool simulated = false;            ///< every repetition is like every other
};

/// Communication that takes longer is studied in fewer steps and repetitions.
inline constexpr Nanoseconds slow{50'000'000};

/// What came out of it on one rank.
struct StudyResult {
    std::string failure;  ///< why there is nothing; the same on all ranks
    std::string wrong;    ///< what was wrong with this rank's data while it worked
    std::vector<Step> steps;
    std::vector<journal::StudySample> samples;
    Tally tally;
};

/// Post, work, wait with more and more work, on the first of two ranks. Collective.
StudyResult study_message(const StudyBench& bench, const StudyRules& rules);

/// Start, work, wait on all ranks at once, by the clock and by the amount of work, with more and fewer tests.
/// Collective.
StudyResult study_collective(const StudyBench& bench, const StudyRules& rules);

/// What both have in common: rounds of the same steps.
class OverlapStudy {
  public:
    OverlapStudy(const StudyBench& bench, const StudyRules& rules, bool works);

    /// Repeats a step in the present round; `share` times as often as others.
    void run(int step, std::int64_t share = 1);
    /// Repeats all steps but those from `last` on in some order, the same on all ranks and another in every
    /// round; those from `last` on in a row somewhere among them, `share` times as often. What changes while
    /// memory gets used to would else look like the work's doing.
    void run_shuffled(int last, std::int64_t share);
    /// Adds a step, the same on all ranks but for its units.
    int add(const Step& step);
    /// Begins a round: other memory. False if it could not be had.
    bool begin_round(int round);
    /// Ends the study after the last round: checks data once more while there is work, and the kernel.
    StudyResult end();

    /// What this rank's valid repetitions of the last run took in the middle, without the clock's own part.
    [[nodiscard]] double median_time() const;
    /// From the first start to the last end on the global clock, in the middle. Collective.
    [[nodiscard]] double median_span();
    /// The relative uncertainty of the last median.
    [[nodiscard]] double relative_noise() const;
    /// The first rank's value, on all ranks.
    [[nodiscard]] std::int64_t word_of_first(std::int64_t word);

    [[nodiscard]] const WorkRate& rate() const { return rate_; }
    [[nodiscard]] int rounds() const { return rounds_; }
    [[nodiscard]] const std::vector<Step>& steps() const { return result_.steps; }
    [[nodiscard]] bool first() const { return bench_.group.rank() == 0; }
    [[nodiscard]] Tally& tally() { return result_.tally; }

  private:
    void settle_extent();
    [[nodiscard]] std::vector<double> valid_times() const;

    const StudyBench& bench_;
    const StudyRules& rules_;
    StepLoop loop_;
    WorkRate rate_;
    int rounds_;
    int round_ = 0;
    std::int64_t reps_ = 1;
    std::map<int, std::unique_ptr<Start>> starts_;  // of each step: each has a rhythm of its own
    StudyResult result_;
};

}  // namespace fathom::probe
