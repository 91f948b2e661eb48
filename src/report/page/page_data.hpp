#pragma once

#include <functional>
#include <string>
#include <vector>

#include "analysis/across_runs/measured_run.hpp"
#include "journal/json.hpp"
#include "report/page/allowance.hpp"
#include "store/store.hpp"

namespace fathom::report {

/// Told after every point of a run, with the point.
using Tell = std::function<void(const analysis::PointResult& point)>;

struct PageRun {
    nlohmann::ordered_json json;     ///< `fathom.run/1` with all analyses, and more
    analysis::MeasuredRun measured;  ///< to be held against other runs
};

/// A run as the report page takes it, with the spread of every point's times, process by process. `name`
/// tells it from other runs; `allowance` is what the points of all runs of a page share, nothing: no limit.
PageRun page_run(const store::Store& store, const store::RunRow& run, const std::string& name,
                 const Tell& tell, Allowance* allowance = nullptr);

/// Runs as `fathom.report/1`, the later ones compared with the first.
nlohmann::ordered_json page_data(std::vector<PageRun> runs);

}  // namespace fathom::report
