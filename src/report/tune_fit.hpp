#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "journal/json.hpp"
#include "report/style.hpp"
#include "tune/fit/fit.hpp"

namespace fathom::report {

/// As what closed forms are written.
enum class FitFormat { table, c, python, json };
constexpr std::array<std::string_view, 4> enum_names(FitFormat /*unused*/) {
    return {"table", "c", "python", "json"};
}

/// The lines of each curve, and how far they are off.
std::string tune_fit_text(const std::vector<tune::Fit>& fits, const Terminal& terminal);

/// The same as `fathom.tune-fit/1`, with every measured and fitted time.
nlohmann::ordered_json tune_fit_json(const std::vector<tune::Fit>& fits);

/// One function for each curve: nanoseconds of a size in bytes. `source` says where they come from. Numbers
/// are written so that they are read back as they are.
std::string tune_fit_c(const std::vector<tune::Fit>& fits, std::string_view source);
std::string tune_fit_python(const std::vector<tune::Fit>& fits, std::string_view source);

}  // namespace fathom::report
