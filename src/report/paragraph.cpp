#include "report/paragraph.hpp"

#include <algorithm>
#include <sstream>

#include "base/printable.hpp"

namespace fathom::report {

std::string paragraph(std::string_view text) {
    constexpr std::size_t columns = 80;
    std::istringstream words{std::string(text)};
    std::string lines;
    std::string line;
    for (std::string word; words >> word;) {
        word = printable(word);
        if (!line.empty() && 2 + line.size() + 1 + word.size() > columns) {
            lines += "  " + line + "\n";
            line.clear();
        }
        line += (line.empty() ? "" : " ") + word;
    }
    return line.empty() ? lines : lines + "  " + line + "\n";
}

namespace {

/// Where the words of a line begin: behind blanks, and the number or the dash of a list.
std::size_t begin_of_words(std::string_view line) {
    const auto first = std::min(line.find_first_not_of(' '), line.size());
    const auto behind = std::min(line.find_first_not_of("0123456789", first), line.size());
    if (behind > first && line.substr(behind).starts_with(". ")) {
        return behind + 2;
    }
    return line.substr(first).starts_with("- ") ? first + 2 : first;
}

void add_fitted(std::string_view line, std::size_t columns, std::string& text) {
    const auto indent = begin_of_words(line);
    std::string begin(line.substr(0, indent));
    line.remove_prefix(indent);
    const auto room = columns > indent ? columns - indent : 1;
    while (line.size() > room) {
        auto cut = line.rfind(' ', room);
        const auto comma = line.rfind(',', room - 1);
        if (cut == std::string_view::npos && comma != std::string_view::npos) {  // a list without blanks
            text.append(begin).append(line.substr(0, comma + 1)).append("\n");
            line.remove_prefix(comma + 1);
            begin.assign(indent, ' ');
            continue;
        }
        cut = cut == std::string_view::npos ? line.find(' ') : cut;  // a word that is longer stands alone
        if (cut == std::string_view::npos) {
            break;
        }
        text.append(begin).append(line.substr(0, cut)).append("\n");
        line.remove_prefix(cut + 1);
        begin.assign(indent, ' ');
    }
    text.append(begin).append(line).append("\n");
}

}  // namespace

std::string fitted(std::string_view text, const Terminal& terminal) {
    if (terminal.table_columns <= 0) {
        return std::string(text);
    }
    std::string lines;
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        add_fitted(text.substr(0, end), static_cast<std::size_t>(terminal.table_columns), lines);
        text.remove_prefix(std::min(text.size(), end + 1));
    }
    return lines;
}

std::string without_tail(std::string line) {
    line.erase(line.find_last_not_of(' ') + 1);
    return line;
}

}  // namespace fathom::report
