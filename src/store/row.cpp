#include "store/row.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/printable.hpp"
#include "base/utf8.hpp"

namespace fathom::store {
namespace {

/// A value as a message quotes it: damage may be megabytes long.
std::string short_value(const Statement& row, int column) {
    constexpr std::size_t longest = 40;
    switch (row.type(column)) {
        case Statement::Type::integer:
            return fmt::format("{}", row.integer(column));
        case Statement::Type::real:
            return fmt::format("{}", row.real(column));
        case Statement::Type::text:
            return "'" + printable(row.text(column), longest) + "'";
        case Statement::Type::blob:
            return "bytes";
        case Statement::Type::null:
            break;
    }
    return "NULL";
}

}  // namespace

std::string Row::place() const {
    std::string which;
    for (int column = 0; column < keys_; ++column) {
        which += fmt::format("{}{} {}", which.empty() ? "" : ", ", statement_.column_name(column),
                             short_value(statement_, column));
    }
    return fmt::format("{}: table {}, row {}", statement_.database().path().string(), table_, which);
}

void Row::refuse(int column, const std::string& found, std::string_view expected) {
    if (damage_.empty()) {
        damage_ = fmt::format("{}, column {}: {} is not {}", place(), statement_.column_name(column), found,
                              expected);
    }
}

bool Row::expect(Statement::Type type, std::string_view expected) {
    if (statement_.type(at_) == type) {
        return true;
    }
    refuse(at_, short_value(statement_, at_), expected);
    return false;
}

std::int64_t Row::integer(std::int64_t least, std::int64_t most) {
    if (!expect(Statement::Type::integer, "a whole number")) {
        ++at_;
        return std::max<std::int64_t>(least, 0);
    }
    const auto value = statement_.integer(at_);
    if (value < least || value > most) {
        refuse(at_, fmt::format("{}", value),
               least == most       ? fmt::format("{}", least)
               : most == INT64_MAX ? fmt::format("{} or more", least)
                                   : fmt::format("from {} to {}", least, most));
    }
    ++at_;
    return value < least || value > most ? std::max<std::int64_t>(least, 0) : value;
}

std::optional<std::int64_t> Row::optional_integer(std::int64_t least, std::int64_t most) {
    if (statement_.is_null(at_)) {
        ++at_;
        return std::nullopt;
    }
    return integer(least, most);
}

double Row::real() {
    constexpr auto most = static_cast<double>(journal::latest_ns);
    const bool whole = statement_.type(at_) == Statement::Type::integer;
    const double value = whole || expect(Statement::Type::real, "a number") ? statement_.real(at_) : 0;
    const bool sound = std::abs(value) <= most;  // false for NaN
    if (!sound) {
        refuse(at_, fmt::format("{}", value), fmt::format("from {} to {}", -most, most));
    }
    ++at_;
    return sound ? value : 0;
}

std::string Row::text(std::size_t most) {
    std::string found;
    if (expect(Statement::Type::text, "a text")) {
        found = statement_.text(at_);
        if (found.size() > most) {
            refuse(at_, fmt::format("a text of {} bytes", found.size()),
                   fmt::format("at most {} long", most));
            found.clear();
        }
    }
    ++at_;
    return valid_utf8(std::move(found));
}

std::string Row::blob() {
    auto found = expect(Statement::Type::blob, "bytes") ? statement_.blob(at_) : std::string();
    ++at_;
    return found;
}

void Row::require() const {
    if (!damage_.empty()) {
        throw BadInput(damage_);
    }
}

BadInput Row::error(std::string_view wrong) const {
    return BadInput(fmt::format("{}: {}", place(), wrong));
}

}  // namespace fathom::store
