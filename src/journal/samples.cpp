#include "journal/samples.hpp"

#include <memory>

#include <zstd.h>

#include "base/error.hpp"

namespace fathom::journal {
namespace {

constexpr int compression_level = 3;
constexpr std::size_t largest_varint = 10;
constexpr std::uint64_t smallest_sample = 3;  // two varints and the valid flag

void put_unsigned(std::string& out, std::uint64_t value) {
    while (value >= 0x80) {
        out += static_cast<char>(0x80U | (value & 0x7FU));
        value >>= 7;
    }
    out += static_cast<char>(value);
}

/// Zigzag: small values of either sign become small unsigned ones. Arithmetic is modulo 2^64, so that
/// differences of any two time stamps survive.
void put_difference(std::string& out, std::int64_t value, std::int64_t before) {
    const std::uint64_t difference = static_cast<std::uint64_t>(value) - static_cast<std::uint64_t>(before);
    put_unsigned(out, (difference << 1) ^ (0 - (difference >> 63)));
}

Error damaged() {
    return BadInput("a block of samples is damaged; the result file cannot be trusted from there on");
}

class Reader {
  public:
    explicit Reader(std::string_view bytes) : bytes_(bytes) {}

    std::int64_t next_after(std::int64_t before) {
        const std::uint64_t zigzag = next_unsigned();
        const std::uint64_t difference = (zigzag >> 1) ^ (0 - (zigzag & 1));
        return static_cast<std::int64_t>(static_cast<std::uint64_t>(before) + difference);
    }

    std::uint64_t next_unsigned() {
        std::uint64_t value = 0;
        for (unsigned shift = 0; shift < 64; shift += 7) {
            if (bytes_.empty()) {
                throw damaged();
            }
            const auto byte = static_cast<unsigned char>(bytes_.front());
            bytes_.remove_prefix(1);
            value |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
            if ((byte & 0x80U) == 0) {
                return value;
            }
        }
        throw damaged();
    }

    [[nodiscard]] bool at_end() const { return bytes_.empty(); }

  private:
    std::string_view bytes_;
};

}  // namespace

std::string pack_samples(std::span<const Sample> samples) {
    std::string plain;
    plain.reserve(samples.size() * 4);
    std::int64_t start = 0;
    std::int64_t duration = 0;
    for (const auto& sample : samples) {
        put_difference(plain, sample.start.count, start);
        put_difference(plain, sample.duration.count, duration);
        plain += sample.valid ? '\1' : '\0';
        start = sample.start.count;
        duration = sample.duration.count;
    }
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

std::vector<Sample> unpack_samples(std::string_view packed, std::int64_t count) {
    const auto size = ZSTD_getFrameContentSize(packed.data(), packed.size());
    const auto most = static_cast<std::uint64_t>(count) * (2 * largest_varint + 1);
    if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN || count < 0 || size > most ||
        size / smallest_sample < static_cast<std::uint64_t>(count)) {
        throw damaged();
    }
    std::string plain(size, '\0');
    const auto written = ZSTD_decompress(plain.data(), plain.size(), packed.data(), packed.size());
    if (ZSTD_isError(written) != 0 || written != size) {
        throw damaged();
    }
    Reader reader(plain);
    std::vector<Sample> samples;
    samples.reserve(static_cast<std::size_t>(count));
    Sample last{};
    for (std::int64_t i = 0; i < count; ++i) {
        last.start = {reader.next_after(last.start.count)};
        last.duration = {reader.next_after(last.duration.count)};
        last.valid = reader.next_unsigned() != 0;
        samples.push_back(last);
    }
    if (!reader.at_end()) {
        throw damaged();
    }
    return samples;
}

}  // namespace fathom::journal
