#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "clock/schedule.hpp"
#include "probe/clock/pings.hpp"

namespace fathom::probe {

/// How a group is synchronised.
struct SyncRules {
    clock::Scheme scheme = clock::Scheme::automatic;
    int arity = clock::default_arity;
    PingRules pings;
    /// Treat demonstrably identical clocks as one: offset 0, no error but the resolution.
    bool use_shared_clocks = true;
    /// One exchange at a time, for oversubscribed jobs: pings that compete for a processor are
    /// of little use.
    bool take_turns = false;
};

/// A rank's properties for a synchronisation.
struct ClockPlace {
    std::int64_t host = 0;      ///< the same for ranks of one host
    std::int64_t identity = 0;  ///< clock_identity
    Nanoseconds resolution{1};  ///< of its clock
};

/// What a synchronisation gave one rank.
struct SyncResult {
    clock::Link link;        ///< from the own to rank 0's clock; bounds are the sum along the path
    Nanoseconds round_trip;  ///< smallest on the last hop
    int pings = 0;           ///< that this rank sent
    bool shared = false;     ///< every hop is between processes that share one clock
    Nanoseconds cost;        ///< of the whole synchronisation, largest over ranks
};

/// Synchronises the ranks of a group with its rank 0.
class Synchroniser {
  public:
    /// Collective: finds out which ranks share hosts.
    Synchroniser(Group& group, const Clock& clock, const ClockPlace& place, const SyncRules& rules);

    /// Collective. Throws NotMeasured, on at least one rank, if it cannot be done.
    SyncResult synchronise();

    /// The scheme in use, never `auto`.
    [[nodiscard]] clock::Scheme scheme() const { return chosen_.scheme; }
    [[nodiscard]] Group& group() const { return group_; }

  private:
    struct Hop;

    SyncResult go_down();
    SyncResult go_up();
    Hop be_client(int server);
    void be_server(const std::vector<int>& clients, const SyncResult& own);
    /// Goes through the rounds and calls `ask` or `serve` for the exchanges of this rank.
    void walk(const std::function<void(const clock::PingRound&)>& ask_in,
              const std::function<void(const clock::PingRound&)>& serve_in);
    void await_turn(int round);
    void pass_turn(int round);
    /// A barrier that names a rank which does not arrive.
    void meet();
    [[nodiscard]] Nanoseconds invitation_within() const;

    Group& group_;
    const Clock& clock_;
    ClockPlace place_;
    SyncRules rules_;
    clock::ChosenSchedule chosen_;
};

}  // namespace fathom::probe
