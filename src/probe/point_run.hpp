#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "journal/journal.hpp"
#include "machine/counters.hpp"
#include "plan/operations.hpp"
#include "plan/plan.hpp"
#include "plan/reference_algorithms.hpp"
#include "probe/agenda/agenda.hpp"
#include "probe/clock/keeper.hpp"
#include "probe/interfaces/operation.hpp"
#include "probe/loops/point_loop.hpp"
#include "probe/loops/trace_numbers.hpp"
#include "probe/loops/warm_up.hpp"
#include "probe/mpi/library_choice.hpp"
#include "probe/mpi/local_clock.hpp"
#include "probe/mpi/progress_thread.hpp"
#include "probe/overlap/study.hpp"
#include "probe/refusal.hpp"
#include "probe/teams.hpp"
#include "tree/tree.hpp"

namespace fathom::probe {

/// What all points of a job are measured with, on one rank.
struct Bench {
    const mpi::LocalClock& local;
    const ClockKeeper& keeper;
    std::function<void(const journal::Record&)> emit;  ///< of use on the first rank of a team
    Nanoseconds empty;                                 ///< what an empty repetition takes here
    double effort = 1;                                 ///< part of a point's effort, as plan::Job has it
    mpi::ProgressThread progress;                      ///< where one was requested
    Counters* counters = nullptr;                      ///< of the operating system; none in simulation
    const machine::RunDelay* run_delay = nullptr;      ///< of this rank; none in simulation
    const std::map<std::string, tree::Tree>& trees;    ///< that points may name, by name
    /// Compares the clocks of a team again if they are too uncertain for calls of this duration. May
    /// be empty.
    std::function<void(Team& team, Nanoseconds per_call)> compare_clocks_if_unsure;
};

/// One point from its first visit to its end, on one rank of its team.
class PointRun {
  public:
    /// `most` bounds the time of its repetitions besides the settings; the same on all ranks.
    PointRun(const Bench& bench, Team& team, plan::PointSpec point, plan::Plan settings, Nanoseconds most);

    /// Measures the point to its end, or one series of it. Writes to the journal. Collective over the team.
    Visit visit(bool to_the_end);

  private:
    std::optional<Refusal> measure(bool to_the_end, bool& ended);
    std::optional<Refusal> measure_chosen(bool to_the_end, bool& ended);
    std::optional<Refusal> choose_algorithm();
    std::optional<Refusal> tried(Operation& operation);
    [[nodiscard]] MPI_Comm communicator() const;
    std::optional<Refusal> run_to_the_end(std::unique_ptr<Operation>& operation);
    std::string make(std::unique_ptr<Operation>& operation) const;
    /// What is there to make an operation with.
    struct Provision {
        std::int64_t memory_share;  ///< bytes, of each rank
        std::vector<int> hosts;     ///< of its group's ranks, where that matters
        std::string lack;           ///< of a progress thread
    };
    std::string make_in_group(std::unique_ptr<Operation>& operation, const Provision& provision) const;
    std::optional<Refusal> study(std::unique_ptr<Operation>& operation);
    void deliver_study(const StudyResult& result);
    std::optional<Refusal> verified(Operation& operation, const char* when);
    WarmUp warm(Operation& operation);
    void spend(Nanoseconds time);
    void set_up_loop(const WarmUp& warmth);
    [[nodiscard]] LoopCounters counters();
    [[nodiscard]] bool target_works() const;
    [[nodiscard]] std::string lack_of_progress_thread() const;
    [[nodiscard]] plan::StartMode start_mode() const;
    [[nodiscard]] std::string pairs_text() const;
    [[nodiscard]] std::unique_ptr<Start> make_start(Nanoseconds longest) const;
    [[nodiscard]] std::unique_ptr<stats::StopRule> make_rule() const;
    [[nodiscard]] std::int64_t part_of(std::int64_t whole) const;
    [[nodiscard]] Nanoseconds budget() const;
    [[nodiscard]] LoopLimits limits(Nanoseconds longest) const;
    [[nodiscard]] LoopLimits matrix_limits(Nanoseconds longest) const;
    void count(Operation& operation);
    void deliver_tally();
    [[nodiscard]] TraceNumbers* numbers() { return numbers_ ? &*numbers_ : nullptr; }
    void begin_trace(Operation& operation);
    void deliver_trace(Operation& operation);
    [[nodiscard]] std::vector<journal::EventBlock> event_blocks(Traced& traced);
    [[nodiscard]] const tree::Tree* tree_of_point() const;
    [[nodiscard]] const plan::ReferenceAlgorithm* reference_of_point() const;
    [[nodiscard]] Bytes region() const;
    void note_remarks(const WarmUp& warmth, const Operation& operation);
    void emit(const journal::Record& record) const;

    const Bench& bench_;
    Team& team_;
    plan::PointSpec point_;
    plan::Plan settings_;
    Nanoseconds most_;
    const plan::OperationInfo& info_;
    plan::StartMode start_mode_;
    bool crowded_ = false;  // ranks, or threads of this operation, have to share cores
    journal::PointEnd end_;
    std::unique_ptr<Start> start_;
    std::unique_ptr<stats::StopRule> rule_;
    std::optional<PointLoop> loop_;
    std::unique_ptr<mpi::LibraryChoice> choice_;  // during a visit, where the library is told what to use
    Tally tally_;                                 // of the timed repetitions
    Operation* operation_ = nullptr;              // that is measured at the moment
    std::optional<TraceNumbers> numbers_;         // of its calls, where they are traced
    std::int64_t most_in_series_ = INT64_MAX;
    int event_blocks_ = 0;  // delivered so far
};

}  // namespace fathom::probe
