#include "clock/schedule.hpp"

#include <set>

namespace fathom::clock {
namespace {

bool crowded(std::span<const int> host_of) {
    return std::set<int>(host_of.begin(), host_of.end()).size() < host_of.size();
}

}  // namespace

ChosenSchedule choose_schedule(Scheme scheme, std::span<const int> host_of, int arity) {
    const auto size = static_cast<int>(host_of.size());
    switch (scheme) {
        case Scheme::linear:
            return {scheme, linear_schedule(size)};
        case Scheme::log:
            return {scheme, log_schedule(size)};
        case Scheme::tree:
            return {scheme, tree_schedule(size, arity)};
        case Scheme::hosts:
            return {scheme, hosts_schedule(host_of, arity)};
        case Scheme::automatic:
            break;
    }
    return choose_schedule(crowded(host_of) ? Scheme::hosts : Scheme::tree, host_of, arity);
}

}  // namespace fathom::clock
