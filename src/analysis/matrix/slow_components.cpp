#include "analysis/matrix/slow_components.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "analysis/matrix/slow_members.hpp"
#include "plan/pairing.hpp"

namespace fathom::analysis {
namespace {

constexpr std::int64_t least_reps = 2;  // one alone may be anything

std::optional<Spread> spread_of(const PairTimes& pair) {
    return pair.reps < least_reps
               ? std::nullopt
               : std::optional(Spread{.low = pair.low_ns, .middle = pair.median_ns, .high = pair.high_ns});
}

double quarter(std::vector<double> values) {
    constexpr std::size_t four = 4;
    const auto where = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / four);
    std::nth_element(values.begin(), where, values.end());
    return *where;
}

/// Several pairs as one. The faster ones speak for it, so that a slow process is not taken for a slow host.
std::optional<Spread> together(const std::vector<Spread>& pairs) {
    if (pairs.empty()) {
        return std::nullopt;
    }
    std::vector<double> lows;
    std::vector<double> middles;
    std::vector<double> highs;
    for (const auto& pair : pairs) {
        lows.push_back(pair.low);
        middles.push_back(pair.middle);
        highs.push_back(pair.high);
    }
    return Spread{.low = quarter(std::move(lows)),
                  .middle = quarter(std::move(middles)),
                  .high = upper_median(std::move(highs))};
}

Spread scaled(const Spread& spread, double unit) {
    return {.low = spread.low / unit, .middle = spread.middle / unit, .high = spread.high / unit};
}

/// Judges one matrix.
class Judge {
  public:
    explicit Judge(const MatrixResult& matrix)
        : matrix_(matrix), host_of_(plan::host_numbers(matrix.hosts)), between_(0) {
        const auto hosts = host_of_.empty() ? 0 : *std::max_element(host_of_.begin(), host_of_.end()) + 1;
        members_.resize(static_cast<std::size_t>(hosts));
        for (std::size_t rank = 0; rank < host_of_.size(); ++rank) {
            members_[host(rank)].push_back(rank);
        }
        between_ = Network(members_.size());
        for (std::size_t b = 0; b < members_.size(); ++b) {
            within_.push_back(together(pairs_between(b, b)));
            for (std::size_t a = 0; a < b; ++a) {
                if (const auto link = together(pairs_between(a, b))) {
                    between_.set(a, b, *link);
                }
            }
        }
    }

    SlowComponents judge() {
        SlowComponents result;
        result.limit = limit();
        judge_hosts(result.found);
        judge_links(result.found);
        judge_processes(result.found);
        judge_within_hosts(result.found);
        return result;
    }

  private:
    [[nodiscard]] std::size_t host(std::size_t rank) const {
        return static_cast<std::size_t>(host_of_[rank]);
    }
    [[nodiscard]] const std::string& name(std::size_t host) const {
        return matrix_.hosts[members_[host].front()];
    }

    static bool is_in(const std::vector<std::size_t>& some, std::size_t one) {
        return std::find(some.begin(), some.end(), one) != some.end();
    }

    /// Of all ranks of two hosts, or of one, but some.
    [[nodiscard]] std::vector<Spread> pairs_between(std::size_t host_a, std::size_t host_b,
                                                    const std::vector<std::size_t>& without = {}) const {
        std::vector<Spread> found;
        for (const auto a : members_[host_a]) {
            for (const auto b : members_[host_b]) {
                if ((host_a == host_b && a >= b) || is_in(without, a) || is_in(without, b)) {
                    continue;
                }
                if (const auto spread = spread_of(matrix_.pair(a, b))) {
                    found.push_back(*spread);
                }
            }
        }
        return found;
    }

    [[nodiscard]] std::optional<MatrixLimit> limit() const {
        if (std::none_of(matrix_.pairs.begin(), matrix_.pairs.end(),
                         [](const auto& pair) { return pair.reps >= least_reps; })) {
            return MatrixLimit::few_repetitions;
        }
        if (members_.size() == 2) {
            return MatrixLimit::two_hosts;
        }
        return matrix_.ranks.size() == 2 ? std::optional(MatrixLimit::two_processes) : std::nullopt;
    }

    void judge_hosts(std::vector<SlowComponent>& found) {
        slow_hosts_ = slow_members(between_);
        for (const auto slow : slow_hosts_) {
            std::vector<double> own;
            for (std::size_t other = 0; other < members_.size(); ++other) {
                if (const auto& link = between_.pair(slow, other)) {
                    own.push_back(link->middle);
                }
            }
            found.push_back(finding(ComponentKind::host, {name(slow)}, upper_median(std::move(own)),
                                    lower_median(links_without({}))));
        }
    }

    void judge_links(std::vector<SlowComponent>& found) const {
        for (const auto& slow : slow_pairs(between_, slow_hosts_)) {
            found.push_back(finding(ComponentKind::link, {name(slow.first), name(slow.second)},
                                    between_.pair(slow.first, slow.second)->middle,
                                    lower_median(links_without(slow))));
        }
    }

    /// Without slow processes: on a host with few others all pairs may be theirs.
    void judge_within_hosts(std::vector<SlowComponent>& found) const {
        constexpr std::size_t least_hosts = 3;
        std::vector<std::size_t> hosts;
        std::vector<Spread> spreads;
        for (std::size_t host = 0; host < members_.size(); ++host) {
            if (const auto spread = together(pairs_between(host, host, slow_ranks_))) {
                hosts.push_back(host);
                spreads.push_back(*spread);
            }
        }
        if (hosts.size() < least_hosts) {
            return;
        }
        for (const auto slow : slow_ones(spreads)) {
            std::vector<double> others;
            for (std::size_t i = 0; i < spreads.size(); ++i) {
                if (i != slow) {
                    others.push_back(spreads[i].middle);
                }
            }
            found.push_back(finding(ComponentKind::host, {name(hosts[slow])}, spreads[slow].middle,
                                    lower_median(std::move(others))));
            found.back().within = true;
        }
    }

