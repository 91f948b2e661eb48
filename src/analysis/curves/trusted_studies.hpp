#pragma once

#include <optional>

#include "analysis/point/point_result.hpp"

namespace fathom::analysis {

/// Why no finding and no parameter is made of a study of overlap.
enum class StudyDoubt { disturbed, imprecise, out_of_range };

/// Whether a share of time may be one: from 0 to 1 within its interval and what calibrated work may be off
/// by, and not beyond by as much as a notable difference.
bool in_range(const Reduced& share);

/// What makes the study of a point doubtful; nothing if it can be relied on, or if there is none.
std::optional<StudyDoubt> doubt_of(const PointResult& point);

/// Whether a study can be relied on and decided anything on progress.
bool trusted_study(const PointResult& point);

/// A difference of availability that is worth telling.
inline constexpr double notable_share = 0.15;

}  // namespace fathom::analysis
