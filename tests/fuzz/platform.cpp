// A platform file.
#include "launch/platform.hpp"

#include "fuzz/fuzzing.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace fathom;
    constexpr int few = 1'000;  // more are a matter of time alone
    const auto path = fuzzing::file_of("input.xml", fuzzing::text_of(data, size));
    fuzzing::refused_or_done([&] {
        const auto platform = launch::read_platform(path);
        if (platform.hosts < 1 || platform.ranks_per_host < 1 || platform.places() < platform.hosts) {
            fuzzing::finding("a platform without a place");
        }
        if (platform.places() <= few) {
            platform.hostfile();
        }
    });
    return 0;
}
