#include "report/page/packed_counts.hpp"

namespace fathom::report {
namespace {

void put_varint(std::string& out, std::uint64_t value) {
    while (value >= 0x80) {
        out += static_cast<char>(0x80U | (value & 0x7FU));
        value >>= 7;
    }
    out += static_cast<char>(value);
}

}  // namespace

std::string packed_counts(std::span<const std::int64_t> counts) {
    std::string bytes;
    std::uint64_t empty = 0;
    for (const auto count : counts) {
        if (count == 0) {
            ++empty;
            continue;
        }
        put_varint(bytes, empty);
        put_varint(bytes, static_cast<std::uint64_t>(count));
        empty = 0;
    }
    return base64(bytes);
}

std::string base64(std::string_view bytes) {
    constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t at = 0; at < bytes.size(); at += 3) {
        std::uint32_t three = 0;
        for (std::size_t i = 0; i < 3; ++i) {
            three = three << 8 | (at + i < bytes.size() ? static_cast<unsigned char>(bytes[at + i]) : 0U);
        }
        const std::size_t known = bytes.size() - at;
        text += letters[three >> 18 & 63U];
        text += letters[three >> 12 & 63U];
        text += known > 1 ? letters[three >> 6 & 63U] : '=';
        text += known > 2 ? letters[three & 63U] : '=';
    }
    return text;
}

}  // namespace fathom::report
