#include "store/sqlite.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>

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

/// A file may come from anyone: nothing in it is run, and no value in it may take all memory.
void distrust(sqlite3* handle) {
    struct Switch {
        int what;
        int value;
    };
    constexpr std::array switches{
        Switch{SQLITE_DBCONFIG_DEFENSIVE, 1},
        Switch{SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
        Switch{SQLITE_DBCONFIG_ENABLE_VIEW, 0},
        Switch{SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
        Switch{SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0},
        Switch{SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0},
        Switch{SQLITE_DBCONFIG_WRITABLE_SCHEMA, 0},
    };
    for (const auto& each : switches) {
        sqlite3_db_config(handle, each.what, each.value, static_cast<int*>(nullptr));
    }
    // Our own statements are far below these. A block of samples is the longest value: at most 85 bytes for
    // each of a study's repetitions (journal/limits.hpp).
    constexpr int longest_value = 400 << 20;
    constexpr int longest_sql = 100'000;
    constexpr int deepest_expression = 50;
    constexpr int most_columns = 100;
    constexpr int most_parameters = 100;
    constexpr std::array limits{
        Switch{SQLITE_LIMIT_LENGTH, longest_value},
        Switch{SQLITE_LIMIT_SQL_LENGTH, longest_sql},
        Switch{SQLITE_LIMIT_EXPR_DEPTH, deepest_expression},
        Switch{SQLITE_LIMIT_COLUMN, most_columns},
        Switch{SQLITE_LIMIT_VARIABLE_NUMBER, most_parameters},
        Switch{SQLITE_LIMIT_ATTACHED, 0},
        Switch{SQLITE_LIMIT_COMPOUND_SELECT, 10},
        Switch{SQLITE_LIMIT_FUNCTION_ARG, 20},
        Switch{SQLITE_LIMIT_TRIGGER_DEPTH, 20},
    };
    for (const auto& each : limits) {
        sqlite3_limit(handle, each.what, each.value);
    }
}

/// What the system said last. Of a commit that failed, the file alone knows it.
int system_error(sqlite3* handle) {
    int reason = sqlite3_system_errno(handle);
    if (reason == 0) {
        sqlite3_file_control(handle, "main", SQLITE_FCNTL_LAST_ERRNO, &reason);
    }
    return reason;
}

[[noreturn]] void fail(const std::string& file, int code, const std::string& message, int reason = 0) {
    switch (code & 0xff) {
        case SQLITE_NOTADB:
            throw BadInput(fmt::format("{} is not a fathom result file; name another with --db.", file));
        case SQLITE_CORRUPT:
            throw BadInput(fmt::format(
                "{} is damaged ({}); restore it from a copy or name another with --db.", file, message));
        case SQLITE_TOOBIG:
            throw BadInput(fmt::format("{} holds a value that is too long ({}); name another with --db.",
                                       file, message));
        case SQLITE_INTERRUPT:
            throw BadInput(
                fmt::format("{} takes too long to read; it may be damaged. Restore it from a copy "
                            "or name another with --db.",
                            file));
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
        case SQLITE_IOERR:
            if (reason != 0) {
                throw Unwritable(fmt::format("cannot read or write {}: {}{}.", file, std::strerror(reason),
                                             reason == EFBIG ? " (ulimit -f)" : ""));
            }
            [[fallthrough]];
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
    // Writing waits for disks and may take long; finding the next row of a sound file does not.
    constexpr std::chrono::seconds longest{60};
    database_->watch_->until = sqlite3_stmt_readonly(statement_.get()) != 0
                                   ? std::chrono::steady_clock::now() + longest
                                   : std::chrono::steady_clock::time_point::max();
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

Statement::Type Statement::type(int column) const {
    switch (sqlite3_column_type(statement_.get(), column)) {
        case SQLITE_INTEGER:
            return Type::integer;
        case SQLITE_FLOAT:
            return Type::real;
        case SQLITE_TEXT:
            return Type::text;
        case SQLITE_BLOB:
            return Type::blob;
        default:
            return Type::null;
    }
}

std::string Statement::column_name(int column) const {
    const char* const name = sqlite3_column_name(statement_.get(), column);
    return name == nullptr ? std::string() : std::string(name);
}

Database::Database(std::filesystem::path named_as)
    : path_(std::move(named_as)), watch_(std::make_unique<StepWatch>()), handle_(nullptr, close_handle) {}

Database::Database(std::filesystem::path path, Access access, bool without_locks)
    : Database(std::move(path)) {
    // Readers open for writing too where they may: a killed writer's transaction must be rolled back first.
    const int create = access == Access::write ? SQLITE_OPEN_CREATE : 0;
    open(path_.c_str(), SQLITE_OPEN_READWRITE | create, without_locks ? "unix-none" : nullptr);
    if (access == Access::write && read_only()) {
        fail(path_.string(), SQLITE_READONLY, "it is read-only");
    }
}

void Database::open(const char* place, int flags, const char* vfs) {
    sqlite3* raw = nullptr;
    const int code = sqlite3_open_v2(place, &raw, flags, vfs);
    handle_.reset(raw);
    check(code);
    sqlite3_extended_result_codes(raw, 1);
    sqlite3_busy_timeout(raw, busy_wait_ms);
    distrust(raw);
    constexpr int instructions_between = 100'000;  // some milliseconds
    sqlite3_progress_handler(
        raw, instructions_between,
        [](void* watch) {
            return std::chrono::steady_clock::now() > static_cast<StepWatch*>(watch)->until ? 1 : 0;
        },
        watch_.get());
    execute("PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON");
}

std::unique_ptr<Database> Database::private_copy() const {
    std::unique_ptr<Database> copy(new Database(path_));
    copy->open("", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);  // no name: temporary
    auto* const backup = sqlite3_backup_init(copy->handle_.get(), "main", handle_.get(), "main");
    if (backup == nullptr) {
        copy->check(sqlite3_errcode(copy->handle_.get()));
    }
    constexpr int all_pages = -1;
    const int code = sqlite3_backup_step(backup, all_pages);
    sqlite3_backup_finish(backup);
    if (code != SQLITE_DONE) {
        copy->check(code);
    }
    return copy;
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
        fail(path_.string(), code, handle_ ? sqlite3_errmsg(handle_.get()) : sqlite3_errstr(code),
             handle_ ? system_error(handle_.get()) : 0);
    }
}

Transaction::Transaction(Database& database, const std::function<void()>& begun)
    : database_(database), open_(!database.in_transaction()) {
    if (!open_) {
        return;
    }
    database_.execute("BEGIN IMMEDIATE");
    try {
        begun();
    } catch (...) {
        roll_back();
        throw;
    }
}

Transaction::~Transaction() {
    if (open_) {
        roll_back();
    }
}

void Transaction::roll_back() noexcept {
    try {
        database_.execute("ROLLBACK");
    } catch (const Error&) {  // NOLINT(bugprone-empty-catch): SQLite has rolled back by itself on such errors
    }
}

void Transaction::commit() {
    if (open_) {
        database_.execute("COMMIT");
        open_ = false;
    }
}

Snapshot::~Snapshot() {
    try {
        database_.execute("ROLLBACK");
    } catch (const Error&) {  // NOLINT(bugprone-empty-catch): nothing was written
    }
}

bool Database::in_transaction() const {
    return sqlite3_get_autocommit(handle_.get()) == 0;
}

}  // namespace fathom::store
