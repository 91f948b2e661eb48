#include "store/sqlite.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include "base/error.hpp"

namespace fathom::store {
namespace {

constexpr int busy_wait_ms = 10'000;

/// sqlite3_close_v2 and sqlite3_finalize with a signature of their own, so that headers need no sqlite3.h.
int close_handle(sqlite3* handle) {
    return sqlite3_close_v2(handle);
}
int finalize_statement(sqlite3_stmt* statement) {
    return sqlite3_finalize(statement);
}

[[noreturn]] void fail(const std::string& file, int code, const std::string& message) {
    switch (code & 0xff) {
        case SQLITE_NOTADB:
            throw BadInput(fmt::format("{} is not a fathom result file; name another with --db.", file));
        case SQLITE_CORRUPT:
            throw BadInput(fmt::format(
                "{} is damaged ({}); restore it from a copy or name another with --db.", file, message));
        case SQLITE_BUSY:
        case SQLITE_LOCKED:
            throw NotMeasured(
                fmt::format("{} is in use by another process; wait for it or name another with --db.", file));
        case SQLITE_FULL:
            throw Unwritable(
                fmt::format("no space left for {}; free some space or name another with --db.", file));
        case SQLITE_READONLY:
        case SQLITE_CANTOPEN:
        case SQLITE_PERM:
            throw BadInput(fmt::format("cannot write {} ({}); name another with --db.", file, message));
        default:
            throw NotMeasured(fmt::format("{}: {} (SQLite error {}).", file, message, code));
    }
}

}  // namespace

Statement::Statement(const Database& database, std::string_view sql)
    : database_(&database), statement_(nullptr, finalize_statement) {
    sqlite3_stmt* raw = nullptr;
    const int code =
        sqlite3_prepare_v2(database.handle_.get(), sql.data(), static_cast<int>(sql.size()), &raw, nullptr);
    statement_.reset(raw);
    database.check(code);
}

void Statement::bind_one(int at, std::int64_t value) {
    database_->check(sqlite3_bind_int64(statement_.get(), at, value));
}

void Statement::bind_one(int at, double value) {
    database_->check(sqlite3_bind_double(statement_.get(), at, value));
}

void Statement::bind_one(int at, std::string_view value) {
    database_->check(
        sqlite3_bind_text64(statement_.get(), at, value.data(), value.size(), SQLITE_TRANSIENT, SQLITE_UTF8));
}

void Statement::bind_one(int at, std::nullptr_t) {
    database_->check(sqlite3_bind_null(statement_.get(), at));
}

Statement& Statement::bind_blob(int at, std::string_view bytes) {
    database_->check(sqlite3_bind_blob64(statement_.get(), at, bytes.data(), bytes.size(), SQLITE_TRANSIENT));
    return *this;
}

bool Statement::step() {
    const int code = sqlite3_step(statement_.get());
    if (code == SQLITE_ROW) {
        return true;
    }
    if (code != SQLITE_DONE) {
        database_->check(code);
    }
    return false;
}

void Statement::run() {
    while (step()) {
    }
    database_->check(sqlite3_reset(statement_.get()));
}

std::int64_t Statement::integer(int column) const {
    return sqlite3_column_int64(statement_.get(), column);
}

double Statement::real(int column) const {
    return sqlite3_column_double(statement_.get(), column);
}

std::string Statement::text(int column) const {
    return blob(column);
}

std::string Statement::blob(int column) const {
    const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement_.get(), column));
    const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column));
    return bytes == nullptr ? std::string() : std::string(bytes, size);
}

bool Statement::is_null(int column) const {
    return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}

BadInput Statement::unknown_word(const std::string& word) const {
    return BadInput(
        fmt::format("{} holds '{}' where this fathom expects another word; a newer fathom may have "
                    "written it.",
                    database_->path().string(), word));
}

Database::Database(std::filesystem::path path, Access access, bool without_locks)
    : path_(std::move(path)), handle_(nullptr, close_handle) {
    // Readers open for writing too where they may: a killed writer's transaction must be rolled back first.
    const int create = access == Access::write ? SQLITE_OPEN_CREATE : 0;
    const char* vfs = without_locks ? "unix-none" : nullptr;
    sqlite3* raw = nullptr;
    const int code = sqlite3_open_v2(path_.c_str(), &raw, SQLITE_OPEN_READWRITE | create, vfs);
    handle_.reset(raw);
    check(code);
    sqlite3_extended_result_codes(raw, 1);
    sqlite3_busy_timeout(raw, busy_wait_ms);
    execute("PRAGMA foreign_keys = ON");
    if (access == Access::write && read_only()) {
        fail(path_.string(), SQLITE_READONLY, "it is read-only");
    }
}

bool Database::read_only() const {
    return sqlite3_db_readonly(handle_.get(), "main") == 1;
}

void Database::execute(const std::string& sql) {
    check(sqlite3_exec(handle_.get(), sql.c_str(), nullptr, nullptr, nullptr));
}

std::int64_t Database::last_id() const {
    return sqlite3_last_insert_rowid(handle_.get());
}

std::int64_t Database::pragma(const std::string& name) const {
    auto query = prepare("PRAGMA " + name);
    return query.step() ? query.integer(0) : 0;
}

void Database::check(int code) const {
    if (code != SQLITE_OK) {
        fail(path_.string(), code, handle_ ? sqlite3_errmsg(handle_.get()) : sqlite3_errstr(code));
    }
}

Transaction::Transaction(Database& database) : database_(database), open_(!database.in_transaction()) {
    if (open_) {
        database_.execute("BEGIN IMMEDIATE");
    }
}

Transaction::~Transaction() {
    if (open_) {
        try {
            database_.execute("ROLLBACK");
        } catch (
            const Error&) {  // NOLINT(bugprone-empty-catch): SQLite has rolled back by itself on such errors
        }
    }
}

void Transaction::commit() {
    if (open_) {
        database_.execute("COMMIT");
        open_ = false;
    }
}

bool Database::in_transaction() const {
    return sqlite3_get_autocommit(handle_.get()) == 0;
}

}  // namespace fathom::store
