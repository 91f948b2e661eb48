#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/named_enum.hpp"

struct sqlite3;
struct sqlite3_stmt;

/// A thin RAII layer over SQLite: every failure becomes an Error with a sentence that names the file.
namespace fathom::store {

class Statement {
  public:
    /// Binds the values to ?1, ?2, ... A std::nullopt or nullptr becomes NULL.
    template <typename... Values>
    Statement& bind(const Values&... values) {
        int at = 0;
        (bind_one(++at, values), ...);
        return *this;
    }
    /// Binds one value.
    template <typename Value>
    Statement& bind_at(int at, const Value& value) {
        bind_one(at, value);
        return *this;
    }
    /// Blobs are bound one by one.
    Statement& bind_blob(int at, std::string_view bytes);

    /// Goes to the next row; false if there is none.
    bool step();
    /// Runs to the end and makes the statement ready to be bound again.
    void run();

    [[nodiscard]] std::int64_t integer(int column) const;
    [[nodiscard]] double real(int column) const;
    [[nodiscard]] std::string text(int column) const;
    [[nodiscard]] std::string blob(int column) const;
    /// A value by its name. Throws BadInput that names the file if there is none of this name.
    template <NamedEnum Enum>
    [[nodiscard]] Enum named(int column) const {
        const auto name = text(column);
        const auto found = from_text<Enum>(name);
        return found ? *found : throw unknown_word(name);
    }
    [[nodiscard]] bool is_null(int column) const;

  private:
    friend class Database;
    Statement(const class Database& database, std::string_view sql);

    void bind_one(int at, std::int64_t value);
    void bind_one(int at, int value) { bind_one(at, std::int64_t{value}); }
    void bind_one(int at, bool value) { bind_one(at, std::int64_t{value}); }
    void bind_one(int at, double value);
    void bind_one(int at, std::string_view value);
    void bind_one(int at, const std::string& value) { bind_one(at, std::string_view(value)); }
    void bind_one(int at, const char* value) { bind_one(at, std::string_view(value)); }
    void bind_one(int at, std::nullptr_t);
    template <NamedEnum Enum>
    void bind_one(int at, Enum value) {
        bind_one(at, to_text(value));
    }
    template <typename Value>
    void bind_one(int at, const std::optional<Value>& value) {
        if (value) {
            bind_one(at, *value);
        } else {
            bind_one(at, nullptr);
        }
    }

    [[nodiscard]] BadInput unknown_word(const std::string& word) const;

    const Database* database_;
    std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> statement_;
};

class Database {
  public:
    enum class Access { read, write };

    /// Opens the file; with Access::write it is created if it is not there. Foreign keys are on.
    Database(std::filesystem::path path, Access access, bool without_locks);

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    [[nodiscard]] bool read_only() const;

    /// Runs SQL that returns nothing, several statements if need be.
    void execute(const std::string& sql);
    [[nodiscard]] Statement prepare(std::string_view sql) const { return {*this, sql}; }
    [[nodiscard]] std::int64_t last_id() const;
    [[nodiscard]] bool in_transaction() const;
    [[nodiscard]] std::int64_t pragma(const std::string& name) const;

    /// Turns an SQLite result code into an Error, unless it is a good one.
    void check(int code) const;

  private:
    friend class Statement;
    std::filesystem::path path_;
    std::unique_ptr<sqlite3, int (*)(sqlite3*)> handle_;
};

/// All or nothing: rolled back unless committed. Within another one it is a part of that.
class Transaction {
  public:
    explicit Transaction(Database& database);
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;
    ~Transaction();
    void commit();

  private:
    Database& database_;
    bool open_;
};

}  // namespace fathom::store
