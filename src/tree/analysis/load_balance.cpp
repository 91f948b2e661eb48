#include "tree/analysis/load_balance.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "stats/binomial.hpp"
#include "stats/effective_sample_size.hpp"
#include "stats/mean.hpp"
#include "stats/quantile.hpp"

namespace fathom::tree {
namespace {

/// Of the tree's median time: lateness below this, on average over all calls and beyond chance, is not named.
/// The tree is then where the time goes.
constexpr double least_effect = 0.1;
/// Of the latest one's lateness: who has this much is among the last.
constexpr double among_the_last = 0.5;
/// Of the calls in which two are late together: who is behind the other one this often follows it.
constexpr double nearly_always = 0.95;
/// Of the more late one's lateness: with less, a leaf follows it, whoever enters first.
constexpr double clearly_less = 0.8;
/// In times of what the middle leaf takes: who computes longer than this has more work.
constexpr double more_work = 1.1;
/// Parts of a trace from which the share of departure lateness that lasts is estimated, and its deviation.
constexpr std::size_t parts_of_trace = 10;
/// In standard errors: how much larger that share is taken to be than estimated.
constexpr double margin = 3;

/// The middle of some values, the lower one of two: with two leaves, the earlier one.
double lower_median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

/// By how much each is beyond the middle.
std::vector<double> beyond_middle(std::vector<double> values) {
    const double middle = lower_median(values);
    for (auto& value : values) {
        value -= middle;
    }
    return values;
}

/// Entries and departures of all leaves in complete calls.
struct LeafMoments {
    std::vector<std::vector<double>> entries;  ///< by call and leaf, since the first entry of the first call
    std::vector<std::vector<double>> departures;  ///< empty without a way up
    std::vector<bool> follows;  ///< whether the call before it in the trace is the one before it here
};

LeafMoments moments_of_leaves(const StageTimes& times) {
    LeafMoments found;
    const auto leaves = times.index().leaves();
    const auto& calls = times.calls();
    const auto origin = calls.at(times.complete().front(), 0, End::own).down_ns;
    std::optional<std::size_t> before;
    for (const auto call : times.complete()) {
        auto& entries = found.entries.emplace_back();
        auto& departures = found.departures.emplace_back();
        for (int leaf = 0; leaf < leaves; ++leaf) {
            const auto& own = calls.at(call, leaf, End::own);
            entries.push_back(static_cast<double>(own.down_ns - origin));
            if (calls.up) {
                departures.push_back(static_cast<double>(own.up_ns - origin));
            }
        }
        found.follows.push_back(calls.up && before && *before + 1 == call &&
                                calls.calls[*before].launch == calls.calls[call].launch);
        before = call;
    }
    return found;
}

/// How late each leaf usually leaves a call; zeros where that is not known.
std::vector<double> usual_departures(const LeafMoments& moments, std::size_t leaves) {
    std::vector<std::vector<double>> by_leaf(leaves);
    for (const auto& departures : moments.departures) {
        if (departures.empty()) {
            return std::vector<double>(leaves, 0);
        }
        const auto beyond = beyond_middle(departures);
        for (std::size_t leaf = 0; leaf < leaves; ++leaf) {
            by_leaf[leaf].push_back(beyond[leaf]);
        }
    }
    std::vector<double> usual;
    for (auto& values : by_leaf) {
        usual.push_back(stats::median_of(std::move(values)));
    }
    return usual;
}

/// The number by which the values of `from` are multiplied to come nearest to those of `to`, in the sum of
/// absolute differences: a few ranks that are late for other reasons do not change it much. Nothing if all of
/// `from` are 0.
std::optional<double> nearest_factor(const std::vector<double>& from, const std::vector<double>& to) {
    std::vector<std::pair<double, double>> ratios;  // with their weights
    double weights = 0;
    for (std::size_t i = 0; i < from.size(); ++i) {
        if (from[i] != 0) {
            ratios.emplace_back(to[i] / from[i], std::abs(from[i]));
            weights += std::abs(from[i]);
        }
    }
    std::ranges::sort(ratios);
    double sum = 0;
    for (const auto& [ratio, weight] : ratios) {
        sum += weight;
        if (sum >= weights / 2) {
            return ratio;
        }
    }
    return std::nullopt;
}

/// How much of the lateness with which leaves leave a call is left when they enter the next one: 1 if each
/// works by itself in between, 0 if they meet there, as in a barrier. The most that the trace allows.
double lasting_share(const LeafMoments& moments) {
    std::vector<double> shares;
    const auto calls = moments.entries.size();
    for (std::size_t part = 0; part < parts_of_trace; ++part) {
        std::vector<double> departures;
        std::vector<double> entries;
        for (auto call = part * calls / parts_of_trace; call < (part + 1) * calls / parts_of_trace; ++call) {
            if (moments.follows[call]) {
                std::ranges::copy(beyond_middle(moments.departures[call - 1]),
                                  std::back_inserter(departures));
                std::ranges::copy(beyond_middle(moments.entries[call]), std::back_inserter(entries));
            }
        }
        if (const auto share = nearest_factor(departures, entries)) {
            shares.push_back(*share);
        }
    }
    if (shares.size() < parts_of_trace) {
        return 1;
    }
    const double mean = stats::mean(shares);
    double squares = 0;
    for (const double share : shares) {
        squares += (share - mean) * (share - mean);
    }
    const auto count = static_cast<double>(shares.size());
    return std::clamp(mean + margin * std::sqrt(squares / (count - 1) / count), 0.0, 1.0);
}

/// One call: who was late by the program's doing.
struct LateInCall {
    std::vector<double> excess;  ///< by leaf: lateness that the tree does not explain
    std::vector<bool> late;      ///< by leaf: among the last
    std::size_t group = 0;       ///< how many have an excess like the latest one's
    double worst = 0;            ///< the largest excess; 0 if nobody has one
};

LateInCall late_in(const LeafMoments& moments, std::size_t call, const std::vector<double>& usual,
                   double lasting, const std::vector<double>& bounds) {
    const auto lateness = beyond_middle(moments.entries[call]);
    const auto leaves = lateness.size();
    std::vector<double> before(leaves, 0);
    if (moments.follows[call]) {
        before = beyond_middle(moments.departures[call - 1]);
    }
    LateInCall found{.excess = {}, .late = std::vector<bool>(leaves, false)};
    for (std::size_t leaf = 0; leaf < leaves; ++leaf) {
        // Who left the call before late enters late: that is the tree's doing. Whichever explains more
        // counts, as far as it lasts.
        const double inherited = lasting * std::max({0.0, usual[leaf], before[leaf]});
        found.excess.push_back(lateness[leaf] - inherited);
        if (found.excess[leaf] > bounds[leaf]) {
            found.worst = std::max(found.worst, found.excess[leaf]);
        }
    }
    const double latest = *std::ranges::max_element(lateness);
    for (std::size_t leaf = 0; leaf < leaves && found.worst > 0; ++leaf) {
        const bool in_group =
            found.excess[leaf] > bounds[leaf] && found.excess[leaf] >= among_the_last * found.worst;
        found.group += in_group ? 1 : 0;
        found.late[leaf] = in_group && lateness[leaf] >= among_the_last * latest;
    }
    return found;
}

/// How many independent values a series of zeros and ones amounts to, as a Markov chain of two states: it has
/// as many stretches as independent values would have, times 1 - r, where r is the correlation of neighbours,
/// and an autocorrelation time of (1 + r) / (1 - r).
double independent_states(const std::vector<double>& series) {
    const auto n = static_cast<double>(series.size());
    const double ones = stats::mean(series) * n;
    double stretches = 1;
    for (std::size_t i = 1; i < series.size(); ++i) {
        stretches += series[i] != series[i - 1] ? 1 : 0;
    }
    const double expected = 1 + 2 * ones * (n - ones) / n;
    const double share = std::min(1.0, stretches / expected);
    return n * share / (2 - share);
}

/// The path from a node to a leaf with the most last arrivals, added up.
class HeaviestSearch {
  public:
    HeaviestSearch(const NodeIndex& index, const std::vector<JoinResult>& joins) : index_(index) {
        for (const auto& join : joins) {
            for (const auto& contributor : join.contributors) {
                weights_[contributor.node] = contributor.last_arrivals;
            }
        }
    }

