// A result file in which single values were changed, opened and evaluated. An input is lines of
//   TABLE.COLUMN ROW KIND VALUE
// with KIND i (integer), r (real), t (text, in hexadecimal digits), b (blob, the same), z (blob that is still
// to be compressed) or n (NULL).
#include "store/store.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <sqlite3.h>
#include <zstd.h>

#include "base/splitmix64.hpp"
#include "base/text.hpp"
#include "fuzz/fuzzing.hpp"
#include "fuzz/reading.hpp"
#include "fuzz/sample_run.hpp"
#include "journal/packing.hpp"

namespace {

using namespace fathom;

using Handle = std::unique_ptr<sqlite3, int (*)(sqlite3*)>;
using Query = std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)>;

struct Edit {
    std::string column;  ///< `sample_block.first_rep`
    std::uint64_t row = 0;
    char kind = 'n';
    std::string value;  ///< of texts and blobs: the bytes
};

/// A column of the sample file.
struct Column {
    std::string name;  ///< `sample_block.first_rep`
    std::string type;
    std::uint64_t rows = 0;
    std::string first;  ///< the first row's value if it is a blob: as it was before it was compressed
};

std::string hexadecimal(std::string_view bytes) {
    std::string text;
    for (const char byte : bytes) {
        text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
    }
    return text;
}

/// As far as there are digits.
std::string bytes_from(std::string_view digits) {
    constexpr std::string_view known = "0123456789abcdef";
    std::string bytes;
    for (std::size_t at = 0; at + 1 < digits.size(); at += 2) {
        const auto high = known.find(digits[at]);
        const auto low = known.find(digits[at + 1]);
        if (high == std::string_view::npos || low == std::string_view::npos) {
            break;
        }
        bytes += static_cast<char>(16 * high + low);
    }
    return bytes;
}

bool in_digits(char kind) {
    return kind == 't' || kind == 'b' || kind == 'z';
}

std::vector<Edit> edits_in(const std::string& input) {
    std::vector<Edit> edits;
    for (const auto& line : split(input, '\n')) {
        const auto words = split(line, ' ');
        if (words.size() < 3 || words[2].size() != 1) {
            continue;
        }
        const auto value = words.size() > 3 ? words[3] : std::string();
        const char kind = words[2][0];
        edits.push_back({.column = words[0],
                         .row = std::strtoull(words[1].c_str(), nullptr, 10),
                         .kind = kind,
                         .value = in_digits(kind) ? bytes_from(value) : value});
    }
    return edits;
}

std::string input_of(const std::vector<Edit>& edits) {
    std::string input;
    for (const auto& edit : edits) {
        input += fmt::format("{} {} {} {}\n", edit.column, edit.row, edit.kind,
                             in_digits(edit.kind) ? hexadecimal(edit.value) : edit.value);
    }
    return input;
}

Handle opened(const std::filesystem::path& path) {
    sqlite3* raw = nullptr;
    sqlite3_open(path.c_str(), &raw);
    return {raw, sqlite3_close};
}

Query prepared(const Handle& database, const std::string& sql) {
    sqlite3_stmt* raw = nullptr;
    sqlite3_prepare_v2(database.get(), sql.c_str(), -1, &raw, nullptr);
    return {raw, sqlite3_finalize};
}

std::string text_at(const Query& query, int column) {
    const auto* bytes = static_cast<const char*>(sqlite3_column_blob(query.get(), column));
    const auto size = static_cast<std::size_t>(sqlite3_column_bytes(query.get(), column));
    return bytes == nullptr ? std::string() : std::string(bytes, size);
}

/// What a blob of the sample file was before it was compressed.
std::string plain(const std::string& packed) {
    const auto size = ZSTD_getFrameContentSize(packed.data(), packed.size());
    if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN) {
        return packed;
    }
    std::string content(size, '\0');
    ZSTD_decompress(content.data(), content.size(), packed.data(), packed.size());
    return content;
}

struct Sample {
    std::string bytes = fuzzing::sample_file();
    std::vector<Column> columns;  ///< of tables that have rows
};

const Sample& sample() {
    static const auto made = [] {
        Sample sample;
        const auto database = opened(fuzzing::file_of("sample.db", sample.bytes));
        const auto query = prepared(
            database,
            "SELECT m.name, c.name, c.type FROM sqlite_schema m, pragma_table_info(m.name) c WHERE m.type = "
            "'table' ORDER BY 1, c.cid");
        while (sqlite3_step(query.get()) == SQLITE_ROW) {
            const auto table = text_at(query, 0);
            const auto name = text_at(query, 1);
            Column column{.name = fmt::format("{}.{}", table, name), .type = text_at(query, 2)};
            const auto counted = prepared(database, fmt::format("SELECT count(*) FROM \"{}\"", table));
            sqlite3_step(counted.get());
            column.rows = static_cast<std::uint64_t>(sqlite3_column_int64(counted.get(), 0));
            const auto first = prepared(database, fmt::format("SELECT \"{}\" FROM \"{}\"", name, table));
            if (sqlite3_step(first.get()) == SQLITE_ROW && column.type == "BLOB") {
                column.first = plain(text_at(first, 0));
            }
            if (column.rows > 0) {
                sample.columns.push_back(std::move(column));
            }
        }
        return sample;
    }();
    return made;
}

