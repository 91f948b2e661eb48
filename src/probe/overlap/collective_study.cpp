// Non-blocking collectives after Hoefler, Schneider and Lumsdaine: overhead by time and by work.
#include <algorithm>
#include <cmath>

#include "plan/grid.hpp"
#include "probe/overlap/study.hpp"

namespace fathom::probe {
namespace {

/// A number of tests, and the interval that determined it.
struct Testing {
    std::int64_t tests = 0;
    std::int64_t interval_bytes = 0;
};

std::int64_t tests_of(std::int64_t size, std::int64_t interval) {
    return (size + interval - 1) / interval + 1;
}

/// The requested ones, or the size and its halves while the work between two tests is not negligible.
std::vector<Testing> testings_of(const StudyRules& rules, Nanoseconds work) {
    constexpr std::int64_t least_between_ns = 200;
    constexpr std::int64_t most_tests = 65;
    constexpr std::int64_t most_of_nothing = 8;
    const auto size = rules.size.count;
    std::vector<Testing> found;
    if (size == 0) {
        for (std::int64_t tests = 1; tests <= most_of_nothing; tests *= 2) {
            found.push_back({.tests = tests});
        }
        return found;
    }
    if (!rules.settings.intervals.empty()) {
        for (const auto interval : plan::size_grid(rules.settings.intervals).values) {
            found.push_back({.tests = tests_of(size, interval), .interval_bytes = interval});
        }
        return found;
    }
    for (auto interval = size; interval >= 1; interval /= 2) {
        const auto tests = tests_of(size, interval);
        if (tests > 2 && (tests > most_tests || work.count / (tests - 1) < least_between_ns)) {
            break;
        }
        found.push_back({.tests = tests, .interval_bytes = interval});
    }
    return found;
}

}  // namespace

StudyResult study_collective(const StudyBench& bench, const StudyRules& rules) {
    OverlapStudy study(bench, rules, true);
    if (!study.begin_round(0)) {
        return study.end();
    }
    study.add({.scheme = Scheme::at_once});
    constexpr std::int64_t ns_per_ms = 1'000'000;
    const Nanoseconds work{
        std::clamp<std::int64_t>(rules.at_once.count, 1, rules.settings.work_limit_ms * ns_per_ms)};
    // As much as the rank that can do most of it in that time.
    const auto units = bench.group.largest(study.rate().units_for(work));
    const auto add = [&](Scheme scheme, const Testing& testing) {
        study.add({.scheme = scheme,
                   .work = work,
                   .units = units,
                   .tests = testing.tests,
                   .interval_bytes = testing.interval_bytes});
    };
    for (const auto& testing : testings_of(rules, work)) {
        add(Scheme::time, testing);
        add(Scheme::work, testing);
    }
    // More often: interruptions of the work show in only a few repetitions.
    constexpr std::int64_t where_it_counts = 3;
    const int plain = static_cast<int>(study.steps().size());
    add(Scheme::time, {});
    add(Scheme::work, {});
    add(Scheme::alone, {});
    int round = 0;
    do {
        study.run_shuffled(plain, where_it_counts);
    } while (++round < study.rounds() && study.begin_round(round));
    return study.end();
}

}  // namespace fathom::probe
