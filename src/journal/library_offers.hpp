#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "plan/library_algorithms.hpp"

/// What a library offers, as the probe prints it when it is asked.
namespace fathom::journal {

/// The probe's only argument then.
inline constexpr std::string_view offers_option = "--algorithms";

/// One line.
std::string offers_line(const plan::OfferedLibrary& library);

/// Finds that line in a job's output; nothing if there is none.
std::optional<plan::OfferedLibrary> offers_from(std::string_view output);

}  // namespace fathom::journal
