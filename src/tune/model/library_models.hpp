#pragma once

#include <string_view>

#include "plan/choices.hpp"
#include "tune/model/algorithms.hpp"

namespace fathom::tune {

/// The model of a library's algorithm, by the name that `library:NAME` has; null if none is known to be what
/// the library does.
const Algorithm* model_of_library(plan::Flavour flavour, std::string_view operation, std::string_view name);

}  // namespace fathom::tune
