#pragma once

#include <map>
#include <string>
#include <vector>

#include "analysis/run/clock_study.hpp"
#include "report/style.hpp"

namespace fathom::report {

/// The header of every study's result.
struct ClockHead {
    std::string mpi;
    std::string source;
    std::string description;           ///< of the source on rank 0's host
    std::map<int, std::string> hosts;  ///< of the ranks
};

std::string clock_sync_text(const ClockHead& head, const analysis::SyncStudy& study,
                            const Terminal& terminal);
/// Synchronisations of one number of processes.
struct SyncOfProcs {
    ClockHead head;
    analysis::SyncStudy study;
};

/// What synchronising costs with several numbers of processes, in rising order: a table and a drawing.
std::string clock_cost_text(const std::vector<SyncOfProcs>& counts, const Terminal& terminal);
std::string clock_drift_text(const ClockHead& head, const std::vector<analysis::PairDrift>& pairs,
                             const Terminal& terminal);
std::string clock_quality_text(const ClockHead& head, const analysis::QualityStudy& study,
                               const Terminal& terminal);
std::string clock_check_text(const ClockHead& head, const std::vector<analysis::CheckMoment>& moments,
                             const Terminal& terminal);

/// One sentence on a check, for a run that requested one.
std::string check_sentence(const std::vector<analysis::CheckMoment>& moments);

}  // namespace fathom::report
