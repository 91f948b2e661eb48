#include "report/tuning.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/build_info.hpp"
#include "base/printable.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "report/json_values.hpp"
#include "report/paragraph.hpp"
#include "report/table.hpp"

namespace fathom::report {
namespace {

using nlohmann::ordered_json;
using tune::BestWay;
using tune::ProofPoint;
using tune::Proposal;
using tune::RaceTime;
using tune::TunedOperation;
using Align = Table::Align;

std::string gain_cell(const BestWay& at) {
    const auto interval = at.gain_interval();
    return at.first.exact && (!at.best || at.best->exact)
               ? fmt::format("{:.2f}", at.gain())
               : fmt::format("{:.2f} ({:.2f} .. {:.2f})", at.gain(), interval.low, interval.high);
}

Table best_table(const TunedOperation& tuned) {
    Table table({{"bytes", Align::right},
                 {"library", Align::right},
                 {"best", Align::left},
                 {"time", Align::right},
                 {"times as fast", Align::right},
                 {"use", Align::left}});
    for (const auto& at : tuned.race.best) {
        const auto* const proposal = tuned.proposed_at(at.size);
        const bool other = at.best && at.best->time_ns < at.first.time_ns;
        const TimesBeside times(at.first.time_ns);
        table.add({exact_text(at.size), times.text(at.first.time_ns),
                   other ? tuned.ways[at.best->point.way] : tuned.ways.front(),
                   times.text(other ? at.best->time_ns : at.first.time_ns), other ? gain_cell(at) : "-",
                   proposal != nullptr ? tuned.ways[proposal->way] : "-"});
        if (proposal != nullptr) {
            table.paint("use", Ink::bold);
        }
    }
    return table;
}

/// Every way by size, as far as it was measured.
Table times_table(const TunedOperation& tuned) {
    std::vector<Table::Column> columns{{"implementation", Align::left}};
    std::set<Bytes> sizes;
    std::map<tune::RacePoint, const RaceTime*> times;
    for (const auto& time : tuned.race.times) {
        sizes.insert(time.point.size);
        times[time.point] = &time;
    }
    for (const auto& size : sizes) {
        columns.push_back({exact_text(size), Align::right});
    }
    Table table(std::move(columns));
    for (std::size_t way = 0; way < tuned.ways.size(); ++way) {
        std::vector<std::string> cells{tuned.ways[way]};
        for (const auto& size : sizes) {
            const auto found = times.find({way, size});
            cells.push_back(found == times.end() ? "-" : time_text(found->second->time_ns));
        }
        table.add(std::move(cells));
    }
    return table;
}

std::string proposal_line(const TunedOperation& tuned, const Proposal& proposal) {
    return proposal.first == proposal.last
               ? fmt::format("{}: {}, {:.2f} times as fast", exact_text(proposal.first),
                             tuned.ways[proposal.way], proposal.least_gain)
               : fmt::format("{} to {}: {}, {:.2f} to {:.2f} times as fast", exact_text(proposal.first),
                             exact_text(proposal.last), tuned.ways[proposal.way], proposal.least_gain,
                             proposal.most_gain);
}

ordered_json time_json(const TunedOperation& tuned, const RaceTime& time) {
    return {{"implementation", tuned.ways[time.point.way]},
            {"size_bytes", time.point.size.count},
            {"time_ns", time.time_ns},
            {"ci95_ns", {time.ci95_ns.low, time.ci95_ns.high}}};
}

ordered_json operation_json(const TunedOperation& tuned) {
    ordered_json json{
        {"operation", tuned.operation},       {"procs", tuned.procs},
        {"hosts", tuned.placement.hosts},     {"procs_per_host", tuned.placement.procs_per_host},
        {"implementations", tuned.ways},      {"finished", tuned.race.finished},
        {"rounds", tuned.race.rounds},        {"points_measured", tuned.race.times.size()},
        {"points_all", tuned.all_points()},   {"dropped", ordered_json::array()},
        {"sizes", ordered_json::array()},     {"proposals", ordered_json::array()},
        {"unordered", ordered_json::array()}, {"unproven", ordered_json::array()},
        {"times", ordered_json::array()},     {"predictions", ordered_json::array()}};
    for (const auto way : tuned.race.broken) {
        json["dropped"].push_back(tuned.ways[way]);
    }
    for (const auto& at : tuned.race.best) {
        const auto* const proposal = tuned.proposed_at(at.size);
        const auto interval = at.gain_interval();
        json["sizes"].push_back({{"size_bytes", at.size.count},
                                 {"library", time_json(tuned, at.first)},
                                 {"best", at.best ? time_json(tuned, *at.best) : ordered_json(nullptr)},
                                 {"speedup", at.gain()},
                                 {"speedup_ci95", {interval.low, interval.high}},
                                 {"proposed", proposal != nullptr ? ordered_json(tuned.ways[proposal->way])
                                                                  : ordered_json(nullptr)}});
    }
    for (const auto& [name, list] :
         {std::pair("proposals", &tuned.proposals), std::pair("unordered", &tuned.unordered),
          std::pair("unproven", &tuned.unproven)}) {
        for (const auto& proposal : *list) {
            json[name].push_back({{"implementation", tuned.ways[proposal.way]},
                                  {"first_bytes", proposal.first.count},
                                  {"last_bytes", proposal.last.count},
                                  {"least_speedup", proposal.least_gain},
                                  {"most_speedup", proposal.most_gain}});
        }
    }
    for (const auto& time : tuned.race.times) {
        json["times"].push_back(time_json(tuned, time));
    }
    for (const auto& time : tuned.predictions) {
        json["predictions"].push_back({{"implementation", tuned.ways[time.point.way]},
                                       {"size_bytes", time.point.size.count},
                                       {"time_ns", time.time_ns}});
    }
    return json;
}

/// What is proposed for a range of sizes. Gains are shares of the time without it: the mean over what was
/// measured in the range, and from the lowest end of an interval to the highest.
ordered_json choice_json(const TunedOperation& tuned, const Proposal& proposal) {
    const auto gain = [](double speedup) { return 1 - 1 / speedup; };
    double sum = 0;
    constexpr double infinite = std::numeric_limits<double>::infinity();
    stats::Interval all{infinite, -infinite};
    for (const auto& at : proposal.sizes) {
        const auto interval = at.gain_interval();
        sum += gain(at.gain());
        all.low = std::min(all.low, gain(interval.low));
        all.high = std::max(all.high, gain(interval.high));
    }
    return {{"operation", tuned.operation},
            {"procs", tuned.procs},
            {"from_bytes", proposal.first.count},
            {"to_bytes", proposal.last.count},
            {"implementation", tuned.ways[proposal.way]},
            {"gain", sum / static_cast<double>(proposal.sizes.size())},
            {"gain_ci95", {all.low, all.high}}};
}

/// What is faster still, but not by a file: components, and algorithms within hosts.
std::string beyond_files(const TunedOperation& tuned) {
    std::map<std::string, std::vector<std::string>> sizes;
    for (const auto& at : tuned.race.best) {
        const auto* const proposal = tuned.proposed_at(at.size);
        const bool worth = at.best && at.gain() >= tune::least_gain && at.gain_interval().low > 1;
        if (worth && (proposal == nullptr || proposal->way != at.best->point.way)) {
            sizes[tuned.ways[at.best->point.way]].push_back(exact_text(at.size));
        }
    }
    std::vector<std::string> parts;
    for (const auto& [way, where] : sizes) {
        parts.push_back(fmt::format("{} at {}", way, fmt::join(where, ", ")));
    }
    return and_list(parts);
}

}  // namespace

std::string proof_text(const std::vector<ProofPoint>& proof, const Terminal& terminal) {
    std::string text;
    Table table({{"operation", Align::left},
                 {"procs", Align::right},
                 {"bytes", Align::right},
                 {"without", Align::right},
                 {"with", Align::right},
                 {"times as fast", Align::right},
                 {"rule", Align::left},
                 {"verdict", Align::left}});
    for (const auto& point : proof) {
        const auto interval = point.gain_ci95();
        table.add({point.operation, fmt::format("{}", point.procs), exact_text(point.size),
                   time_text(point.before_ns), time_text(point.after_ns),
                   interval
                       ? fmt::format("{:.2f} ({:.2f} .. {:.2f})", point.gain(), interval->low, interval->high)
                       : fmt::format("{}{:.2f} (none)", doubt_mark, point.gain()),
                   point.ruled ? "yes" : "-", std::string(to_text(point.verdict()))});
    }
    return table.text(terminal);
}

std::string tuning_text(const tune::Tuning& tuning, const Terminal& terminal, bool all) {
    std::string text;
    for (const auto& tuned : tuning.operations) {
        text += fmt::format("{}{}, {} processes\n\n{}\n", text.empty() ? "" : "\n", tuned.operation,
                            tuned.procs, best_table(tuned).text(terminal));
        if (tuned.proposals.empty()) {
            text += paragraph(
                "Nothing to propose: no other algorithm that a file can name is significantly faster by 3 % "
                "or more at neighbouring sizes.");
        }
        if (const auto other = beyond_files(tuned); !other.empty() && !tuning.simulated()) {
            text += paragraph(fmt::format(
                "Faster still, but no file can choose it, or neighbouring sizes disagree: {}.", other));
        }
        for (const auto& proposal : tuned.proposals) {
            text += fmt::format("  {}\n", proposal_line(tuned, proposal));
        }
        text += paragraph(fmt::format("Measured {} of {} points in {} {}.", tuned.race.times.size(),
                                      tuned.all_points(), tuned.race.rounds,
                                      tuned.race.rounds == 1 ? "round" : "rounds"));
        if (!tuned.race.broken.empty()) {
            std::vector<std::string> names;
            for (const auto way : tuned.race.broken) {
                names.push_back(tuned.ways[way]);
            }
            text += paragraph(fmt::format("Dropped, because they ended the job or gave wrong data: {}.",
                                          fmt::join(names, ", ")));
        }
        if (!tuned.race.finished) {
            const bool library_failed = std::ranges::find(tuned.race.broken, 0U) != tuned.race.broken.end();
            text += paragraph(library_failed
                                  ? "The search ended there: all others are compared with the library's own "
                                    "decision, which failed."
                                  : "The search ended before it was finished. The same command with --resume "
                                    "goes on.");
        }
        if (all) {
            text += "\n" + times_table(tuned).text(terminal);
        }
    }
    return text;
}

std::string files_text(const tune::Tuning& tuning, const std::string& obstacle, const std::string& document,
                       const Terminal& terminal) {
    const auto without_files = [&](const std::string& why) {
        return paragraph(fmt::format("No file for the library: {}.", why)) +
               fmt::format("The tuning: {}\nAs a page: fathom tune report {}\n", printable(document),
                           printable(shell_text({document})));
    };
    std::string text = "\n";
    if (!obstacle.empty()) {
        return text + without_files(obstacle);
    }
    for (const auto& tuned : tuning.operations) {
        for (const auto& proposal : tuned.unordered) {
            text += paragraph(fmt::format(
                "Left out of the files: {} with {} processes, {}. It gives wrong results for operators that "
                "do not commute, and the library's rules hold for those too; --commutative takes it in.",
                tuned.operation, tuned.procs, proposal_line(tuned, proposal)));
        }
        for (const auto& proposal : tuned.unproven) {
            text += paragraph(fmt::format(
                "Left out of the files: {} with {} processes, {} by the race. In fresh jobs no size was "
                "certainly faster with it; a longer --budget may decide it.",
                tuned.operation, tuned.procs, proposal_line(tuned, proposal)));
        }
    }
    for (const auto& point : tuning.taken_out) {
        const auto slower = fmt::format("{:.1f} % slower", 100 * (1 / point.gain() - 1));
        text += paragraph(
            point.ruled
                ? fmt::format("Taken out: {}, {} processes, {}, which was {} with its rule.", point.operation,
                              point.procs, exact_text(point.size), slower)
                : fmt::format(
                      "Given up: the rules for {} with {} processes. {}, which has none, was {} since "
                      "the library looked into the files, and over all sizes they gained nothing.",
                      point.operation, point.procs, exact_text(point.size), slower));
    }
    text += failed_rules_text(tuning.failed_rules);
    const bool proposes =
        std::ranges::any_of(tuning.operations, [](const auto& tuned) { return !tuned.proposals.empty(); });
    if (tuning.files.empty()) {
        return text + without_files(proposes ? "what is proposed is not proven" : "nothing is proposed");
    }
    text += "\nWith the library's files and without, in fresh jobs\n\n";
    text += proof_text(tuning.proof, terminal);
    std::vector<std::string> slower;
    for (const auto& point : tuning.proof) {
        if (point.harmed()) {
            slower.push_back(fmt::format("{} with {} processes at {}", point.operation, point.procs,
                                         exact_text(point.size)));
        }
    }
    if (!slower.empty()) {
        text += paragraph(fmt::format(
            "Slower although the files have no rule for it, since the library now looks into them: {}.",
            and_list(slower)));
    }
    text += "\nFor a job script:\n";
    for (const auto& [name, value] : tuning.variables) {
        text += fmt::format("  export {}={}\n", name, printable(shell_text({value})));
    }
    text += paragraph(
        "The library chooses by the size of a communicator alone: others of these sizes follow the rules "
        "too, "
        "however their processes are placed.");
    const auto file = printable(shell_text({document}));
    return text + fmt::format(
                      "\nThe tuning: {}\nAs a page: fathom tune report {}\n"
                      "Prove it again: fathom tune --prove {}\n",
                      printable(document), file, file);
}

ordered_json proof_point_json(const ProofPoint& point) {
    const auto interval = point.gain_ci95();
    const auto ratio =
        interval ? std::optional(stats::Interval{1 / interval->high, 1 / interval->low}) : std::nullopt;
    return {{"operation", point.operation},
            {"procs", point.procs},
            {"size_bytes", point.size.count},
            {"ruled", point.ruled},
            {"before_ns", point.before_ns},
            {"before_ci95_ns", or_null(point.before_ci95_ns)},
            {"after_ns", point.after_ns},
            {"after_ci95_ns", or_null(point.after_ci95_ns)},
            {"speedup", point.gain()},
            {"speedup_ci95", or_null(interval)},
            {"ratio", 1 / point.gain()},
            {"ratio_ci95", or_null(ratio)},
            {"verdict", to_text(point.verdict())}};
}

std::string failed_rules_text(const std::vector<tune::FailedRule>& rules) {
    std::string text = rules.empty() ? "" : "\n";
    for (const auto& failed : rules) {
        text += paragraph(fmt::format("{}, {} processes, {} failed with its rule: {}.", failed.operation,
                                      failed.procs, to_text(failed.size), failed.reason));
    }
    return text;
}

ordered_json failed_rules_json(const std::vector<tune::FailedRule>& rules) {
    auto json = ordered_json::array();
    for (const auto& failed : rules) {
        json.push_back({{"operation", failed.operation},
                        {"procs", failed.procs},
                        {"size_bytes", failed.size.count},
                        {"reason", failed.reason}});
    }
    return json;
}

ordered_json proof_json(const std::string& library, const tune::Proof& proof) {
    ordered_json json{{"schema", "fathom.proof/1"},
                      {"library", library},
                      {"proof", ordered_json::array()},
                      {"failed_rules", failed_rules_json(proof.failed)}};
    for (const auto& point : proof.points) {
        json["proof"].push_back(proof_point_json(point));
    }
    return json;
}

ordered_json tuning_json(const tune::Tuning& tuning) {
    ordered_json json{
        {"schema", tuning_schema},
        {"fathom", build_info().version},
        {"date", tuning.date},
        {"library", tuning.library},
        {"flavour", to_text(tuning.flavour)},
        {"platform", tuning.platform.empty() ? ordered_json(nullptr) : ordered_json(tuning.platform)},
        {"hosts", tuning.placement.hosts},
        {"procs_per_host", tuning.placement.procs_per_host},
        {"metric", tuning.metric},
        {"settings", ordered_json::object()},
        {"choices", ordered_json::array()},
        {"operations", ordered_json::array()},
        {"files", ordered_json::array()},
        {"proof", ordered_json::array()},
        {"taken_out", ordered_json::array()},
        {"failed_rules", failed_rules_json(tuning.failed_rules)}};
    for (const auto& [key, value] : tuning.settings) {
        json["settings"][key] = value;
    }
    for (const auto& tuned : tuning.operations) {
        for (const auto& proposal : tuned.proposals) {
            json["choices"].push_back(choice_json(tuned, proposal));
        }
        json["operations"].push_back(operation_json(tuned));
    }
    for (const auto& file : tuning.files) {
        auto variables = ordered_json::object();
        for (const auto& [name, value] : tuning.variables) {
            const bool of_another = std::ranges::any_of(tuning.files, [&, &path = value](const auto& other) {
                return other.path == path && other.path != file.path;
            });
            if (!of_another) {
                variables[name] = value;
            }
        }
        json["files"].push_back(
            {{"path", file.path}, {"sha256", hexadecimal(sha256(file.text))}, {"variables", variables}});
    }
    for (const auto& point : tuning.proof) {
        json["proof"].push_back(proof_point_json(point));
    }
    for (const auto& point : tuning.taken_out) {
        json["taken_out"].push_back(proof_point_json(point));
    }

    return json;
}

}  // namespace fathom::report
