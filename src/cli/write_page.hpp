#pragma once

#include <string>
#include <string_view>

namespace fathom::cli {

/// Throws NotMeasured if this build has no report page; `instead` is the sentence on what to do then.
void need_page(std::string_view instead);

/// Writes a page and says so; `what` is what it shows. An existing file stays until the new page is complete.
void write_page(const std::string& output, const std::string& page, std::string_view what);

}  // namespace fathom::cli
