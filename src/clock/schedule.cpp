#include "clock/schedule.hpp"

#include <set>

#include "base/error.hpp"

namespace fathom::clock {
namespace {

bool crowded(std::span<const int> host_of) {
    return std::set<int>(host_of.begin(), host_of.end()).size() < host_of.size();
}

}  // namespace

ChosenSchedule choose_schedule(std::string_view name, std::span<const int> host_of, int arity) {
    const auto size = static_cast<int>(host_of.size());
    if (name == "linear") {
        return {"linear", linear_schedule(size)};
    }
    if (name == "log") {
        return {"log", log_schedule(size)};
    }
    if (name == "tree" || (name == "auto" && !crowded(host_of))) {
        return {"tree", tree_schedule(size, arity)};
    }
    if (name == "hosts" || name == "auto") {
        return {"hosts", hosts_schedule(host_of, arity)};
    }
    throw BadInput("no such scheme of synchronisation");
}

}  // namespace fathom::clock
