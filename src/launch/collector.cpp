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

Collector::Collector(store::Store& store, std::int64_t run, std::int64_t job,
                     const std::filesystem::path& journal, CollectorEvents events)
    : Follower(journal), store_(store), run_(run), job_(job), path_(journal), events_(std::move(events)) {}

void Collector::take(const journal::Record& record) {
    std::visit(Overloaded{
                   [&](const journal::PointBegin& begin) {
                       if (!environment_told_) {
                           environment_told_ = true;
                           events_.environment_known();
                       }
                       open_position_ = position();
                       count_step();
                       events_.point_begun(begin.index);
                   },
                   [](const journal::SampleBlock&) {},  // read again when the point is whole
                   [&](const journal::PointEnd& end) {
                       caught_up();
                       store_point(end);
                       count_step();
                       events_.point_ended(end);
                   },
                   [&](const journal::ClockSync& sync) { syncs_.push_back(sync); },
                   [&](const journal::ClockEvent& event) { clock_events_.push_back(event); },
                   [](const journal::ClockPings&) {},  // of `fathom clock` alone
                   [](const journal::JobEnd&) {},
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
    journal::Reader samples(path_);
    samples.seek(open_position_);
    store_.put_point(run_, job_, end, [&]() -> std::optional<journal::SampleBlock> {
        auto record = samples.next();
        while (record && std::holds_alternative<journal::ClockSync>(*record)) {
            record = samples.next();
        }
        const auto* block = record ? std::get_if<journal::SampleBlock>(&*record) : nullptr;
        return block != nullptr ? std::optional(*block) : std::nullopt;
    });
}

}  // namespace fathom::launch
