#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "journal/json.hpp"

namespace fathom::report {

/// What is longer is not a tuning.
inline constexpr std::size_t longest_tuning_document = std::size_t{64} << 20;

/// What the page shows of a document `fathom.tune/1`, and nothing else of it: the document may come from
/// anyone. `source` is its file. Throws BadInput that names the file and the field
/// (`t.json: operations[2].sizes[0].library.time_ns is not a number.`).
nlohmann::ordered_json check_tuning_document(std::string_view text, const std::string& source);

/// Checked documents as the data of one page, which shows them side by side.
nlohmann::ordered_json tuning_page_data(std::vector<nlohmann::ordered_json> tunings);

}  // namespace fathom::report