/// The names of a table's columns that identify a row.
std::string key_of(const Handle& database, const std::string& table) {
    const auto query = prepared(
        database,
        fmt::format("SELECT group_concat('\"' || name || '\"') FROM pragma_table_info('{}') WHERE pk > 0",
                    table));
    sqlite3_step(query.get());
    const auto key = text_at(query, 0);
    return key.empty() ? "rowid" : key;
}

/// Edits that SQLite refuses are left out.
void apply(const Handle& database, const Edit& edit) {
    const auto known = std::any_of(sample().columns.begin(), sample().columns.end(),
                                   [&](const auto& column) { return column.name == edit.column; });
    if (!known) {
        return;
    }
    const auto dot = edit.column.find('.');
    const auto table = edit.column.substr(0, dot);
    const auto key = key_of(database, table);
    const auto update = prepared(
        database, fmt::format("UPDATE \"{0}\" SET \"{1}\" = ?1 WHERE ({2}) = (SELECT {2} FROM \"{0}\" "
                              "LIMIT 1 OFFSET ?2)",
                              table, edit.column.substr(dot + 1), key));
    const auto rows = std::find_if(sample().columns.begin(), sample().columns.end(), [&](const auto& column) {
                          return column.name == edit.column;
                      })->rows;
    sqlite3_bind_int64(update.get(), 2, static_cast<std::int64_t>(edit.row % rows));
    const auto value = edit.kind == 'z' ? journal::compressed(edit.value) : edit.value;
    switch (edit.kind) {
        case 'i':
            sqlite3_bind_int64(update.get(), 1, std::strtoll(value.c_str(), nullptr, 10));
            break;
        case 'r':
            sqlite3_bind_double(update.get(), 1, std::strtod(value.c_str(), nullptr));
            break;
        case 't':
            sqlite3_bind_text64(update.get(), 1, value.data(), value.size(), SQLITE_STATIC, SQLITE_UTF8);
            break;
        case 'b':
        case 'z':
            sqlite3_bind_blob64(update.get(), 1, value.data(), value.size(), SQLITE_STATIC);
            break;
        default:
            sqlite3_bind_null(update.get(), 1);
    }
    sqlite3_step(update.get());
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto path = fuzzing::file_of("fathom.db", sample().bytes);
    {
        const auto database = opened(path);
        sqlite3_exec(database.get(), "PRAGMA synchronous = OFF; PRAGMA ignore_check_constraints = ON",
                     nullptr, nullptr, nullptr);
        for (const auto& edit : edits_in(fuzzing::text_of(data, size))) {
            apply(database, edit);
        }
    }
    fuzzing::refused_or_done([&] { fuzzing::read_everything(store::Store::open(path)); });
    return 0;
}

/// Adds an edit, removes one, or changes the value of one.
std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t largest,
                                    unsigned seed) {
    using Limits = std::numeric_limits<std::int64_t>;
    constexpr std::array<std::int64_t, 14> integers{-1,
                                                    0,
                                                    1,
                                                    2,
                                                    3,
                                                    1'000,
                                                    2'147'483'647,
                                                    2'147'483'648,
                                                    -(1LL << 31),
                                                    1LL << 32,
                                                    1LL << 62,
                                                    -(1LL << 62),
                                                    Limits::max(),
                                                    Limits::min()};
    constexpr std::size_t longer = 16;
    constexpr std::size_t most_edits = 4;
    std::uint64_t rolls = 0;
    const auto roll = [&](std::size_t count) {
        return static_cast<std::size_t>(splitmix64(seed, rolls++) % count);
    };
    const auto mutated = [&](std::string text) {
        const auto before = text.size();
        text.resize(before + longer);
        text.resize(LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(text.data()), before, text.size()));
        return text;
    };
    auto edits = edits_in(fuzzing::text_of(data, size));
    const auto what = roll(8);
    if (!edits.empty() && (what == 0 || edits.size() > most_edits)) {
        edits.erase(edits.begin() + static_cast<std::ptrdiff_t>(roll(edits.size())));
    } else if (edits.empty() || what < 4) {
        const auto& column = sample().columns[roll(sample().columns.size())];
        Edit edit{.column = column.name, .row = roll(column.rows)};
        if (column.type == "BLOB") {
            edit.kind = 'z';
            edit.value = mutated(column.first);
        } else if (column.type == "TEXT" && roll(4) != 0) {
            edit.kind = 't';
            edit.value = mutated("");
        } else if (roll(16) == 0) {
            edit.kind = "nbr"[roll(3)];
            edit.value = edit.kind == 'r' ? std::string(std::array{"nan", "1e308", "-1e-300", "1.5"}[roll(4)])
                                          : std::string();
        } else {
            edit.kind = 'i';
            edit.value = fmt::format("{}", integers[roll(integers.size())]);
        }
        edits.push_back(std::move(edit));
    } else {
        auto& edit = edits[roll(edits.size())];
        if (in_digits(edit.kind)) {
            edit.value = mutated(std::move(edit.value));
        } else if (edit.kind == 'i') {
            const auto old = std::strtoll(edit.value.c_str(), nullptr, 10);
            const auto step = static_cast<std::uint64_t>(1) << roll(64);
            edit.value = fmt::format("{}", static_cast<std::int64_t>(static_cast<std::uint64_t>(old) + step));
        } else {
            edit.row = roll(1'000);
        }
    }
    const auto input = input_of(edits);
    if (input.size() > largest) {
        return 0;
    }
    std::memcpy(data, input.data(), input.size());
    return input.size();
}
