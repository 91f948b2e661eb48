#pragma once

#include <map>
#include <set>
#include <string>

#include "base/units.hpp"

/// What this host is, as far as it matters to a measurement.
namespace fathom::machine {

/// Facts by key, all as text: kernel, architecture, cpu_model, cores, processors, caches, memory_bytes,
/// governor, clocksource, load_1min, virtual_machine, and those of network_facts(). What cannot be found out
/// is absent.
using Facts = std::map<std::string, std::string>;

Facts collect_facts();

std::string host_name();

/// A text that is the same for all processes under one booted kernel and no others; empty if unknown.
std::string boot_id();

/// Processors that this process may run on, as `0-3,8`.
std::string binding();

/// The socket and the memory node that hold processors; -1: several, or not known.
struct Place {
    int socket = -1;
    int numa_node = -1;

    friend bool operator==(const Place&, const Place&) = default;
};

/// Where the processors of a list such as `0-3,8` are on this host.
Place place_of(const std::string& processors);

/// Processors named by a list such as `0-3,8`; none if it cannot be read.
std::set<int> processor_set(const std::string& list);
/// How many they are.
int processors_in(const std::string& list);

/// Cores that this process may use at once (hardware threads of one core count once).
int usable_cores();

/// The largest cache of this host, or 0 if it is not known.
Bytes last_level_cache();

/// Memory nodes on which these bytes lie, as `0` or `0-1`; empty if unknown.
std::string memory_nodes(const void* data, Bytes size);

/// Peak memory of this process, shared pages included; 0 if unknown.
Bytes peak_memory();

}  // namespace fathom::machine
