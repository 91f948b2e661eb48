#pragma once

#include <string>
#include <string_view>
#include <vector>

/// Where ranks are: the host of each, by rank. No hosts: it is not known.
namespace fathom::tree {

using Hosts = std::vector<std::string>;

/// Ranks placed on hosts by block: consecutive ranks share a host, and where they do not divide, the first
/// hosts have one more. Hosts are named host0, host1 and so on. Every host has a rank: throws BadInput
/// otherwise.
Hosts block_hosts(int procs, int hosts);

/// A host list in words, for this many ranks:
///   `4`             4 hosts, ranks by block
///   `a:4,b:2`       4 ranks on a, then 2 on b, as launchers take it; places that are not needed stay empty
///   `a,a,b`         one rank each
/// Throws BadInput that says what to give. Without a process count (0), all places are taken, and a mere
/// number of hosts is refused.
Hosts hosts_from(std::string_view text, int procs);

/// The ranks of each host, in the order of the hosts' first ranks.
struct HostRanks {
    std::string host;
    std::vector<int> ranks;

    friend bool operator==(const HostRanks&, const HostRanks&) = default;
};
std::vector<HostRanks> ranks_by_host(const Hosts& hosts);

}  // namespace fathom::tree
