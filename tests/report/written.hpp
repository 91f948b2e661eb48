#pragma once

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>

namespace fathom::testing {

/// What a function writes to a stream.
inline std::string written(const std::function<void(std::FILE*)>& write) {
    char* text = nullptr;
    std::size_t size = 0;
    std::FILE* out = ::open_memstream(&text, &size);
    write(out);
    std::fclose(out);
    std::string whole(text, size);
    std::free(text);
    return whole;
}

}  // namespace fathom::testing
