#pragma once

#include "store/store.hpp"

namespace fathom::fuzzing {

/// Everything that is shown, exported and compared of all runs of a result file. A run that is refused does
/// not keep the others from being read.
void read_everything(const store::Store& store);

}  // namespace fathom::fuzzing
