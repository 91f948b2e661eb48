#include "tree/improve/optimizer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include "base/error.hpp"
#include "tree/check.hpp"
#include "tree/improve/at.hpp"
#include "tree/make.hpp"

namespace fathom::tree {
namespace {

/// Candidates that are measured beside the best: with more, each has less time; with fewer, more jobs are
/// started.
constexpr std::size_t candidates_in_round = 4;
/// Rounds without a better tree before a size is done: the model learns from each that it was wrong.
constexpr int fruitless_rounds = 2;
constexpr int most_rounds = 12;
/// Candidates that are predicted to be slower than the best by more than this are not measured: many more of
/// them than of the others.
constexpr double hopeless = 1.1;
/// Hosts whose messages take this many times as long as those of the nearest two are in different sites.
constexpr double far_factor = 4;
/// Chains of more ranks are never the fastest, and take long to measure.
constexpr int longest_chain = 64;

bool significantly_faster(const RoundTime& a, const RoundTime& b) {
    return a.range_ns && b.range_ns && a.range_ns->high < b.range_ns->low;
}

const RoundTime* find_time(const std::vector<RoundTime>& times, const std::string& name, Bytes size) {
    const auto found = std::find_if(times.begin(), times.end(), [&](const RoundTime& time) {
        return time.name == name && time.size == size;
    });
    return found == times.end() ? nullptr : &*found;
}

/// What edges and ranks cost by the traced rounds, as a start for the fit.
class FirstCosts {
  public:
    FirstCosts(const Places& places, const std::vector<EdgeTime>& edges,
               const std::vector<ServingTime>& serving)
        : places_(places), edges_(edges), serving_(serving) {}

    [[nodiscard]] Costs costs() const {
        // Where nothing was measured: a small message between processes and between hosts, as orders of
        // magnitude.
        constexpr double usual_host_ns = 1'000;
        constexpr double usual_remote_ns = 10'000;
        constexpr double usual_flag_ns = 200;
        constexpr double usual_wake_ns = 3'000;
        constexpr double usual_per_byte_ns = 0.1;
        constexpr double usual_join_ns = 30;
        const auto host =
            line([&](const EdgeTime& edge) { return message(edge) && together(edge); }, usual_host_ns);
        const auto remote =
            line([&](const EdgeTime& edge) { return !together(edge) && !far(edge); }, usual_remote_ns);
        const auto away = line([&](const EdgeTime& edge) { return far(edge); }, remote.latency);
        const auto flag =
            line([](const EdgeTime& edge) { return edge.kind == EdgeKind::flag; }, usual_flag_ns);
        const double serving = serving_ns();
        Costs costs;
        costs[Cost::host_latency] = host.latency;
        costs[Cost::host_per_byte] = std::max(host.per_byte, usual_per_byte_ns / 10);
        costs[Cost::host_send] = costs[Cost::host_receive] = std::min(serving, host.latency) / 2;
        costs[Cost::remote_latency] = remote.latency;
        costs[Cost::remote_per_byte] = std::max(remote.per_byte / 2, usual_per_byte_ns / 10);
        costs[Cost::remote_send] = costs[Cost::remote_receive] = std::min(serving, remote.latency) / 2;
        costs[Cost::interface_per_message] = serving / 4;
        costs[Cost::interface_per_byte] = std::max(remote.per_byte / 2, usual_per_byte_ns / 10);
        costs[Cost::far_latency] = away.latency;
        costs[Cost::far_per_byte] = std::max(away.per_byte / 2, usual_per_byte_ns / 10);
        costs[Cost::flag_latency] = flag.latency;
        costs[Cost::flag_per_byte] = std::max(flag.per_byte, usual_per_byte_ns);
        costs[Cost::flag_send] = flag.latency / 4;
        costs[Cost::futex_latency] = costs[Cost::condvar_latency] = flag.latency + usual_wake_ns;
        costs[Cost::futex_send] = costs[Cost::condvar_send] = usual_wake_ns / 2;
        costs[Cost::join] = usual_join_ns;
        costs[Cost::join_per_byte] = usual_per_byte_ns;
        costs[Cost::constant] = usual_join_ns;
        return costs;
    }

