#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/test_support.hpp"

/// What libFuzzer calls, and what it offers.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t largest,
                                               unsigned seed);
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t largest);

/// What the fuzz targets share. An input is refused by an Error, or it is read; everything else is a finding.
namespace fathom::fuzzing {

inline std::string text_of(const std::uint8_t* data, std::size_t size) {
    return {reinterpret_cast<const char*>(data), size};
}

/// Ends the process, which libFuzzer reports with the input.
[[noreturn]] inline void finding(std::string_view what) {
    fmt::print(stderr, "finding: {}\n", what);
    std::abort();
}

/// Other exceptions than Error pass, and end the process.
template <typename Action>
void refused_or_done(const Action& action) {
    try {
        action();
    } catch (const Error& error) {
        if (error.category() == ErrorCategory::unexpected) {
            finding(error.what());
        }
    }
}

/// The folder of this process, empty at first.
inline const testing::TempFolder& scratch() {
    static const testing::TempFolder folder;
    return folder;
}

/// The input as a file of this name.
inline std::filesystem::path file_of(const std::string& name, const std::string& content) {
    auto path = scratch() / name;
    write_file(path, content);
    return path;
}

}  // namespace fathom::fuzzing
