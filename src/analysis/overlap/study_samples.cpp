#include "analysis/overlap/study_samples.hpp"

#include <algorithm>
#include <cstdint>
#include <set>

#include "stats/mean.hpp"
#include "stats/quantile.hpp"

namespace fathom::analysis {
namespace {

/// A repetition while its ranks are visited one after the other.
struct GatheredIteration {
    OverlapSamples::Repetition times;
    std::size_t ranks = 0;
    bool valid = true;
};

}  // namespace

StudyTime study_time(const journal::StudySample& sample, Nanoseconds reading, bool in_parts) {
    const auto without = [&](Nanoseconds time, std::int64_t readings) {
        return static_cast<double>(time.count - readings * reading.count);
    };
    StudyTime time{.start = sample.start, .whole_ns = without(sample.whole, 1)};
    if (in_parts) {
        time.post_ns = without(sample.post, 1);
        time.tests_ns = without(sample.tests, sample.tests_made);
        time.wait_ns = without(sample.wait, 1);
    }
    return time;
}

OverlapSamples::OverlapSamples(const store::Store& store, const store::PointRow& point)
    : steps_(store.study_steps(point.id)) {
    const auto empty = point.job ? store.empty_times(*point.job) : store::EmptyTimes{};
    std::set<int> in_parts;
    for (const auto& step : steps_) {
        if (step.scheme == journal::StepScheme::time) {
            in_parts.insert(step.step);
        }
    }
    std::map<std::pair<int, int>, std::vector<GatheredIteration>> gathered;
    std::map<int, std::size_t> most_ranks;  // of each step: work alone needs no partner
    store.visit_study(point.id, [&](int rank, const std::vector<journal::StudySample>& samples) {
        if (samples.empty()) {
            return;
        }
        const auto found = empty.find(rank);
        const auto reading = found == empty.end() ? Nanoseconds{0} : found->second;
        ranks_.push_back(rank);
        std::map<std::pair<int, int>, std::size_t> made;
        for (const auto& sample : samples) {
            const std::pair key{sample.step, sample.round};
            auto& reps = gathered[key];
            const auto rep = made[key]++;
            reps.resize(std::max(reps.size(), rep + 1));
            reps[rep].times.resize(ranks_.size());
            reps[rep].times.back() = study_time(sample, reading, in_parts.contains(sample.step));
            reps[rep].valid = reps[rep].valid && sample.valid;
            auto& most = most_ranks[sample.step];
            most = std::max(most, ++reps[rep].ranks);
            rounds_ = std::max(rounds_, sample.round + 1);
        }
    });
    for (auto& [key, reps] : gathered) {
        for (auto& rep : reps) {
            if (rep.valid && rep.ranks == most_ranks[key.first]) {
                rep.times.resize(ranks_.size());
                repetitions_[key].push_back(std::move(rep.times));
            }
        }
    }
}

const journal::StudyStep* OverlapSamples::find(journal::StepScheme scheme, bool tests) const {
    const auto found = std::find_if(steps_.begin(), steps_.end(), [&](const auto& step) {
        return step.scheme == scheme && (step.tests > 0) == tests;
    });
    return found == steps_.end() ? nullptr : &*found;
}

Rounds OverlapSamples::reduced(const journal::StudyStep& step, const Look& look, Reduce reduce) const {
    std::vector<std::optional<double>> made(static_cast<std::size_t>(rounds_));
    for (int round = 0; round < rounds_; ++round) {
        const auto found = repetitions_.find({step.step, round});
        if (found == repetitions_.end() || found->second.empty()) {
            continue;
        }
        std::vector<double> values;
        for (const auto& repetition : found->second) {
            values.push_back(look(repetition));
        }
        made[static_cast<std::size_t>(round)] = reduce(values);
    }
    return Rounds(std::move(made));
}

Rounds OverlapSamples::medians(const journal::StudyStep& step, const Look& look) const {
    return reduced(step, look, [](const std::vector<double>& values) { return stats::median_of(values); });
}

Rounds OverlapSamples::means(const journal::StudyStep& step, const Look& look) const {
    return reduced(step, look, [](const std::vector<double>& values) { return stats::mean(values); });
}

OverlapSamples::Look whole_of(std::size_t place) {
    return [place](const OverlapSamples::Repetition& repetition) { return repetition[place].whole_ns; };
}

OverlapSamples::Look largest(double (*part)(const StudyTime&)) {
    return [part](const OverlapSamples::Repetition& repetition) {
        double most = part(repetition.front());
        for (const auto& time : repetition) {
            most = std::max(most, part(time));
        }
        return most;
    };
}

}  // namespace fathom::analysis
