#pragma once

#include <map>
#include <string>

#include "analysis/overlap/overlap.hpp"
#include "analysis/overlap/study_samples.hpp"

namespace fathom::analysis {

/// What ranks counted during a study, by rank and name.
using StudyTallies = std::map<int, std::map<std::string, double>>;

/// Of one count of a rank; `otherwise` if it has none.
double tally_of(const StudyTallies& tallies, int rank, const std::string& name, double otherwise);

/// The result of a message study; reasons and work that was off are added to `result`.
void put_message(OverlapResult& result, const OverlapSamples& study, const store::PointRow& point,
                 const StudyTallies& tallies, const GlobalTime& clock);

/// The same of a collective study.
void put_collective(OverlapResult& result, const OverlapSamples& study, const StudyTallies& tallies);

/// Notes which number of tests leaves the least overhead.
void choose_best(CollectiveOverlap& collective);

/// Notes whose work was off by more than 1 %.
void check_work(OverlapResult& result, const OverlapSamples& study, const StudyTallies& tallies,
                const std::vector<std::size_t>& places);

/// Decides what makes communication progress.
void put_progress_verdict(OverlapResult& result);

}  // namespace fathom::analysis
