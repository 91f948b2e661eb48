#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <vector>

#include "launch/follower.hpp"
#include "store/store.hpp"

namespace fathom::launch {

/// Events that a collector reports.
struct CollectorEvents {
    std::function<void()> environment_known = [] {};  ///< job, ranks and hosts are in the store
    std::function<void(const plan::PointSpec&)> point_added = [](const auto&) {};
    std::function<void(int position)> point_begun = [](int) {};
    std::function<void(const journal::PointEnd&)> point_ended = [](const auto&) {};
};

/// Copies a journal into the store as it grows: one point at a time, each in one transaction, in memory that
/// holds one block of samples and where the others lie in the journal. A step is a visit to a point begun or
/// ended.
class Collector : public Follower {
  public:
    /// `trial` is the launch of the run that this job belongs to: points added during the job belong to it.
    Collector(store::Store& store, std::int64_t run, int launch, std::int64_t job,
              const std::filesystem::path& journal, CollectorEvents events);

    [[nodiscard]] std::string_view step_name() const override { return "point"; }

  private:
    void take(const journal::Record& record) override;
    void caught_up() override;
    void store_point(const journal::PointEnd& end);
    void store_facts();

    store::Store& store_;
    std::int64_t run_;
    int launch_;
    std::int64_t job_;
    CollectorEvents events_;
    bool environment_told_ = false;
    std::map<int, std::vector<std::uint64_t>> blocks_;  // of points that have not ended: where they lie
    std::map<int, std::vector<journal::Disturbance>> disturbances_;
    std::map<int, std::vector<journal::RankTally>> tallies_;
    std::map<int, std::vector<journal::StudyStep>> steps_;
    std::map<int, std::vector<journal::StudyBlock>> study_blocks_;
    std::map<int, std::vector<journal::EvidenceBlock>> evidence_;
    std::vector<journal::Record> facts_;     // of the job, its ranks and hosts, not yet in the store
    std::vector<journal::ClockSync> syncs_;  // likewise
    std::vector<journal::ClockEvent> clock_events_;
};

}  // namespace fathom::launch
