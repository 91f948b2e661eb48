#include "report/output.hpp"

#include "base/printable.hpp"
#include "report/style.hpp"

namespace fathom::report {

void write_text(std::FILE* out, std::string_view text) {
    fmt::print(out, "{}", printable_lines(text, Terminal::of(::fileno(out)).colour));
}

}  // namespace fathom::report
