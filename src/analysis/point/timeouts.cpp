#include "analysis/point/timeouts.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "analysis/samples/coincidence.hpp"
#include "stats/binomial.hpp"
#include "stats/mean.hpp"
#include "stats/quantile.hpp"

namespace fathom::analysis {
namespace {

constexpr double usual_rto_ns = 200e6;
/// A timer may have been set a little shorter than the connection's value at the end of the point.
constexpr double early = 0.05;
/// Ticks of the kernel's timer, waking up, and a connection that begins again with one segment in flight.
constexpr double late = 0.3;
/// A process that waits for one connection goes on with the others: as much of a repetition without timeouts
/// may pass meanwhile, as a share of the timeout.
constexpr double most_meanwhile = 0.25;

/// How a repetition is read.
struct Reading {
    int units = 0;     ///< whole timeouts that fit between the fastest repetition and this one
    int timeouts = 0;  ///< that it had
    bool repaired = false;
};

std::vector<double> sorted_of(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values;
}

/// The timeout as the lowest cluster of times far from the others shows it; nothing if there is none.
std::optional<double> estimated_rto(const std::vector<double>& sorted) {
    constexpr double shortest_ns = 20e6;  // kernels use no less unless configured to
    constexpr double longest_ns = 3e9;
    constexpr double tight = 1.2;
    constexpr double apart = 3;
    constexpr std::ptrdiff_t few = 3;
    constexpr double body_share = 0.5;
    const double least = sorted.front();
    const double body = stats::quantile(sorted, body_share) - least;
    const auto far =
        std::lower_bound(sorted.begin(), sorted.end(), least + std::max(shortest_ns, apart * body));
    if (far == sorted.end() || *far - least > longest_ns) {
        return std::nullopt;
    }
    const double excess = *far - least;
    const auto end = std::upper_bound(far, sorted.end(), least + tight * excess);
    // Nothing may lie between the body and the cluster but the gap.
    const bool gap = far == sorted.begin() || excess > 2 * (*(far - 1) - least);
    return end - far >= few && gap ? std::optional(excess) : std::nullopt;
}

/// Fewest timeouts that make up this many units: those of one segment double (1, 3, 7 units).
int doubling(int units) {
    int count = 0;
    while (units > 0) {
        int last = 1;
        int steps = 1;
        while (last <= (units - 1) / 2) {
            last = 2 * last + 1;
            ++steps;
        }
        units -= last;
        count += steps;
    }
    return count;
}

class Search {
  public:
    Search(const Repetitions& repetitions, const Evidence& evidence)
        : repetitions_(repetitions),
          evidence_(evidence),
          wholes_(whole_times(repetitions)),
          sorted_(sorted_of(wholes_)),
          readings_(wholes_.size()) {
        found_.certain = evidence.network && repetitions.when.size() == repetitions.times.size();
    }

    Timeouts result() {
        set_rto();
        set_base();
        find_units();
        if (found_.certain) {
            assign_windows();
        }
        if (!separable()) {
            found_.status = TimeoutStatus::unclear;
            found_.mean_ns = stats::mean(repetitions_.times);
            return std::move(found_);
        }
        read_units();
        put_classes();
        return std::move(found_);
    }

  private:
    /// What the kernels counted in one repetition.
    struct Seen {
        std::map<int, std::int64_t> by_rank;  ///< timeouts, by who read for its host
        std::int64_t repairs = 0;
        std::int64_t probes = 0;

        /// A lost segment that carried an acknowledgement makes both ends of its connection time out at the
        /// same moment, which delays once: the host that counted most says how often.
        [[nodiscard]] std::int64_t timeouts() const {
            std::int64_t most = 0;
            for (const auto& [rank, count] : by_rank) {
                most = std::max(most, count);
            }
            return most;
        }
    };

