#include "base/xml.hpp"

#include "base/printable.hpp"
#include "base/utf8.hpp"

namespace fathom {

std::string xml_text(std::string_view raw) {
    const auto text = printable(raw);
    std::string escaped;
    for (std::string_view rest = text; !rest.empty();) {
        const auto character = first_character(rest);
        switch (character.code) {
            case U'&':
                escaped += "&amp;";
                break;
            case U'<':
                escaped += "&lt;";
                break;
            case U'>':
                escaped += "&gt;";
                break;
            case U'"':
                escaped += "&quot;";
                break;
            case U'\'':
                escaped += "&apos;";
                break;
            case 0xfffe:  // not for XML
            case 0xffff:
                escaped += "?";
                break;
            default:
                escaped += rest.substr(0, character.bytes);
        }
        rest.remove_prefix(character.bytes);
    }
    return escaped;
}

}  // namespace fathom
