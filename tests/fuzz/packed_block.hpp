#pragma once

#include <cstring>

#include "fuzz/fuzzing.hpp"
#include "journal/packing.hpp"

namespace fathom::fuzzing {

/// An input of the targets for packed blocks: a byte, the announced count in eight bytes, and the block: as
/// the file would hold it if the byte is even, otherwise still to be compressed, since no mutation keeps
/// the checksum of zstd. What can be read must be the same after packing.
template <typename Unpack, typename Pack>
void read_block(const std::string& input, Unpack unpack, Pack pack) {
    std::int64_t count = 0;
    if (input.size() < 1 + sizeof count) {
        return;
    }
    std::memcpy(&count, input.data() + 1, sizeof count);
    auto block = input.substr(1 + sizeof count);
    if ((static_cast<unsigned char>(input[0]) & 1U) != 0) {
        block = journal::compressed(block);
    }
    refused_or_done([&] {
        const auto rows = unpack(block, count);
        if (static_cast<std::int64_t>(rows.size()) != count || unpack(pack(rows), count) != rows) {
            finding("a block changes when it is packed again");
        }
    });
}

/// Such an input, with the block as the file holds it or without its compression.
inline std::string block_input(std::int64_t count, const std::string& block, bool compress_first) {
    std::string input(1 + sizeof count, compress_first ? '\1' : '\0');
    std::memcpy(input.data() + 1, &count, sizeof count);
    return input + block;
}

}  // namespace fathom::fuzzing
