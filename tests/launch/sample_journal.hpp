#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "journal/journal.hpp"
#include "store/sample_store.hpp"

namespace fathom::testing {

/// The records that a probe writes before its first point.
inline std::vector<journal::Record> opening() {
    return {journal::JobInfo{
                2, false, "openmpi", "Open MPI v4", "3.1", "monotonic_raw", "", {{"build_type", "Release"}}},
            journal::RankInfo{0, "h0", 100, "0"}, journal::RankInfo{1, "h0", 101, "1"},
            journal::HostInfo{"h0", {{"cores", "2"}}}};
}

/// The records of one measured point: two ranks, their samples in two batches, each longer by so much.
inline std::vector<journal::Record> measured(int index, std::int64_t longer = 0) {
    std::vector<journal::Record> records{journal::PointBegin{index}};
    for (const std::int64_t first : {0, 3}) {
        for (const int rank : {0, 1}) {
            auto block = block_of(rank, first, samples_of({10 + longer, 20 + longer, 30 + longer}));
            block.point = index;
            records.emplace_back(std::move(block));
        }
    }
    records.emplace_back(journal::PointEnd{
        .index = index, .status = journal::PointStatus::ok, .datatype = "float", .samples = 12});
    return records;
}

inline std::vector<journal::Record> joined(std::initializer_list<std::vector<journal::Record>> parts) {
    std::vector<journal::Record> all;
    for (const auto& part : parts) {
        all.insert(all.end(), part.begin(), part.end());
    }
    return all;
}

inline std::vector<journal::Record> without_last(std::vector<journal::Record> records, std::size_t count) {
    records.resize(records.size() - count);
    return records;
}

inline void write_journal(const std::filesystem::path& path, const std::vector<journal::Record>& records) {
    journal::Writer writer(path);
    for (const auto& record : records) {
        writer.write(record);
    }
}

}  // namespace fathom::testing
