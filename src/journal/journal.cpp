#include "journal/journal.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <stdexcept>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/plain_bytes.hpp"
#include "journal/checks.hpp"
#include "journal/json.hpp"
#include "journal/point_key_json.hpp"

namespace fathom::journal {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(JobInfo, procs, simulated, mpi_flavour, mpi_version, mpi_standard,
                                   time_source, clock_ns, utc_ns, plan_toml, facts)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RankInfo, rank, host, pid, binding, empty_ns, socket, numa_node)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(HostInfo, host, facts)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(PointBegin, index)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(PointEnd, index, status, reason, datatype, start, warmup_calls, calls,
                                   cache, pairs, remark, samples)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(PointPause, index)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Disturbance, point, rank, begin_ns, end_ns, waited_ns)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RankTally, point, rank, counts)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(StudyStep, point, step, scheme, work_ns, tests, interval_bytes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(JobEnd, complete, reason, rank_0_peak_bytes, other_peak_bytes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ClockSync, sync, rank, at_ns, offset_ns, low_ns, high_ns, round_trip_ns,
                                   pings, shared, cost_ns, scheme, test)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ClockPings, round, asking, answering, at_ns, offset_ns, low_ns, high_ns,
                                   round_trips_ns)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ClockEvent, after_ns, event, rank, planned_ns, acted_ns, global_ns,
                                   claimed_ns, sync)

void to_json(nlohmann::json& json, const PointAdded& record) {
    json = {{"index", record.point.index}, {"purpose", record.point.purpose}};
    put_key(json, record.point.key);
}

void from_json(const nlohmann::json& json, PointAdded& record) {
    record.point = {.index = json.at("index").get<int>(),
                    .key = key_from<plan::PointKey>(json),
                    .purpose = json.at("purpose").get<std::string>()};
}

