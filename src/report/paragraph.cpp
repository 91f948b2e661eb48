#include "report/paragraph.hpp"

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

}  // namespace fathom::report