    [[nodiscard]] HeaviestPath from_root() const {
        // What the heaviest way below each node weighs; children come after their parents, leaves apart.
        std::vector<double> below(static_cast<std::size_t>(index_.nodes()), 0);
        std::vector<Node> next(static_cast<std::size_t>(index_.nodes()), -1);
        for (Node join = index_.nodes() - 1; join >= index_.root(); --join) {
            for (const Node child : index_.children(join)) {
                const double weight = weights_.at(child) + below[static_cast<std::size_t>(child)];
                auto& heaviest = next[static_cast<std::size_t>(join)];
                if (heaviest < 0 || weight > below[static_cast<std::size_t>(join)]) {
                    heaviest = child;
                    below[static_cast<std::size_t>(join)] = weight;
                }
            }
        }
        HeaviestPath path;
        for (Node node = next[static_cast<std::size_t>(index_.root())]; node >= 0;
             node = next[static_cast<std::size_t>(node)]) {
            path.nodes.push_back(node);
            path.weights.push_back(weights_.at(node));
        }
        return path;
    }

  private:
    const NodeIndex& index_;
    std::map<Node, double> weights_;
};

/// What is known of all leaves over all calls.
class LatenessOfLeaves {
  public:
    LatenessOfLeaves(const StageTimes& times, const LeafMoments& moments, double lasting)
        : leaves_(leaves_of(times)) {
        std::vector<double> bounds;
        for (int leaf = 0; leaf < times.index().leaves(); ++leaf) {
            bounds.push_back(static_cast<double>(bound_of(times, leaf).count));
        }
        const auto usual = usual_departures(moments, leaves_);
        series_.resize(leaves_);
        for (std::size_t call = 0; call < moments.entries.size(); ++call) {
            calls_.push_back(late_in(moments, call, usual, lasting, bounds));
            const auto& found = calls_.back();
            chance_ += static_cast<double>(found.group) / static_cast<double>(leaves_);
            cost_ += found.worst;
            for (std::size_t leaf = 0; leaf < leaves_; ++leaf) {
                series_[leaf].push_back(found.late[leaf] ? 1 : 0);
            }
        }
        chance_ /= static_cast<double>(calls_.size());
        independent_calls_ = lower_median(independent_calls());
    }

