#include "report/sentences/point.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.hpp"
#include "base/units.hpp"

namespace fathom::report {
namespace {

using analysis::CauseKind;
using analysis::Distribution;
using analysis::Processes;
using analysis::TimeoutKind;
using analysis::Timeouts;
using analysis::TimeoutStatus;

/// What a repetition coincides with.
std::string_view event_of(const analysis::Cause& cause) {
    switch (cause.kind) {
        case CauseKind::tcp_timeout:
            return "a TCP timeout";
        case CauseKind::tcp_retransmit:
            return "a packet loss that TCP repaired";
        case CauseKind::preempted:
            return "preemption";
        case CauseKind::blocked:
            return "a wait in the kernel";
        case CauseKind::page_fault:
            return cause.major ? "a page fault that waited for the disk" : "a page fault";
        case CauseKind::migration:
            return "a migration to another processor";
    }
    return "";
}

std::string repetitions_over(std::int64_t count, double threshold_ns) {
    return fmt::format("{} {} over {}", count_text(count), count == 1 ? "repetition" : "repetitions",
                       time_text(threshold_ns));
}

std::string hosts_counted(const std::map<std::string, std::int64_t>& counted_on) {
    std::vector<std::string> parts;
    for (const auto& [host, count] : counted_on) {
        parts.push_back(fmt::format("{}: {}", host, count_text(count)));
    }
    const auto* both = parts.size() > 1 ? "; simultaneous ones at both ends count once" : "";
    return parts.empty() ? "" : fmt::format(" ({}{})", fmt::join(parts, ", "), both);
}

std::string counted_timeouts(const Timeouts& found) {
    if (!found.counted) {
        return {};
    }
    const auto explained = std::min(*found.counted, found.inferred);
    auto text = fmt::format("The kernel counted {} {} in this time{}; {} show in the times, {} do not.",
                            count_text(*found.counted), *found.counted == 1 ? "timeout" : "timeouts",
                            hosts_counted(found.counted_on), count_text(explained),
                            count_text(*found.counted - explained));
    if (found.counted_outside.value_or(0) > 0) {
        text += fmt::format(" {} more delayed no repetition.", count_text(*found.counted_outside));
    }
    return text;
}

std::string found_timeouts(const Timeouts& found) {
    if (found.certain) {
        return counted_timeouts(found);
    }
    const auto rto = fmt::format("{} ({})", time_text(found.rto_ns), to_text(found.rto_from));
    const auto looks =
        found.inferred == 1
            ? fmt::format("One delay looks like a timeout of {}, or like a tail-loss probe", rto)
            : fmt::format("{} delays look like timeouts of {}, or like tail-loss probes",
                          count_text(found.inferred), rto);
    return looks + ", which may wait as long; without counters they cannot be distinguished.";
}

/// Ranks as one writes them: 0, 2-5.
std::string ranks_in_short(const std::vector<int>& ranks) {
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < ranks.size();) {
        std::size_t end = i;
        while (end + 1 < ranks.size() && ranks[end + 1] == ranks[end] + 1) {
            ++end;
        }
        parts.push_back(end > i ? fmt::format("{}-{}", ranks[i], ranks[end]) : fmt::format("{}", ranks[i]));
        i = end + 1;
    }
    return fmt::format("{}", fmt::join(parts, ", "));
}

std::string process_groups(const Processes& found) {
    using enum analysis::ProcessPattern;
    if (found.pattern == equal) {
        return fmt::format("All {} processes take the same time within measurement error.",
                           found.ranks.size());
    }
    if (found.pattern == gradual) {
        const auto [low, high] =
            std::minmax_element(found.ranks.begin(), found.ranks.end(),
                                [](const auto& a, const auto& b) { return a.median_ns < b.median_ns; });
        return fmt::format("Times range from {} (rank {}) to {} (rank {}), without distinct groups.",
                           time_text(low->median_ns), low->rank, time_text(high->median_ns), high->rank);
    }
    const auto& slow = found.groups.back();
    const double fastest = found.groups.front().low_ns;
    return fmt::format("{} groups of processes; the slowest: {} {}{}.", found.groups.size(),
                       slow.ranks.size() == 1 ? "rank" : "ranks", ranks_in_short(slow.ranks),
                       fastest > 0 ? fmt::format(", {:.2f} times the fastest", slow.high_ns / fastest) : "");
}

std::string modes_of(const Distribution& found) {
    if (found.modes.size() == 1) {
        return fmt::format("One mode, at {}.", time_text(found.modes.front().at_ns));
    }
    std::vector<std::string> places;
    for (const auto& mode : found.modes) {
        places.push_back(fmt::format("{} ({:.1f} %)", time_text(mode.at_ns), 100 * mode.share));
    }
    return fmt::format("{} modes: {}.", found.modes.size(), and_list(places));
}

/// The times that were fitted: all, or those without the tail.
std::string fitted_times(const Distribution& found) {
    constexpr double all = 1;
    constexpr double nearly_all = 0.999;  // beyond, a percentage would round to nothing
    if (found.body_share >= all) {
        return "The times";
    }
    const double tail = all - found.body_share;
    return fmt::format("Without {} beyond {}, the times",
                       found.body_share > nearly_all
                           ? count_text(std::llround(tail * static_cast<double>(found.count)))
                           : fmt::format("{:.1f} %", 100 * tail),
                       time_text(found.body_to_ns));
}

std::string best_fit(const Distribution& found) {
    if (found.fits.empty()) {
        return "Too few distinct times for a fit.";
    }
    const auto& best = found.fits.front();
    const auto body = fitted_times(found);
    const double off = 100 * best.distance;
    if (!best.good) {
        return fmt::format(
            "{} are closest to {}, off by up to {:.1f} % of the distribution function; the effective sample "
            "size is too small to say whether that is chance.",
            body, best.family, off);
    }
    return *best.good ? fmt::format("{} are {}, within {:.1f} % of the distribution function.", body,
                                    best.family, off)
                      : fmt::format(
                            "{} are closest to {}, but off by up to {:.1f} % of the distribution function, "
                            "more than chance explains.",
                            body, best.family, off);
}

}  // namespace