namespace {

using nlohmann::json;

constexpr std::string_view family = "fathom journal ";
constexpr std::string_view magic = "fathom journal 2\n";  // 2: the end of a point announces its samples
constexpr std::uint32_t largest_payload = 1U << 30;
constexpr std::uint32_t largest_text_payload = 1U << 26;  // JSON takes many times its size once it is parsed

struct Frame {
    std::uint32_t kind;  ///< index into Record
    std::uint32_t size;
    std::uint64_t checksum;
};

struct SampleHead {
    std::int32_t point;
    std::int32_t rank;
    std::int64_t first_rep;
    std::int64_t count;
};

struct EvidenceHead {
    std::int32_t point;
    std::int32_t rank;
    std::int32_t block;
    std::int32_t network;
    std::int64_t count;
    std::int64_t readings;
    std::int64_t spent_ns;
    std::int64_t measured_ns;
    std::int64_t rto_ns;
    std::int64_t rto_min_ns;
};

struct EventHead {
    std::int32_t point;
    std::int32_t rank;
    std::int32_t block;
    std::int32_t every;
    std::int64_t first_call;
    std::int64_t count;
    std::int64_t dropped;
};

SampleHead head_of(const SampleBlock& block) {
    return {block.point, block.rank, block.first_rep, block.count};
}
SampleHead head_of(const StudyBlock& block) {
    return {block.point, block.rank, 0, block.count};
}
EvidenceHead head_of(const EvidenceBlock& block) {
    return {block.point,    block.rank,     block.block,       block.network ? 1 : 0, block.count,
            block.readings, block.spent_ns, block.measured_ns, block.rto_ns,          block.rto_min_ns};
}
EventHead head_of(const EventBlock& block) {
    return {block.point, block.rank, block.block, block.every, block.first_call, block.count, block.dropped};
}
SampleBlock block_from(const SampleHead& head, std::string data, const SampleBlock* /*kind*/) {
    return {head.point, head.rank, head.first_rep, head.count, std::move(data)};
}
StudyBlock block_from(const SampleHead& head, std::string data, const StudyBlock* /*kind*/) {
    return {head.point, head.rank, head.count, std::move(data)};
}
EvidenceBlock block_from(const EvidenceHead& head, std::string data, const EvidenceBlock* /*kind*/) {
    return {.point = head.point,
            .rank = head.rank,
            .block = head.block,
            .count = head.count,
            .readings = head.readings,
            .spent_ns = head.spent_ns,
            .measured_ns = head.measured_ns,
            .network = head.network != 0,
            .rto_ns = head.rto_ns,
            .rto_min_ns = head.rto_min_ns,
            .data = std::move(data)};
}
EventBlock block_from(const EventHead& head, std::string data, const EventBlock* /*kind*/) {
    return {.point = head.point,
            .rank = head.rank,
            .block = head.block,
            .every = head.every,
            .first_call = head.first_call,
            .count = head.count,
            .dropped = head.dropped,
            .data = std::move(data)};
}
/// Kinds that carry packed numbers, not JSON.
template <typename Content>
constexpr bool is_block = std::is_same_v<Content, SampleBlock> || std::is_same_v<Content, StudyBlock> ||
                          std::is_same_v<Content, EvidenceBlock> || std::is_same_v<Content, EventBlock>;

/// Whether a frame can be one of ours: no record is empty.
bool is_plausible(const Frame& frame) {
    return frame.kind < std::variant_size_v<Record> && frame.size > 0 && frame.size <= largest_payload;
}

/// FNV-1a: enough to distinguish a half-written record from a complete one.
std::uint64_t checksum(std::string_view bytes) {
    std::uint64_t hash = 0xcbf29ce484222325U;
    for (const char byte : bytes) {
        hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3U;
    }
    return hash;
}

std::string payload_of(const Record& record) {
    return std::visit(
        [](const auto& content) -> std::string {
            using Content = std::decay_t<decltype(content)>;
            if constexpr (is_block<Content>) {
                return bytes_of(head_of(content)) + content.data;
            } else {
                // A host may have odd bytes in its environment: replace invalid UTF-8 rather than fail.
                return json(content).dump(-1, ' ', false, json::error_handler_t::replace);
            }
        },
        record);
}

/// Whether a record holds what its text says: a number that does not fit its field would be another one.
bool says_the_same(const json& made, const json& parsed) {
    for (const auto& [key, value] : parsed.items()) {
        const auto found = made.find(key);
        if (found != made.end() && *found != value) {
            return false;
        }
    }
    return true;
}

/// Without what lies deeper than any record does: who walks through it must not exhaust the stack.
json parsed_record(const std::string& payload) {
    constexpr int deepest = 8;
    return json::parse(payload, [](int depth, json::parse_event_t, json&) { return depth <= deepest; });
}

bool has_fraction(const json& value) {
    return value.is_number_float() ||
           (value.is_structured() && std::any_of(value.begin(), value.end(), has_fraction));
}

/// Whether all numbers of a record are whole: a fraction in a field that holds none may not even fit it.
/// Tallies alone have counts that need not be.
template <typename Content>
bool has_whole_numbers(const json& record) {
    if constexpr (std::is_same_v<Content, RankTally>) {
        return std::none_of(record.items().begin(), record.items().end(), [](const auto& field) {
            return field.key() != "counts" && has_fraction(field.value());
        });
    } else {
        return !has_fraction(record);
    }
}

template <std::size_t Kind = 0>
std::optional<Record> record_from(std::uint32_t kind, const std::string& payload) {
    if constexpr (Kind == std::variant_size_v<Record>) {
        return std::nullopt;
    } else {
        using Content = std::variant_alternative_t<Kind, Record>;
        if (kind != Kind) {
            return record_from<Kind + 1>(kind, payload);
        }
        if constexpr (is_block<Content>) {
            using Head = decltype(head_of(Content{}));
            if (payload.size() < sizeof(Head)) {
                return std::nullopt;
            }
            const auto head = value_from<Head>(payload);
            return block_from(head, payload.substr(sizeof head), static_cast<const Content*>(nullptr));
        } else {
            if (payload.size() > largest_text_payload) {
                return std::nullopt;
            }
            try {
                const auto parsed = parsed_record(payload);
                if (!has_whole_numbers<Content>(parsed)) {
                    return std::nullopt;
                }
                auto content = parsed.get<Content>();
                return says_the_same(json(content), parsed) ? std::optional<Record>(std::move(content))
                                                            : std::nullopt;
            } catch (const json::exception&) {
                return std::nullopt;
            } catch (const std::invalid_argument&) {  // a word that this version does not know
                return std::nullopt;
            }
        }
    }
}

}  // namespace

std::string packed(const Record& record) {
    return bytes_of(static_cast<std::uint32_t>(record.index())) + payload_of(record);
}

std::optional<Record> unpacked(std::string_view text) {
    if (text.size() < sizeof(std::uint32_t)) {
        return std::nullopt;
    }
    return record_from(value_from<std::uint32_t>(text), std::string(text.substr(sizeof(std::uint32_t))));
}

