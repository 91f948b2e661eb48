#include "analysis/repetitions.hpp"

#include <algorithm>

namespace fathom::analysis {
namespace {

/// What is known of one repetition while its ranks are visited one after the other.
struct Gathered {
    double time = 0;  ///< largest, smallest or sum so far
    int ranks = 0;
    bool valid = true;
    std::int64_t first_start = INT64_MAX;  ///< on the global clock
    std::int64_t last_start = INT64_MIN;
    std::int64_t last_end = INT64_MIN;
};

class Gathering {
  public:
    Gathering(const SampleTime& time, const GlobalTime& clock, const std::string& over_ranks)
        : time_(time), clock_(clock), over_ranks_(over_ranks) {}

    void add(int rank, std::int64_t first_rep, const std::vector<journal::Sample>& samples) {
        const auto begin = static_cast<std::size_t>(first_rep);
        reps_.resize(std::max(reps_.size(), begin + samples.size()));
        for (std::size_t i = 0; i < samples.size(); ++i) {
            add(reps_[begin + i], rank, samples[i]);
        }
    }

    [[nodiscard]] const std::vector<Gathered>& reps() const { return reps_; }

    /// What a valid repetition counts as, if it counts.
    [[nodiscard]] std::optional<double> time_of(const Gathered& rep) const {
        if (rep.ranks == 0) {
            return std::nullopt;
        }
        if (over_ranks_ == "span") {
            return clock_.known() ? std::optional(time_.by_call({rep.last_end - rep.first_start}))
                                  : std::nullopt;
        }
        return over_ranks_ == "mean" ? rep.time / rep.ranks : rep.time;
    }

  private:
    void add(Gathered& rep, int rank, const journal::Sample& sample) {
        if (!sample.valid) {
            rep.valid = false;
            return;
        }
        const auto whole = time_.whole(rank, sample);
        if (clock_.known()) {
            const auto start = clock_.global(rank, sample.start).count;
            rep.first_start = std::min(rep.first_start, start);
            rep.last_start = std::max(rep.last_start, start);
            rep.last_end = std::max(rep.last_end, start + whole.count);
        }
        if (over_ranks_ == "root" && rank != 0) {
            return;
        }
        const auto time = time_.by_call(whole);
        const bool first = rep.ranks++ == 0;
        if (over_ranks_ == "mean") {
            rep.time += time;
        } else if (over_ranks_ == "min") {
            rep.time = first ? time : std::min(rep.time, time);
        } else {
            rep.time = std::max(rep.time, time);
        }
    }

    const SampleTime& time_;
    const GlobalTime& clock_;
    const std::string& over_ranks_;
    std::vector<Gathered> reps_;
};

}  // namespace

Repetitions repetitions_of(const store::Store& store, const store::PointRow& point, const GlobalTime& clock,
                           const std::string& over_ranks, const RankSet& ranks) {
    const SampleTime time(store, point);
    Gathering gathering(time, clock, over_ranks);
    Repetitions found;
    store.visit_samples(point.id, [&](int rank, std::int64_t first_rep,
                                      const std::vector<journal::Sample>& samples) {
        if (samples.empty() || !ranks.contains(rank)) {
            return;
        }
        auto& span = found.spans.try_emplace(rank, samples.front().start, samples.back().start).first->second;
        span.second = samples.back().start;
        gathering.add(rank, first_rep, samples);
    });
    for (const auto& rep : gathering.reps()) {
        if (!rep.valid) {
            ++found.invalid;
            continue;
        }
        if (const auto value = gathering.time_of(rep)) {
            found.times.push_back(*value);
        }
        if (rep.first_start <= rep.last_start) {
            found.skews.push_back(static_cast<double>(rep.last_start - rep.first_start));
        }
    }
    if (over_ranks == "each") {
        store.visit_samples(
            point.id, [&](int rank, std::int64_t first_rep, const std::vector<journal::Sample>& samples) {
                if (!ranks.contains(rank)) {
                    return;
                }
                auto& times = found.by_rank[rank];
                for (std::size_t i = 0; i < samples.size(); ++i) {
                    if (gathering.reps()[static_cast<std::size_t>(first_rep) + i].valid) {
                        times.push_back(time.of(rank, samples[i]));
                    }
                }
            });
    }
    return found;
}

}  // namespace fathom::analysis
