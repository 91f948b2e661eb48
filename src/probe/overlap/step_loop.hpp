#pragma once

#include <cstdint>
#include <vector>

#include "journal/samples.hpp"
#include "probe/interfaces/clock.hpp"
#include "probe/interfaces/group.hpp"
#include "probe/interfaces/nonblocking.hpp"
#include "probe/interfaces/operation.hpp"
#include "probe/interfaces/start.hpp"
#include "probe/overlap/step.hpp"
#include "probe/overlap/worker.hpp"

namespace fathom::probe {

/// Repeats the steps of a study on one rank and keeps every repetition.
class StepLoop {
  public:
    /// A rank that does not work posts and waits at once in every step with communication.
    StepLoop(Group& group, const Clock& clock, Worker& worker, bool works)
        : group_(group), clock_(clock), worker_(worker), works_(works) {}

    /// What communicates from now on: one object in its two roles.
    void use(Operation& operation, Nonblocking& exchange) {
        operation_ = &operation;
        exchange_ = &exchange;
    }

    /// Repeats a step; invalid on one rank is invalid on all. Collective. May throw NoCommonStart.
    void run(const Step& step, int number, int round, std::int64_t reps, Start& start);

    /// One repetition of a step that is not kept, and what is wrong with its data; empty if nothing.
    /// Collective.
    std::string checked(const Step& step, Start& start);

    /// All repetitions so far.
    [[nodiscard]] const std::vector<journal::StudySample>& samples() const { return samples_; }
    /// Those of the last run().
    [[nodiscard]] std::span<const journal::StudySample> last() const {
        return std::span(samples_).subspan(last_begin_);
    }

  private:
    void repeat(const Step& step, journal::StudySample& sample);
    void as_one(const Step& step, journal::StudySample& sample);
    void by_parts(const Step& step, journal::StudySample& sample);
    void fixed_work(const Step& step, journal::StudySample& sample);

    Group& group_;
    const Clock& clock_;
    Worker& worker_;
    bool works_;
    Operation* operation_ = nullptr;
    Nonblocking* exchange_ = nullptr;
    std::vector<journal::StudySample> samples_;
    std::size_t last_begin_ = 0;
    std::int64_t rep_ = 0;  // of those with communication, over all steps
};

}  // namespace fathom::probe