  private:
    struct Line {
        double latency;
        double per_byte;
    };

    static bool message(const EdgeTime& edge) { return edge.kind == EdgeKind::message; }
    [[nodiscard]] bool together(const EdgeTime& edge) const {
        return place(places_.host, edge.from) == place(places_.host, edge.to);
    }
    [[nodiscard]] bool far(const EdgeTime& edge) const {
        return place(places_.site, edge.from) != place(places_.site, edge.to);
    }
    static int place(const std::vector<int>& places, int rank) { return places[at(rank)]; }

    /// Through the shortest times of the smallest and the largest size: others waited for something else.
    template <class Belongs>
    [[nodiscard]] Line line(const Belongs& belongs, double usual) const {
        std::map<std::int64_t, double> shortest;
        for (const auto& edge : edges_) {
            if (edge.from != edge.to && edge.down_ns > 0 && belongs(edge)) {
                const auto [at, is_new] = shortest.try_emplace(edge.size.count, edge.down_ns);
                at->second = std::min(at->second, edge.down_ns);
            }
        }
        if (shortest.empty()) {
            return {.latency = usual, .per_byte = 0};
        }
        const auto [small, first] = *shortest.begin();
        const auto [large, last] = *shortest.rbegin();
        const double slope =
            large > small ? std::max(0.0, (last - first) / static_cast<double>(large - small)) : 0;
        return {.latency = std::max(1.0, first - slope * static_cast<double>(small)), .per_byte = slope};
    }

    [[nodiscard]] double serving_ns() const {
        constexpr double usual_serving_ns = 500;
        std::vector<double> each;
        for (const auto& one : serving_) {
            if (one.each_ns > 0) {
                each.push_back(one.each_ns);
            }
        }
        if (each.empty()) {
            return usual_serving_ns;
        }
        const auto middle = each.begin() + static_cast<std::ptrdiff_t>(each.size() / 2);
        std::nth_element(each.begin(), middle, each.end());
        return *middle;
    }

    const Places& places_;
    const std::vector<EdgeTime>& edges_;
    const std::vector<ServingTime>& serving_;
};

class Optimizer {
  public:
    Optimizer(const OptimizerSettings& settings, const MeasureRound& measure)
        : settings_(settings), measure_(measure) {}

    Optimization run() {
        const bool measured = measure_shapes();
        for (const auto& size : settings_.sizes) {
            open_.insert(size.count);
        }
        while (measured && !open_.empty() && round_ < most_rounds && !out_of_time_) {
            improve();
        }
        conclude();
        found_.stop = out_of_time_ ? StopReason::out_of_time : StopReason::nothing_better;
        return std::move(found_);
    }

  private:
    /// Flat and binomial trees need no hosts, which the first job tells; then all others.
    bool measure_shapes() {
        std::vector<NamedTree> first;
        add_shape(first, Shape::flat, EdgeKind::message);
        add_shape(first, Shape::binomial, EdgeKind::message);
        if (!perform({.number = round_,
                      .sizes = settings_.sizes,
                      .trees = first,
                      .library = true,
                      .traced = true})) {
            return false;
        }
        find_sites();
        std::vector<NamedTree> others;
        const bool several = std::set<std::string>(hosts_.begin(), hosts_.end()).size() > 1;
        for (const auto kind : settings_.kinds) {
            // Between hosts all edges are messages: where every host has one rank, kinds make no difference.
            if (kind != EdgeKind::message && kind != EdgeKind::flag) {
                continue;  // tried beside the best
            }
            if (kind != EdgeKind::message && !ranks_share_hosts()) {
                continue;
            }
            for (const auto shape :
                 {Shape::flat, Shape::binomial, Shape::binary, Shape::k_ary, Shape::chain}) {
                if (shape != Shape::chain || settings_.procs <= longest_chain) {
                    add_shape(others, shape, kind);
                }
            }
            if (several && ranks_share_hosts()) {
                add_shape(others, Shape::two_level, kind);
                add_shape(others, Shape::two_level, kind, usual_arity);
            }
            if (several && found_.sites > 1) {
                add_shape(others, Shape::three_level, kind);
            }
        }
        std::erase_if(others, [&](const NamedTree& one) { return trees_.contains(one.name); });
        return others.empty() ||
               perform({.number = round_, .sizes = settings_.sizes, .trees = others, .traced = true});
    }

