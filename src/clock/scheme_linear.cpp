#include "clock/schedule.hpp"

namespace fathom::clock {
namespace {

class Linear : public Schedule {
  public:
    explicit Linear(int size) : size_(size) {}

    [[nodiscard]] Flow flow() const override { return Flow::down; }
    [[nodiscard]] int rounds() const override { return size_ - 1; }
    [[nodiscard]] std::vector<PingRound> ping_rounds(int rank) const override {
        std::vector<PingRound> all;
        const int first = rank == 0 ? 1 : rank;
        const int last = rank == 0 ? size_ - 1 : rank;
        for (int client = first; client <= last; ++client) {
            all.push_back({.round = client - 1, .server = 0, .clients = {client}});
        }
        return all;
    }

  private:
    int size_;
};

}  // namespace

std::unique_ptr<Schedule> linear_schedule(int size) {
    return std::make_unique<Linear>(size);
}

}  // namespace fathom::clock
