#include "report/style.hpp"

#include <algorithm>
#include <charconv>
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

/// By the first variable that says something, as setlocale() reads them.
bool locale_has_utf8() {
    for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
        const char* value = std::getenv(name);
        if (value != nullptr && *value != '\0') {
            const std::string_view locale(value);
            return locale.find("UTF-8") != std::string_view::npos ||
                   locale.find("utf8") != std::string_view::npos;
        }
    }
    return false;
}

/// By COLUMNS; 0 if it says nothing.
int given_columns() {
    const char* text = std::getenv("COLUMNS");
    int columns = 0;
    if (text != nullptr) {
        const std::string_view digits(text);
        std::from_chars(digits.data(), digits.data() + digits.size(), columns);
    }
    return std::max(0, columns);
}

}  // namespace

Terminal Terminal::of(int descriptor, bool wide) {
    Terminal terminal;
    const char* kind = std::getenv("TERM");
    const bool dumb = kind == nullptr || std::string_view(kind) == "dumb" || std::string_view(kind).empty();
    terminal.interactive = ::isatty(descriptor) == 1 && !dumb;
    const char* no_colour = std::getenv("NO_COLOR");
    terminal.colour = terminal.interactive && (no_colour == nullptr || *no_colour == '\0');
    terminal.utf8 = terminal.interactive && locale_has_utf8();
    winsize size{};
    if (terminal.interactive && ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
        terminal.columns = size.ws_col;
        terminal.table_columns = size.ws_col;
    }
    if (const auto given = given_columns(); given > 0) {
        terminal.columns = given;
        terminal.table_columns = given;
    }
    if (wide) {
        terminal.table_columns = 0;
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

std::string green(std::string_view text, const Terminal& terminal) {
    return painted(text, green_begins, terminal);
}

std::string dim(std::string_view text, const Terminal& terminal) {
    return painted(text, dim_begins, terminal);
}

std::string inked(std::string_view text, Ink ink, const Terminal& terminal) {
    switch (ink) {
        case Ink::red:
            return red(text, terminal);
        case Ink::yellow:
            return yellow(text, terminal);
        case Ink::green:
            return green(text, terminal);
        case Ink::bold:
            return bold(text, terminal);
        case Ink::dim:
            return dim(text, terminal);
        case Ink::plain:
            break;
    }
    return printable(text, std::string_view::npos);
}

}  // namespace fathom::report
