#include "analysis/curves/trusted_studies.hpp"

namespace fathom::analysis {

bool in_range(const Reduced& share) {
    // Work is exact to 1 %, and the longest exceeds the base by a quarter or more.
    constexpr double work_error = 0.02;
    const auto reach = share.ci95.value_or(stats::Interval{share.value, share.value});
    return share.value >= -notable_share && share.value <= 1 + notable_share && reach.high >= -work_error &&
           reach.low <= 1 + work_error;
}

std::optional<StudyDoubt> doubt_of(const PointResult& point) {
    if (!point.overlap) {
        return std::nullopt;
    }
    // The rounds of a study depend on each other, so that none can be set aside.
    if (point.disturbed() || point.quality == Quality::disturbed) {
        return StudyDoubt::disturbed;
    }
    if (point.quality == Quality::imprecise) {
        return StudyDoubt::imprecise;
    }
    const auto* plain = point.overlap->plain();
    return plain && plain->availability && !in_range(*plain->availability)
               ? std::optional(StudyDoubt::out_of_range)
               : std::nullopt;
}

bool trusted_study(const PointResult& point) {
    return point.status == PointStatus::ok && point.overlap && point.overlap->plain() && !doubt_of(point) &&
           point.overlap->progress != ProgressVerdict::undecided;
}

}  // namespace fathom::analysis
