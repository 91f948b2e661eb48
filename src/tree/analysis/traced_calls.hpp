#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "base/units.hpp"
#include "tree/analysis/node_index.hpp"
#include "tree/tree.hpp"

namespace fathom::tree {

/// When data passed one collector in one call, on the global clock; Event::never: it did not, or its event is
/// missing.
struct Passage {
    std::int64_t down_ns = Event::never;
    std::int64_t up_ns = Event::never;
    /// In a broadcast, data pass here on their way from the root's leaf to the root of the tree: `up_ns` says
    /// when, but nothing departed upwards.
    bool source = false;
};

/// One call of a collective over a tree.
struct TracedCall {
    int launch = 0;
    std::uint32_t number = 0;
    std::vector<Passage> passages = {};  ///< by collector
};

/// The calls of one point, in the order of launch and number.
struct TracedCalls {
    bool down = true;  ///< the operation has a way towards the root
    bool up = true;    ///< and one back
    std::vector<TracedCall> calls = {};
    std::map<int, Nanoseconds> clock_bounds = {};  ///< of ranks: the largest during these calls
    std::map<int, double> computing = {};  ///< of ranks, of the program's time, where the program measures it
    std::int64_t dropped = 0;              ///< events that rings had no room for
    std::int64_t strays = 0;               ///< events that do not fit the tree, or came twice: left out

    [[nodiscard]] const Passage& at(std::size_t call, Node node, End end) const {
        return calls[call].passages[static_cast<std::size_t>(collector_of(node, end))];
    }
    /// Within which the distance of events of two ranks is known; 0 of one rank.
    [[nodiscard]] Nanoseconds bound_between(int a, int b) const;
};

/// From a rank's own clock to the global one.
using ToGlobal = std::function<Nanoseconds(int rank, Nanoseconds own)>;

/// Puts the events of all ranks together, call by call.
class CallGatherer {
  public:
    explicit CallGatherer(const NodeIndex& index) : index_(index) {}

    void add(int launch, int rank, std::span<const Event> events, const ToGlobal& to_global);
    /// What the largest error of a rank's clock was.
    void add_bound(int rank, Nanoseconds bound);
    /// How long a rank computed in one launch, and how long the launch took, as the program measured them.
    void add_computing(int rank, double computing_ns, double whole_ns);
    void add_dropped(std::int64_t events) { gathered_.dropped += events; }
    /// All of them. An operation has the ways that the events of several leaves show: in a broadcast one leaf
    /// sends data down, in a reduce one gets the result.
    [[nodiscard]] TracedCalls take();

  private:
    [[nodiscard]] bool has_way(const std::vector<Passage>& passages, std::int64_t Passage::*way) const;

    const NodeIndex& index_;
    TracedCalls gathered_;
    std::map<std::pair<int, std::uint32_t>, std::vector<Passage>> calls_;
    std::map<int, double> whole_ns_;  // of ranks, over all launches
};

/// Whether every event of a call is there.
bool is_complete(const NodeIndex& index, const TracedCalls& calls, std::size_t call);

}  // namespace fathom::tree