    void set_rto() {
        found_.least_rto_ns = usual_rto_ns;
        if (evidence_.rto_min) {
            found_.least_rto_ns = static_cast<double>(evidence_.rto_min->count);
        }
        if (evidence_.rto) {
            found_.rto_ns = static_cast<double>(evidence_.rto->count);
            found_.rto_from = RtoSource::connection;
        } else if (evidence_.rto_min) {
            found_.rto_ns = static_cast<double>(evidence_.rto_min->count);
            found_.rto_from = RtoSource::kernel;
        } else {
            const auto estimate = estimated_rto(sorted_);
            found_.rto_ns = estimate.value_or(usual_rto_ns);
            found_.rto_from = estimate ? RtoSource::estimated : RtoSource::guessed;
        }
    }

    /// What a repetition takes without timeouts: the fastest one, unless that may have had one itself. Then
    /// the fastest of those in which no kernel counted any; without such, nothing is known of it.
    void set_base() {
        base_ = sorted_.front();
        if (!found_.certain || base_ < (1 - early) * found_.rto_ns) {
            return;
        }
        const RepetitionsInTime in_time(repetitions_);
        std::vector<bool> counted(wholes_.size());
        for (const auto& window : evidence_.windows) {
            const auto range = in_time.during(window.when);
            for (auto i = range.first; window.counts.tcp_timeouts > 0 && i < range.end; ++i) {
                counted[i] = true;
            }
        }
        std::optional<double> without;
        for (std::size_t i = 0; i < wholes_.size(); ++i) {
            if (!counted[i]) {
                without = std::min(without.value_or(wholes_[i]), wholes_[i]);
            }
        }
        base_ = without.value_or(0);
    }

    [[nodiscard]] double in_rtos(double whole) const { return (whole - base_) / found_.rto_ns; }
    /// By how many timeouts a repetition may take less than the fastest one and its own.
    [[nodiscard]] double slack() const { return early + std::min(most_meanwhile, base_ / found_.rto_ns); }
    [[nodiscard]] double units_of(double rtos) const { return std::floor(rtos + slack()); }

    void find_units() {
        constexpr double most_units = 1e9;  // fits an int; connections break long before
        std::vector<double> body;
        for (const auto whole : sorted_) {
            if (units_of(in_rtos(whole)) < 1) {
                body.push_back(in_rtos(whole));
            }
        }
        constexpr double nearly_all = 0.99;
        width_ = body.empty() ? 0 : stats::quantile(body, nearly_all);
        for (std::size_t i = 0; i < wholes_.size(); ++i) {
            const double rtos = in_rtos(wholes_[i]);
            const double units = std::max(0.0, units_of(rtos));
            // Without counters, only what lies where a cluster is counts as one.
            const bool fits = found_.certain || rtos - units <= width_ + late;
            readings_[i].units = fits ? static_cast<int>(std::min(units, most_units)) : 0;
        }
    }

    /// Whether clusters of times can be separated: the body does not reach from one to the next.
    [[nodiscard]] bool separable() const {
        constexpr double widest = 0.6;
        constexpr double middle = 0.5;
        constexpr double most_between = 0.2;
        constexpr double few = 2;
        std::int64_t between = 0;
        std::int64_t beyond = 0;
        for (const auto whole : wholes_) {
            const double rtos = in_rtos(whole);
            const bool delayed = units_of(rtos) >= 1;
            between += rtos > widest && !delayed ? 1 : 0;
            beyond += delayed ? 1 : 0;
        }
        if (beyond == 0 || (found_.certain && found_.counted.value_or(0) == 0)) {
            return true;  // nothing to separate
        }
        // Where kernels counted timeouts, nothing else needs to speak for them.
        return (found_.certain || in_rtos(stats::quantile(sorted_, middle)) < middle || clustered()) &&
               width_ <= widest &&
               static_cast<double>(between) <= std::max(few, most_between * static_cast<double>(beyond));
    }

    /// Whether those beyond the body lie next to multiples of the timeout, more than a broad distribution
    /// would have there. Where most are beyond it, only that distinguishes timeouts from an operation that
    /// takes just as long.
    [[nodiscard]] bool clustered() const {
        constexpr double nearly_all = 0.9;
        constexpr std::int64_t some = 6;
        constexpr double by_chance = 1e-3;
        std::int64_t body = 0;
        std::int64_t near = 0;
        for (const auto whole : wholes_) {
            const double rtos = in_rtos(whole);
            const double units = units_of(rtos);
            body += units < 1 ? 1 : 0;
            near += units >= 1 && rtos - units <= width_ + late ? 1 : 0;
        }
        const auto beyond = static_cast<double>(wholes_.size()) - static_cast<double>(body);
        const auto share = static_cast<double>(near) / beyond;
        const double places = slack() + width_ + late;  // next to a multiple, of all that there are
        return body >= some && share >= nearly_all && places < nearly_all &&
               stats::binomial_tail(share, places, beyond) <= by_chance;
    }

