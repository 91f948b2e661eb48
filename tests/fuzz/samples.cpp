// Samples of a point, packed.
#include "journal/samples.hpp"

#include "fuzz/packed_block.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace fathom;
    fuzzing::read_block(fuzzing::text_of(data, size), journal::unpack_samples,
                        [](const auto& rows) { return journal::pack_samples(rows); });
    return 0;
}
