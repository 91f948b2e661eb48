#include "journal/samples.hpp"

#include <array>
#include <memory>

#include <zstd.h>

#include "base/error.hpp"

namespace fathom::journal {
namespace {

constexpr int compression_level = 3;
constexpr std::size_t largest_varint = 10;

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

/// Of `count` samples with so many numbers each and a flag.
std::string decompressed(std::string_view packed, std::int64_t count, std::size_t numbers) {
    const auto size = ZSTD_getFrameContentSize(packed.data(), packed.size());
    const auto most = static_cast<std::uint64_t>(count) * (numbers * largest_varint + 1);
    if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN || count < 0 || size > most ||
        size / (numbers + 1) < static_cast<std::uint64_t>(count)) {
        throw damaged();
    }
    std::string plain(size, '\0');
    const auto written = ZSTD_decompress(plain.data(), plain.size(), packed.data(), packed.size());
    if (ZSTD_isError(written) != 0 || written != size) {
        throw damaged();
    }
    return plain;
}

using Numbers = std::array<std::int64_t, 2>;
using StudyNumbers = std::array<std::int64_t, 8>;

Numbers numbers_of(const Sample& sample) {
    return {sample.start.count, sample.duration.count};
}
Sample sample_from(const Numbers& numbers, bool valid) {
    return {{numbers[0]}, {numbers[1]}, valid};
}
StudyNumbers numbers_of(const StudySample& sample) {
    return {sample.step,       sample.round,       sample.start.count, sample.whole.count,
            sample.post.count, sample.tests.count, sample.wait.count,  sample.tests_made};
}
StudySample sample_from(const StudyNumbers& numbers, bool valid) {
    const auto [step, round, start, whole, post, tests, wait, tests_made] = numbers;
    return {.step = static_cast<int>(step),
            .round = static_cast<int>(round),
            .start = {start},
            .whole = {whole},
            .post = {post},
            .tests = {tests},
            .wait = {wait},
            .tests_made = tests_made,
            .valid = valid};
}

/// Each number as its difference from that of the sample before, then the flag.
template <typename Kind>
std::string pack(std::span<const Kind> samples) {
    std::string plain;
    plain.reserve(samples.size() * 4);
    decltype(numbers_of(Kind{})) before{};
    for (const auto& sample : samples) {
        const auto numbers = numbers_of(sample);
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            put_difference(plain, numbers[i], before[i]);
        }
        plain += sample.valid ? '\1' : '\0';
        before = numbers;
    }
    return compressed(plain);
}

template <typename Kind>
std::vector<Kind> unpack(std::string_view packed, std::int64_t count) {
    decltype(numbers_of(Kind{})) numbers{};
    const auto plain = decompressed(packed, count, numbers.size());
    Reader reader(plain);
    std::vector<Kind> samples;
    samples.reserve(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i) {
        for (auto& number : numbers) {
            number = reader.next_after(number);
        }
        samples.push_back(sample_from(numbers, reader.next_unsigned() != 0));
    }
    if (!reader.at_end()) {
        throw damaged();
    }
    return samples;
}

}  // namespace

std::string pack_samples(std::span<const Sample> samples) {
    return pack(samples);
}

std::vector<Sample> unpack_samples(std::string_view packed, std::int64_t count) {
    return unpack<Sample>(packed, count);
}

std::string pack_study(std::span<const StudySample> samples) {
    return pack(samples);
}

std::vector<StudySample> unpack_study(std::string_view packed, std::int64_t count) {
    return unpack<StudySample>(packed, count);
}

}  // namespace fathom::journal
