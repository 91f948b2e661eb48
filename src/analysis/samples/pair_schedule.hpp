#pragma once

#include "plan/pairing.hpp"
#include "store/store.hpp"

namespace fathom::analysis {

/// Who met whom in the repetitions of a matrix, as its probe decided.
plan::PairSchedule schedule_of(const store::Store& store, const store::PointRow& point);

/// Whether pairs of a matrix that share a host were measured at the same time.
bool contended(const plan::PointKey& key);

}  // namespace fathom::analysis
