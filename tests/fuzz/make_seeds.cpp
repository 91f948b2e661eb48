// Writes the seeds that are not text, as this version of fathom packs them: make_seeds FOLDER makes
// FOLDER/TARGET.
#include <limits>

#include "base/file.hpp"
#include "fuzz/packed_block.hpp"
#include "fuzz/sample_run.hpp"
#include "journal/events.hpp"
#include "journal/evidence.hpp"
#include "journal/samples.hpp"
#include "launch/sample_journal.hpp"

namespace {

using namespace fathom;
namespace fs = std::filesystem;

/// Both forms of an input: as the file holds the block, and without its compression, where rows are numbers
/// of one byte each.
void put_block(const fs::path& folder, std::int64_t count, const std::string& packed, std::size_t row_bytes) {
    fs::create_directories(folder);
    write_file(folder / "packed", fuzzing::block_input(count, packed, false));
    std::string rows;
    for (std::size_t i = 0; i < static_cast<std::size_t>(count) * row_bytes; ++i) {
        rows += static_cast<char>(i % 7);
    }
    write_file(folder / "plain", fuzzing::block_input(count, rows, true));
}

/// A line of the target `store`: other bytes for the study of the sample file.
void put_study(const fs::path& file, const std::vector<journal::StudySample>& samples) {
    fs::create_directories(file.parent_path());
    std::string line = "study_block.data 0 b ";
    for (const char byte : journal::pack_study(samples)) {
        line += fmt::format("{:02x}", static_cast<unsigned char>(byte));
    }
    write_file(file, fmt::format("{}\nstudy_block.count 0 i {}\n", line, samples.size()));
}

/// Studies as a file may hold them, although no probe writes the last ones.
void put_studies(const fs::path& folder) {
    constexpr std::int64_t far = std::int64_t{1} << 62;
    const auto study = [](int rounds, bool valid) {
        std::vector<journal::StudySample> samples;
        for (int i = 0; i < 3 * rounds; ++i) {
            journal::StudySample sample;
            sample.step = i % 3;
            sample.round = i / 3;
            sample.start = {1'000 * i};
            sample.whole = {10'000};
            sample.valid = valid;
            samples.push_back(sample);
        }
        return samples;
    };
    put_study(folder / "all-valid", study(4, true));
    put_study(folder / "all-invalid", study(4, false));
    auto late = study(4, true);
    late.back().round = std::numeric_limits<int>::max();
    put_study(folder / "round-largest", late);
    auto backwards = study(4, true);
    backwards.front().round = std::numeric_limits<int>::min();
    put_study(folder / "round-smallest", backwards);
    auto distant = study(4, true);
    distant.front().start = {far};
    distant.back().start = {-far};
    distant.back().whole = {far};
    put_study(folder / "times-near-2-62", distant);
}

void make(const fs::path& folder) {
    put_studies(folder / "store");
    for (const auto& record : fuzzing::sample_journal()) {
        if (const auto* samples = std::get_if<journal::SampleBlock>(&record)) {
            put_block(folder / "samples", samples->count, samples->data, 3);
        } else if (const auto* study = std::get_if<journal::StudyBlock>(&record)) {
            put_block(folder / "study", study->count, study->data, 9);
        } else if (const auto* counted = std::get_if<journal::EvidenceBlock>(&record)) {
            put_block(folder / "evidence", counted->count, counted->data, 2 + journal::Counts::kinds);
        } else if (const auto* events = std::get_if<journal::EventBlock>(&record)) {
            put_block(folder / "events", events->count, events->data, 5);
        }
    }
    for (const char* const target : {"journal", "collect"}) {
        fs::create_directories(folder / target);
        testing::write_journal(folder / target / "whole", fuzzing::sample_journal());
        testing::write_journal(folder / target / "opening", testing::opening());
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        fmt::print(stderr, "usage: make_seeds FOLDER\n");
        return 2;
    }
    make(argv[1]);
    return 0;
}