    void add_shape(std::vector<NamedTree>& trees, Shape shape, EdgeKind kind, std::optional<int> arity = {}) {
        Recipe recipe{
            .shape = shape, .procs = settings_.procs, .hosts = hosts_, .arity = arity, .edge = kind};
        if (shape == Shape::three_level) {
            recipe.sites = found_.sites;
        }
        auto name = std::string(to_text(shape));
        name += arity ? fmt::format("-{}", *arity) : "";
        name += kind == EdgeKind::message ? "" : fmt::format("-{}", to_text(kind));
        try {
            auto tree = make_tree(recipe);
            tree.name = name;
            if (!fault_of(tree, {.procs = settings_.procs, .hosts = hosts_})) {
                standard_.insert(name);
                trees.push_back({.name = std::move(name), .tree = std::move(tree)});
            }
        } catch (const BadInput&) {  // NOLINT(bugprone-empty-catch): a shape that these hosts do not allow
        }
    }

    [[nodiscard]] bool ranks_share_hosts() const {
        return hosts_.empty() || std::set<std::string>(hosts_.begin(), hosts_.end()).size() < hosts_.size();
    }

    /// Measures a round and remembers all of it. False if there is no time for it.
    bool perform(const Round& round, const std::map<std::string, double>& predictions = {}) {
        const auto result = measure_(round);
        if (!result) {
            out_of_time_ = true;
            return false;
        }
        ++round_;
        if (hosts_.empty()) {
            hosts_ = result->hosts;
            places_ = places_of(settings_.procs, hosts_);
        }
        for (const auto& named : round.trees) {
            trees_.try_emplace(named.name, named.tree);
        }
        edges_.insert(edges_.end(), result->edges.begin(), result->edges.end());
        serving_.insert(serving_.end(), result->serving.begin(), result->serving.end());
        for (const auto& time : result->times) {
            const auto predicted = predictions.find(time.name);
            found_.trials.push_back({.round = round.number,
                                     .run = result->run,
                                     .name = time.name,
                                     .size = time.size,
                                     .predicted_ns = predicted == predictions.end()
                                                         ? std::nullopt
                                                         : std::optional(predicted->second),
                                     .measured_ns = time.median_ns,
                                     .ci95_ns = time.ci95_ns,
                                     .reliable = time.reliable});
            if (const auto tree = trees_.find(time.name); tree != trees_.end()) {
                measured_.push_back({.tree = tree->second, .size = time.size, .time_ns = time.median_ns});
                auto& best = best_[time.size.count];
                if (round.traced && (best.name.empty() || time.median_ns < best.median_ns)) {
                    best = time;
                }
            }
        }
        last_times_ = result->times;
        return true;
    }

    /// Hosts whose messages take about as long as the fastest between any two hosts are in one site; what was
    /// measured so far connects all of them.
    void find_sites() {
        std::map<std::pair<int, int>, double> shortest;  // by hosts
        double nearest = std::numeric_limits<double>::infinity();
        for (const auto& edge : edges_) {
            const int from = places_.host[at(edge.from)];
            const int to = places_.host[at(edge.to)];
            if (from != to && edge.size == settings_.sizes.front() && edge.down_ns > 0) {
                const auto [place, is_new] = shortest.try_emplace(std::minmax(from, to), edge.down_ns);
                place->second = std::min(place->second, edge.down_ns);
                nearest = std::min(nearest, edge.down_ns);
            }
        }
        std::vector<int> site(places_.host.size());  // of each host
        std::iota(site.begin(), site.end(), 0);
        for (const auto& [hosts, time] : shortest) {
            if (time <= far_factor * nearest) {
                const int joined = site[at(hosts.first)];
                std::replace(site.begin(), site.end(), site[at(hosts.second)], joined);
            }
        }
        std::map<int, int> numbers;
        for (std::size_t rank = 0; rank < places_.site.size(); ++rank) {
            const int own = site[at(places_.host[rank])];
            places_.site[rank] = numbers.try_emplace(own, static_cast<int>(numbers.size())).first->second;
        }
        // Every host for itself: times differ too much to say anything.
        const int hosts = 1 + *std::max_element(places_.host.begin(), places_.host.end());
        found_.sites = static_cast<int>(numbers.size()) == hosts ? 1 : static_cast<int>(numbers.size());
        if (found_.sites == 1) {
            std::fill(places_.site.begin(), places_.site.end(), 0);
        }
    }

