#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "analysis/point/timeout_shares.hpp"
#include "base/printable.hpp"
#include "base/units.hpp"
#include "journal/json.hpp"
#include "report/json_values.hpp"
#include "report/paragraph.hpp"
#include "report/point_analyses/point_analyses.hpp"
#include "report/sentences/point.hpp"
#include "report/table.hpp"

namespace fathom::report {
namespace {

using analysis::TimeoutClass;
using analysis::TimeoutKind;
using analysis::Timeouts;
using nlohmann::ordered_json;

/// What a class of repetitions had.
std::string meaning(const TimeoutClass& in, const Timeouts& timeouts, bool first) {
    if (in.kind == TimeoutKind::none) {
        return {};
    }
    if (in.kind == TimeoutKind::repaired) {
        return "a loss repaired before a timeout";
    }
    const auto* number = in.kind == TimeoutKind::one   ? "one"
                         : in.kind == TimeoutKind::two ? "two"
                                                       : "three or more";
    return first ? fmt::format("{} TCP retransmission timeout{} each{}", number,
                               in.kind == TimeoutKind::one ? "" : "s",
                               timeouts.certain ? "" : ", by their length")
                 : fmt::format("{} each", number);
}

using analysis::TimeoutShares;

std::string in_percent(double share) {
    return fmt::format("{:.1f} %", 100 * share);
}

/// `46.8 % none, 52.3 % 1, 0.8 % 2`
std::string shares_text(const TimeoutShares& shares) {
    std::string text;
    for (std::size_t kind = 0; kind < TimeoutShares::kinds.size(); ++kind) {
        if (shares.times.at(kind) > 0) {
            text += fmt::format("{}{} {}", text.empty() ? "" : ", ", in_percent(shares.share(kind)),
                                to_text(TimeoutShares::kinds.at(kind)));
        }
    }
    return text;
}

/// What the kernel counted on a rank's host while repetitions were timed.
std::string counted_on(const Timeouts& timeouts, const std::string& host) {
    const auto counted = timeouts.counted_on.find(host);
    return !timeouts.counted ? "-" : counted == timeouts.counted_on.end() ? "0" : count_text(counted->second);
}

/// The times of processes one by one; nothing if none of them shows a timeout.
std::string by_process_text(const PointSamples& samples, const Terminal& terminal) {
    using Align = Table::Align;
    constexpr std::size_t most_rows = 16;
    constexpr std::size_t longest_host = 20;
    const auto& timeouts = samples.point.analyses.timeouts;
    auto found = analysis::timeouts_by_process(samples.repetitions, samples.evidence, timeouts);
    if (!found || found->all.times.front() == found->all.count()) {
        return {};
    }
    auto text = paragraph(fmt::format("By process, in steps of {} above the shortest time ({}): {} timeouts.",
                                      time_text(found->step_ns), time_text(found->least_ns),
                                      shares_text(found->all)));
    std::stable_sort(found->ranks.begin(), found->ranks.end(), [](const auto& a, const auto& b) {
        return a.share(0) < b.share(0);  // most timeouts first
    });
    const auto shown = std::min(most_rows, found->ranks.size());
    std::sort(found->ranks.begin(), found->ranks.begin() + static_cast<std::ptrdiff_t>(shown),
              [](const auto& a, const auto& b) { return a.rank < b.rank; });
    std::vector<Table::Column> columns{{"  rank", Align::right}, {"host", Align::left}};
    for (const auto kind : TimeoutShares::kinds) {
        columns.push_back({std::string(to_text(kind)), Align::right});
    }
    columns.push_back({"counted on host", Align::right});
    Table table(columns);
    for (std::size_t i = 0; i < shown; ++i) {
        const auto& rank = found->ranks[i];
        std::vector<std::string> cells{std::to_string(rank.rank), rank.host.substr(0, longest_host)};
        for (std::size_t kind = 0; kind < TimeoutShares::kinds.size(); ++kind) {
            cells.push_back(in_percent(rank.share(kind)));
        }
        cells.push_back(counted_on(timeouts, rank.host));
        table.add(std::move(cells));
    }
    text += table.text(terminal);
    const auto others = found->ranks.size() - shown;
    return others == 0 ? text
                       : text + fmt::format("  ({} more {} with no more timeouts than these: see --json.)\n",
                                            others, others == 1 ? "process" : "processes");
}

ordered_json shares_json(const TimeoutShares& shares) {
    auto json = ordered_json::array();
    for (std::size_t kind = 0; kind < TimeoutShares::kinds.size(); ++kind) {
        json.push_back({{"timeouts", TimeoutShares::kinds.at(kind)},
                        {"times", shares.times.at(kind)},
                        {"share", shares.share(kind)}});
    }
    return json;
}

ordered_json by_process_json(const PointSamples& samples) {
    const auto found =
        analysis::timeouts_by_process(samples.repetitions, samples.evidence, samples.point.analyses.timeouts);
    if (!found) {
        return nullptr;
    }
    auto ranks = ordered_json::array();
    for (const auto& rank : found->ranks) {
        ranks.push_back({{"rank", rank.rank}, {"host", rank.host}, {"classes", shares_json(rank)}});
    }
    return {{"least_ns", found->least_ns},
            {"step_ns", found->step_ns},
            {"classes", shares_json(found->all)},
            {"ranks", std::move(ranks)}};
}

}  // namespace

std::string timeouts_text(const PointSamples& samples, const Terminal& terminal, const Shown& /*shown*/) {
    const auto& timeouts = samples.point.analyses.timeouts;
    std::string text;
    std::size_t width = 0;
    for (const auto& in : timeouts.classes) {
        width = std::max(width, count_text(in.reps).size());
    }
    bool first = true;
    for (const auto& in : timeouts.classes) {
        if (in.reps == 0) {
            continue;
        }
        const auto times = in.kind == TimeoutKind::none
                               ? fmt::format("{} median", time_text(timeouts.median_ns))
                               : time_interval_text(in.from_ns, in.to_ns);
        const auto line = fmt::format("  {:>{}} {} {:<18} {}", count_text(in.reps), width,
                                      in.reps == 1 ? "repetition:  " : "repetitions: ", times,
                                      meaning(in, timeouts, first));
        text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
        first = first && (in.kind == TimeoutKind::none || in.kind == TimeoutKind::repaired);
    }
    return text + "  " + printable(conclusion(timeouts)) + "\n" + by_process_text(samples, terminal);
}

ordered_json timeouts_json(const PointSamples& samples) {
    const auto& timeouts = samples.point.analyses.timeouts;
    auto classes = ordered_json::array();
    for (const auto& in : timeouts.classes) {
        classes.push_back({{"timeouts", in.kind},
                           {"reps", in.reps},
                           {"share", in.share},
                           {"from_ns", in.reps > 0 ? ordered_json(in.from_ns) : ordered_json(nullptr)},
                           {"to_ns", in.reps > 0 ? ordered_json(in.to_ns) : ordered_json(nullptr)}});
    }
    auto hosts = ordered_json::object();
    for (const auto& [host, count] : timeouts.counted_on) {
        hosts[host] = count;
    }
    const bool known = timeouts.rto_ns > 0;
    return {{"status", timeouts.status},
            {"rto_ns", known ? ordered_json(timeouts.rto_ns) : ordered_json(nullptr)},
            {"rto_from", known ? ordered_json(timeouts.rto_from) : ordered_json(nullptr)},
            {"certain", timeouts.certain},
            {"classes", std::move(classes)},
            {"inferred", timeouts.inferred},
            {"counted", or_null(timeouts.counted)},
            {"counted_on", std::move(hosts)},
            {"counted_outside", or_null(timeouts.counted_outside)},
            {"probes", or_null(timeouts.probes)},
            {"mean_ns", known ? ordered_json(timeouts.mean_ns) : ordered_json(nullptr)},
            {"mean_without_ns", or_null(timeouts.mean_without_ns)},
            {"by_process", by_process_json(samples)},
            {"text", conclusion(timeouts)}};
}

}  // namespace fathom::report
