#include "report/style.hpp"

#include <cstdlib>
#include <sys/ioctl.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/printable.hpp"

namespace fathom::report {
namespace {

/// Colour comes after everything else was taken out of the text.
std::string painted(std::string_view text, std::string_view begins, const Terminal& terminal) {
    const auto plain = printable(text, std::string_view::npos);
    return terminal.colour ? fmt::format("{}{}{}", begins, plain, colour_ends) : plain;
}

}  // namespace

Terminal Terminal::of(int descriptor) {
    Terminal terminal;
    const char* kind = std::getenv("TERM");
    const bool dumb = kind == nullptr || std::string_view(kind) == "dumb" || std::string_view(kind).empty();
    terminal.interactive = ::isatty(descriptor) == 1 && !dumb;
    const char* no_colour = std::getenv("NO_COLOR");
    terminal.colour = terminal.interactive && (no_colour == nullptr || *no_colour == '\0');
    winsize size{};
    if (terminal.interactive && ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
        terminal.columns = size.ws_col;
    }
    return terminal;
}

std::string bold(std::string_view text, const Terminal& terminal) {
    return painted(text, bold_begins, terminal);
}

std::string yellow(std::string_view text, const Terminal& terminal) {
    return painted(text, yellow_begins, terminal);
}

std::string red(std::string_view text, const Terminal& terminal) {
    return painted(text, red_begins, terminal);
}

std::string inked(std::string_view text, Ink ink, const Terminal& terminal) {
    return ink == Ink::red      ? red(text, terminal)
           : ink == Ink::yellow ? yellow(text, terminal)
                                : printable(text, std::string_view::npos);
}

}  // namespace fathom::report
