#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/named_enum.hpp"

struct sqlite3;
struct sqlite3_stmt;

/// A thin RAII layer over SQLite: every failure becomes an Error with a sentence that names the file.
/// Triggers and views of a file never run, and lengths and times are limited.
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
    [[nodiscard]] bool is_null(int column) const;
    /// How a value is stored, whatever its column was declared as.
    enum class Type { integer, real, text, blob, null };
    [[nodiscard]] Type type(int column) const;
    [[nodiscard]] std::string column_name(int column) const;
    [[nodiscard]] const class Database& database() const { return *database_; }

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
    /// Its content in a temporary database of this process alone, which SQLite keeps in memory while it is
    /// small; errors still name the file.
    [[nodiscard]] std::unique_ptr<Database> private_copy() const;

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
    /// Until when SQLite may look for the next row.
    struct StepWatch {
        std::chrono::steady_clock::time_point until = std::chrono::steady_clock::time_point::max();
    };
    explicit Database(std::filesystem::path named_as);
    void open(const char* place, int flags, const char* vfs);

    std::filesystem::path path_;
    std::unique_ptr<StepWatch> watch_;
    std::unique_ptr<sqlite3, int (*)(sqlite3*)> handle_;
};

/// All or nothing: rolled back unless committed. Within another one it is a part of that.
class Transaction {
  public:
    /// `begun` is called once it holds the file's lock, unless it is within another one; if it throws, there
    /// is no transaction.
    explicit Transaction(
        Database& database, const std::function<void()>& begun = [] {});
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;
    ~Transaction();
    void commit();

  private:
    void roll_back() noexcept;

    Database& database_;
    bool open_;
};

/// What is read while it lives is from one moment, whatever others write meanwhile.
class Snapshot {
  public:
    explicit Snapshot(Database& database) : database_(database) { database_.execute("BEGIN"); }
    Snapshot(const Snapshot&) = delete;
    Snapshot& operator=(const Snapshot&) = delete;
    ~Snapshot();

  private:
    Database& database_;
};

}  // namespace fathom::store
