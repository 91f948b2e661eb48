#pragma once

#include <string>

#include "analysis/point/point_result.hpp"

namespace fathom::report {

/// What a reader of a point should know, without its full stop.
std::string sentence(const analysis::PointWarning& warning);

/// Why a point has no times, without its full stop.
std::string sentence(analysis::NoTimes why);

/// The same of any point, as stored or as the analysis found; empty if there is no reason.
std::string reason_of(const analysis::PointResult& point);
/// The same of what is stored and what was found.
std::string reason_of(const std::string& stored, const std::optional<analysis::NoTimes>& no_times);

}  // namespace fathom::report
