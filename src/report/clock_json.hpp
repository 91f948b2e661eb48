#pragma once

#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "analysis/run/clock_study.hpp"
#include "report/clock_text.hpp"

namespace fathom::report {

nlohmann::ordered_json clock_sync_json(const ClockHead& head, const analysis::SyncStudy& study);
/// Of several numbers of processes, in rising order: the document of the last one, and all of them.
nlohmann::ordered_json clock_cost_json(const std::vector<SyncOfProcs>& counts);
nlohmann::ordered_json clock_drift_json(const ClockHead& head, const std::vector<analysis::PairDrift>& pairs);
nlohmann::ordered_json clock_quality_json(const ClockHead& head, const analysis::QualityStudy& study);
nlohmann::ordered_json clock_check_json(const ClockHead& head,
                                        const std::vector<analysis::CheckMoment>& moments);
/// The moments of a check: also part of a run.
nlohmann::ordered_json check_moments_json(const std::vector<analysis::CheckMoment>& moments);

}  // namespace fathom::report
