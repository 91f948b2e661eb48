#pragma once

#include <array>
#include <string_view>

#include "base/named_enum.hpp"

namespace fathom::clock {

/// Sources of local time in the order in which `auto` prefers them: the processor's counter, the kernel's
/// clock without and with NTP's corrections, MPI_Wtime.
enum class Source { automatic, counter, monotonic_raw, monotonic, wtime };
constexpr std::array<std::string_view, 5> enum_names(Source /*unused*/) {
    return {"auto", "counter", "monotonic_raw", "monotonic", "wtime"};
}
inline constexpr std::string_view source_help =
    "source of local time: auto, counter, monotonic_raw, monotonic, wtime";

/// Ways to synchronise a group; `auto` is `hosts` where a host has several ranks, else `tree`.
enum class Scheme { automatic, hosts, tree, log, linear };
constexpr std::array<std::string_view, 5> enum_names(Scheme /*unused*/) {
    return {"auto", "hosts", "tree", "log", "linear"};
}
inline constexpr std::string_view scheme_help = "how clocks are compared: auto, hosts, tree, log, linear";

}  // namespace fathom::clock
