// Time stamps inside calls, packed.
#include "journal/events.hpp"

#include "fuzz/packed_block.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace fathom;
    fuzzing::read_block(fuzzing::text_of(data, size), journal::unpack_events,
                        [](const auto& rows) { return journal::pack_events(rows); });
    return 0;
}
