#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "store/sample_store.hpp"

namespace fathom::testing {

/// A study of overlap, put together step by step and repetition by repetition.
class SampleStudy {
  public:
    /// The number of a new step.
    int step(journal::StepScheme scheme, std::int64_t work_ns, std::int64_t tests = 0,
             std::int64_t interval_bytes = 0) {
        const int number = static_cast<int>(steps_.size());
        steps_.push_back({.point = 0,
                          .step = number,
                          .scheme = scheme,
                          .work_ns = work_ns,
                          .tests = tests,
                          .interval_bytes = interval_bytes});
        return number;
    }
    void add(int rank, const journal::StudySample& sample) { samples_[rank].push_back(sample); }
    /// A repetition that was timed as one.
    void whole(int rank, int step, int round, std::int64_t whole_ns, std::int64_t start_ns = 0) {
        journal::StudySample sample;
        sample.step = step;
        sample.round = round;
        sample.start = {start_ns};
        sample.whole = {whole_ns};
        add(rank, sample);
    }
    /// A repetition of which each call was timed.
    void parts(int rank, int step, int round, std::int64_t post_ns, std::int64_t wait_ns,
               std::int64_t tests_ns = 0, std::int64_t tests_made = 0) {
        journal::StudySample sample;
        sample.step = step;
        sample.round = round;
        sample.whole = {post_ns + wait_ns + tests_ns};
        sample.post = {post_ns};
        sample.wait = {wait_ns};
        sample.tests = {tests_ns};
        sample.tests_made = tests_made;
        add(rank, sample);
    }
    void count(int rank, const std::string& name, double value) { counts_[rank][name] = value; }

    /// Stores it as a point with ordinary samples of `time_ns`.
    void put(SampleStore& sample, int position, std::int64_t time_ns = 1'000) const {
        std::vector<journal::StudyBlock> blocks;
        std::vector<journal::SampleBlock> ordinary;
        for (const auto& [rank, samples] : samples_) {
            blocks.push_back({.point = position,
                              .rank = rank,
                              .count = static_cast<std::int64_t>(samples.size()),
                              .data = journal::pack_study(samples)});
            ordinary.push_back(block_of(rank, 0, samples_of(std::vector<std::int64_t>(7, time_ns))));
        }
        std::vector<journal::RankTally> tallies;
        for (const auto& [rank, counts] : counts_) {
            tallies.push_back({.point = position, .rank = rank, .counts = counts});
        }
        sample.store.put_point(sample.run, sample.job,
                               {.index = position,
                                .status = journal::PointStatus::ok,
                                .samples = count_in(blocks) + count_in(ordinary)},
                               source_of(ordinary), {.tallies = tallies, .steps = steps_, .blocks = blocks});
    }

  private:
    std::vector<journal::StudyStep> steps_;
    std::map<int, std::vector<journal::StudySample>> samples_;
    std::map<int, std::map<std::string, double>> counts_;
};

/// A message of `transfer_ns` that takes `overhead_ns` of the first rank's processor and otherwise progresses
/// by itself: an iteration takes max(base, work + overhead). The work grows in steps of a tenth of the longer
/// of base and transfer, up to twice of that. With tests each of them takes 10 ns more.
struct SampleMessage {
    std::int64_t base_ns = 10'000;
    std::int64_t transfer_ns = 12'000;
    std::int64_t overhead_ns = 1'000;
    std::int64_t tests = 0;
    std::int64_t resolution_ns = 1;
    int rounds = 12;
    int last_tenth = 20;

    [[nodiscard]] SampleStudy study() const {
        SampleStudy study;
        const auto longest = std::max(base_ns, transfer_ns);
        const auto put = [&](int step, std::int64_t whole_ns) {
            for (int round = 0; round < rounds; ++round) {
                for (int rep = 0; rep < 3; ++rep) {
                    study.whole(0, step, round, whole_ns, 1'000'000 * rep);
                    study.whole(1, step, round, transfer_ns + 500, 1'000'000 * rep - 500);
                }
            }
        };
        std::int64_t work = 0;
        for (int tenth = 0; tenth <= last_tenth; ++tenth) {
            work = longest * tenth / 10;
            put(study.step(journal::StepScheme::work, work), std::max(base_ns, work + overhead_ns));
        }
        put(study.step(journal::StepScheme::alone, work), work);
        if (tests > 0) {
            put(study.step(journal::StepScheme::work, work, tests), work + overhead_ns + 10 * tests);
        }
        study.count(0, "base_threshold", 1.02);
        study.count(0, "stop_threshold", 1.75);
        for (const int rank : {0, 1}) {
            study.count(rank, "resolution_ns", static_cast<double>(resolution_ns));
            study.count(rank, "work_unit_before_ns", 2);
            study.count(rank, "work_unit_after_ns", 2);
        }
        return study;
    }
};

}  // namespace fathom::testing
