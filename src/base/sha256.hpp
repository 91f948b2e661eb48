#pragma once

#include <string>
#include <string_view>

namespace fathom {

/// SHA-256 (FIPS 180-4) of a text: 32 bytes.
std::string sha256(std::string_view text);

/// HMAC-SHA-256 (RFC 2104) of a text under a key, in hexadecimal: who does not know the key cannot make it.
std::string keyed_hash(std::string_view key, std::string_view text);

/// Bytes in hexadecimal.
std::string hexadecimal(std::string_view bytes);

}  // namespace fathom
