#include "probe/clock/identity.hpp"

#include <filesystem>

#include <fmt/format.h>

#include "machine/facts.hpp"

namespace fathom::probe {

std::int64_t number_of(std::string_view text) {
    std::uint64_t hash = 0xcbf29ce484222325U;  // FNV-1a
    for (const char letter : text) {
        hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3U;
    }
    const auto number = static_cast<std::int64_t>(hash);
    return number == 0 ? 1 : number;
}

std::int64_t clock_identity(clock::Source source, std::string_view rate) {
    const auto boot = machine::boot_id();
    if (boot.empty() || source == clock::Source::wtime) {
        return 0;
    }
    std::error_code none;  // kernels before 5.6 have no time namespaces: all share one
    const auto space = std::filesystem::read_symlink("/proc/self/ns/time", none).string();
    return number_of(fmt::format("{}|{}|{}|{}", boot, space, to_text(source), rate));
}

}  // namespace fathom::probe
