#include "tune/model/layout.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace fathom::tune {

Layout Layout::blocks(int procs, int hosts) {
    Layout made;
    made.procs_ = procs;
    made.hosts_ = std::clamp(hosts, 1, procs);
    made.share_ = procs / made.hosts_;
    made.larger_ = procs % made.hosts_;
    made.most_ = made.share_ + (made.larger_ > 0 ? 1 : 0);
    made.host_sizes_.push_back(made.share_);
    if (made.larger_ > 0) {
        made.host_sizes_.push_back(made.share_ + 1);
    }
    return made;
}

Layout Layout::of(std::span<const std::string> hosts) {
    std::map<std::string, int> numbers;
    std::vector<int> host;
    std::vector<int> ranks_on;
    for (const auto& name : hosts) {
        const auto number = numbers.try_emplace(name, static_cast<int>(numbers.size())).first->second;
        host.push_back(number);
        ranks_on.resize(numbers.size());
        ++ranks_on[static_cast<std::size_t>(number)];
    }
    const auto procs = static_cast<int>(hosts.size());
    auto made = blocks(procs, static_cast<int>(numbers.size()));
    bool by_block = true;
    for (int rank = 0; rank < procs && by_block; ++rank) {
        by_block = made.host_of(rank) == host[static_cast<std::size_t>(rank)];
    }
    if (!by_block) {
        made.most_ = *std::max_element(ranks_on.begin(), ranks_on.end());
        const std::set<int> sizes(ranks_on.begin(), ranks_on.end());
        made.host_sizes_.assign(sizes.begin(), sizes.end());
        made.host_ = std::move(host);
        made.ranks_on_ = std::move(ranks_on);
    }
    return made;
}

int Layout::ranks_beside(int rank) const {
    const int host = host_of(rank);
    return by_block() ? share_ + (host < larger_ ? 1 : 0) : ranks_on_[static_cast<std::size_t>(host)];
}

}  // namespace fathom::tune
