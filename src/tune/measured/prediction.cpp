#include "tune/measured/prediction.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.hpp"
#include "base/printable.hpp"
#include "base/text.hpp"
#include "tune/model/costing.hpp"

namespace fathom::tune {
namespace {

constexpr std::string_view reference_kind = "reference:";

/// The size of a point as models take it: a block is that of one process.
Bytes modelled_size(const analysis::PointResult& point) {
    return point.size_as == plan::SizeAs::total ? Bytes{point.key.size.count / point.key.procs}
                                                : point.key.size;
}

}  // namespace

std::size_t Prediction::best_at(Bytes size) const {
    for (const auto& range : best) {
        if (size >= range.first && size <= range.last) {
            return range.curve;
        }
    }
    return 0;
}

MeanErrors Prediction::mean_errors(std::optional<std::size_t> algorithm) const {
    MeanErrors means;
    for (const auto& time : compared) {
        if (!algorithm || time.algorithm == *algorithm) {
            ++means.times;
            means.model += std::abs(time.error());
            means.flat += std::abs(time.flat_error());
        }
    }
    const auto count = static_cast<double>(std::max<std::size_t>(1, means.times));
    means.model /= count;
    means.flat /= count;
    return means;
}

Prediction predict(PredictionTask task) {
    auto found = algorithms_of(task.operation);
    if (found.empty()) {
        const auto known = modelled_operations();
        throw BadInput(fmt::format("no model of '{}'.{} There are models of {}.",
                                   printable_name(task.operation), did_you_mean(task.operation, known),
                                   and_list(known)));
    }
    std::vector<CostCurve> curves;
    for (const auto* algorithm : found) {
        curves.push_back(
            cost_of(algorithm->schedule(task.layout.procs(), task.settings), task.network, task.layout));
    }
    auto best = lower_envelope(curves, task.sizes.front(), task.sizes.back());
    return {.task = std::move(task),
            .algorithms = std::move(found),
            .curves = std::move(curves),
            .best = std::move(best)};
}

void compare_with(Prediction& prediction, const analysis::RunResult& run) {
    const auto procs = prediction.task.layout.procs();
    std::vector<std::optional<CostCurve>> flat(prediction.algorithms.size());
    for (const auto& point : run.points) {
        const std::string_view implementation = point.key.implementation;
        if (point.key.operation != prediction.task.operation || point.key.procs != procs ||
            point.status != analysis::PointStatus::ok || !point.value_ns || !(point.value_ns->value > 0) ||
            !implementation.starts_with(reference_kind)) {
            continue;
        }
        const auto name = implementation.substr(reference_kind.size());
        const auto known = std::find_if(prediction.algorithms.begin(), prediction.algorithms.end(),
                                        [&](const auto* algorithm) { return algorithm->name == name; });
        if (known == prediction.algorithms.end()) {
            auto& without = prediction.without_model;
            if (std::find(without.begin(), without.end(), name) == without.end()) {
                without.emplace_back(name);
            }
            continue;
        }
        if (!point.trusted()) {
            ++prediction.unreliable;
            continue;
        }
        const auto place = static_cast<std::size_t>(known - prediction.algorithms.begin());
        if (!flat[place]) {
            flat[place] = cost_of((*known)->schedule(procs, prediction.task.settings),
                                  prediction.task.network.flattened(), Layout::flat(procs));
        }
        const auto size = modelled_size(point);
        prediction.compared.push_back({.algorithm = place,
                                       .size = point.key.size,
                                       .measured_ns = point.value_ns->value,
                                       .predicted_ns = prediction.curves[place].at(size),
                                       .flat_ns = flat[place]->at(size)});
    }
    std::stable_sort(prediction.compared.begin(), prediction.compared.end(),
                     [](const auto& a, const auto& b) {
                         return std::pair(a.algorithm, a.size) < std::pair(b.algorithm, b.size);
                     });
}

}  // namespace fathom::tune
