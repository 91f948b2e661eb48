#pragma once

#include <functional>
#include <span>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "analysis/point/point_result.hpp"
#include "report/style.hpp"

namespace fathom::report {

using analysis::PointSamples;

struct PointAnalysis;
/// Which analyses are wanted; empty: none but the one at hand.
using Choice = std::function<bool(const PointAnalysis& row)>;

/// What is printed together.
struct Shown {
    Choice chosen = {};  ///< so that nothing is said twice
    bool alone = true;   ///< one point, which has more room than each of many
};

/// What can be asked of the samples of a point: a row of point_analyses.def.
struct PointAnalysis {
    const char* option;  ///< of `fathom show`
    const char* help;
    const char* field;                                            ///< of a point in JSON
    nlohmann::ordered_json (*json)(const PointSamples& samples);  ///< null: nothing to say
    std::string (*text)(const PointSamples& samples, const Terminal& terminal, const Shown& shown);
};

/// All of them, in their order.
std::span<const PointAnalysis> point_analyses();

/// What they say of a point, as fields of its JSON. A point without times has none.
nlohmann::ordered_json analyses_json(const PointSamples& samples, const Choice& chosen);

/// The same to read, below the name of the point; nothing if there is nothing to say.
std::string analyses_text(const PointSamples& samples, const Shown& shown, const Terminal& terminal);

// The functions of the rows. Points have times, and their analyses were made.
#define POINT_ANALYSIS(name, option, help)                           \
    nlohmann::ordered_json name##_json(const PointSamples& samples); \
    std::string name##_text(const PointSamples& samples, const Terminal& terminal, const Shown& shown = {});
#include "report/point_analyses/point_analyses.def"
#undef POINT_ANALYSIS

}  // namespace fathom::report
