#pragma once

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "base/plain_bytes.hpp"
#include "base/splitmix64.hpp"
#include "fuzz/fuzzing.hpp"
#include "journal/journal.hpp"

/// Journals as the mutators of their targets see them: no mutation of bytes finds the checksum of a record.
namespace fathom::fuzzing {

/// As src/journal/journal.cpp writes it.
struct Frame {
    std::uint32_t kind = 0;
    std::uint32_t size = 0;
    std::uint64_t checksum = 0;
};

struct FramedRecord {
    std::uint32_t kind = 0;
    std::string payload;
};

/// How a journal of this version begins.
inline const std::string& journal_magic() {
    static const auto magic = [] {
        const auto path = scratch() / "empty.journal";
        journal::Writer writer(path);
        return read_file(path);
    }();
    return magic;
}

inline std::uint64_t frame_checksum(std::string_view bytes) {
    std::uint64_t hash = 0xcbf29ce484222325U;
    for (const char byte : bytes) {
        hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3U;
    }
    return hash;
}

/// The records of a journal; what is behind the last whole one is left out.
inline std::vector<FramedRecord> frames_in(std::string_view journal) {
    std::vector<FramedRecord> found;
    auto at = std::min(journal_magic().size(), journal.size());
    while (journal.size() - at >= sizeof(Frame)) {
        const auto frame = value_from<Frame>(journal.substr(at));
        at += sizeof frame;
        if (frame.size > journal.size() - at) {
            break;
        }
        found.push_back({frame.kind, std::string(journal.substr(at, frame.size))});
        at += frame.size;
    }
    return found;
}

inline std::string journal_of(const std::vector<FramedRecord>& records) {
    auto journal = journal_magic();
    for (const auto& record : records) {
        journal += bytes_of(Frame{record.kind, static_cast<std::uint32_t>(record.payload.size()),
                                  frame_checksum(record.payload)});
        journal += record.payload;
    }
    return journal;
}

/// A text as libFuzzer would change it, at most this many bytes longer.
inline std::string mutated(std::string text, std::size_t longer) {
    const auto size = text.size();
    text.resize(std::max<std::size_t>(1, size + longer));
    text.resize(LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(text.data()), size, text.size()));
    return text;
}

/// Changes one record, or the order of records; now and then the bytes of the file.
inline std::size_t mutate_journal(std::uint8_t* data, std::size_t size, std::size_t largest, unsigned seed) {
    constexpr std::size_t longer = 64;
    auto records = frames_in(text_of(data, size));
    const auto roll = [&](std::uint64_t index, std::size_t count) {
        return static_cast<std::size_t>(splitmix64(seed, index) % count);
    };
    const auto what = roll(0, 16);
    if (records.empty() || what == 0) {
        return LLVMFuzzerMutate(data, size, largest);
    }
    const auto at = roll(1, records.size());
    const auto place = records.begin() + static_cast<std::ptrdiff_t>(at);
    switch (what) {
        case 1:
            records.erase(place);
            break;
        case 2: {
            const auto again = *place;
            records.insert(records.begin() + static_cast<std::ptrdiff_t>(roll(2, records.size())), again);
            break;
        }
        case 3:
            std::swap(*place, records[roll(2, records.size())]);
            break;
        case 4:
            place->kind = static_cast<std::uint32_t>(roll(2, std::variant_size_v<journal::Record> + 1));
            break;
        default:
            place->payload = mutated(std::move(place->payload), longer);
    }
    const auto journal = journal_of(records);
    const auto kept = std::min(journal.size(), largest);
    std::memcpy(data, journal.data(), kept);
    return kept;
}

}  // namespace fathom::fuzzing
