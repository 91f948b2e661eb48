#pragma once

#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "analysis/point_result.hpp"
#include "store/store.hpp"

namespace fathom::report {

/// Told after every point of a run, with the point.
using Tell = std::function<void(const analysis::PointResult& point)>;

/// A run with all its analyses, as the report page takes it: `fathom.run/1` with the spread of every point's
/// times, process by process, and what is said of it in few letters. `name` tells it from other runs.
nlohmann::ordered_json page_run_json(const store::Store& store, const store::RunRow& run,
                                     const std::string& name, const Tell& tell);

/// Runs as `fathom.report/1`.
nlohmann::ordered_json page_data(std::vector<nlohmann::ordered_json> runs);

}  // namespace fathom::report
