// A journal that `fathom run --collect` stores, and the result of it.
#include "fuzz/journal_frames.hpp"
#include "fuzz/reading.hpp"
#include "launch/runs.hpp"

namespace {

using namespace fathom;

/// More are a matter of time alone.
constexpr std::size_t most_points = 100;

/// A result file without runs, copied for every input: its creation takes longer than all the rest.
const std::string& empty_file() {
    static const auto bytes = [] {
        const auto path = fuzzing::scratch() / "empty.db";
        store::Store::open_or_create(path);
        return read_file(path);
    }();
    return bytes;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto file = fuzzing::file_of("fathom.db", empty_file());
    const auto path = fuzzing::file_of("plan.toml.journal", fuzzing::text_of(data, size));
    fuzzing::refused_or_done([&] {
        const auto planned = launch::planned_in(path);
        if (planned.points.size() > most_points) {
            return;
        }
        auto store = store::Store::open_or_create(file);
        const auto run = launch::create_run(store, planned, "fathom run --collect");
        fuzzing::refused_or_done([&] { launch::collect(store, run, path); });
        fuzzing::read_everything(store);
    });
    return 0;
}

std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t largest,
                                    unsigned seed) {
    return fuzzing::mutate_journal(data, size, largest, seed);
}
