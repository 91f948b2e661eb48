#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/file.hpp"
#include "journal/records.hpp"

/// The journal: the probe's messages to the front end, as an append-only file of framed, checksummed records.
/// Reading it needs no locks and no shared memory, only a directory that both see; whatever kills the probe,
/// all complete records before that stay readable.
namespace fathom::journal {

using Record = std::variant<JobInfo, RankInfo, HostInfo, PointBegin, SampleBlock, PointEnd, JobEnd, ClockSync,
                            ClockPings, ClockEvent, PointAdded, PointPause, Disturbance, RankTally, StudyStep,
                            StudyBlock, EvidenceBlock, EventBlock>;

/// A record as text, for ranks without a journal; and back, nothing if the text is not a record.
std::string packed(const Record& record);
std::optional<Record> unpacked(std::string_view text);

/// Creates or truncates a journal and appends to it. Each record is on its way to the file when write
/// returns.
class Writer {
  public:
    /// Throws NotMeasured if another process has the journal open for writing, since the records of the two
    /// would mix; Unwritable if it cannot be created.
    explicit Writer(const std::filesystem::path& path);
    /// Throws Unwritable that names the file and the reason (a full disk, for one).
    void write(const Record& record);

  private:
    void put(const std::string& bytes);

    std::filesystem::path path_;
    FileDescriptor file_;
};

/// Reads records in order while the file still grows.
class Reader {
  public:
    /// Opens the file, or does so later if it is not there yet. Once open it stays open: what happens to its
    /// name does not matter any more.
    explicit Reader(std::filesystem::path path);

    /// The next whole record, or nothing if there is none (yet): a record cut short by a kill is never
    /// returned. Throws BadInput if the file is not a journal, and, while it is still written, for a whole
    /// record that is not known or holds what no probe writes (checks.hpp), naming its place.
    std::optional<Record> next();

    /// From now on nobody writes to the file: what cannot be read is damaged, not on its way.
    void nobody_writes() { ended_ = true; }
    /// Goes on with the next whole record behind what is damaged, or to the end if there is none, and returns
    /// how many bytes were skipped. None are if there is nothing left but a record cut short. Only after
    /// nobody_writes() and when there is no next().
    std::uint64_t skip_damage();
    /// Whether a whole record lies behind one that cannot be read.
    [[nodiscard]] bool stuck() const { return position_ > 0 && next_whole_record().has_value(); }

    /// Where the next record begins.
    [[nodiscard]] std::uint64_t position() const { return position_; }
    /// The record that begins at such a place, read again. Nothing if it can no longer be read.
    std::optional<Record> at(std::uint64_t position);

  private:
    struct Framed {
        std::optional<Record> record;  ///< nothing if it is not known or holds what no probe writes
        std::string wrong;             ///< then: what is wrong
        std::uint64_t end;             ///< where the next one begins
    };

    void open();
    /// Whether the file is there and begins as a journal does; throws BadInput if it begins otherwise.
    bool begun();
    [[nodiscard]] std::optional<Framed> framed_at(std::uint64_t position) const;
    [[nodiscard]] std::uint64_t file_size() const;
    [[nodiscard]] bool cut_short() const;
    [[nodiscard]] std::optional<std::uint64_t> next_whole_record() const;
    [[nodiscard]] std::string read_at(std::uint64_t offset, std::size_t size) const;

    std::filesystem::path path_;
    FileDescriptor file_;
    std::uint64_t position_ = 0;  ///< 0 until the file is known to be a journal
    bool ended_ = false;
};

}  // namespace fathom::journal
