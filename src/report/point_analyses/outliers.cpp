#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/point/outlier_fence.hpp"
#include "analysis/samples/coincidence.hpp"
#include "base/units.hpp"
#include "journal/json.hpp"
#include "report/json_values.hpp"
#include "report/paragraph.hpp"
#include "report/point_analyses/point_analyses.hpp"
#include "report/table.hpp"
#include "stats/quantile.hpp"

namespace fathom::report {
namespace {

using analysis::Repetitions;
using journal::Counts;
using nlohmann::ordered_json;
using Align = Table::Align;

constexpr std::size_t most_in_table = 20;
constexpr std::size_t most_of_many_points = 3;
constexpr std::size_t most_in_json = 1000;  // a page holds those of hundreds of points

/// What kernels count, as JSON and as tables call it.
struct Counter {
    const char* field;
    const char* words;
    bool network;  ///< of the host, not of the rank that read it
    std::int64_t Counts::*count;

    [[nodiscard]] std::string text(std::int64_t number) const {
        return count == &Counts::waited_ns ? time_text(static_cast<double>(number)) : count_text(number);
    }
};

constexpr std::array counters{
    Counter{"preempted", "preempted", false, &Counts::preempted},
    Counter{"blocked", "blocked", false, &Counts::blocked},
    Counter{"major_faults", "page faults with a disk", false, &Counts::major_faults},
    Counter{"minor_faults", "page faults", false, &Counts::minor_faults},
    Counter{"migrations", "moves to another processor", false, &Counts::migrations},
    Counter{"tcp_timeouts", "TCP timeouts", true, &Counts::tcp_timeouts},
    Counter{"tcp_retransmits", "losses that TCP repaired", true, &Counts::tcp_retransmits},
    Counter{"tcp_probes", "tail-loss probes", true, &Counts::tcp_probes},
    Counter{"waited_ns", "waited", false, &Counts::waited_ns},
};

/// A repetition in its launch.
struct Place {
    std::size_t launch = 0;
    std::size_t rep = 0;                  ///< among the valid ones
    std::optional<double> start_ns = {};  ///< after the first one; nothing without a clock
};

struct Outlier {
    double time_ns = 0;
    std::optional<int> rank;             ///< whose time it is
    std::optional<Place> place = {};     ///< unknown of a rank that is not part of all repetitions
    std::map<int, Counts> counted = {};  ///< meanwhile, by the rank that read it
};

struct Outliers {
    double fence_ns = 0;
    double median_ns = 0;
    std::size_t reps = 0;
    std::vector<Outlier> found;  ///< the slowest first
};

/// Whose time a repetition counts as; of means and spans, who took longest.
std::optional<int> rank_of(const Repetitions& repetitions, std::size_t rep) {
    std::optional<int> slowest;
    double longest = -1;
    for (const auto& [rank, times] : repetitions.by_rank) {
        if (times.size() != repetitions.times.size()) {
            return std::nullopt;  // not every rank is part of every repetition
        }
        if (times[rep] == repetitions.times[rep]) {
            return rank;
        }
        if (times[rep] > longest) {
            slowest = rank;
            longest = times[rep];
        }
    }
    return slowest;
}

Place place_of(const Repetitions& repetitions, std::size_t rep) {
    Place place{.rep = rep};
    std::size_t first = 0;
    for (std::size_t i = 0; i < repetitions.begins.size() && repetitions.begins[i] <= rep; ++i) {
        first = repetitions.begins[i];
        place = {.launch = i, .rep = rep - first};
    }
    if (repetitions.when.size() == repetitions.times.size()) {
        place.start_ns =
            static_cast<double>((repetitions.when[rep].begin - repetitions.when[first].begin).count);
    }
    return place;
}

/// Adds what was counted between the readings before and after each; they are known by their repetitions.
void put_counts(std::map<std::size_t, Outlier>& outliers, const PointSamples& samples) {
    const analysis::RepetitionsInTime in_time(samples.repetitions);
    for (const auto& window : samples.evidence.windows) {
        const auto reps = in_time.during(window.when);
        for (auto at = outliers.lower_bound(reps.first); at != outliers.end() && at->first < reps.end; ++at) {
            auto& sum = at->second.counted[window.rank];
            for (const auto& counter : counters) {
                sum.*counter.count += window.counts.*counter.count;
            }
        }
    }
}

/// Of what repetitions count as, or of the times of one rank.
Outliers outliers_of(const PointSamples& samples, const std::vector<double>& times,
                     const std::optional<int>& rank = {}) {
    auto sorted = times;
    std::sort(sorted.begin(), sorted.end());
    Outliers all{.fence_ns = analysis::body_end(sorted),
                 .median_ns = stats::quantile(sorted, 0.5),
                 .reps = times.size(),
                 .found = {}};
    std::map<std::size_t, Outlier> by_repetition;
    for (std::size_t i = 0; i < times.size(); ++i) {
        if (times[i] > all.fence_ns) {
            by_repetition[i] = {.time_ns = times[i], .rank = rank ? rank : rank_of(samples.repetitions, i)};
        }
    }
    if (times.size() == samples.repetitions.times.size()) {
        for (auto& [rep, outlier] : by_repetition) {
            outlier.place = place_of(samples.repetitions, rep);
        }
        put_counts(by_repetition, samples);
    }
    for (auto& [rep, outlier] : by_repetition) {
        all.found.push_back(std::move(outlier));
    }
    std::stable_sort(all.found.begin(), all.found.end(),
                     [](const auto& a, const auto& b) { return a.time_ns > b.time_ns; });
    return all;
}

/// The same of each rank, where each counts for itself.
std::map<int, Outliers> outliers_by_rank(const PointSamples& samples) {
    std::map<int, Outliers> found;
    if (samples.point.over_ranks == plan::OverRanks::each) {
        for (const auto& [rank, times] : samples.repetitions.by_rank) {
            found.emplace(rank, outliers_of(samples, times, rank));
        }
    }
    return found;
}

std::string host_of(const PointSamples& samples, int rank) {
    const auto host = samples.evidence.hosts.find(rank);
    return host == samples.evidence.hosts.end() ? "" : host->second;
}

/// `rank 3: preempted 1, waited 2.10 ms; host h2: TCP timeouts 1`, those that waited longest first.
std::string counted_text(const PointSamples& samples, const Outlier& outlier) {
    std::vector<std::pair<int, Counts>> ranks(outlier.counted.begin(), outlier.counted.end());
    std::stable_sort(ranks.begin(), ranks.end(),
                     [](const auto& a, const auto& b) { return a.second.waited_ns > b.second.waited_ns; });
    std::vector<std::string> places;
    for (const auto& [rank, counts] : ranks) {
        for (const bool network : {false, true}) {
            std::vector<std::string> parts;
            for (const auto& counter : counters) {
                const auto count = counts.*counter.count;
                if (counter.network == network && count > 0) {
                    parts.push_back(fmt::format("{} {}", counter.words, counter.text(count)));
                }
            }
            if (!parts.empty()) {
                places.push_back(fmt::format(
                    "{}: {}", network ? "host " + host_of(samples, rank) : fmt::format("rank {}", rank),
                    fmt::join(parts, ", ")));
            }
        }
    }
    constexpr std::size_t most_places = 2;
    if (places.size() > most_places) {
        places[most_places] = fmt::format("{} more", places.size() - most_places);
        places.resize(most_places + 1);
    }
    return fmt::format("{}", fmt::join(places, "; "));
}

std::string multiple_text(double factor) {
    constexpr double large = 10;
    return fmt::format("{:.{}f}", factor, factor < large ? 1 : 0);
}

std::string outliers_table(const PointSamples& samples, const Outliers& outliers, std::size_t most,
                           const Terminal& terminal) {
    const bool several = samples.repetitions.begins.size() > 1;
    std::vector<Table::Column> columns;
    if (several) {
        columns.push_back({"  launch", Align::right});
    }
    for (const char* title : {several ? "repetition" : "  repetition", "rank", "time", "x median", "start"}) {
        columns.push_back({title, Align::right});
    }
    columns.push_back({samples.evidence.counted ? "counted meanwhile" : "", Align::left});
    Table table(columns);
    for (std::size_t i = 0; i < std::min(most, outliers.found.size()); ++i) {
        const auto& outlier = outliers.found[i];
        const auto& place = outlier.place;
        std::vector<std::string> cells{
            place ? std::to_string(place->rep) : "-",
            outlier.rank ? std::to_string(*outlier.rank) : "-",
            time_text(outlier.time_ns),
            outliers.median_ns > 0 ? multiple_text(outlier.time_ns / outliers.median_ns) : "-",
            place && place->start_ns ? time_text(*place->start_ns) : "-",
            counted_text(samples, outlier)};
        if (several) {
            cells.insert(cells.begin(), place ? std::to_string(place->launch) : "-");
        }
        table.add(std::move(cells));
    }
    return table.text(terminal);
}

std::string list_text(const PointSamples& samples, const Outliers& outliers, bool alone,
                      const Terminal& terminal) {
    const auto count = [](std::size_t number) { return count_text(static_cast<std::int64_t>(number)); };
    if (outliers.found.empty()) {
        return paragraph(fmt::format("None of {} repetitions is an outlier.", count(outliers.reps)));
    }
    auto text = paragraph(fmt::format(
        "{} of {} repetitions took longer than {}, the outlier fence; the median is {}.{}",
        count(outliers.found.size()), count(outliers.reps), time_text(outliers.fence_ns),
        time_text(outliers.median_ns), samples.evidence.counted ? "" : " No counters were read."));
    const auto most = alone ? most_in_table : most_of_many_points;
    text += outliers_table(samples, outliers, most, terminal);
    if (outliers.found.size() > most) {
        text += fmt::format(
            "  {} more; {}--json lists {}.\n", count(outliers.found.size() - most),
            alone ? "" : fmt::format("--op and --size select a point to list {}, ", most_in_table),
            outliers.found.size() > most_in_json ? "the slowest " + count(most_in_json) : "all");
    }
    return text;
}

ordered_json counted_json(const PointSamples& samples, const Outlier& outlier) {
    auto json = ordered_json::array();
    for (const auto& [rank, counts] : outlier.counted) {
        json.push_back({{"rank", rank}, {"host", host_of(samples, rank)}});
        for (const auto& counter : counters) {
            if (counts.*counter.count > 0) {
                json.back()[counter.field] = counts.*counter.count;
            }
        }
    }
    return json;
}

ordered_json list_json(const PointSamples& samples, const Outliers& outliers) {
    ordered_json json{{"fence_ns", outliers.fence_ns},
                      {"median_ns", outliers.median_ns},
                      {"reps", outliers.reps},
                      {"count", outliers.found.size()},
                      {"outliers", ordered_json::array()}};
    for (std::size_t i = 0; i < std::min(most_in_json, outliers.found.size()); ++i) {
        const auto& outlier = outliers.found[i];
        const auto& place = outlier.place;
        const bool known = samples.evidence.counted && place && place->start_ns;
        json["outliers"].push_back(
            {{"launch", place ? ordered_json(place->launch) : ordered_json(nullptr)},
             {"repetition", place ? ordered_json(place->rep) : ordered_json(nullptr)},
             {"rank", or_null(outlier.rank)},
             {"host", outlier.rank ? ordered_json(host_of(samples, *outlier.rank)) : ordered_json(nullptr)},
             {"time_ns", outlier.time_ns},
             {"start_ns", place ? or_null(place->start_ns) : ordered_json(nullptr)},
             {"counted", known ? counted_json(samples, outlier) : ordered_json(nullptr)}});
    }
    return json;
}

}  // namespace

std::string outliers_text(const PointSamples& samples, const Terminal& terminal, const Shown& shown) {
    auto text = list_text(samples, outliers_of(samples, samples.repetitions.times), shown.alone, terminal);
    for (const auto& [rank, outliers] : outliers_by_rank(samples)) {
        text += fmt::format("\nrank {}\n", rank) + list_text(samples, outliers, shown.alone, terminal);
    }
    return text;
}

ordered_json outliers_json(const PointSamples& samples) {
    auto json = list_json(samples, outliers_of(samples, samples.repetitions.times));
    for (const auto& [rank, outliers] : outliers_by_rank(samples)) {
        json["ranks"].push_back(list_json(samples, outliers));
        json["ranks"].back()["rank"] = rank;
    }
    return json;
}

}  // namespace fathom::report
