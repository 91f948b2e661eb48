#include "store/schema_check.hpp"

#include <cctype>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/utf8.hpp"

namespace fathom::store {
namespace {

/// SQL with single blanks, and none beside brackets and commas: how it was laid out does not matter. What is
/// in quotes stays.
std::string normalised(const std::string& sql) {
    std::string made;
    char quote = '\0';
    bool blank = false;
    const auto no_blank_beside = [](char letter) { return letter == '(' || letter == ')' || letter == ','; };
    for (const char letter : sql) {
        if (quote == '\0' && std::isspace(static_cast<unsigned char>(letter)) != 0) {
            blank = true;
            continue;
        }
        if (blank && !made.empty() && !no_blank_beside(made.back()) && !no_blank_beside(letter)) {
            made += ' ';
        }
        blank = false;
        made += letter;
        if (quote == letter) {
            quote = '\0';
        } else if (quote == '\0' && (letter == '\'' || letter == '"' || letter == '`')) {
            quote = letter;
        }
    }
    return made;
}

using Objects = std::map<std::pair<std::string, std::string>, std::string>;  // type and name; SQL

Objects objects_of(const Database& database) {
    Objects found;
    auto query = database.prepare("SELECT type, name, coalesce(sql, '') FROM sqlite_schema");
    while (query.step()) {
        found[{query.text(0), query.text(1)}] = normalised(query.text(2));
    }
    return found;
}

}  // namespace

void refuse_foreign_objects(const Database& file, const Database& own) {
    const auto known = objects_of(own);
    for (const auto& [object, sql] : objects_of(file)) {
        const auto found = known.find(object);
        if (found == known.end() || found->second != sql) {
            constexpr std::size_t longest = 60;
            throw BadInput(fmt::format(
                "{} holds the {} '{}', which no fathom made{}; a file with SQL of others is not read.",
                file.path().string(), valid_utf8(object.first.substr(0, longest)),
                valid_utf8(object.second.substr(0, longest)), found == known.end() ? "" : " like this"));
        }
    }
}

}  // namespace fathom::store
