// Synchronisation over real messages between clocks whose offset and drift are known exactly: all ranks read
// one base clock (they are on one host, or simulated) through wrappers that are off by known amounts.
#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "clock/timeline.hpp"
#include "mpi/check.hpp"
#include "probe/clock/synchroniser.hpp"
#include "probe/mpi/local_clock.hpp"
#include "probe/mpi/mpi_group.hpp"
#include "probe/skewed_clock.hpp"

using namespace fathom;
using probe::fakes::SkewedClock;

namespace {

constexpr Nanoseconds second{1'000'000'000};
constexpr Nanoseconds tenth{100'000'000};

struct Bed {
    test::Checks& checks;
    probe::Group& group;
    const probe::Clock& base;
    Nanoseconds origin;  ///< the same on all ranks

    /// Up to 100 ppm either way.
    [[nodiscard]] static double fast_ppm(int rank) { return rank % 2 == 0 ? -100.0 + rank : 100.0 - rank; }
    [[nodiscard]] SkewedClock clock_of(int rank) const {
        return {base, origin, Nanoseconds{rank * 1'000 * second.count + rank}, fast_ppm(rank)};
    }
    [[nodiscard]] probe::Synchroniser synchroniser(const probe::Clock& clock, clock::Scheme scheme) const {
        probe::SyncRules rules;
        rules.scheme = scheme;
        rules.take_turns = !probe::mpi::simulated && group.size() > 2;
        return {group, clock, {.host = group.rank() / 2}, rules};
    }
};

void every_scheme_holds_the_truth(const Bed& bed) {
    for (const auto scheme :
         {clock::Scheme::linear, clock::Scheme::log, clock::Scheme::tree, clock::Scheme::hosts}) {
        const auto clock = bed.clock_of(bed.group.rank());
        const auto link = bed.synchroniser(clock, scheme).synchronise().link;
        const auto moment = clock.base_when(link.at);
        const auto truth = bed.clock_of(0).at(moment) - clock.at(moment);
        FATHOM_EXPECT(bed.checks, link.low <= truth && truth <= link.high);
    }
}

/// The result of a phase with events on this rank.
struct Phase {
    double worst_ns = 0;         ///< largest error of an interpolated global time
    bool bounds_hold = true;     ///< and none beyond its bound
    double slope_error_ppm = 0;  ///< of the fitted drift
    double slope_bound_ppm = 0;  ///< that the bounds of the two links allow for
};

/// Events every tenth of the phase between two synchronisations.
Phase phase_of(const Bed& bed, Nanoseconds length) {
    const auto clock = bed.clock_of(bed.group.rank());
    const auto global = bed.clock_of(0);
    auto synchroniser = bed.synchroniser(clock, clock::Scheme::automatic);
    std::vector<clock::Link> links{synchroniser.synchronise().link};
    std::vector<Nanoseconds> events;  // on the base clock
    const auto begin = bed.base.now();
    constexpr int count = 10;
    for (int i = 1; i <= count; ++i) {
        events.push_back(bed.base.wait_until(begin + Nanoseconds{i * length.count / count}));
    }
    links.push_back(synchroniser.synchronise().link);
    const clock::Timeline timeline(links);
    Phase phase;
    for (const auto event : events) {
        const auto own = clock.at(event);
        const auto error = std::abs(static_cast<double>((timeline.global(own) - global.at(event)).count));
        phase.worst_ns = std::max(phase.worst_ns, error);
        phase.bounds_hold = phase.bounds_hold && error <= static_cast<double>(timeline.bound(own).count) + 1;
    }
    const double fast = 1 + Bed::fast_ppm(bed.group.rank()) * 1e-6;
    const double truth_ppm = ((1 + Bed::fast_ppm(0) * 1e-6) / fast - 1) * 1e6;
    phase.slope_error_ppm = std::abs(clock::fit_drift(links)->slope_ppm() - truth_ppm);
    phase.slope_bound_ppm = static_cast<double>((links[0].bound() + links[1].bound()).count) /
                            static_cast<double>((links[1].at - links[0].at).count) * 1e6;
    return phase;
}

/// Interpolated times and the drift are as right as the bounds say. How narrow bounds are is up to the
/// machine, and how much better the estimates are than their bounds; simulated round trips are symmetric, so
/// there the estimates are right to 0.5 us and 0.2 ppm.
void known_drift_is_corrected(const Bed& bed) {
    constexpr Nanoseconds real_length{2'000'000'000};
    constexpr Nanoseconds simulated_length{10'000'000'000};
    constexpr double accurate_ns = 500;
    constexpr double accurate_ppm = 0.2;
    const auto phase = phase_of(bed, probe::mpi::simulated ? simulated_length : real_length);
    FATHOM_EXPECT(bed.checks, phase.bounds_hold);
    FATHOM_EXPECT(bed.checks, phase.slope_error_ppm <= phase.slope_bound_ppm + 1e-3);
    if constexpr (probe::mpi::simulated) {
        FATHOM_EXPECT(bed.checks, phase.worst_ns <= accurate_ns);
        FATHOM_EXPECT(bed.checks, phase.slope_error_ppm <= accurate_ppm);
    }
}

/// The last rank's clock changes its frequency in the middle of a phase. Whether that was noticed there and
/// nowhere else. It must be where the bounds are too narrow to hide it.
bool step_noticed(const Bed& bed, Nanoseconds phase) {
    // With the drift that the ranks have before, less than the drift_limit_ppm that bounds hold for.
    constexpr double step_ppm = 250;
    auto clock = bed.clock_of(bed.group.rank());
    const auto global = bed.clock_of(0);
    const auto begin = bed.base.now();
    const bool stepping = bed.group.rank() == bed.group.size() - 1 && bed.group.size() > 1;
    const Nanoseconds step = begin + phase + Nanoseconds{phase.count / 2};
    if (stepping) {
        clock.step_at(step, step_ppm);
    }
    auto synchroniser = bed.synchroniser(clock, clock::Scheme::automatic);
    std::vector<clock::Link> links{synchroniser.synchronise().link};
    for (int i = 1; i <= 3; ++i) {
        bed.base.wait_until(begin + Nanoseconds{i * phase.count});
        links.push_back(synchroniser.synchronise().link);
    }
    const clock::Timeline timeline(links);
    if (!stepping) {
        FATHOM_EXPECT(bed.checks, timeline.breaks().empty());
        return true;
    }
    // What is found widens the bound enough to hold the truth where the step was.
    const auto own = clock.at(step);
    const auto error = std::abs((timeline.global(own) - global.at(step)).count);
    const bool noticed = !timeline.breaks().empty();
    FATHOM_EXPECT(bed.checks, !noticed || error <= timeline.bound(own).count + 1);
    // Half a phase after the step the offset is off its line by this; a line through four intervals can miss
    // the middle of each by its bound, and of two of them at once.
    const double off_ns = step_ppm * 1e-6 * static_cast<double>(phase.count) / 2;
    const auto widest = std::max_element(links.begin(), links.end(),
                                         [](const auto& a, const auto& b) { return a.bound() < b.bound(); });
    FATHOM_EXPECT(bed.checks, noticed || 2 * static_cast<double>(widest->bound().count) >= off_ns);
    return noticed;
}

/// A step that hid in bounds too wide for it, because the machine was too busy for a single short round trip,
/// is tried again in a phase three times as long, in which it moves the clock three times as far. Simulated
/// bounds hide none.
void a_frequency_step_is_found(const Bed& bed) {
    constexpr int most_tries = probe::mpi::simulated ? 1 : 4;
    // Bounds in simulation are some 20 us, between processes of one host a hundredth of that.
    Nanoseconds phase{(probe::mpi::simulated ? 30 : 5) * tenth.count};
    bool found = false;
    int tries = 0;
    while (tries < most_tries && !found) {
        found = bed.group.largest(step_noticed(bed, phase) ? 0 : 1) == 0;
        phase.count *= 3;
        ++tries;
    }
    FATHOM_EXPECT(bed.checks, found);
    if (bed.group.rank() == 0 && tries > 1) {
        fmt::print("RETRIED {} times: bounds were too wide for the step\n", tries - 1);
    }
}

}  // namespace

int main(int argc, char** argv) {
    return test::run_on_all_ranks(argc, argv, [](test::Checks& checks) {
        probe::mpi::MpiGroup group(MPI_COMM_WORLD, checks.size > 2);
        const auto base =
            probe::mpi::make_local_clock(
                group, probe::mpi::simulated ? clock::Source::automatic : clock::Source::monotonic_raw)
                .clock;
        const Bed bed{checks, group, *base, {group.largest(base->now().count)}};
        every_scheme_holds_the_truth(bed);
        a_frequency_step_is_found(bed);
        known_drift_is_corrected(bed);
    });
}
