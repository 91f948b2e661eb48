#include "launch/collector.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

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
    if (damage().places > 0 && !usable(record)) {
        return;
    }
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
                whole_.insert(begin.index);
                events_.point_begun(begin.index);
            },
            [&](const journal::PointAdded& added) {
                store_.add_points(run_, launch_, std::span(&added.point, 1));
                events_.point_added(added.point);
            },
            [&](const journal::PointPause&) { count_step(); },
            // Read again when the point is whole.
            [&](const journal::SampleBlock& block) { blocks_[block.point].push_back(record_begin()); },
            [&](const journal::EventBlock& block) { event_blocks_[block.point].push_back(record_begin()); },
            [&](const journal::Disturbance& stretch) { disturbances_[stretch.point].push_back(stretch); },
            [&](const journal::RankTally& tally) { tallies_[tally.point].push_back(tally); },
            [&](const journal::StudyStep& step) { steps_[step.point].push_back(step); },
            [&](const journal::StudyBlock& block) { study_blocks_[block.point].push_back(block); },
            [&](const journal::EvidenceBlock& block) { evidence_[block.point].push_back(block); },
            [&](const journal::PointEnd& end) { take_end(end); },
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

void Collector::take_end(const journal::PointEnd& end) {
    if (damage().places > 0 && !whole_.contains(end.index)) {
        drop(end.index);
        return;
    }
    try {
        auto transaction = store_.transaction();
        caught_up();
        store_point(end);
        transaction.commit();
    } catch (const store::PointNotWhole&) {
        if (!finishing()) {
            throw;
        }
        drop(end.index);
        return;
    }
    whole_.erase(end.index);
    dropped_.erase(end.index);
    count_step();
    events_.point_ended(end);
}

/// Whether a record behind damage can be interpreted: what comes before the first point is needed for all,
/// and a point that was added may be unknown.
bool Collector::usable(const journal::Record& record) const {
    const auto known = [&](int position) {
        const auto points = store_.points(run_);
        return std::any_of(points.begin(), points.end(),
                           [&](const auto& point) { return point.position == position; });
    };
    if (const auto* begin = std::get_if<journal::PointBegin>(&record)) {
        return !opening_lost_ && known(begin->index);
    }
    return !opening_lost_;
}

/// Of every point that was being measured, something may be missing.
void Collector::records_lost() {
    opening_lost_ = opening_lost_ || !environment_told_;
    auto suspect = whole_;
    if (const auto open = open_point()) {
        suspect.insert(*open);
    }
    for (const auto position : suspect) {
        drop(position);
    }
}

void Collector::drop(int position) {
    whole_.erase(position);
    dropped_.insert(position);
    forget(position);
}

void Collector::forget(int position) {
    blocks_.erase(position);
    event_blocks_.erase(position);
    disturbances_.erase(position);
    tallies_.erase(position);
    steps_.erase(position);
    study_blocks_.erase(position);
    evidence_.erase(position);
}

std::string Collector::losses() const {
    auto clause = whole()               ? std::string()
                  : damage().places > 0 ? Follower::losses()
                                        : "the journal is damaged: samples are missing";
    std::vector<std::string> names;
    for (const auto& point : store_.points(run_)) {
        if (dropped_.contains(point.position) && point.status != store::PointStatus::ok) {
            names.push_back(to_text(point.key));
        }
    }
    if (!clause.empty() && opening_lost_) {
        clause += ", from before its first point on";
    }
    return names.empty() || clause.empty() ? clause
                                           : fmt::format("{}; dropped {}", clause, fmt::join(names, ", "));
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

/// Yields the blocks that lie at these places, one by one.
template <typename Block>
auto Collector::reading(const std::vector<std::uint64_t>& places) {
    return [this, &places, at = std::size_t{0}]() mutable -> std::optional<Block> {
        if (at == places.size()) {
            return std::nullopt;
        }
        auto record = record_at(places[at++]);
        auto* block = record ? std::get_if<Block>(&*record) : nullptr;
        return block != nullptr ? std::optional(std::move(*block)) : std::nullopt;
    };
}

void Collector::store_point(const journal::PointEnd& end) {
    store_.put_point(run_, job_, end, reading<journal::SampleBlock>(blocks_[end.index]),
                     {.disturbances = disturbances_[end.index],
                      .tallies = tallies_[end.index],
                      .steps = steps_[end.index],
                      .blocks = study_blocks_[end.index],
                      .evidence = evidence_[end.index],
                      .next_events = reading<journal::EventBlock>(event_blocks_[end.index])});
    forget(end.index);
}

}  // namespace fathom::launch
