#include "analysis/run/clock_study.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iterator>
#include <tuple>
#include <utility>

#include "analysis/samples/global_time.hpp"
#include "journal/clock_link.hpp"

namespace fathom::analysis {
namespace {

constexpr int histogram_bins = 200;

/// The standard error of a slope; two offsets leave none, then what their bounds allow.
double slope_error_ppm(const clock::DriftFit& fit, const std::vector<clock::Link>& links) {
    return fit.count > 2 ? fit.slope_error_ppm()
                         : clock::slope_range(links.front(), links.back()).half_width() * 1e6;
}

/// By the hard bounds, and by the residuals.
bool is_steady(const std::vector<clock::Link>& links) {
    return clock::steady_drift_possible(links) && !clock::slope_changed(links);
}

RankDrift drift_of(int rank, const std::vector<clock::Link>& own_to_global) {
    RankDrift drift{.rank = rank};
    drift.steady = is_steady(own_to_global);
    const auto fit = clock::fit_drift(own_to_global);
    std::vector<double> rests;
    for (const auto& link : own_to_global) {
        rests.push_back(fit ? fit->rest_of(link) : 0);
    }
    if (fit) {
        drift.drift_ppm = 0 - fit->slope_ppm();  // links go the other way
        drift.drift_error_ppm = slope_error_ppm(*fit, own_to_global);
    }
    drift.detrended_ns = stats::summarise(std::move(rests)).value_or(stats::Summary{});
    return drift;
}

std::vector<double> as_doubles(std::span<const std::int64_t> numbers) {
    return {numbers.begin(), numbers.end()};
}

}  // namespace

SyncStudy study_sync(std::span<const journal::ClockSync> syncs, std::size_t repeats,
                     const std::map<int, std::string>& hosts) {
    SyncStudy study;
    std::map<int, std::vector<clock::Link>> links;
    for (const auto& sync : syncs) {
        links[sync.rank].push_back(journal::own_to_global(sync));
        const auto number = static_cast<std::size_t>(sync.sync);
        if (number >= repeats) {
            continue;
        }
        study.scheme = sync.scheme;
        study.repeats.resize(std::max(study.repeats.size(), number + 1));
        auto& repeat = study.repeats[number];
        repeat.cost_ns = sync.cost_ns;
        repeat.pings += sync.pings;
        const auto host = hosts.find(sync.rank);
        repeat.ranks.push_back({.rank = sync.rank,
                                .host = host == hosts.end() ? "" : host->second,
                                .offset_ns = sync.offset_ns,
                                .bound_ns = journal::own_to_global(sync).bound().count,
                                .round_trip_ns = sync.round_trip_ns,
                                .pings = sync.pings,
                                .shared = sync.shared});
    }
    for (const auto& [rank, known] : links) {
        study.ranks.push_back(drift_of(rank, known));
    }
    return study;
}

std::optional<SyncCost> sync_cost(const SyncStudy& study) {
    std::vector<double> costs;
    for (const auto& repeat : study.repeats) {
        costs.push_back(static_cast<double>(repeat.cost_ns));
    }
    const auto summary = stats::summarise(costs);
    if (!summary) {
        return std::nullopt;
    }
    const auto& last = study.repeats.back();
    SyncCost cost{.cost_ns = *summary, .pings = last.pings};
    for (const auto& rank : last.ranks) {
        cost.bound_ns = std::max(cost.bound_ns, rank.bound_ns);
    }
    return cost;
}

std::optional<ClockSummary> clock_summary(std::vector<journal::ClockSync> syncs) {
    std::erase_if(syncs, [](const auto& sync) { return sync.test; });
    if (syncs.empty()) {
        return std::nullopt;
    }
    ClockSummary summary{.scheme = syncs.front().scheme,
                         .synchronisations = syncs.back().sync + 1,
                         .shared = syncs.front().shared};
    const auto study = study_sync(syncs, static_cast<std::size_t>(summary.synchronisations), {});
    for (const auto& repeat : study.repeats) {
        for (const auto& rank : repeat.ranks) {
            summary.shared = summary.shared && rank.shared;
            summary.bound_ns = std::max(summary.bound_ns, rank.bound_ns);
        }
    }
    for (const auto& rank : study.ranks) {
        summary.steady = summary.steady && rank.steady;
        if (std::abs(rank.drift_ppm) > std::abs(summary.drift_ppm)) {
            summary.drift_ppm = rank.drift_ppm;
        }
    }
    return summary;
}

std::vector<PairDrift> study_drift(std::span<const journal::ClockPings> pings) {
    std::map<std::pair<int, int>, std::vector<const journal::ClockPings*>> pairs;
    for (const auto& exchange : pings) {
        pairs[{exchange.answering, exchange.asking}].push_back(&exchange);
    }
    std::vector<PairDrift> found;
    for (const auto& [ranks, exchanges] : pairs) {
        PairDrift pair;
        std::tie(pair.answering, pair.asking) = ranks;
        std::vector<double> round_trips;
        for (const auto* exchange : exchanges) {
            pair.offsets.push_back({.at = {exchange->at_ns},
                                    .offset = {exchange->offset_ns},
                                    .low = {exchange->low_ns},
                                    .high = {exchange->high_ns}});
            round_trips.insert(round_trips.end(), exchange->round_trips_ns.begin(),
                               exchange->round_trips_ns.end());
        }
        pair.fit = clock::fit_drift(pair.offsets);
        pair.steady = is_steady(pair.offsets);
        pair.round_trips = stats::summarise(round_trips).value_or(stats::Summary{});
        pair.histogram = stats::histogram(round_trips, histogram_bins, pair.round_trips.p99);
        found.push_back(std::move(pair));
    }
    return found;
}

std::optional<QualityStudy> study_quality(std::span<const journal::ClockPings> pings, std::uint64_t seed) {
    if (pings.empty()) {
        return std::nullopt;
    }
    QualityStudy study;
    study.asking = pings.front().asking;
    study.answering = pings.front().answering;
    std::vector<std::int64_t> round_trips;
    for (const auto& exchange : pings) {
        round_trips.insert(round_trips.end(), exchange.round_trips_ns.begin(), exchange.round_trips_ns.end());
    }
    study.pings = round_trips.size();
    study.round_trips = stats::summarise(as_doubles(round_trips)).value_or(stats::Summary{});
    constexpr std::array patiences{1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1000};
    constexpr int trials = 2000;
    study.results = clock::simulate_patience(round_trips, patiences, trials, seed);
    study.recommended = clock::recommended_patience(study.results);
    return study;
}

std::vector<CheckMoment> study_check(std::span<const journal::ClockEvent> events,
                                     std::span<const journal::ClockSync> syncs) {
    struct Together {
        std::vector<const journal::ClockEvent*> acts;
    };
    std::map<std::int64_t, std::map<int, Together>> moments;
    for (const auto& event : events) {
        moments[event.after_ns][event.event].acts.push_back(&event);
    }
    std::vector<CheckMoment> found;
    for (const auto& [after, together] : moments) {
        const int sync = together.begin()->second.acts.front()->sync;
        std::vector<journal::ClockSync> around;
        std::copy_if(syncs.begin(), syncs.end(), std::back_inserter(around),
                     [&](const auto& one) { return one.sync == sync || one.sync == sync + 1; });
        const GlobalTime truth(around);
        CheckMoment moment{.after_ns = after, .events = static_cast<std::int64_t>(together.size())};
        std::vector<double> skews;
        for (const auto& [number, event] : together) {
            std::vector<std::int64_t> times;
            std::vector<std::int64_t> bounds{0};
            for (const auto* act : event.acts) {
                const Nanoseconds own{act->acted_ns};
                times.push_back(truth.global(act->rank, own).count);
                bounds.push_back(truth.bound(act->rank, own).count);
                const auto error = static_cast<double>(std::abs(act->global_ns - times.back()));
                const auto claimed = static_cast<double>(act->claimed_ns);
                const auto known = static_cast<double>(bounds.back());
                const bool broken = error > claimed + known;
                if ((broken && moment.holds) ||
                    (broken == !moment.holds &&
                     (error > moment.error_max_ns || (act->rank != 0 && moment.worst_rank == 0)))) {
                    moment.error_max_ns = error;
                    moment.worst_rank = act->rank;
                    moment.claimed_ns = claimed;
                    moment.verified_to_ns = known;
                }
                moment.holds = moment.holds && !broken;
            }
            const auto [first, last] = std::minmax_element(times.begin(), times.end());
            skews.push_back(static_cast<double>(*last - *first));
            // Any two ranks may be the first and the last.
            std::partial_sort(bounds.begin(), bounds.begin() + 2, bounds.end(), std::greater<>());
            moment.skew_bound_ns = std::max(moment.skew_bound_ns, static_cast<double>(bounds[0] + bounds[1]));
        }
        const auto summary = stats::summarise(std::move(skews)).value_or(stats::Summary{});
        moment.skew_median_ns = summary.median;
        moment.skew_max_ns = summary.max;
        found.push_back(moment);
    }
    return found;
}

}  // namespace fathom::analysis
