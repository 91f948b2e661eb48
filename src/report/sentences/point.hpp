#pragma once

#include <string>

#include "analysis/point/distribution.hpp"
#include "analysis/point/explanation.hpp"
#include "analysis/point/point_result.hpp"
#include "analysis/point/processes.hpp"
#include "analysis/point/tails.hpp"
#include "analysis/point/timeouts.hpp"

namespace fathom::report {

/// Where something was counted: `host h2`, `rank 3 on h1`.
std::string place_text(const analysis::Cause& cause);

/// What a cause explains of so many slow repetitions beyond a threshold, without its full stop.
std::string sentence(const analysis::Cause& cause, std::int64_t slow, double threshold_ns);

/// The result of an analysis of a point in one to three sentences, with their full stops.
std::string conclusion(const analysis::Explanation& explanation);
std::string conclusion(const analysis::Timeouts& timeouts);
std::string conclusion(const analysis::Processes& processes);
std::string conclusion(const analysis::Distribution& distribution);

/// Which repetitions an analysis looks at, where that is more than the point's value is made of; else empty.
std::string scope_of_analyses(const analysis::PointResult& point);

/// `p99.9`
std::string name_of(const analysis::TailQuantile& quantile);
/// Why its value or its interval is absent; empty if both are there.
std::string reason_of(const analysis::TailQuantile& quantile);

}  // namespace fathom::report
