#include "probe/overlap/worker.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

#include "machine/facts.hpp"
#include "probe/overlap/calibration.hpp"

namespace fathom::probe {
namespace {

/// Of a cache.
struct alignas(64) Line {
    std::array<std::uint64_t, 8> words{};
};

// Both loops are separate functions and begin at a cache line, so that they are the same instructions in the
// same place for whoever calls them. What the compiler cannot see through it neither shortens nor spreads
// over several units.

/// Multiplies and adds: a unit takes as long as the processor has to wait for the result of one, some 1 ns,
/// and all else in the loop fits in there.
[[gnu::noinline, gnu::aligned(64)]] std::uint64_t multiplied(std::uint64_t value, std::int64_t units) {
    constexpr std::uint64_t factor = 6364136223846793005U;
#pragma GCC unroll 1
    for (std::int64_t i = 0; i < units; ++i) {
        value = value * factor + 1;
        asm volatile("" : "+r"(value));
    }
    return value;
}

/// Reads and writes all bytes of so many lines, from number `at` on and round again; returns the number of
/// the line after the last one.
[[gnu::noinline, gnu::aligned(64)]] std::size_t streamed(std::vector<Line>& lines, std::size_t at,
                                                         std::int64_t units) {
    auto* const first = lines.data();
    const auto count = lines.size();
#pragma GCC unroll 1
    for (std::int64_t i = 0; i < units; ++i) {
        auto* const line = first + at;
        for (auto& word : line->words) {
            word += 1;
        }
        asm volatile("" : : "r"(line) : "memory");
        at = at + 1 == count ? 0 : at + 1;
    }
    return at;
}

/// What both kinds of work share: they differ in what a unit is.
class TimedWork : public Worker {
  public:
    TimedWork(const Clock& clock, std::int64_t units_between_looks)
        : clock_(clock), units_between_looks_(units_between_looks) {}

    void work_until(Nanoseconds time) override {
        for (auto left = time - clock_.now(); left.count > 0; left = time - clock_.now()) {
            work(units_before_look(left));
        }
    }

    WorkRate calibrate() override {
        rate_ = calibrated(clock_, *this);
        return *rate_;
    }

  protected:
    [[nodiscard]] Nanoseconds now() const { return clock_.now(); }

  private:
    /// Looks seldom while there is time, so that it is work and not reading the clock that the time is spent
    /// with: half of what is left may go by unseen, and 10 us at most.
    [[nodiscard]] std::int64_t units_before_look(Nanoseconds left) const {
        constexpr std::int64_t longest_ns = 10'000;
        if (!rate_) {
            return units_between_looks_;
        }
        return std::max(units_between_looks_, rate_->units_for({std::min(left.count / 2, longest_ns)}));
    }

    const Clock& clock_;
    std::int64_t units_between_looks_;
    std::optional<WorkRate> rate_;
};

class RegisterWork : public TimedWork {
  public:
    explicit RegisterWork(const Clock& clock) : TimedWork(clock, units_between_looks) {}
    void work(std::int64_t units) override { value_ = multiplied(value_, units); }

  private:
    static constexpr std::int64_t units_between_looks = 8;
    std::uint64_t value_ = 1;
};

class MemoryWork : public TimedWork {
  public:
    explicit MemoryWork(const Clock& clock) : TimedWork(clock, units_between_looks) {
        constexpr std::int64_t where_unknown = 64LL * 1024 * 1024;
        const auto cache = machine::last_level_cache().count;
        const auto bytes = cache > 0 ? 2 * cache : where_unknown;
        lines_.resize(static_cast<std::size_t>(bytes / static_cast<std::int64_t>(sizeof(Line))));
    }
    void work(std::int64_t units) override { at_ = streamed(lines_, at_, units); }

    WorkRate calibrate() override {
        // New memory is slower by some percent, until the caches have adapted to the stream.
        constexpr std::int64_t long_enough_ns = 100'000'000;
        constexpr std::int64_t some_units = 1'000;
        const auto begin = now();
        while (!warm_ && (now() - begin).count < long_enough_ns) {
            work(some_units);
        }
        warm_ = true;
        return TimedWork::calibrate();
    }

  private:
    static constexpr std::int64_t units_between_looks = 4;
    std::vector<Line> lines_;
    std::size_t at_ = 0;
    bool warm_ = false;
};

}  // namespace

std::int64_t WorkRate::units_for(Nanoseconds time) const {
    const double units = (static_cast<double>(time.count) - constant_ns) / unit_ns;
    return std::max<std::int64_t>(0, std::llround(units));
}

std::unique_ptr<Worker> make_register_work(const Clock& clock) {
    return std::make_unique<RegisterWork>(clock);
}

std::unique_ptr<Worker> make_memory_work(const Clock& clock) {
    return std::make_unique<MemoryWork>(clock);
}

}  // namespace fathom::probe
