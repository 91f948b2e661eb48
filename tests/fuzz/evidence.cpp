// What the operating system counted, packed.
#include "journal/evidence.hpp"

#include "fuzz/packed_block.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace fathom;
    fuzzing::read_block(fuzzing::text_of(data, size), journal::unpack_evidence,
                        [](const auto& rows) { return journal::pack_evidence(rows); });
    return 0;
}