    /// The repetition that filled most of a stretch, by the time it counts as: a rank may wait for the next
    /// one while this one is still under way elsewhere.
    [[nodiscard]] std::optional<std::size_t> longest_in(const RepetitionsInTime& in_time,
                                                        const Stretch& stretch) const {
        std::optional<std::size_t> longest;
        double most = 0;
        const auto range = in_time.during(stretch);
        for (auto i = range.first; i < range.end; ++i) {
            const double filled =
                std::min(static_cast<double>(in_time.overlap(i, stretch).count), wholes_[i]);
            if (!longest || filled > most) {
                longest = i;
                most = filled;
            }
        }
        return longest;
    }

    /// Several repetitions may have been delayed between two readings: each gets as many as it must have had,
    /// the longest one the rest, as far as it did not delay what lies between repetitions. Returns how many
    /// repetitions had.
    std::int64_t share_out(const RepetitionsInTime& in_time, const EvidenceWindow& window,
                           std::size_t longest) {
        constexpr double most_of_it = 0.5;
        auto left = window.counts.tcp_timeouts;
        auto between = static_cast<double>((window.when.end - window.when.begin).count);
        const auto range = in_time.during(window.when);
        for (auto i = range.first; i < range.end; ++i) {
            if (readings_[i].units == 0) {
                continue;
            }
            const auto overlap = static_cast<double>(in_time.overlap(i, window.when).count);
            between -= overlap;
            if (i != longest && left > 1 && overlap > most_of_it * wholes_[i]) {
                const auto own = std::min<std::int64_t>(left - 1, doubling(readings_[i].units));
                seen_[i].by_rank[window.rank] += own;
                left -= own;
            }
        }
        // More than fit into the longest one one after another may have come at once on several
        // connections, or between repetitions if there was the time for them.
        const auto room =
            static_cast<std::int64_t>(std::max(0.0, std::floor(between / found_.rto_ns + early)));
        const auto outside = std::clamp<std::int64_t>(left - readings_[longest].units, 0, room);
        seen_[longest].by_rank[window.rank] += left - outside;
        *found_.counted_outside += outside;
        return window.counts.tcp_timeouts - outside;
    }

    /// Gives what the kernels counted to the repetitions that it delayed.
    void assign_windows() {
        const RepetitionsInTime in_time(repetitions_);
        seen_.resize(wholes_.size());
        found_.counted_outside = 0;
        found_.probes = 0;
        const double slow = slow_threshold(wholes_);
        for (const auto& window : evidence_.windows) {
            const auto& counts = window.counts;
            if (counts.tcp_timeouts + counts.tcp_retransmits + counts.tcp_probes == 0) {
                continue;
            }
            *found_.probes += counts.tcp_probes;
            const auto rep = longest_in(in_time, window.when);
            const bool delayed = rep && readings_[*rep].units > 0;
            if (delayed || (rep && wholes_[*rep] > slow)) {
                seen_[*rep].repairs += counts.tcp_retransmits;
                seen_[*rep].probes += counts.tcp_probes;
            }
            if (!delayed) {
                *found_.counted_outside += counts.tcp_timeouts;
            } else if (counts.tcp_timeouts > 0) {
                const auto host = evidence_.hosts.find(window.rank);
                found_.counted_on[host == evidence_.hosts.end() ? "" : host->second] +=
                    share_out(in_time, window, *rep);
            }
        }
        found_.counted = 0;
        for (const auto& seen : seen_) {
            *found_.counted += seen.timeouts();
        }
    }

