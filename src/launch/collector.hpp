#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
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
    [[nodiscard]] bool whole() const override { return Follower::whole() && dropped_.empty(); }
    /// Names the points that are to be measured again.
    [[nodiscard]] std::string losses() const override;

  private:
    void take(const journal::Record& record) override;
    void caught_up() override;
    void records_lost() override;
    void take_end(const journal::PointEnd& end);
    void drop(int position);
    void forget(int position);
    [[nodiscard]] bool usable(const journal::Record& record) const;
    void store_point(const journal::PointEnd& end);
    template <typename Block>
    [[nodiscard]] auto reading(const std::vector<std::uint64_t>& places);
    void store_facts();

    store::Store& store_;
    std::int64_t run_;
    int launch_;
    std::int64_t job_;
    CollectorEvents events_;
    bool environment_told_ = false;
    bool opening_lost_ = false;  // the facts of the job are damaged: what follows cannot be interpreted
    std::set<int> whole_;        // points that have begun, of which no record was lost since
    std::set<int> dropped_;
    std::map<int, std::vector<std::uint64_t>> blocks_;        // of points that have not ended: where they lie
    std::map<int, std::vector<std::uint64_t>> event_blocks_;  // likewise
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