    void learn() {
        const auto start =
            found_.costs[Cost::join] > 0 ? found_.costs : FirstCosts(places_, edges_, serving_).costs();
        found_.costs = fitted(measured_, places_, settings_.ways, start);
    }

    /// One round for each size that is not done.
    void improve() {
        learn();
        const auto sizes = open_;
        for (const auto size : sizes) {
            if (!out_of_time_) {
                improve(Bytes{size});
            }
        }
    }

    void improve(Bytes size) {
        const auto& best = best_.at(size.count);
        const SearchSpace space{.hosts = hosts_,
                                .places = places_,
                                .kinds = settings_.kinds,
                                .ways = settings_.ways,
                                .size = size,
                                .costs = found_.costs};
        const auto known = [&](const RankTree& ranks) {
            return std::any_of(tried_.begin(), tried_.end(), [&](const auto& one) {
                return one.first == size.count && one.second == ranks;
            });
        };
        if (tried_.empty()) {
            for (const auto& [name, tree] : trees_) {
                for (const auto& each : settings_.sizes) {
                    tried_.emplace_back(each.count, rank_tree_of(tree));
                }
            }
        }
        const auto seed = settings_.seed + static_cast<std::uint64_t>(round_);
        auto found =
            candidates(space, {rank_tree_of(trees_.at(best.name))}, seed, candidates_in_round, known);
        const double of_best =
            predicted_ns(trees_.at(best.name), places_, size, settings_.ways, found_.costs);
        std::erase_if(found, [&](const Candidate& one) { return one.predicted_ns > hopeless * of_best; });
        if (found.empty()) {
            open_.erase(size.count);
            return;
        }
        Round round{
            .number = round_, .sizes = {size}, .trees = {{.name = best.name, .tree = trees_.at(best.name)}}};
        std::map<std::string, double> predictions;
        for (auto& candidate : found) {
            const auto name = fmt::format("c{}", ++candidates_);
            tried_.emplace_back(size.count, candidate.ranks);
            round.trees.push_back({.name = name, .tree = tree_of(candidate.ranks, hosts_, name)});
            // The best is measured in the same job: what the model thinks of both is compared, not of one
            // alone.
            predictions[name] = candidate.predicted_ns * best.median_ns / of_best;
        }
        if (perform(round, predictions)) {
            judge(size);
        }
    }

    void judge(Bytes size) {
        const auto* const before = find_time(last_times_, best_.at(size.count).name, size);
        const RoundTime* better = nullptr;
        for (const auto& time : last_times_) {
            const bool candidate =
                before != nullptr && time.name != before->name && significantly_faster(time, *before);
            if (candidate && (better == nullptr || time.median_ns < better->median_ns)) {
                better = &time;
            }
        }
        auto& fruitless = fruitless_[size.count];
        if (better == nullptr) {
            if (before != nullptr) {
                best_[size.count] = *before;
            }
            if (++fruitless >= fruitless_rounds) {
                open_.erase(size.count);
            }
            return;
        }
        fruitless = 0;
        best_[size.count] = *better;
        for (auto& trial : found_.trials) {
            trial.accepted = trial.accepted ||
                             (trial.name == better->name && trial.size == size && trial.round == round_ - 1);
        }
    }

