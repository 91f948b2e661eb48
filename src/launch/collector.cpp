#include "launch/collector.hpp"

#include <utility>

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
                    auto transaction = store_.transaction();
                    store_facts();
                    events_.environment_known();
                    transaction.commit();
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
                auto transaction = store_.transaction();
                caught_up();
                store_point(end);
                transaction.commit();
                count_step();
                events_.point_ended(end);
            },
            [&](const journal::ClockSync& sync) { syncs_.push_back(sync); },
            [&](const journal::ClockEvent& event) { clock_events_.push_back(event); },
            [](const journal::ClockPings&) {},  // of `fathom clock` alone
            [&](const journal::JobEnd& end) {
                if (end.rank_0_peak_bytes > 0) {
                    facts_.emplace_back(end);
                }
            },
            [&](const auto& fact) { facts_.emplace_back(fact); },
        },
        record);
}

void Collector::store_facts() {
    for (const auto& record : std::exchange(facts_, {})) {
        std::visit(
            [&](const auto& fact) {
                if constexpr (requires { store_.put(job_, fact); }) {
                    store_.put(job_, fact);
                }
            },
            record);
    }
}

void Collector::caught_up() {
    if (facts_.empty() && syncs_.empty() && clock_events_.empty()) {
        return;
    }
    auto transaction = store_.transaction();
    store_facts();
    if (!syncs_.empty()) {
        store_.put(job_, syncs_);
        syncs_.clear();
    }
    if (!clock_events_.empty()) {
        store_.put(job_, clock_events_);
        clock_events_.clear();
    }
    transaction.commit();
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
