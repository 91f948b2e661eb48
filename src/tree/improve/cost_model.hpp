#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "base/named_enum.hpp"
#include "base/units.hpp"
#include "tree/hosts.hpp"
#include "tree/tree.hpp"

namespace fathom::tree {

/// What moving data through a tree costs, in nanoseconds and nanoseconds per byte. Latency passes on the way
/// and delays nobody else; a rank is busy while it sends, receives or joins, one thing after the other; what
/// leaves or reaches a host passes its network interface one message after the other.
enum class Cost {
    host_latency,
    host_per_byte,
    host_send,
    host_receive,
    remote_latency,
    remote_per_byte,
    remote_send,
    remote_receive,
    interface_per_message,
    interface_per_byte,
    far_latency,
    far_per_byte,
    flag_latency,
    flag_per_byte,
    flag_send,
    futex_latency,
    futex_send,
    condvar_latency,
    condvar_send,
    join,
    join_per_byte,
    constant
};
constexpr std::array<std::string_view, 22> enum_names(Cost /*unused*/) {
    return {
        "host-latency",    "host-per-byte", "host-send",       "host-receive",          "remote-latency",
        "remote-per-byte", "remote-send",   "remote-receive",  "interface-per-message", "interface-per-byte",
        "far-latency",     "far-per-byte",  "flag-latency",    "flag-per-byte",         "flag-send",
        "futex-latency",   "futex-send",    "condvar-latency", "condvar-send",          "join",
        "join-per-byte",   "constant"};
}
struct Costs {
    std::array<double, values_of<Cost>.size()> values{};

    double& operator[](Cost cost) { return values[static_cast<std::size_t>(cost)]; }
    double operator[](Cost cost) const { return values[static_cast<std::size_t>(cost)]; }
};

/// Which ways an operation has.
struct Ways {
    bool down = true;
    bool up = true;
};

/// Where ranks are: numbers of their hosts, and of the sites of these.
struct Places {
    std::vector<int> host;  ///< of each rank
    std::vector<int> site;  ///< of each rank
};
/// All in one site. `hosts` of each rank; empty: one host.
Places places_of(int procs, const Hosts& hosts);

/// How long a call takes until the last rank has its result, if all enter it together.
double predicted_ns(const Tree& tree, const Places& places, Bytes size, Ways ways, const Costs& costs);

/// A tree that was measured.
struct MeasuredTree {
    Tree tree;
    Bytes size;
    double time_ns = 0;
};

/// Costs with which predictions are as near as possible to what was measured, by the squares of the
/// logarithms of their ratios: first one scale for all, then one cost after the other, in steps that become
/// finer.
Costs fitted(std::span<const MeasuredTree> measured, const Places& places, Ways ways, const Costs& start);

/// How far predictions are off: the mean of |predicted / measured - 1|.
double mean_error(std::span<const MeasuredTree> measured, const Places& places, Ways ways,
                  const Costs& costs);

}  // namespace fathom::tree
