#pragma once

#include <nlohmann/json_fwd.hpp>

#include "analysis/point/point_result.hpp"

namespace fathom::report {

/// The distribution of a point's times, over all repetitions and by process, in compact form: exact figures
/// and counts on one logarithmic grid. Null if there are no times.
nlohmann::ordered_json spread_json(const analysis::PointResult& point,
                                   const analysis::Repetitions& repetitions);

/// A number with as many significant digits as a page can show, an integer where it is one.
nlohmann::ordered_json shortened(double number);

}  // namespace fathom::report