    /// Everything that is reported comes from one job.
    void conclude() {
        if (best_.empty()) {
            return;
        }
        Round round{.number = round_, .sizes = settings_.sizes, .trees = {}, .library = true, .last = true};
        std::set<std::string> names{std::string(to_text(Shape::flat))};
        for (const auto& [size, best] : best_) {
            names.insert(best.name);
            if (const auto standard = best_standard(Bytes{size})) {
                names.insert(*standard);
            }
        }
        for (const auto& name : names) {
            if (const auto tree = trees_.find(name); tree != trees_.end()) {
                round.trees.push_back({.name = name, .tree = tree->second});
            }
        }
        if (!perform(round)) {
            // Interrupted: what was the best in its own round, beside nothing else.
            last_times_.clear();
            for (const auto& [size, best] : best_) {
                last_times_.push_back(best);
            }
        }
        for (const auto& size : settings_.sizes) {
            conclude(size);
        }
        learn();
        found_.error_of_fit = mean_error(measured_, places_, settings_.ways, found_.costs);
        double sum = 0;
        for (const auto& trial : found_.trials) {
            if (trial.predicted_ns) {
                sum += std::abs(*trial.predicted_ns / trial.measured_ns - 1);
                ++found_.predictions;
            }
        }
        found_.error_of_prediction =
            found_.predictions > 0 ? sum / static_cast<double>(found_.predictions) : 0;
        make_ranges();
    }

    [[nodiscard]] bool is_standard(const std::string& name) const { return standard_.contains(name); }

    /// The fastest standard shape of a size, by the rounds that measured them.
    [[nodiscard]] std::optional<std::string> best_standard(Bytes size) const {
        const Trial* best = nullptr;
        for (const auto& trial : found_.trials) {
            const bool standard = trial.size == size && !trial.predicted_ns && is_standard(trial.name) &&
                                  trial.name != library_name;
            if (standard && (best == nullptr || trial.measured_ns < best->measured_ns)) {
                best = &trial;
            }
        }
        return best == nullptr ? std::nullopt : std::optional(best->name);
    }

    void conclude(Bytes size) {
        BestOfSize best{.size = size};
        for (const auto& time : last_times_) {
            if (time.size != size) {
                continue;
            }
            if (time.name == library_name) {
                best.library = time;
                continue;
            }
            if (time.name == to_text(Shape::flat)) {
                best.flat = time;
            }
            if (is_standard(time.name) && (!best.standard || time.median_ns < best.standard->median_ns)) {
                best.standard = time;
            }
            if (best.best.name.empty() || time.median_ns < best.best.median_ns) {
                best.best = time;
            }
        }
        // A standard shape is simpler: another tree has to be faster beyond doubt.
        if (best.standard && !significantly_faster(best.best, *best.standard)) {
            best.best = *best.standard;
        }
        if (!best.best.name.empty()) {
            found_.best.push_back(best);
        }
    }

    /// A tree serves the next size too unless another one is significantly faster there.
    void make_ranges() {
        for (const auto& best : found_.best) {
            if (!found_.ranges.empty()) {
                auto& range = found_.ranges.back();
                const auto* const same = find_time(last_times_, range.tree.name, best.size);
                if (same != nullptr && !significantly_faster(best.best, *same)) {
                    range.last = best.size;
                    continue;
                }
            }
            found_.ranges.push_back({.first = best.size,
                                     .last = best.size,
                                     .tree = {.name = best.best.name, .tree = trees_.at(best.best.name)}});
        }
    }

    const OptimizerSettings& settings_;
    const MeasureRound& measure_;
    Optimization found_;
    int round_ = 0;
    int candidates_ = 0;
    bool out_of_time_ = false;
    Hosts hosts_;
    Places places_;
    std::map<std::string, Tree> trees_;  // all that were measured
    std::set<std::string> standard_;     // names of those that are standard shapes
    std::vector<MeasuredTree> measured_;
    std::vector<EdgeTime> edges_;
    std::vector<ServingTime> serving_;
    std::vector<std::pair<std::int64_t, RankTree>> tried_;  // at which size
    std::map<std::int64_t, RoundTime> best_;                // by size
    std::map<std::int64_t, int> fruitless_;
    std::set<std::int64_t> open_;  // sizes
    std::vector<RoundTime> last_times_;
};

}  // namespace

Optimization optimize(const OptimizerSettings& settings, const MeasureRound& measure) {
    return Optimizer(settings, measure).run();
}

std::optional<stats::Interval> speedup_interval(const RoundTime& faster, const RoundTime& slower) {
    if (!faster.range_ns || !slower.range_ns) {
        return std::nullopt;
    }
    return stats::Interval{.low = slower.range_ns->low / faster.range_ns->high,
                           .high = slower.range_ns->high / faster.range_ns->low};
}

}  // namespace fathom::tree
