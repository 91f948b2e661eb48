#pragma once

#include "journal/records.hpp"
#include "plan/plan.hpp"

namespace fathom::journal {

/// A point of a plan as a record, and back.
PointAdded record_of(const plan::PointSpec& point);
plan::PointSpec point_of(const PointAdded& record);

}  // namespace fathom::journal
