#include <fmt/format.h>

#include "stats/stopping/stop_rule.hpp"

namespace fathom::stats {
namespace {

class Fixed : public StopRule {
  public:
    explicit Fixed(std::int64_t wanted) : wanted_(wanted) {}
    void add(std::span<const double> times) override { count_ += static_cast<std::int64_t>(times.size()); }
    [[nodiscard]] bool reached() const override { return count_ >= wanted_; }
    [[nodiscard]] std::string state() const override {
        return fmt::format("{} of {} repetitions were valid", count_, wanted_);
    }

  private:
    std::int64_t wanted_;
    std::int64_t count_ = 0;
};

}  // namespace

std::unique_ptr<StopRule> fixed_rule(std::int64_t repetitions) {
    return std::make_unique<Fixed>(repetitions);
}

}  // namespace fathom::stats
