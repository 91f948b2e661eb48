#include "report/output.hpp"

#include "base/printable.hpp"
#include "base/units.hpp"
#include "report/style.hpp"

namespace fathom::report {

void write_text(std::FILE* out, std::string_view text) {
    const auto terminal = Terminal::of(::fileno(out));
    const auto signs = terminal.utf8 ? with_micro_sign(text) : std::string(text);
    fmt::print(out, "{}", printable_lines(signs, terminal.colour));
}

}  // namespace fathom::report