    void judge_processes(std::vector<SlowComponent>& found) {
        slow_ranks_ = slow_members(made_alike());
        for (const auto rank : slow_ranks_) {
            auto [own, usual] = times_of(rank);
            if (own.empty() || usual.empty()) {
                continue;
            }
            found.push_back(finding(ComponentKind::process, {matrix_.hosts[rank]},
                                    upper_median(std::move(own)), lower_median(std::move(usual))));
            found.back().rank = matrix_.ranks[rank];
        }
    }

    /// All pairs of ranks, each as a multiple of what is usual for its two hosts or within hosts: only what
    /// is special about a process is left.
    [[nodiscard]] Network made_alike() const {
        std::vector<double> within;
        for (const auto& host : within_) {
            if (host) {
                within.push_back(host->middle);
            }
        }
        const double usual_within = within.empty() ? 0 : lower_median(std::move(within));
        Network network(matrix_.ranks.size());
        for (std::size_t b = 0; b < matrix_.ranks.size(); ++b) {
            for (std::size_t a = 0; a < b; ++a) {
                const bool same = host(a) == host(b);
                const auto spread = spread_of(matrix_.pair(a, b));
                const double unit = !spread ? 0
                                    : same  ? usual_within
                                            : between_.pair(host(a), host(b))->middle;
                if (unit > 0) {
                    network.set(a, b, scaled(*spread, unit));
                }
            }
        }
        return network;
    }

    /// Medians of a rank's pairs and of those of ranks that are not slow: between hosts, or within the only
    /// one.
    [[nodiscard]] std::pair<std::vector<double>, std::vector<double>> times_of(std::size_t rank) const {
        std::pair<std::vector<double>, std::vector<double>> times;
        for (std::size_t b = 0; b < matrix_.ranks.size(); ++b) {
            for (std::size_t a = 0; a < b; ++a) {
                const auto& pair = matrix_.pair(a, b);
                if (pair.reps < least_reps || (members_.size() > 1 && host(a) == host(b))) {
                    continue;
                }
                if (a == rank || b == rank) {
                    times.first.push_back(pair.median_ns);
                } else if (!is_in(slow_ranks_, a) && !is_in(slow_ranks_, b)) {
                    times.second.push_back(pair.median_ns);
                }
            }
        }
        return times;
    }

    /// Times of all links but those of slow hosts and one more.
    [[nodiscard]] std::vector<double> links_without(const std::optional<SlowPair>& left_out) const {
        std::vector<double> times;
        for (std::size_t b = 0; b < members_.size(); ++b) {
            for (std::size_t a = 0; a < b; ++a) {
                const auto& link = between_.pair(a, b);
                const bool this_one = left_out && left_out->first == a && left_out->second == b;
                if (link && !this_one && !is_in(slow_hosts_, a) && !is_in(slow_hosts_, b)) {
                    times.push_back(link->middle);
                }
            }
        }
        return times;
    }

    [[nodiscard]] SlowComponent finding(ComponentKind kind, std::vector<std::string> hosts, double time_ns,
                                        double median_ns) const {
        return {.kind = kind,
                .rank = {},
                .hosts = std::move(hosts),
                .within = false,
                .key = matrix_.key,
                .time_ns = time_ns,
                .median_ns = median_ns,
                .factor = time_ns / median_ns};
    }

    const MatrixResult& matrix_;
    std::vector<int> host_of_;                       // of ranks
    std::vector<std::vector<std::size_t>> members_;  // ranks of hosts
    Network between_;                                // of hosts
    std::vector<std::optional<Spread>> within_;      // hosts
    std::vector<std::size_t> slow_hosts_;
    std::vector<std::size_t> slow_ranks_;
};

}  // namespace

SlowComponents slow_components_in(const MatrixResult& matrix) {
    return Judge(matrix).judge();
}

std::vector<const MatrixResult*> telling(const std::vector<MatrixResult>& matrices) {
    int most = 0;
    for (const auto& matrix : matrices) {
        most = std::max(most, matrix.key.procs);
    }
    const MatrixResult* smallest = nullptr;
    const MatrixResult* largest = nullptr;
    for (const auto& matrix : matrices) {
        if (matrix.key.procs == most) {
            smallest = smallest == nullptr || matrix.key.size < smallest->key.size ? &matrix : smallest;
            largest = largest == nullptr || matrix.key.size > largest->key.size ? &matrix : largest;
        }
    }
    if (smallest == nullptr) {
        return {};
    }
    return smallest == largest ? std::vector{smallest} : std::vector{smallest, largest};
}

SlowComponents slow_components_of(const std::vector<MatrixResult>& matrices) {
    SlowComponents result;
    for (const auto* matrix : telling(matrices)) {
        if (matrix->disturbed) {
            result.limit = MatrixLimit::disturbed;
            continue;
        }
        auto more = slow_components_in(*matrix);
        std::move(more.found.begin(), more.found.end(), std::back_inserter(result.found));
        if (result.limit != MatrixLimit::disturbed) {
            result.limit = more.limit;
        }
    }
    return result;
}

}  // namespace fathom::analysis
