#pragma once

#include <string>

#include "journal/json.hpp"
#include "report/style.hpp"
#include "tune/measured/prediction.hpp"

namespace fathom::report {

/// Predicted times by size with the best marked, which algorithm is best where, and predicted against
/// measured times where there are such.
std::string tune_model_text(const tune::Prediction& prediction, const Terminal& terminal);

/// The same as `fathom.tune-model/1`.
nlohmann::ordered_json tune_model_json(const tune::Prediction& prediction);

}  // namespace fathom::report
