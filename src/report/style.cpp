#include "report/style.hpp"

#include <cstdlib>
#include <sys/ioctl.h>
#include <unistd.h>

#include <fmt/format.h>

namespace fathom::report {
namespace {

std::string painted(std::string_view text, std::string_view code, const Terminal& terminal) {
    return terminal.colour ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string(text);
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
    return painted(text, "1", terminal);
}

std::string yellow(std::string_view text, const Terminal& terminal) {
    return painted(text, "33", terminal);
}

std::string red(std::string_view text, const Terminal& terminal) {
    return painted(text, "31", terminal);
}

}  // namespace fathom::report