    /// Whether three units and more are rather one segment lost several times than several segments: more of
    /// them than independent ones would make (Poisson).
    [[nodiscard]] bool rather_doubled() const {
        double ones = 0;
        double many = 0;
        for (const auto& reading : readings_) {
            ones += reading.units == 1 ? 1 : 0;
            many += reading.units >= 3 ? 1 : 0;
        }
        constexpr double ways = 6;  // orders of three
        const auto reps = static_cast<double>(readings_.size());
        const double expected = reps * std::pow(ones / reps, 3) / ways;
        return many > expected + 2 * std::sqrt(expected);
    }

    void read_units() {
        const bool doubled = rather_doubled();
        for (std::size_t i = 0; i < readings_.size(); ++i) {
            auto& reading = readings_[i];
            if (!found_.certain) {
                reading.timeouts = doubled ? doubling(reading.units) : reading.units;
                continue;
            }
            const auto counted = seen_[i].timeouts();
            reading.repaired = counted == 0 && seen_[i].repairs > 0;
            if (counted > 0) {
                reading.timeouts = nearest_reading(reading.units, seen_[i].probes, counted);
            }
        }
    }

    /// The times alone are ambiguous: timeouts double or add up, and a tail-loss probe of a
    /// lone segment waits as long as one. The kernel's count is nearest to one of them.
    static int nearest_reading(int units, std::int64_t probes, std::int64_t counted) {
        int nearest = doubling(units);
        for (int left = units; left > 0 && units - left <= probes; --left) {
            for (const int timeouts : {doubling(left), left}) {
                nearest = std::abs(counted - timeouts) < std::abs(counted - nearest) ? timeouts : nearest;
            }
        }
        return nearest;
    }

    void put_classes() {
        constexpr std::array kinds{TimeoutKind::none, TimeoutKind::repaired, TimeoutKind::one,
                                   TimeoutKind::two, TimeoutKind::more};
        constexpr std::size_t without = 2;  // of these classes
        for (const auto kind : kinds) {
            found_.classes.push_back({.kind = kind});
        }
        found_.delayed.resize(readings_.size());
        std::vector<double> undisturbed;
        std::vector<double> usual;
        for (std::size_t i = 0; i < readings_.size(); ++i) {
            const auto& reading = readings_[i];
            const auto place =
                reading.timeouts > 0
                    ? std::min<std::size_t>(1 + static_cast<std::size_t>(reading.timeouts), kinds.size() - 1)
                : reading.repaired ? std::size_t{1}
                                   : std::size_t{0};
            auto& in = found_.classes[place];
            in.from_ns = in.reps == 0 ? wholes_[i] : std::min(in.from_ns, wholes_[i]);
            in.to_ns = std::max(in.to_ns, wholes_[i]);
            ++in.reps;
            found_.inferred += reading.timeouts;
            found_.delayed[i] = reading.timeouts > 0;
            if (place < without) {
                undisturbed.push_back(repetitions_.times[i]);
            }
            if (place == 0) {
                usual.push_back(wholes_[i]);
            }
        }
        for (auto& in : found_.classes) {
            in.share = static_cast<double>(in.reps) / static_cast<double>(readings_.size());
        }
        found_.status = found_.inferred > 0 ? TimeoutStatus::found : TimeoutStatus::none;
        found_.mean_ns = stats::mean(repetitions_.times);
        found_.median_ns = usual.empty() ? 0 : stats::quantile(sorted_of(usual), 0.5);
        // A repetition counts as its slowest process already, so those without say what all would have taken.
        if (!undisturbed.empty()) {
            found_.mean_without_ns = stats::mean(undisturbed);
        }
    }

    const Repetitions& repetitions_;
    const Evidence& evidence_;
    std::vector<double> wholes_;
    std::vector<double> sorted_;
    std::vector<Reading> readings_;
    std::vector<Seen> seen_;
    double base_ = 0;   // what a repetition without timeouts takes at least
    double width_ = 0;  // of the body, in timeouts
    Timeouts found_;
};

}  // namespace

Timeouts timeouts_of(const Repetitions& repetitions, const Evidence& evidence, bool over_tcp) {
    if (!over_tcp || repetitions.times.empty()) {
        Timeouts found;
        found.status = TimeoutStatus::not_tcp;
        return found;
    }
    return Search(repetitions, evidence).result();
}

}  // namespace fathom::analysis
