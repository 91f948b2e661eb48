#include "machine/host_cores.hpp"

#include <charconv>

#include <fmt/format.h>

#include "base/text.hpp"
#include "machine/facts.hpp"

namespace fathom::machine {
namespace {

/// Launchers print lines of their own among those of the processes.
constexpr std::string_view mark = "fathom-cores";

}  // namespace

std::string cores_line() {
    return fmt::format("{} {} {}", mark, usable_cores(), host_name());
}

std::optional<HostCores> read_cores_line(std::string_view line) {
    const auto words = split(trimmed(line), ' ');
    if (words.size() != 3 || words[0] != mark) {
        return std::nullopt;
    }
    HostCores found{.host = words[2]};
    const auto* const end = words[1].data() + words[1].size();
    const auto read = std::from_chars(words[1].data(), end, found.cores);
    if (read.ec != std::errc() || read.ptr != end || found.cores < 1) {
        return std::nullopt;
    }
    return found;
}

}  // namespace fathom::machine
