#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plan/plan.hpp"
#include "store/store.hpp"

namespace fathom::launch {

/// What one job measures: within one launch, the points with one kind of progress and one combination of
/// varied settings, which the library is configured for at startup.
struct Part {
    int launch = 0;
    std::string progress = {};  ///< as PointKey::progress
    std::string setting = {};   ///< as PointKey::setting

    [[nodiscard]] bool has(const store::PointRow& point) const {
        return point.launch == launch && point.key.progress == progress && point.key.setting == setting;
    }

    friend bool operator==(const Part&, const Part&) = default;
};

plan::PointSpec spec_of(const store::PointRow& point);

/// The parts of one launch, in the order of their first points. Where settings are varied, each launch begins
/// with another part, so that a drift of the machine affects all alike.
std::vector<Part> parts_of(const std::vector<store::PointRow>& points, int launch);

/// Points of a part still to be measured: those not tried yet first, those that ended a job last.
std::vector<plan::PointSpec> open_points(const std::vector<store::PointRow>& points, const plan::Plan& plan,
                                         const Part& part);

/// The part of the first launch that may still add points: its last job did not finish normally.
std::optional<Part> searching_part(const store::Store& store, std::int64_t run, const plan::Plan& plan);

/// Whether nothing is left to measure.
bool complete(const store::Store& store, std::int64_t run, const plan::Plan& plan);

}  // namespace fathom::launch
