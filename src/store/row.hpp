#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/named_enum.hpp"
#include "base/units.hpp"
#include "journal/limits.hpp"
#include "store/sqlite.hpp"

namespace fathom::store {

/// The gate of the result file: reads the columns of a row one after the other as values that lie within the
/// limits of journal/limits.hpp. What does not is remembered, and something harmless is given instead; who
/// has read all columns asks damage(), or lets require() throw.
class Row {
  public:
    /// The row that a statement is at; its first `keys` columns say which row of the table it is.
    Row(const Statement& statement, std::string_view table, int keys = 1)
        : statement_(statement), table_(table), keys_(keys) {}

    std::int64_t integer(std::int64_t least, std::int64_t most);
    /// One that may be NULL.
    std::optional<std::int64_t> optional_integer(std::int64_t least, std::int64_t most);
    int number(int least, int most) { return static_cast<int>(integer(least, most)); }
    std::int64_t id() { return integer(1, INT64_MAX); }
    int rank(int ranks = journal::most_ranks) { return number(0, ranks - 1); }
    /// A reading of a clock, or an offset.
    std::int64_t time() { return integer(-journal::latest_ns, journal::latest_ns); }
    /// Of either sign: the difference of two readings of a coarse clock may be negative.
    std::int64_t duration() { return integer(-journal::longest_ns, journal::longest_ns); }
    bool flag() { return integer(0, 1) != 0; }
    double real();
    /// Bytes that are not UTF-8 are replaced: earlier versions stored host names and variables as they were.
    std::string text(std::size_t most = journal::longest_text);
    std::string blob();
    template <NamedEnum Enum>
    Enum named() {
        const auto name = text();
        const auto found = from_text<Enum>(name);
        if (!found) {
            refuse(at_ - 1, "'" + name + "'",
                   "a word that this fathom knows; a newer one may have written it");
        }
        return found.value_or(Enum{});
    }

    [[nodiscard]] int columns_read() const { return at_; }
    /// What is wrong with the row so far, naming file, table, row and column; empty if nothing is.
    [[nodiscard]] const std::string& damage() const { return damage_; }
    /// Another thing that is wrong with a column that was read.
    void refuse(int column, const std::string& found, std::string_view expected);
    /// Throws BadInput if anything is wrong.
    void require() const;
    /// What is wrong with its content, as an error that names the row.
    [[nodiscard]] BadInput error(std::string_view wrong) const;

  private:
    [[nodiscard]] std::string place() const;
    bool expect(Statement::Type type, std::string_view expected);

    const Statement& statement_;
    std::string_view table_;
    int keys_;
    int at_ = 0;
    std::string damage_;
};

}  // namespace fathom::store
