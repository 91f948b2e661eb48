#include "machine/network.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <fmt/format.h>
// After net/if.h, whose names the kernel's header would define again.
#include <linux/ethtool.h>
#include <linux/sockios.h>

namespace fathom::machine {
namespace {

/// A socket to ask the kernel with; any kind will do.
class KernelSocket {
  public:
    KernelSocket() : descriptor_(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {}
    KernelSocket(const KernelSocket&) = delete;
    KernelSocket& operator=(const KernelSocket&) = delete;
    ~KernelSocket() {
        if (descriptor_ >= 0) {
            ::close(descriptor_);
        }
    }

    bool ask(unsigned long question, ifreq& request) const {
        return descriptor_ >= 0 && ::ioctl(descriptor_, question, &request) == 0;
    }

  private:
    int descriptor_;
};

ifreq request_of(const std::string& name) {
    ifreq request{};
    std::memcpy(request.ifr_name, name.data(), std::min<std::size_t>(name.size(), IFNAMSIZ - 1));
    return request;
}

bool is_up(const KernelSocket& kernel, const std::string& name) {
    auto request = request_of(name);
    return kernel.ask(SIOCGIFFLAGS, request) && (request.ifr_flags & IFF_LOOPBACK) == 0 &&
           (request.ifr_flags & IFF_UP) != 0 && (request.ifr_flags & IFF_RUNNING) != 0;
}

std::string driver_of(const KernelSocket& kernel, const std::string& name) {
    ethtool_drvinfo info{};
    info.cmd = ETHTOOL_GDRVINFO;
    auto request = request_of(name);
    request.ifr_data = reinterpret_cast<char*>(&info);
    return kernel.ask(SIOCETHTOOL, request)
               ? std::string(info.driver, ::strnlen(info.driver, sizeof info.driver))
               : std::string();
}

std::optional<std::int64_t> speed_of(const KernelSocket& kernel, const std::string& name) {
    ethtool_cmd command{};
    command.cmd = ETHTOOL_GSET;
    auto request = request_of(name);
    request.ifr_data = reinterpret_cast<char*>(&command);
    if (!kernel.ask(SIOCETHTOOL, request)) {
        return std::nullopt;
    }
    const auto speed = ethtool_cmd_speed(&command);
    const bool known =
        speed != 0 && speed != static_cast<std::uint32_t>(SPEED_UNKNOWN) && speed != UINT16_MAX;
    return known ? std::optional<std::int64_t>(speed) : std::nullopt;
}

std::int64_t mtu_of(const KernelSocket& kernel, const std::string& name) {
    auto request = request_of(name);
    return kernel.ask(SIOCGIFMTU, request) ? request.ifr_mtu : 0;
}

}  // namespace

std::vector<NetworkInterface> network_interfaces() {
    const std::unique_ptr<struct if_nameindex, decltype(&::if_freenameindex)> names(::if_nameindex(),
                                                                                    ::if_freenameindex);
    const KernelSocket kernel;
    std::vector<NetworkInterface> found;
    for (const auto* one = names.get(); one != nullptr && one->if_name != nullptr; ++one) {
        const std::string name(one->if_name);
        if (is_up(kernel, name)) {
            found.push_back({.name = name,
                             .driver = driver_of(kernel, name),
                             .speed_mbit_per_s = speed_of(kernel, name),
                             .mtu_bytes = mtu_of(kernel, name)});
        }
    }
    return found;
}

Facts network_facts(const std::vector<NetworkInterface>& interfaces) {
    Facts facts;
    for (const auto& one : interfaces) {
        const auto put = [&](const char* what, const std::string& value) {
            facts[fmt::format("network.{}.{}", one.name, what)] = value;
        };
        if (!one.driver.empty()) {
            put("driver", one.driver);
        }
        if (one.speed_mbit_per_s) {
            put("speed_mbit_per_s", fmt::format("{}", *one.speed_mbit_per_s));
        }
        put("mtu_bytes", fmt::format("{}", one.mtu_bytes));
    }
    return facts;
}

}  // namespace fathom::machine
