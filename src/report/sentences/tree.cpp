#include "report/sentences/tree.hpp"

#include <algorithm>
#include <cctype>
#include <vector>

#include <fmt/format.h>

#include "base/printable.hpp"
#include "base/text.hpp"
#include "base/units.hpp"

namespace fathom::report {
namespace {

using analysis::Change;
using tree::Advice;
using tree::AdviceKind;
using tree::ComparedKind;
using tree::CountedKind;
using tree::Node;
using tree::NodeIndex;
using tree::StageKind;

std::string percent_of_it(double share) {
    constexpr double percent = 100;
    return fmt::format("{:.{}f} %", percent * share, share < 0.1 ? 1 : 0);
}

std::string times_count(std::size_t count, const char* one, const char* several) {
    return fmt::format("{} {}", count_text(static_cast<std::int64_t>(count)), count == 1 ? one : several);
}

std::string_view kernel_count_text(CountedKind kind) {
    switch (kind) {
        case CountedKind::preempted:
            return "preemptions";
        case CountedKind::migrated:
            return "migrations to another processor";
        case CountedKind::major_fault:
            return "page faults that waited for the disk";
        case CountedKind::tcp_timeout:
            return "TCP timeouts";
        case CountedKind::tcp_retransmit:
            return "packet losses that TCP repaired";
    }
    return "";
}

/// An edge as its two ends.
std::string edge_text(const NodeIndex& index, Node node) {
    return fmt::format("edge from {} to {}", node_text(index, node), node_text(index, index.parent(node)));
}

/// A sentence with a capital letter.
std::string capitalised(std::string text) {
    text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
    return text;
}

/// `rank 7 computes 1.50 times as long as the middle one`.
std::string computes_text(const NodeIndex& index, Node leaf, double times_middle) {
    return fmt::format("{} computes {:.2f} times as long as the middle one", node_text(index, leaf),
                       times_middle);
}

std::string late_leaf_text(const NodeIndex& index, const Advice& advice) {
    if (advice.factor && !advice.follows) {
        return capitalised(computes_text(index, *advice.node, *advice.factor)) +
               ". Give it less work: ranks that exchange messages with it before the call wait for it too.";
    }
    auto text = fmt::format(
        "{} enters calls {} after the middle one, which accounts for {} of the program's "
        "waiting. ",
        node_text(index, *advice.node), time_text(advice.time_ns), percent_of_it(advice.share));
    text = capitalised(std::move(text));
    if (advice.follows && advice.factor) {
        return text + fmt::format("If they exchange messages before the call, it waits for {}.",
                                  node_text(index, *advice.follows));
    }
    if (advice.follows) {
        return text + fmt::format(
                          "It follows {}, which is late too: if they exchange messages before the call, it "
                          "waits for that one.",
                          node_text(index, *advice.follows));
    }
    return text + "Give it less work, or look for what delays it.";
}

std::string join_text(const NodeIndex& index, const Advice& advice) {
    const auto name = node_text(index, *advice.node);
    const auto cost = fmt::format("{} a call, {} of the critical path", time_text(advice.time_ns),
                                  percent_of_it(advice.share));
    switch (advice.kind) {
        case AdviceKind::join_computes:
            return fmt::format(
                "The down latency of {} is large ({}): computing the operation takes this long. Split "
                "its {} contributors over more joins, or use smaller messages or segments.",
                name, cost, advice.count);
        case AdviceKind::join_wakes_slowly:
            return fmt::format(
                "The up latency of {} is large ({}): the result waits in the join before the first "
                "contributor gets it. Use another kind of edge there, or place the join on a rank "
                "that does less.",
                name, cost);
        default:
            break;
    }
    return fmt::format(
        "Departure waits at {} are large ({}): its {} contributors get the result one after the other. "
        "Add a level, or use edges that wake them simultaneously.",
        name, cost, advice.count);
}

std::string edges_text(const NodeIndex& index, const Advice& advice) {
    return fmt::format(
        "Edges take {} a call, {} of the critical path, which has {} of them; most is spent on the {}. "
        "Shorten the way, move a join nearer to its contributors, or use a faster kind of edge. Twice "
        "the connections cost about {:.2f} times as much, not 2 times, so a level more can pay where a "
        "join has many contributors.",
        time_text(advice.time_ns), percent_of_it(advice.share), advice.count, edge_text(index, *advice.node),
        advice.factor.value_or(2));
}

std::string outlier_advice(const NodeIndex& index, const Advice& advice) {
    auto text = fmt::format("The {} is slow in {}{} and costs {} a call by that.",
                            stage_text(index, {*advice.stage, *advice.node}),
                            times_count(advice.count, "call", "calls"),
                            advice.factor ? fmt::format(" ({:.1f} times the usual)", *advice.factor) : "",
                            time_text(advice.time_ns));
    if (advice.cause) {
        return text + fmt::format(
                          " The kernel counted {} there at the time: 'fathom doctor' says how to avoid them.",
                          kernel_count_text(*advice.cause));
    }
    return text;
}

/// `rank 3`, `ranks 3 and 7`
std::string late_names(const NodeIndex& index, const std::vector<tree::LateLeaf>& late) {
    std::vector<std::string> names;
    for (const auto& leaf : late) {
        names.push_back(node_text(index, leaf.leaf));
    }
    return and_list(names);
}

std::string gaps_of(std::size_t calls, std::size_t complete, std::int64_t dropped, std::int64_t strays) {
    std::vector<std::string> parts;
    if (complete < calls) {
        parts.push_back(fmt::format("{} of {} calls lack events and count only where theirs suffice",
                                    count_text(static_cast<std::int64_t>(calls - complete)),
                                    count_text(static_cast<std::int64_t>(calls))));
    }
    if (dropped > 0) {
        parts.push_back(fmt::format("{} events found no room in their rings", count_text(dropped)));
    }
    if (strays > 0) {
        parts.push_back(fmt::format("{} events do not fit the tree and are left out", count_text(strays)));
    }
    return and_list(parts);
}

/// A leaf or join by its name alone: names of joins begin with a letter.
std::string named_part(const std::string& name) {
    const auto colon = name.find(':');
    return name.empty() || std::isdigit(static_cast<unsigned char>(name.front())) == 0
               ? fmt::format("join {}", printable_name(name))
           : colon == std::string::npos
               ? fmt::format("rank {}", name)
               : fmt::format("thread {} of rank {}", name.substr(colon + 1), name.substr(0, colon));
}

std::string text_of_part(ComparedKind kind, const std::string& name) {
    switch (kind) {
        case ComparedKind::tree:
            return "whole tree";
        case ComparedKind::slowest_path:
            return "slowest path of a call";
        case ComparedKind::path:
            return fmt::format("path of {}", named_part(name));
        case ComparedKind::edge:
            return fmt::format("edge of {}, both ways", named_part(name));
        case ComparedKind::join_down:
            return fmt::format("down latency of {}", named_part(name));
        case ComparedKind::join_up:
            return fmt::format("up latency of {}", named_part(name));
        case ComparedKind::departure_wait:
            return fmt::format("departure wait of {}", named_part(name));
        case ComparedKind::store:
            break;
    }
    return "store at the root";
}

/// Which of two trees is faster.
std::string whole_text(const std::string& first, const std::string& second, const tree::ComparedPart& whole) {
    const auto first_time = time_text(whole.first_ns);
    const auto second_time = time_text(whole.second_ns);
    switch (whole.change) {
        case Change::faster:
        case Change::slower:
            break;
        case Change::same:
            return fmt::format("Both trees take the same time: {} via {}, {} via {}.", first_time, first,
                               second_time, second);
        case Change::undecided:
            return fmt::format(
                "Whether {} ({}) or {} ({}) is faster is undecided: more calls would tell (--reps).", first,
                first_time, second, second_time);
    }
    const auto speedup = tree::speedup_of(whole);
    const auto factor = speedup ? fmt::format("{:.2f} times ", speedup->factor) : std::string();
    const auto interval = speedup && speedup->ci95 ? fmt::format(" (95 % interval {:.2f} to {:.2f})",
                                                                 speedup->ci95->low, speedup->ci95->high)
                                                   : std::string();
    return whole.change == Change::faster ? fmt::format("{} is {}faster than {}{}: {} instead of {}.", second,
                                                        factor, first, interval, second_time, first_time)
                                          : fmt::format("{} is {}faster than {}{}: {} instead of {}.", first,
                                                        factor, second, interval, first_time, second_time);
}

}  // namespace

std::string node_text(const NodeIndex& index, Node node) {
    if (!index.is_leaf(node)) {
        return "join " + printable_name(index.name(node));
    }
    const auto& leaf = index.tree().leaves[static_cast<std::size_t>(node)];
    return leaf.thread > 0 ? fmt::format("thread {} of rank {}", leaf.thread, leaf.rank)
                           : fmt::format("rank {}", leaf.rank);
}

std::string stage_text(const NodeIndex& index, const tree::Stage& stage) {
    const auto name = node_text(index, stage.node);
    const auto above = [&] { return node_text(index, index.parent(stage.node)); };
    switch (stage.kind) {
        case StageKind::edge_down:
            return fmt::format("edge from {} to {}", name, above());
        case StageKind::edge_up:
            return fmt::format("edge from {} to {}", above(), name);
        case StageKind::arrival_wait:
            return fmt::format("arrival wait of {} at {}", name, above());
        case StageKind::departure_wait:
            return fmt::format("departure wait of {} at {}", name, above());
        case StageKind::join_down:
            return fmt::format("down latency of {}", name);
        case StageKind::join_up:
            return fmt::format("up latency of {}", name);
        case StageKind::store:
            break;
    }
    return fmt::format("store at {}", name);
}

std::string part_text(const tree::ComparedPart& part) {
    return text_of_part(part.kind, part.name);
}

std::string part_text(const tree::LonePart& part) {
    return text_of_part(part.kind, part.name);
}

std::string part_verdict_text(const tree::ComparedPart& part) {
    const bool changed = part.change == Change::faster || part.change == Change::slower;
    return fmt::format("{}{}", changed && part.unchanged ? "not reconfigured, yet " : "",
                       to_text(part.change));
}

std::string sentence(const NodeIndex& index, const Advice& advice) {
    switch (advice.kind) {
        case AdviceKind::program_imbalance:
            return fmt::format(
                "Tuning the tree will not help: {} of a call ({}) is lost to the program's imbalance{}. "
                "Balance the program's work, or let it do something else meanwhile.",
                percent_of_it(advice.share), time_text(advice.time_ns),
                advice.factor
                    ? fmt::format(", and a tree that took no time would make calls {:.2f} times faster",
                                  *advice.factor)
                    : "");
        case AdviceKind::late_leaf:
            return late_leaf_text(index, advice);
        case AdviceKind::late_subtree:
            return fmt::format(
                "All {} contributors below {} enter calls late, by up to {}. Look for what they share: "
                "a host, a network, their part of the work.",
                advice.count, node_text(index, *advice.node), time_text(advice.time_ns));
        case AdviceKind::join_computes:
        case AdviceKind::join_wakes_slowly:
        case AdviceKind::serialised_wake_up:
            return join_text(index, advice);
        case AdviceKind::edges_dominate:
            return edges_text(index, advice);
        case AdviceKind::outliers:
            return outlier_advice(index, advice);
        case AdviceKind::periodic:
            break;
    }
    return fmt::format("A disturbance recurs every {}{}: look for what runs with this period there.",
                       time_text(advice.period_ns.value_or(0)),
                       advice.rank ? fmt::format(" on rank {}", *advice.rank) : "");
}

std::string sentence(const NodeIndex& index, const tree::StageOutliers& outliers) {
    auto text = fmt::format(
        "{}: {} of {} calls over {}, {} on average{}", stage_text(index, outliers.stage),
        count_text(static_cast<std::int64_t>(outliers.outliers)),
        count_text(static_cast<std::int64_t>(outliers.calls)), time_text(outliers.threshold_ns),
        time_text(outliers.mean_ns),
        outliers.times_usual
            ? fmt::format(" ({:.1f} times the usual {})", *outliers.times_usual, time_text(outliers.usual_ns))
            : "");
    for (const auto& cause : outliers.causes) {
        text += fmt::format("; {} during {} of them (otherwise during {})", kernel_count_text(cause.kind),
                            count_text(static_cast<std::int64_t>(cause.outliers)),
                            percent_of_it(cause.usual_share));
    }
    return text;
}

std::string sentence(const tree::PeriodicDisturbance& disturbance) {
    return fmt::format(
        "{} {} every {} ({} in {} periods)",
        disturbance.rank ? fmt::format("rank {} is", *disturbance.rank) : std::string("calls are"),
        "disturbed", time_text(disturbance.period.length), times_count(disturbance.events, "event", "events"),
        count_text(static_cast<std::int64_t>(disturbance.period.cycles)));
}

std::string conclusion(const NodeIndex& index, const tree::LoadBalance& balance) {
    const auto waits = fmt::format("The program's imbalance costs {} a call, {} of its time.",
                                   time_text(balance.imbalance_ns), percent_of_it(balance.program_share));
    if (balance.late.empty()) {
        return (balance.busiest ? capitalised(computes_text(index, balance.busiest->leaf,
                                                            balance.busiest->times_middle)) +
                                      ". "
                                : std::string()) +
               "No rank enters calls late more often than by chance, or by enough to matter beside the "
               "tree. " +
               waits;
    }
    if (balance.busiest) {
        const auto& first = balance.late.front();
        return fmt::format(
            "{}. {} {} calls late: among the last in {} of them, where chance makes {}, by {}. {}",
            capitalised(computes_text(index, balance.busiest->leaf, balance.busiest->times_middle)),
            capitalised(late_names(index, balance.late)), balance.late.size() == 1 ? "enters" : "enter",
            percent_of_it(first.rate), percent_of_it(first.chance), time_text(first.late_ns), waits);
    }
    std::vector<tree::LateLeaf> first;
    std::vector<tree::LateLeaf> followers;
    for (const auto& leaf : balance.late) {
        (leaf.follows ? followers : first).push_back(leaf);
    }
    auto text = fmt::format("{} {} calls late: among the last in {} of them, where chance makes {}, by {}.",
                            late_names(index, first), first.size() == 1 ? "enters" : "enter",
                            percent_of_it(first.front().rate), percent_of_it(first.front().chance),
                            time_text(first.front().late_ns));
    text = capitalised(std::move(text));
    if (!followers.empty()) {
        text += fmt::format(" Just behind: {}, perhaps because of messages before the call.",
                            late_names(index, followers));
    }
    return text + " " + waits;
}

std::string lone_text(const TreeNames& names, bool first) {
    return fmt::format("only in {}", printable_name(first ? names.first : names.second));
}

std::string faster_name(const TreeNames& names, const tree::TreeComparison& comparison) {
    const auto* const whole = tree::whole_tree(comparison);
    const auto change = whole == nullptr ? Change::undecided : whole->change;
    return change == Change::slower ? names.first : change == Change::faster ? names.second : "";
}

std::string conclusion(const TreeNames& names, const tree::TreeComparison& comparison) {
    const auto* const whole = tree::whole_tree(comparison);
    if (whole == nullptr) {
        return "No call of both trees has all its events.";
    }
    const auto first = printable_name(names.first);
    const auto second = printable_name(names.second);
    auto text = whole_text(first, second, *whole);
    const auto slower = std::ranges::count_if(comparison.parts, [](const tree::ComparedPart& part) {
        return part.unchanged && part.change == Change::slower;
    });
    if (slower > 0) {
        text += fmt::format(
            " {} not reconfigured, yet slower in {}.",
            slower == 1 ? std::string("1 part is") : fmt::format("{} parts are", count_text(slower)), second);
    }
    if (comparison.means_mislead) {
        text +=
            " Means of paths suggest the opposite of what calls take: the slowest path of each call decides, "
            "and that is often another one.";
    }
    return text;
}

std::string gaps_text(const tree::TreeAnalysis& analysis) {
    return gaps_of(analysis.calls, analysis.complete, analysis.dropped, analysis.strays);
}

std::string gaps_text(const tree::StageTimes& times) {
    return gaps_of(times.size(), times.complete().size(), times.calls().dropped, times.calls().strays);
}

}  // namespace fathom::report