Writer::Writer(const std::filesystem::path& path)
    : path_(path), file_(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666)) {
    if (!file_.is_open()) {
        fail_to_write(path.string(), errno);
    }
    // File systems without locks are fine: nothing else depends on them.
    if (::flock(file_.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        throw NotMeasured(fmt::format("another process is writing to {}", path.string()));
    }
    if (::ftruncate(file_.get(), 0) != 0 && errno != EINVAL) {  // of a pipe, for one
        fail_to_write(path.string(), errno);
    }
    put(std::string(magic));
}

void Writer::write(const Record& record) {
    const auto payload = payload_of(record);
    const Frame frame{static_cast<std::uint32_t>(record.index()), static_cast<std::uint32_t>(payload.size()),
                      checksum(payload)};
    put(bytes_of(frame) + payload);
}

void Writer::put(const std::string& bytes) {
    std::size_t done = 0;
    while (done < bytes.size()) {
        const auto written = ::write(file_.get(), bytes.data() + done, bytes.size() - done);
        if (written < 0 && errno != EINTR) {
            fail_to_write(path_.string(), errno);
        }
        done += written > 0 ? static_cast<std::size_t>(written) : 0;
    }
}

Reader::Reader(std::filesystem::path path) : path_(std::move(path)) {
    open();
}

void Reader::open() {
    file_ = FileDescriptor(::open(path_.c_str(), O_RDONLY | O_CLOEXEC));
}

bool Reader::begun() {
    if (position_ > 0) {
        return true;
    }
    if (!file_.is_open()) {
        open();
    }
    const auto start = file_.is_open() ? read_at(0, magic.size()) : std::string();
    if (start.size() < magic.size()) {
        return false;  // not written yet
    }
    if (start != magic) {
        throw BadInput(start.starts_with(family)
                           ? fmt::format("{} was written by another version of fathom", path_.string())
                           : fmt::format("{} is not a fathom journal", path_.string()));
    }
    position_ = magic.size();
    return true;
}

std::uint64_t Reader::file_size() const {
    struct stat status {};
    return ::fstat(file_.get(), &status) == 0 && status.st_size > 0
               ? static_cast<std::uint64_t>(status.st_size)
               : 0;
}

std::string Reader::read_at(std::uint64_t offset, std::size_t size) const {
    std::string bytes(size, '\0');
    std::size_t done = 0;
    while (done < size) {
        const auto got =
            ::pread(file_.get(), bytes.data() + done, size - done, static_cast<off_t>(offset + done));
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            throw NotMeasured(fmt::format("cannot read {}: {}", path_.string(), std::strerror(errno)));
        }
        if (got == 0) {
            break;
        }
        done += static_cast<std::size_t>(got);
    }
    bytes.resize(done);
    return bytes;
}

std::optional<Record> Reader::next() {
    auto framed = begun() ? framed_at(position_) : std::nullopt;
    if (!framed) {
        return std::nullopt;
    }
    if (!framed->record) {
        if (ended_) {
            return std::nullopt;
        }
        throw BadInput(fmt::format("{}: {} at byte {}", path_.string(), framed->wrong, position_));
    }
    position_ = framed->end;
    return std::move(framed->record);
}

std::uint64_t Reader::skip_damage() {
    const auto from = position_;
    const auto end = begun() ? file_size() : 0;
    if (from >= end) {
        return 0;
    }
    const auto next = next_whole_record();
    const bool regular = !next && cut_short();
    position_ = next.value_or(end);
    return regular ? 0 : position_ - from;
}

/// Whether what is left can be the beginning of a record whose writer was killed.
bool Reader::cut_short() const {
    const auto head = read_at(position_, sizeof(Frame));
    if (head.size() < sizeof(Frame)) {
        return true;
    }
    const auto frame = value_from<Frame>(head);
    return is_plausible(frame) && position_ + sizeof frame + frame.size > file_size();
}

/// Looks for a record with a valid checksum at every byte behind the damaged one.
std::optional<std::uint64_t> Reader::next_whole_record() const {
    constexpr std::size_t piece = 1U << 20;
    // Bytes that look like many large records must not take for ever: all that is left is then dropped.
    std::uint64_t patience = 1U << 30;
    const auto end = file_size();
    for (auto begin = position_ + 1; begin + sizeof(Frame) <= end; begin += piece) {
        const auto bytes = read_at(begin, piece + sizeof(Frame) - 1);
        for (std::size_t at = 0; at + sizeof(Frame) <= bytes.size(); ++at) {
            const auto frame = value_from<Frame>(std::string_view(bytes).substr(at));
            if (!is_plausible(frame) || begin + at + sizeof frame + frame.size > end) {
                continue;
            }
            if (frame.size > patience) {
                return std::nullopt;
            }
            patience -= frame.size;
            if (const auto framed = framed_at(begin + at); framed && framed->record) {
                return begin + at;
            }
        }
    }
    return std::nullopt;
}

std::optional<Record> Reader::at(std::uint64_t position) {
    auto framed = begun() ? framed_at(position) : std::nullopt;
    return framed ? std::move(framed->record) : std::nullopt;
}

std::optional<Reader::Framed> Reader::framed_at(std::uint64_t position) const {
    const auto head = read_at(position, sizeof(Frame));
    if (head.size() < sizeof(Frame)) {
        return std::nullopt;
    }
    const auto frame = value_from<Frame>(head);
    // Looked at before memory is taken: a frame may claim any size.
    if (frame.size > largest_payload || position + sizeof frame + frame.size > file_size()) {
        return std::nullopt;
    }
    const auto payload = read_at(position + sizeof frame, frame.size);
    // On a network file system the tail may be visible before its content: a wrong checksum means "not yet".
    if (payload.size() < frame.size || checksum(payload) != frame.checksum) {
        return std::nullopt;
    }
    Framed framed{record_from(frame.kind, payload), "unknown record", position + sizeof frame + frame.size};
    if (const auto wrong = framed.record ? wrong_with(*framed.record) : std::string(); !wrong.empty()) {
        framed.record.reset();
        framed.wrong = "damaged record (" + wrong + ")";
    }
    return framed;
}

}  // namespace fathom::journal
