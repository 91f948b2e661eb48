#include "machine/facts.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <sched.h>
#include <set>
#include <sstream>
#include <sys/utsname.h>
#include <unistd.h>
#include <vector>

#include <fmt/format.h>

#include "base/file.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "machine/hwloc.hpp"
#include "machine/network.hpp"
#include "machine/processor_names.hpp"

namespace fathom::machine {
namespace {

/// The value of `key : value` in a text such as /proc/cpuinfo.
std::string field(const std::string& text, const std::string& key) {
    for (const auto& line : split(text, '\n')) {
        const auto colon = line.find(':');
        if (colon != std::string::npos && trimmed(std::string_view(line).substr(0, colon)) == key) {
            return trimmed(std::string_view(line).substr(colon + 1));
        }
    }
    return {};
}

std::string cpu_model(hwloc_topology_t topology) {
    if (topology != nullptr) {
        if (auto* package = hwloc_get_obj_by_type(topology, HWLOC_OBJ_PACKAGE, 0)) {
            if (const auto* model = hwloc_obj_get_info_by_name(package, "CPUModel")) {
                return model;
            }
        }
    }
    const auto cpuinfo = read_file_or_empty("/proc/cpuinfo");
    const auto model = field(cpuinfo, "model name");
    if (!model.empty()) {
        return model;
    }
    const auto part = field(cpuinfo, "CPU part");  // on Arm the kernel gives numbers only
    return part.empty()
               ? std::string()
               : arm_processor_name(field(cpuinfo, "CPU implementer"), part, field(cpuinfo, "CPU variant"));
}

std::string caches(hwloc_topology_t topology) {
    std::vector<std::string> found;
    for (const auto level : cache_levels) {
        const int count = hwloc_get_nbobjs_by_type(topology, level);
        if (count > 0) {
            const auto* cache = hwloc_get_obj_by_type(topology, level, 0);
            found.push_back(fmt::format("{} x {} of {}", count, hwloc_obj_type_string(level),
                                        to_text(Bytes{static_cast<std::int64_t>(cache->attr->cache.size)})));
        }
    }
    return fmt::format("{}", and_list(found));
}

/// All different frequency governors of the host's processors.
std::string governor() {
    std::set<std::string> names;
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator("/sys/devices/system/cpu", none)) {
        const auto name = trimmed(read_file_or_empty(entry.path() / "cpufreq/scaling_governor"));
        if (!name.empty()) {
            names.insert(name);
        }
    }
    return and_list({names.begin(), names.end()});
}

std::string load_1min() {
    const auto parts = split(read_file_or_empty("/proc/loadavg"), ' ');
    return parts.empty() ? std::string() : parts.front();
}

std::string virtual_machine() {
    const auto hypervisor = trimmed(read_file_or_empty("/sys/hypervisor/type"));
    if (!hypervisor.empty()) {
        return hypervisor;
    }
    const auto cpuinfo = read_file_or_empty("/proc/cpuinfo");
    return cpuinfo.find(" hypervisor") != std::string::npos ? "yes" : std::string();
}

}  // namespace

std::string host_name() {
    utsname name{};
    return ::uname(&name) == 0 ? name.nodename : "unknown";
}

std::string boot_id() {
    return trimmed(read_file_or_empty("/proc/sys/kernel/random/boot_id"));
}

Facts collect_facts() {
    Facts facts;
    const auto put = [&](const std::string& key, const std::string& value) {
        if (!value.empty()) {
            facts[key] = value;
        }
    };
    utsname name{};
    if (::uname(&name) == 0) {
        put("kernel", fmt::format("{} {}", name.sysname, name.release));
        put("architecture", name.machine);
    }
    const auto topology = load_topology();
    put("cpu_model", cpu_model(topology.get()));
    if (topology) {
        put("cores", fmt::format("{}", hwloc_get_nbobjs_by_type(topology.get(), HWLOC_OBJ_CORE)));
        put("processors", fmt::format("{}", hwloc_get_nbobjs_by_type(topology.get(), HWLOC_OBJ_PU)));
        put("caches", caches(topology.get()));
        put("memory_bytes", fmt::format("{}", hwloc_get_root_obj(topology.get())->total_memory));
    }
    put("governor", governor());
    put("clocksource",
        trimmed(read_file_or_empty("/sys/devices/system/clocksource/clocksource0/current_clocksource")));
    put("load_1min", load_1min());
    put("virtual_machine", virtual_machine());
    facts.merge(network_facts(network_interfaces()));
    return facts;
}

