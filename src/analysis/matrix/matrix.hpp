#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/samples/pair_level.hpp"
#include "analysis/samples/view.hpp"
#include "base/units.hpp"
#include "store/store.hpp"

namespace fathom::analysis {

/// One-way times of messages between two ranks: halves of round trips that the lower rank began.
struct PairTimes {
    std::int64_t reps = 0;
    double median_ns = 0;
    double min_ns = 0;
    double low_ns = 0;   ///< a tenth of the repetitions is faster
    double high_ns = 0;  ///< a tenth is slower
};

/// Summarises the times of a pair; none has no repetitions.
PairTimes summary_of(std::vector<double> times_ns);

/// Every pair of ranks at one message size.
struct MatrixResult {
    plan::PointKey key = {};
    std::vector<int> ranks = {};          ///< of the job
    std::vector<std::string> hosts = {};  ///< of each of them
    std::vector<int> sockets = {};        ///< of each of them; -1: not known
    std::vector<int> numa_nodes = {};     ///< the same
    std::vector<PairTimes> pairs = {};    ///< by place(a, b)
    bool disturbed = false;               ///< as the mark of its point says: shown, but nothing is made of it

    /// Where the a-th and the b-th rank are in `pairs`; they are not the same.
    static std::size_t place(std::size_t a, std::size_t b) {
        return a < b ? b * (b - 1) / 2 + a : a * (a - 1) / 2 + b;
    }
    [[nodiscard]] const PairTimes& pair(std::size_t a, std::size_t b) const { return pairs[place(a, b)]; }
    [[nodiscard]] PairLevel level(std::size_t a, std::size_t b) const;
};

/// A launch of a matrix, and which of its repetitions do not count.
struct MatrixLaunch {
    store::PointRow point;
    std::vector<std::int64_t> left_out = {};  ///< in order
};

/// The matrix from the samples of one point, or of the same point in several launches. Ranks
/// that were not requested are omitted.
MatrixResult matrix_of(const store::Store& store, std::int64_t run, const std::vector<MatrixLaunch>& launches,
                       const RankSet& ranks = {});

}  // namespace fathom::analysis
