// Repetitions of an overlap study, packed.
#include "fuzz/packed_block.hpp"
#include "journal/samples.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace fathom;
    fuzzing::read_block(fuzzing::text_of(data, size), journal::unpack_study,
                        [](const auto& rows) { return journal::pack_study(rows); });
    return 0;
}
