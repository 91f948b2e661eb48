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
    : store_(store), run_(run), job_(job), path_(journal), reader_(journal), events_(std::move(events)) {}

bool Collector::advance() {
    bool any = false;
    while (const auto record = reader_.next()) {
        any = true;
        take(*record);
    }
    return any;
}

void Collector::take(const journal::Record& record) {
    std::visit(Overloaded{
                   [&](const journal::PointBegin& begin) {
                       if (!environment_told_) {
                           environment_told_ = true;
                           events_.environment_known();
                       }
                       open_point_ = begin.index;
                       open_position_ = reader_.position();
                       events_.point_begun(begin.index);
                   },
                   [](const journal::SampleBlock&) {},  // read again when the point is whole
                   [&](const journal::PointEnd& end) {
                       store_point(end);
                       open_point_.reset();
                       events_.point_ended(end);
                   },
                   [&](const journal::JobEnd& end) {
                       complete_ = end.complete;
                       failure_ = end.reason;
                   },
                   [&](const auto& fact) { store_.put(job_, fact); },
               },
               record);
}

void Collector::store_point(const journal::PointEnd& end) {
    journal::Reader samples(path_);
    samples.seek(open_position_);
    store_.put_point(run_, job_, end, [&]() -> std::optional<journal::SampleBlock> {
        const auto record = samples.next();
        const auto* block = record ? std::get_if<journal::SampleBlock>(&*record) : nullptr;
        return block != nullptr ? std::optional(*block) : std::nullopt;
    });
}

}  // namespace fathom::launch