    /// How far entries of other ranks can be off.
    static Nanoseconds bound_of(const StageTimes& times, int leaf) {
        Nanoseconds largest{0};
        for (int other = 0; other < times.index().leaves(); ++other) {
            largest = std::max(
                largest, times.calls().bound_between(times.index().rank(leaf), times.index().rank(other)));
        }
        return largest;
    }

    /// What is found of a leaf, named or not.
    [[nodiscard]] LateLeaf of(std::size_t leaf) const {
        const auto& series = series_[leaf];
        LateLeaf found{.leaf = static_cast<int>(leaf)};
        found.rate = stats::mean(series);
        found.chance = chance_;
        double late_calls = 0;
        double late_ns = 0;
        double cost = 0;
        for (const auto& call : calls_) {
            if (call.late[leaf]) {
                ++late_calls;
                late_ns += call.excess[leaf];
                cost += call.worst;
            }
        }
        found.late_ns = late_calls > 0 ? late_ns / late_calls : 0;
        found.share = cost_ > 0 ? cost / cost_ : 0;
        // What makes a leaf late may last. Where it always is, how late it is says for how long.
        const double effective = std::min(independent_states(series), independent_calls_);
        found.p_value = std::min(
            1.0, static_cast<double>(leaves_) * stats::binomial_tail(found.rate, found.chance, effective));
        return found;
    }

    /// In calls in which both are late, how often the first may wait for the second: it is clearly less late,
    /// or about as late and behind it.
    [[nodiscard]] double follows(const LeafMoments& moments, int first, int second) const {
        double both = 0;
        double followed = 0;
        const auto a = static_cast<std::size_t>(first);
        const auto b = static_cast<std::size_t>(second);
        for (std::size_t call = 0; call < calls_.size(); ++call) {
            const auto& [excess, late, group, worst] = calls_[call];
            if (late[a] && late[b]) {
                ++both;
                const bool less = excess[a] < clearly_less * excess[b];
                const bool more = excess[b] < clearly_less * excess[a];
                const bool behind = moments.entries[call][a] > moments.entries[call][b];
                followed += less || (!more && behind) ? 1 : 0;
            }
        }
        return both > 0 ? followed / both : 0;
    }

