#pragma once

#include <nlohmann/json_fwd.hpp>

#include "analysis/point/point_result.hpp"

namespace fathom::report {

/// How the times of a point spread, all repetitions and process by process, in few letters: exact figures and
/// counts on one logarithmic grid. Null if there are no times.
nlohmann::ordered_json spread_json(const analysis::PointResult& point,
                                   const analysis::Repetitions& repetitions);

/// A number with so many significant digits as a page can show.
double shortened(double number);

}  // namespace fathom::report
