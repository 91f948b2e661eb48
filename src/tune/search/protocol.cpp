#include "tune/search/protocol.hpp"

#include <algorithm>
#include <cmath>

#include "tune/search/proposal.hpp"

namespace fathom::tune {
namespace {

/// That are proven together: what --vary takes of combinations (64).
constexpr std::size_t most_together = 6;

bool agrees(const ProofPoint& point, const ProofPoint& neighbour) {
    return neighbour.operation == point.operation && neighbour.gain() >= 1;
}

/// Whether a neighbouring size does not speak against a gain; a size that is alone stands for itself.
bool confirmed(const std::vector<ProofPoint>& points, std::size_t at) {
    const bool first = at == 0 || points[at - 1].operation != points[at].operation;
    const bool last = at + 1 == points.size() || points[at + 1].operation != points[at].operation;
    return (first && last) || (!first && agrees(points[at], points[at - 1])) ||
           (!last && agrees(points[at], points[at + 1]));
}

}  // namespace

std::vector<ProofPoint> ValueTrial::faster() const {
    std::vector<ProofPoint> found;
    for (std::size_t at = 0; at < points.size(); ++at) {
        const auto& point = points[at];
        if (point.verdict() == ProofVerdict::faster && point.gain() >= least_gain && confirmed(points, at)) {
            found.push_back(point);
        }
    }
    return found;
}

std::vector<ProofPoint> ValueTrial::slower() const {
    std::vector<ProofPoint> found;
    std::ranges::copy_if(points, std::back_inserter(found), &ProofPoint::harmed);
    return found;
}

ValueVerdict ValueTrial::verdict() const {
    const bool gains = !faster().empty();
    const bool loses = !slower().empty();
    if (gains) {
        return loses ? ValueVerdict::mixed : ValueVerdict::better;
    }
    return loses || points.empty() ? ValueVerdict::worse : ValueVerdict::same;
}

double ValueTrial::mean_gain() const {
    double sum = 0;
    for (const auto& point : points) {
        sum += std::log(point.gain());
    }
    return points.empty() ? 1 : std::exp(sum / static_cast<double>(points.size()));
}

const ValueTrial* ParameterTrial::best() const {
    const ValueTrial* best = nullptr;
    for (const auto& value : values) {
        if (value.verdict() == ValueVerdict::better &&
            (best == nullptr || value.mean_gain() > best->mean_gain())) {
            best = &value;
        }
    }
    return best;
}

void ProtocolTuning::propose() {
    std::vector<std::pair<double, std::pair<std::string, std::string>>> found;
    for (const auto& parameter : parameters) {
        if (const auto* const best = parameter.best()) {
            found.push_back({best->mean_gain(), {parameter.variable, best->value}});
        }
    }
    std::ranges::stable_sort(found, std::ranges::greater(), &decltype(found)::value_type::first);
    proposed.clear();
    for (auto& [gain, setting] : found) {
        (proposed.size() < most_together ? proposed : unproven).push_back(std::move(setting));
    }
}

void ProtocolTuning::take_out() {
    taken_out.push_back(std::move(proposed.back()));
    proposed.pop_back();
    proof.clear();
}

void ProtocolTuning::leave_unproven() {
    unproven.insert(unproven.begin(), proposed.begin(), proposed.end());
    proposed.clear();
    proof.clear();
}

}  // namespace fathom::tune
