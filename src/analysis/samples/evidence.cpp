#include "analysis/samples/evidence.hpp"

#include <algorithm>
#include <iterator>

namespace fathom::analysis {
namespace {

/// The smaller of what is known.
void take_smaller(std::optional<Nanoseconds>& known, std::optional<Nanoseconds> another) {
    if (another) {
        known = std::min(known.value_or(*another), *another);
    }
}

std::optional<Nanoseconds> known_if_any(std::int64_t ns) {
    return ns > 0 ? std::optional(Nanoseconds{ns}) : std::nullopt;
}

}  // namespace

Evidence evidence_of(const store::Store& store, const store::PointRow& point, const GlobalTime& clock,
                     int start) {
    Evidence found;
    store.visit_evidence(point.id, [&](const journal::EvidenceBlock& block,
                                       const std::vector<journal::CountedStretch>& stretches) {
        found.counted = true;
        found.network = found.network || block.network;
        found.readings += block.readings;
        found.spent = found.spent + Nanoseconds{block.spent_ns};
        found.measured = found.measured + Nanoseconds{block.measured_ns};
        take_smaller(found.rto, known_if_any(block.rto_ns));
        take_smaller(found.rto_min, known_if_any(block.rto_min_ns));
        for (const auto& window : stretches) {
            found.windows.push_back({.rank = block.rank,
                                     .when = {.start = start,
                                              .begin = clock.global(block.rank, window.begin),
                                              .end = clock.global(block.rank, window.end)},
                                     .counts = window.counts});
        }
    });
    std::stable_sort(found.windows.begin(), found.windows.end(),
                     [](const auto& a, const auto& b) { return a.when.begin < b.when.begin; });
    return found;
}

void add(Evidence& evidence, Evidence&& another) {
    evidence.counted = evidence.counted || another.counted;
    evidence.network = evidence.network || another.network;
    evidence.hosts.merge(another.hosts);
    std::move(another.windows.begin(), another.windows.end(), std::back_inserter(evidence.windows));
    evidence.readings += another.readings;
    evidence.spent = evidence.spent + another.spent;
    evidence.measured = evidence.measured + another.measured;
    take_smaller(evidence.rto, another.rto);
    take_smaller(evidence.rto_min, another.rto_min);
}

}  // namespace fathom::analysis
