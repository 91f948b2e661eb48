#include <bit>

#include "clock/schedule.hpp"

namespace fathom::clock {
namespace {

class Logarithmic : public Schedule {
  public:
    explicit Logarithmic(int size)
        : size_(size), power_(power_of_two_within(size)), steps_(std::countr_zero(unsigned(power_))) {}

    [[nodiscard]] Flow flow() const override { return Flow::up; }
    [[nodiscard]] int rounds() const override { return steps_ + (size_ > power_ ? 1 : 0); }
    [[nodiscard]] std::vector<PingRound> ping_rounds(int rank) const override {
        std::vector<PingRound> all;
        for (int round = 0; rank < power_ && round < steps_; ++round) {
            const int distance = 1 << round;
            const int place = rank % (2 * distance);
            if (place == 0) {
                all.push_back({.round = round, .server = rank + distance, .clients = {rank}});
            } else if (place == distance) {
                all.push_back({.round = round, .server = rank, .clients = {rank - distance}});
            }
        }
        // The remaining ranks and their partners; here the remaining one asks.
        if (rank >= power_) {
            all.push_back({.round = steps_, .server = rank - power_, .clients = {rank}});
        } else if (rank + power_ < size_) {
            all.push_back({.round = steps_, .server = rank, .clients = {rank + power_}});
        }
        return all;
    }

  private:
    int size_;
    int power_;
    int steps_;
};

}  // namespace

int power_of_two_within(int number) {
    return static_cast<int>(std::bit_floor(static_cast<unsigned>(number)));
}

std::unique_ptr<Schedule> log_schedule(int size) {
    return std::make_unique<Logarithmic>(size);
}

}  // namespace fathom::clock
