#include "report/clock_text.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "base/printable.hpp"
#include "base/units.hpp"
#include "report/plot.hpp"
#include "report/table.hpp"

namespace fathom::report {
namespace {

using Align = Table::Align;

/// More drawings would bury the table.
constexpr std::size_t most_drawings = 3;
constexpr std::size_t most_ranks = 64;

std::string plural(std::size_t count, const char* word, const char* plural_word) {
    return fmt::format("{} {}", count, count == 1 ? word : plural_word);
}

std::size_t hosts_in(const ClockHead& head) {
    std::set<std::string> hosts;
    for (const auto& [rank, host] : head.hosts) {
        hosts.insert(host);
    }
    return hosts.size();
}

std::string clock_line(const ClockHead& head) {
    return fmt::format("clock {}: {}\n\n", printable_name(head.source),
                       head.description.empty() ? "no description" : printable(head.description));
}

std::string head_text(const ClockHead& head, const std::string& what) {
    return fmt::format("{}: {} on {}, {}\n{}", what, plural(head.hosts.size(), "process", "processes"),
                       plural(hosts_in(head), "host", "hosts"), printable_name(head.mpi), clock_line(head));
}

/// Whole nanoseconds whatever their size: the last digits are what matters.
std::string exact_text(std::int64_t nanoseconds) {
    return fmt::format("{}{} ns", nanoseconds < 0 ? "-" : "", count_text(std::abs(nanoseconds)));
}

std::string ppm_text(double ppm, double error) {
    return fmt::format("{:+.4f} +- {:.4f}", ppm, error);
}

/// Times below a minute as they are, longer ones in minutes and hours.
std::string after_text(std::int64_t nanoseconds) {
    constexpr std::int64_t minute = 60'000'000'000;
    return nanoseconds == 0       ? "0 s"
           : nanoseconds < minute ? time_text(static_cast<double>(nanoseconds))
                                  : duration_text(static_cast<double>(nanoseconds) * 1e-9);
}

}  // namespace

std::string clock_sync_text(const ClockHead& head, const analysis::SyncStudy& study,
                            const Terminal& terminal) {
    Table table({{"rank", Align::right},
                 {"host", Align::left},
                 {"offset", Align::right},
                 {"bound", Align::right},
                 {"drift ppm", Align::right},
                 {"round trip", Align::right},
                 {"spread", Align::right},
                 {"", Align::left}});
    if (study.repeats.empty()) {
        return head_text(head, "Clocks") + "No synchronisation was completed.\n";
    }
    bool any_shared = false;
    const auto shown = std::min(study.repeats.back().ranks.size(), most_ranks);
    for (std::size_t i = 0; i < shown; ++i) {
        const auto& rank = study.repeats.back().ranks[i];
        const auto drift = std::find_if(study.ranks.begin(), study.ranks.end(),
                                        [&](const auto& one) { return one.rank == rank.rank; });
        const bool reference = rank.rank == 0;
        const auto spread = drift->detrended_ns.max - drift->detrended_ns.min;
        any_shared = any_shared || (rank.shared && !reference);
        table.add(
            {fmt::format("{}", rank.rank), rank.host, exact_text(rank.offset_ns), exact_text(rank.bound_ns),
             reference ? "-" : ppm_text(drift->drift_ppm, drift->drift_error_ppm),
             reference ? "-" : time_text(static_cast<double>(rank.round_trip_ns)),
             reference || study.repeats.size() < 2 ? "-" : time_text(spread)},
            reference        ? "reference"
            : !drift->steady ? "drift is not constant"
            : rank.shared    ? "same clock as rank 0"
                             : "",
            reference || drift->steady ? Ink::plain : Ink::yellow);
    }
    const auto of_all = analysis::sync_cost(study).value();
    const auto& cost = of_all.cost_ns;
    auto text = head_text(head, "Clocks, each minus rank 0's") + table.text(terminal);
    if (shown < study.repeats.back().ranks.size()) {
        text += fmt::format("... and {} more ranks, all in --json; the largest bound is {}\n",
                            study.repeats.back().ranks.size() - shown, exact_text(of_all.bound_ns));
    }
    text +=
        fmt::format("\nScheme {}, {} pings, cost {}{}.\n", printable_name(study.scheme),
                    study.repeats.back().pings, time_text(cost.median),
                    study.repeats.size() > 1 ? fmt::format(" (median of {}, {} .. {})", study.repeats.size(),
                                                           time_text(cost.min), time_text(cost.max))
                                             : "");
    if (study.repeats.size() > 1) {
        text += "Offset and bound are those of the last repeat; the spread is that of all, drift removed.\n";
    }
    if (any_shared) {
        text += "Processes that share rank 0's clock are given the offset 0 in runs; here it was measured.\n";
    }
    return text;
}

std::string clock_cost_text(const std::vector<SyncOfProcs>& counts, const Terminal& terminal) {
    Table table({{"processes", Align::right},
                 {"hosts", Align::right},
                 {"scheme", Align::left},
                 {"pings", Align::right},
                 {"cost", Align::right},
                 {"min", Align::right},
                 {"max", Align::right},
                 {"largest bound", Align::right}});
    std::vector<Dot> dots;
    std::size_t repeats = 0;
    for (const auto& [head, study] : counts) {
        const auto procs = head.hosts.size();
        const auto cost = analysis::sync_cost(study);
        if (!cost) {
            table.add({fmt::format("{}", procs), "", "none was completed"});
            continue;
        }
        const auto& times = cost->cost_ns;
        table.add({fmt::format("{}", procs), fmt::format("{}", hosts_in(head)), study.scheme,
                   count_text(cost->pings), time_text(times.median), time_text(times.min),
                   time_text(times.max), exact_text(cost->bound_ns)});
        dots.push_back({.x = static_cast<double>(procs), .y = times.median});
        repeats = std::max(repeats, study.repeats.size());
    }
    const auto procs_text = [](double procs) { return fmt::format("{:.0f} processes", procs); };
    auto text = fmt::format("Cost of a synchronisation by process count, {}\n{}",
                            printable_name(counts.back().head.mpi), clock_line(counts.back().head)) +
                table.text(terminal);
    if (repeats > 1) {
        text += fmt::format("\nThe cost is the median of {} synchronisations.\n", repeats);
    }
    if (dots.size() > 1) {
        text += "\nCost over processes\n" + scatter_plot(dots, procs_text, time_text);
    }
    return text + "\nOffsets and drift of every rank are in --json, or give a single process count.\n";
}

std::string clock_drift_text(const ClockHead& head, const std::vector<analysis::PairDrift>& pairs,
                             const Terminal& terminal) {
    Table table({{"ranks", Align::left},
                 {"hosts", Align::left},
                 {"offsets", Align::right},
                 {"drift ppm", Align::right},
                 {"residual", Align::right},
                 {"round trip min", Align::right},
                 {"median", Align::right},
                 {"p99", Align::right},
                 {"", Align::left}});
    const auto host = [&](int rank) {
        const auto found = head.hosts.find(rank);
        return found == head.hosts.end() ? std::string("?") : found->second;
    };
    for (const auto& pair : pairs) {
        table.add({fmt::format("{}-{}", pair.answering, pair.asking),
                   fmt::format("{}-{}", host(pair.answering), host(pair.asking)),
                   count_text(static_cast<std::int64_t>(pair.offsets.size())),
                   pair.fit ? ppm_text(pair.fit->slope_ppm(), pair.fit->slope_error_ppm()) : "-",
                   pair.fit ? time_text(pair.fit->residual_ns) : "-", time_text(pair.round_trips.min),
                   time_text(pair.round_trips.median), time_text(pair.round_trips.p99)},
                  pair.steady ? "steady" : "unstable: the drift changed",
                  pair.steady ? Ink::plain : Ink::yellow);
    }
    auto text =
        head_text(head, "Drift of the first rank's clock against the second's") + table.text(terminal);
    for (std::size_t i = 0; i < std::min(pairs.size(), most_drawings); ++i) {
        const auto& pair = pairs[i];
        std::vector<Dot> dots;
        for (const auto& link : pair.offsets) {
            dots.push_back({static_cast<double>((link.at - pair.offsets.front().at).count),
                            static_cast<double>((link.offset - pair.offsets.front().offset).count)});
        }
        text += fmt::format("\nRanks {} and {}: difference of the clocks since the first comparison\n{}",
                            pair.answering, pair.asking, scatter_plot(dots, time_text, time_text));
        text += fmt::format("\nRanks {} and {}: {} round trips\n{}", pair.answering, pair.asking,
                            count_text(static_cast<std::int64_t>(pair.round_trips.count)),
                            bar_plot(pair.histogram, time_text));
    }
    if (pairs.size() > most_drawings) {
        text += fmt::format("\n{} more pairs are in --json.\n", pairs.size() - most_drawings);
    }
    return text;
}

std::string clock_quality_text(const ClockHead& head, const analysis::QualityStudy& study,
                               const Terminal& terminal) {
    const bool reached = std::any_of(study.results.begin(), study.results.end(), [](const auto& result) {
        return result.excess_percent <= clock::good_excess_percent;
    });
    Table table({{"patience N", Align::right},
                 {"above the minimum", Align::right},
                 {"", Align::right},
                 {"pings", Align::right},
                 {"", Align::left}});
    for (const auto& result : study.results) {
        table.add({fmt::format("{}", result.patience), fmt::format("{:.2f} %", result.excess_percent),
                   time_text(result.excess_ns), fmt::format("{:.0f}", result.pings),
                   result.patience == study.recommended ? "<- recommended" : ""});
    }
    return head_text(head, "Gain from more pings") +
           fmt::format("{} round trips between ranks {} and {}: min {}, median {}, p99 {}\n\n",
                       count_text(static_cast<std::int64_t>(study.pings)), study.answering, study.asking,
                       time_text(study.round_trips.min), time_text(study.round_trips.median),
                       time_text(study.round_trips.p99)) +
           table.text(terminal) +
           fmt::format(
               "\nStop after {} pings without a shorter round trip: --patience {} here, --clock-patience {} "
               "in "
               "'fathom run'.\n",
               study.recommended, study.recommended, study.recommended) +
           (reached
                ? ""
                : "No patience gets within 5 % of the shortest round trip, which is rare on this network.\n");
}

std::string clock_check_text(const ClockHead& head, const std::vector<analysis::CheckMoment>& moments,
                             const Terminal& terminal) {
    Table table({{"after", Align::right},
                 {"events", Align::right},
                 {"start skew", Align::right},
                 {"largest", Align::right},
                 {"known to", Align::right},
                 {"clock error", Align::right},
                 {"claimed", Align::right},
                 {"checked to", Align::right},
                 {"", Align::left}});
    for (const auto& moment : moments) {
        table.add({after_text(moment.after_ns), count_text(moment.events), time_text(moment.skew_median_ns),
                   time_text(moment.skew_max_ns), "+- " + time_text(moment.skew_bound_ns),
                   fmt::format("{} on rank {}", time_text(moment.error_max_ns), moment.worst_rank),
                   time_text(moment.claimed_ns), "+- " + time_text(moment.verified_to_ns)},
                  moment.holds ? "holds" : "does not hold", moment.holds ? Ink::plain : Ink::red);
    }
    return head_text(head, "All ranks act at one instant, checked by fresh pings") + table.text(terminal);
}

std::string check_sentence(const std::vector<analysis::CheckMoment>& moments) {
    std::string text;
    bool holds = true;
    for (const auto& moment : moments) {
        text += fmt::format("{}{} after {} (known to +- {})", text.empty() ? "" : ", ",
                            time_text(moment.skew_median_ns), after_text(moment.after_ns),
                            time_text(moment.skew_bound_ns));
        holds = holds && moment.holds;
    }
    return fmt::format(
        "clock check: {}; ranks that act at one instant were apart by {}.",
        holds ? "the clocks are within their error bounds" : "the clocks exceeded their error bounds", text);
}

}  // namespace fathom::report