  private:
    /// How many calls each leaf's lateness amounts to. If all leaves are the same, these estimate one number.
    [[nodiscard]] std::vector<double> independent_calls() const {
        std::vector<double> found;
        for (std::size_t leaf = 0; leaf < leaves_; ++leaf) {
            std::vector<double> excess;
            for (const auto& call : calls_) {
                excess.push_back(call.excess[leaf]);
            }
            found.push_back(stats::effective_sample_for_median(excess, stats::median_of(excess)).size);
        }
        return found;
    }

    static std::size_t leaves_of(const StageTimes& times) {
        return static_cast<std::size_t>(times.index().leaves());
    }

    std::size_t leaves_;
    std::vector<LateInCall> calls_;
    std::vector<std::vector<double>> series_;  ///< by leaf: 1 where it was late
    double chance_ = 0;
    double cost_ = 0;
    double independent_calls_ = 0;
};

/// The leaves that pass: more often than chance, and by enough to matter beside the tree.
std::vector<LateLeaf> late_leaves(const StageTimes& times, const LeafMoments& moments, double lasting,
                                  double tree_ns) {
    if (times.index().leaves() < 2) {
        return {};
    }
    const LatenessOfLeaves lateness(times, moments, lasting);
    std::vector<LateLeaf> late;
    for (int leaf = 0; leaf < times.index().leaves(); ++leaf) {
        const auto found = lateness.of(static_cast<std::size_t>(leaf));
        const double effect = (found.rate - found.chance) * found.late_ns;
        if (found.p_value < late_false_alarms && effect >= least_effect * tree_ns && effect > 0) {
            late.push_back(found);
        }
    }
    for (auto& leaf : late) {
        // The one furthest ahead among those it follows.
        for (const auto& other : late) {
            if (other.leaf != leaf.leaf &&
                lateness.follows(moments, leaf.leaf, other.leaf) >= nearly_always &&
                (!leaf.follows || lateness.follows(moments, *leaf.follows, other.leaf) >= nearly_always)) {
                leaf.follows = other.leaf;
            }
        }
    }
    std::stable_sort(late.begin(), late.end(), [](const LateLeaf& a, const LateLeaf& b) {
        return a.follows.has_value() != b.follows.has_value() ? !a.follows : a.share > b.share;
    });
    return late;
}

/// From one call to the next: the middle value, so that pauses between repetitions do not count.
double time_between_calls(const StageTimes& times) {
    std::vector<double> gaps;
    const auto& calls = times.calls();
    for (std::size_t i = 1; i < times.complete().size(); ++i) {
        const auto before = times.complete()[i - 1];
        const auto call = times.complete()[i];
        const auto& [launch, number, passages] = calls.calls[call];
        if (launch == calls.calls[before].launch && number > calls.calls[before].number) {
            gaps.push_back(static_cast<double>(calls.at(call, 0, End::own).down_ns -
                                               calls.at(before, 0, End::own).down_ns) /
                           static_cast<double>(number - calls.calls[before].number));
        }
    }
    return gaps.empty() ? 0 : stats::median_of(std::move(gaps));
}

/// The leaf that computes longest, if that is clearly longer than the others do.
std::optional<BusiestLeaf> busiest_of(const StageTimes& times) {
    std::vector<double> computing;
    for (int leaf = 0; leaf < times.index().leaves(); ++leaf) {
        const auto& known = times.calls().computing;
        const auto found = known.find(times.index().rank(leaf));
        if (found == known.end()) {
            return std::nullopt;
        }
        computing.push_back(found->second);
    }
    const auto longest = std::ranges::max_element(computing);
    const double middle = lower_median(computing);
    if (!(middle > 0) || !(*longest > more_work * middle)) {
        return std::nullopt;
    }
    const double between = time_between_calls(times);
    return BusiestLeaf{.leaf = static_cast<int>(longest - computing.begin()),
                       .times_middle = *longest / middle,
                       .more_ns = (*longest - middle) * between,
                       .saved_ns = (*longest - stats::mean(computing)) * between};
}

/// Who is late with the busiest leaf, and by no more than its work explains, waits for it; and that one for
/// nobody.
void follow(const BusiestLeaf& busiest, std::vector<LateLeaf>& late) {
    for (auto& leaf : late) {
        if (leaf.leaf == busiest.leaf) {
            leaf.follows = std::nullopt;
        } else if (among_the_last * leaf.late_ns <= busiest.more_ns) {
            leaf.follows = busiest.leaf;
        }
    }
    std::stable_partition(late.begin(), late.end(), [](const LateLeaf& leaf) { return !leaf.follows; });
}

/// The highest joins all of whose leaves are late.
std::vector<Node> late_joins(const NodeIndex& index, const std::vector<LateLeaf>& late) {
    std::set<int> named;
    for (const auto& leaf : late) {
        named.insert(leaf.leaf);
    }
    std::set<Node> covered;
    std::vector<Node> found;
    for (Node join = index.root() + 1; join < index.nodes(); ++join) {
        const auto leaves = index.leaves_below(join);
        const bool all =
            leaves.size() > 1 && std::ranges::all_of(leaves, [&](int leaf) { return named.contains(leaf); });
        if (all && !covered.contains(index.parent(join))) {
            found.push_back(join);
        }
        if (all || covered.contains(index.parent(join))) {
            covered.insert(join);
        }
    }
    return found;
}

/// By how much later the last leaf entered than with the usual time since the call before, by call.
std::vector<double> program_waits(const LeafMoments& moments, const std::vector<double>& usual,
                                  double lasting) {
    std::vector<double> waits;
    for (std::size_t call = 0; call < moments.entries.size(); ++call) {
        const auto& entries = moments.entries[call];
        // Where the call before is not known, leaves are assumed to have left it as they usually do.
        const auto departures = moments.follows[call] ? beyond_middle(moments.departures[call - 1]) : usual;
        std::vector<double> gaps;
        for (std::size_t leaf = 0; leaf < entries.size(); ++leaf) {
            gaps.push_back(entries[leaf] - lasting * departures[leaf]);
        }
        const double expected =
            lasting * *std::ranges::max_element(departures) + lower_median(std::move(gaps));
        waits.push_back(std::max(0.0, *std::ranges::max_element(entries) - expected));
    }
    return waits;
}

}  // namespace

std::optional<LoadBalance> load_balance_of(const StageTimes& times, const PathTimes& paths,
                                           const std::vector<JoinResult>& joins) {
    if (!times.calls().down || times.complete().empty()) {
        return std::nullopt;
    }
    const auto moments = moments_of_leaves(times);
    LoadBalance balance{.calls = times.complete().size()};
    balance.heaviest = HeaviestSearch(times.index(), joins).from_root();
    for (int leaf = 0; leaf < times.index().leaves(); ++leaf) {
        balance.clock_bound = std::max(balance.clock_bound, LatenessOfLeaves::bound_of(times, leaf));
    }
    std::vector<double> spreads;
    for (const auto& entries : moments.entries) {
        const auto [first, last] = std::ranges::minmax_element(entries);
        spreads.push_back(*last - *first);
    }
    const double lasting = lasting_share(moments);
    const auto waits = program_waits(
        moments, usual_departures(moments, static_cast<std::size_t>(times.index().leaves())), lasting);
    balance.entry_spread = summary_of(spreads);
    balance.program_wait = summary_of(waits);
    const double wait = stats::mean(waits);
    const double tree = stats::mean(paths.tree_ns);
    balance.late = late_leaves(times, moments, lasting, stats::median_of(paths.tree_ns));
    balance.busiest = busiest_of(times);
    if (balance.busiest) {
        follow(*balance.busiest, balance.late);
    }
    balance.imbalance_ns = wait;
    balance.program_share = wait + tree > 0 ? wait / (wait + tree) : 0;
    // What work costs is that of a usual call, so it is compared with the tree's usual time.
    const double saved = balance.busiest ? balance.busiest->saved_ns : 0;
    const double by_work = saved > 0 ? saved / (saved + stats::median_of(paths.tree_ns)) : 0;
    if (by_work > balance.program_share) {
        balance.imbalance_ns = saved;
        balance.program_share = by_work;
    }
    balance.fastest_factor =
        balance.program_share > 0 ? std::optional(1 / balance.program_share) : std::nullopt;
    balance.late_subtrees = late_joins(times.index(), balance.late);
    return balance;
}

}  // namespace fathom::tree
