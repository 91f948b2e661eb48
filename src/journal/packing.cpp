#include "journal/packing.hpp"

#include <memory>

#include <zstd.h>

#include "journal/limits.hpp"

namespace fathom::journal {
namespace {

constexpr int compression_level = 3;
constexpr std::size_t largest_varint = 10;

}  // namespace

void put_unsigned(std::string& out, std::uint64_t value) {
    while (value >= 0x80) {
        out += static_cast<char>(0x80U | (value & 0x7FU));
        value >>= 7;
    }
    out += static_cast<char>(value);
}

/// Zigzag, with arithmetic modulo 2^64.
void put_difference(std::string& out, std::int64_t value, std::int64_t before) {
    const std::uint64_t difference = static_cast<std::uint64_t>(value) - static_cast<std::uint64_t>(before);
    put_unsigned(out, (difference << 1) ^ (0 - (difference >> 63)));
}

BadInput damaged_block() {
    return BadInput("a block of samples is damaged");
}

std::int64_t NumberReader::next_after(std::int64_t before) {
    const std::uint64_t zigzag = next_unsigned();
    const std::uint64_t difference = (zigzag >> 1) ^ (0 - (zigzag & 1));
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(before) + difference);
}

std::uint64_t NumberReader::next_unsigned() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        if (bytes_.empty()) {
            throw damaged_block();
        }
        const auto byte = static_cast<unsigned char>(bytes_.front());
        bytes_.remove_prefix(1);
        value |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
        if ((byte & 0x80U) == 0) {
            return value;
        }
    }
    throw damaged_block();
}

std::string compressed(const std::string& plain) {
    std::string packed(ZSTD_compressBound(plain.size()), '\0');
    const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context(ZSTD_createCCtx(), ZSTD_freeCCtx);
    ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, compression_level);
    ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
    const auto size = ZSTD_compress2(context.get(), packed.data(), packed.size(), plain.data(), plain.size());
    if (ZSTD_isError(size) != 0) {
        throw NotMeasured(std::string("cannot compress samples: ") + ZSTD_getErrorName(size));
    }
    packed.resize(size);
    return packed;
}

std::string decompressed(std::string_view packed, std::int64_t count, std::size_t numbers,
                         std::size_t bytes) {
    // Before any memory is taken: neither the size that a block claims nor its count is trusted.
    if (count < 0 || count > most_in_block ||
        count / most_by_byte > static_cast<std::int64_t>(packed.size())) {
        throw damaged_block();
    }
    const auto size = ZSTD_getFrameContentSize(packed.data(), packed.size());
    const auto most = static_cast<std::uint64_t>(count) * (numbers * largest_varint + bytes);
    if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN || size > most ||
        size / (numbers + bytes) < static_cast<std::uint64_t>(count)) {
        throw damaged_block();
    }
    std::string plain(size, '\0');
    const auto written = ZSTD_decompress(plain.data(), plain.size(), packed.data(), packed.size());
    if (ZSTD_isError(written) != 0 || written != size) {
        throw damaged_block();
    }
    return plain;
}

}  // namespace fathom::journal