std::string binding() {
    return field(read_file_or_empty("/proc/self/status"), "Cpus_allowed_list");
}

namespace {
using Bitmap = std::unique_ptr<hwloc_bitmap_s, decltype(&hwloc_bitmap_free)>;

/// The one object of a type that holds all of some processors, by the number the system gives it; else -1.
int holder(hwloc_topology_t topology, hwloc_obj_type_t type, hwloc_const_bitmap_t processors) {
    for (hwloc_obj_t object = nullptr;
         (object = hwloc_get_next_obj_by_type(topology, type, object)) != nullptr;) {
        if (hwloc_bitmap_isincluded(processors, object->cpuset) != 0) {
            return static_cast<int>(object->os_index);
        }
    }
    return -1;
}
}  // namespace

Place place_of(const std::string& processors) {
    if (processors.empty()) {
        return {};  // without the topology, which takes milliseconds to load
    }
    const auto topology = load_topology();
    const Bitmap set(hwloc_bitmap_alloc(), hwloc_bitmap_free);
    if (!topology || hwloc_bitmap_list_sscanf(set.get(), processors.c_str()) != 0 ||
        hwloc_bitmap_iszero(set.get()) != 0) {
        return {};
    }
    return {.socket = holder(topology.get(), HWLOC_OBJ_PACKAGE, set.get()),
            .numa_node = holder(topology.get(), HWLOC_OBJ_NUMANODE, set.get())};
}

std::set<int> processor_set(const std::string& list) {
    std::set<int> processors;
    for (const auto& part : split(list, ',')) {
        const auto ends = split(part, '-');
        try {
            const int last = ends.empty() ? -1 : std::stoi(ends.back());
            for (int i = ends.empty() ? 0 : std::stoi(ends.front()); i <= last; ++i) {
                processors.insert(i);
            }
        } catch (const std::exception&) {
            return {};
        }
    }
    return processors;
}

int processors_in(const std::string& list) {
    return static_cast<int>(processor_set(list).size());
}

int usable_cores() {
    const auto topology = load_topology();
    if (!topology) {
        return std::max(1, static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN)));
    }
    const std::unique_ptr<hwloc_bitmap_s, decltype(&hwloc_bitmap_free)> allowed(hwloc_bitmap_alloc(),
                                                                                hwloc_bitmap_free);
    if (hwloc_get_cpubind(topology.get(), allowed.get(), HWLOC_CPUBIND_PROCESS) != 0) {
        hwloc_bitmap_copy(allowed.get(), hwloc_topology_get_allowed_cpuset(topology.get()));
    }
    return std::max(1, hwloc_get_nbobjs_inside_cpuset_by_type(topology.get(), allowed.get(), HWLOC_OBJ_CORE));
}

Bytes last_level_cache() {
    Bytes largest{0};
    if (const auto topology = load_topology()) {
        for (const auto level : cache_levels) {
            if (const auto* cache = hwloc_get_obj_by_type(topology.get(), level, 0)) {
                largest = std::max(largest, Bytes{static_cast<std::int64_t>(cache->attr->cache.size)});
            }
        }
    }
    return largest;
}

std::string memory_nodes(const void* data, Bytes size) {
    const auto topology = load_topology();
    if (!topology) {
        return {};
    }
    const std::unique_ptr<hwloc_bitmap_s, decltype(&hwloc_bitmap_free)> nodes(hwloc_bitmap_alloc(),
                                                                              hwloc_bitmap_free);
    const auto length = static_cast<std::size_t>(size.count);
    if (hwloc_get_area_memlocation(topology.get(), data, length, nodes.get(), HWLOC_MEMBIND_BYNODESET) != 0) {
        return {};
    }
    constexpr std::size_t longest = 256;
    std::array<char, longest> text{};
    hwloc_bitmap_list_snprintf(text.data(), text.size(), nodes.get());
    return text.data();
}

Bytes peak_memory() {
    std::istringstream words(field(read_file_or_empty("/proc/self/status"), "VmHWM"));
    std::int64_t kib = 0;
    return words >> kib ? Bytes{kib * 1024} : Bytes{0};
}

}  // namespace fathom::machine
