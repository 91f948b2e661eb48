#include "launch/collector.hpp"

namespace fathom::launch {
namespace {

template <typename... Handlers>
struct Overloaded : Handlers... {
    using Handlers::operator()...;
};
template <typename... Handlers>
Overloaded(Handlers...) -> Overloaded<Handlers...>;

}  // namespace

Collector::Collector(store::Store& store, std::int64_t run, int launch, std::int64_t job,
                     const std::filesystem::path& journal, CollectorEvents events)
    : Follower(journal), store_(store), run_(run), launch_(launch), job_(job), events_(std::move(events)) {}

void Collector::take(const journal::Record& record) {
    std::visit(
        Overloaded{
            [&](const journal::PointBegin& begin) {
                if (!environment_told_) {
                    environment_told_ = true;
                    events_.environment_known();
                }
                count_step();
                events_.point_begun(begin.index);
            },
            [&](const journal::PointAdded& added) {
                store_.add_points(run_, launch_, std::span(&added.point, 1));
                events_.point_added(added.point);
            },
            [&](const journal::PointPause&) { count_step(); },
            // Read again when the point is whole.
            [&](const journal::SampleBlock& block) { blocks_[block.point].push_back(record_begin()); },
            [&](const journal::Disturbance& stretch) { disturbances_[stretch.point].push_back(stretch); },
            [&](const journal::RankTally& tally) { tallies_[tally.point].push_back(tally); },
            [&](const journal::StudyStep& step) { steps_[step.point].push_back(step); },
            [&](const journal::StudyBlock& block) { study_blocks_[block.point].push_back(block); },
            [&](const journal::EvidenceBlock& block) { evidence_[block.point].push_back(block); },
            [&](const journal::PointEnd& end) {
                caught_up();
                store_point(end);
                count_step();
                events_.point_ended(end);
            },
            [&](const journal::ClockSync& sync) { syncs_.push_back(sync); },
            [&](const journal::ClockEvent& event) { clock_events_.push_back(event); },
            [](const journal::ClockPings&) {},  // of `fathom clock` alone
            [&](const journal::JobEnd& end) {
                if (end.rank_0_peak_bytes > 0) {
                    store_.put(job_, end);
                }
            },
            [&](const auto& fact) { store_.put(job_, fact); },
        },
        record);
}

void Collector::caught_up() {
    if (!syncs_.empty()) {
        store_.put(job_, syncs_);
        syncs_.clear();
    }
    if (!clock_events_.empty()) {
        store_.put(job_, clock_events_);
        clock_events_.clear();
    }
}

void Collector::store_point(const journal::PointEnd& end) {
    const auto blocks = std::move(blocks_[end.index]);
    blocks_.erase(end.index);
    auto at = blocks.begin();
    const auto next = [&]() -> std::optional<journal::SampleBlock> {
        if (at == blocks.end()) {
            return std::nullopt;
        }
        const auto record = record_at(*at++);
        const auto* block = record ? std::get_if<journal::SampleBlock>(&*record) : nullptr;
        return block != nullptr ? std::optional(*block) : std::nullopt;
    };
    store_.put_point(run_, job_, end, next,
                     {.disturbances = disturbances_[end.index],
                      .tallies = tallies_[end.index],
                      .steps = steps_[end.index],
                      .blocks = study_blocks_[end.index],
                      .evidence = evidence_[end.index]});
    disturbances_.erase(end.index);
    tallies_.erase(end.index);
    steps_.erase(end.index);
    study_blocks_.erase(end.index);
    evidence_.erase(end.index);
}

}  // namespace fathom::launch