std::string place_text(const analysis::Cause& cause) {
    if (!cause.rank) {
        return "host " + cause.host;
    }
    return fmt::format("rank {}{}", *cause.rank, cause.host.empty() ? "" : " on " + cause.host);
}

std::string sentence(const analysis::Cause& cause, std::int64_t slow, double threshold_ns) {
    return fmt::format("{} of {} {} with {} on {}, {} in all", count_text(cause.reps),
                       repetitions_over(slow, threshold_ns), cause.reps == 1 ? "coincides" : "coincide",
                       event_of(cause), place_text(cause), time_text(cause.lost_ns));
}

std::string conclusion(const analysis::Explanation& found) {
    if (found.slow == 0) {
        return "No repetition stands out as slow.";
    }
    const auto slow = repetitions_over(found.slow, found.threshold_ns);
    if (!found.counted) {
        return fmt::format("{}; no counters were read, so no cause is named.", slow);
    }
    std::string text;
    for (const auto& cause : found.causes) {
        text += sentence(cause, found.slow, found.threshold_ns) + "; ";
    }
    if (found.small > 0) {
        text += fmt::format("{} coincide with ordinary system activity, less than {:.0f} % of the time; ",
                            count_text(found.small), 100 * analysis::least_share_to_name);
    }
    return text.empty()
               ? fmt::format(
                     "{}, unexplained: they coincide with no counted event more often than by chance.", slow)
               : fmt::format("{}{}{} unexplained.", found.causes.empty() ? "Of " + slow + ", " : "", text,
                             count_text(found.unexplained));
}

std::string conclusion(const Timeouts& found) {
    if (found.status == TimeoutStatus::not_tcp) {
        return "No TCP between hosts: there are no timeouts to look for.";
    }
    if (found.status == TimeoutStatus::unclear) {
        auto text =
            fmt::format("Timeouts cannot be identified: times spread over more than one timeout ({}).",
                        time_text(found.rto_ns));
        return found.counted ? text + " " + counted_timeouts(found) : text;
    }
    auto text = found.status == TimeoutStatus::found ? found_timeouts(found)
                : found.certain ? "No timeouts: the kernel counted none that delayed a repetition."
                                : "No timeouts show in the times.";
    if (found.status == TimeoutStatus::found && found.mean_without_ns) {
        text += fmt::format(" Without them the mean would be {} instead of {}.",
                            time_text(*found.mean_without_ns), time_text(found.mean_ns));
    }
    for (const auto& in : found.classes) {
        if (in.kind == TimeoutKind::repaired && in.reps > 0) {
            text += fmt::format(" {} {} delayed by losses that were repaired before a timeout.",
                                count_text(in.reps), in.reps == 1 ? "repetition was" : "repetitions were");
        }
    }
    return text;
}

std::string conclusion(const Processes& found) {
    if (found.pattern == analysis::ProcessPattern::single) {
        return "One process: there is nothing to compare.";
    }
    auto text = process_groups(found);
    const auto last = std::find_if(found.ranks.begin(), found.ranks.end(),
                                   [&](const auto& rank) { return rank.rank == found.most_often_last; });
    if (last != found.ranks.end()) {
        text += fmt::format(" Rank {}{} is the last to finish in {:.0f} % of the repetitions.", last->rank,
                            last->host.empty() ? "" : " on " + last->host, 100 * last->last_share);
    }
    return text;
}

std::string conclusion(const Distribution& found) {
    if (found.count == 0) {
        return "No times.";
    }
    if (found.steps.size() == 1) {
        return fmt::format("All times are the same, {}.", time_text(found.steps.front().at_ns));
    }
    if (found.count < analysis::least_times_for_modes) {
        return fmt::format("{} times are too few to find modes and fit distributions: {} are needed.",
                           found.count, analysis::least_times_for_modes);
    }
    return modes_of(found) + " " + best_fit(found);
}

std::string scope_of_analyses(const analysis::PointResult& point) {
    return point.set_aside > 0 ? fmt::format(
                                     "Of all {} repetitions, {} of which the table leaves out because a "
                                     "rank was preempted.",
                                     count_text(point.reps + point.set_aside), count_text(point.set_aside))
                               : "";
}

std::string name_of(const analysis::TailQuantile& quantile) {
    return fmt::format("p{:g}", 100 * quantile.share);
}

std::string reason_of(const analysis::TailQuantile& quantile) {
    if (!quantile.value_ns) {
        return fmt::format("not enough samples for {}", name_of(quantile));
    }
    if (!quantile.ci95_ns) {
        return fmt::format("too few: needs an effective sample size of {}, has {}",
                           count_text(std::llround(std::ceil(quantile.least_sample_size))),
                           count_text(std::llround(quantile.sample_size)));
    }
    return {};
}

}  // namespace fathom::report
