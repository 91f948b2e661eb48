#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tune/measured/parameters.hpp"
#include "tune/model/algorithms.hpp"
#include "tune/model/cost_curve.hpp"
#include "tune/model/crossings.hpp"

namespace fathom::tune {

/// What to predict.
struct PredictionTask {
    std::string operation;
    Layout layout = Layout::flat(1);
    Network network = {};
    AlgorithmSettings settings = {};
    std::vector<Bytes> sizes = {};  ///< rising; of an operation without sizes, 0
};

/// A predicted time against a measured one.
struct ComparedTime {
    std::size_t algorithm = 0;  ///< place in Prediction::algorithms
    Bytes size;
    double measured_ns = 0;
    double predicted_ns = 0;
    double flat_ns = 0;  ///< predicted as if all ranks were on hosts of their own

    [[nodiscard]] double error() const { return predicted_ns / measured_ns - 1; }
    [[nodiscard]] double flat_error() const { return flat_ns / measured_ns - 1; }
};

/// Means of errors without their signs.
struct MeanErrors {
    std::size_t times = 0;
    double model = 0;
    double flat = 0;
};

struct Prediction {
    PredictionTask task;
    std::vector<const Algorithm*> algorithms;
    std::vector<CostCurve> curves;                ///< of each algorithm
    std::vector<BestRange> best;                  ///< from the smallest size to the largest
    std::vector<ComparedTime> compared = {};      ///< by algorithm and size
    std::vector<std::string> without_model = {};  ///< measured reference algorithms that are not known here
    std::size_t unreliable = 0;  ///< measured times that are not compared: disturbed, imprecise

    [[nodiscard]] std::size_t best_at(Bytes size) const;
    /// Of one algorithm, or of all.
    [[nodiscard]] MeanErrors mean_errors(std::optional<std::size_t> algorithm = {}) const;
};

/// Throws BadInput if the operation has no model.
Prediction predict(PredictionTask task);

/// Adds what a run measured with `--via reference:NAME`, with as many processes.
void compare_with(Prediction& prediction, const analysis::RunResult& run);

}  // namespace fathom::tune
