#pragma once

#include <memory>
#include <span>
#include <vector>

#include "clock/names.hpp"

namespace fathom::clock {

/// In one round, `server` answers the pings of all `clients` at once; each client learns its offset to it.
struct PingRound {
    int round = 0;
    int server = 0;
    std::vector<int> clients;

    friend bool operator==(const PingRound&, const PingRound&) = default;
};

/// Which way offsets travel so that in the end every rank knows its own to rank 0.
enum class Flow {
    down,  ///< the server's offset is known before its clients ask it: they add theirs
    up,    ///< clients collect the differences of their servers; rank 0 hands them out at the end
};

/// Who talks to whom in which round. A rank's part is computed from its number alone.
class Schedule {
  public:
    Schedule() = default;
    Schedule(const Schedule&) = delete;
    Schedule& operator=(const Schedule&) = delete;
    virtual ~Schedule() = default;

    [[nodiscard]] virtual Flow flow() const = 0;
    [[nodiscard]] virtual int rounds() const = 0;
    /// The exchanges that a rank takes part in, in the order of rounds, at most one per round.
    [[nodiscard]] virtual std::vector<PingRound> ping_rounds(int rank) const = 0;
};

/// Rank 0 with every other in turn: P - 1 rounds.
std::unique_ptr<Schedule> linear_schedule(int size);

/// With t the largest power of two up to P: in round i = 1 .. log2 t, rank r with r mod 2^i = 0 asks rank
/// r + 2^(i-1), both below t; then rank r >= t and rank r - t in one more round.
std::unique_ptr<Schedule> log_schedule(int size);

/// A tree of any arity, from the top down: rank r asks rank (r - 1) / arity, in the round of its depth.
std::unique_ptr<Schedule> tree_schedule(int size, int arity);

/// A tree between the first ranks of every host, then a tree within each host. `host_of` names the host of
/// every rank by any number.
std::unique_ptr<Schedule> hosts_schedule(std::span<const int> host_of, int arity);

/// The largest power of two that is not larger; `number` is at least 1.
int power_of_two_within(int number);

/// Children that are served at once. Three levels reach 585 processes, and a server is not yet crowded.
inline constexpr int default_arity = 8;

struct ChosenSchedule {
    Scheme scheme;  ///< never automatic
    std::unique_ptr<Schedule> schedule;
};
ChosenSchedule choose_schedule(Scheme scheme, std::span<const int> host_of, int arity);

}  // namespace fathom::clock
