// A whole journal, record by record, with the blocks in it.
#include "journal/journal.hpp"

#include "fuzz/journal_frames.hpp"
#include "journal/events.hpp"
#include "journal/evidence.hpp"
#include "journal/samples.hpp"

namespace {

using namespace fathom;

void unpack(const journal::SampleBlock& block) {
    journal::unpack_samples(block.data, block.count);
}
void unpack(const journal::StudyBlock& block) {
    journal::unpack_study(block.data, block.count);
}
void unpack(const journal::EvidenceBlock& block) {
    journal::unpack_evidence(block.data, block.count);
}
void unpack(const journal::EventBlock& block) {
    journal::unpack_events(block.data, block.count);
}
template <typename Other>
void unpack(const Other& /*record*/) {}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto path = fuzzing::file_of("input.journal", fuzzing::text_of(data, size));
    fuzzing::refused_or_done([&] {
        journal::Reader reader(path);
        auto position = reader.position();
        while (const auto record = reader.next()) {
            if (reader.position() <= position) {
                fuzzing::finding("the reader stands still");
            }
            position = reader.position();
            if (!journal::unpacked(journal::packed(*record))) {
                fuzzing::finding("a record cannot be passed on");
            }
            fuzzing::refused_or_done(
                [&] { std::visit([](const auto& content) { unpack(content); }, *record); });
        }
    });
    return 0;
}

std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t largest,
                                    unsigned seed) {
    return fuzzing::mutate_journal(data, size, largest, seed);
}
