#include "probe/overlap/worker.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include "machine/facts.hpp"

namespace fathom::probe {
namespace {

/// Keeps the compiler from knowing a value, and so from finding a shorter way to it.
inline void hide(std::uint64_t& value) {
    asm volatile("" : "+r"(value));
}

/// What `work` is calibrated and timed by: both kernels differ in what a unit is only.
class TimedWork : public Worker {
  public:
    TimedWork(const Clock& clock, std::int64_t units_between_looks)
        : clock_(clock), units_between_looks_(units_between_looks) {}

    void work_until(Nanoseconds time) override {
        while (clock_.now() < time) {
            work(units_between_looks_);
        }
    }

    WorkRate calibrate() override {
        constexpr std::int64_t short_ns = 1'000;
        constexpr std::int64_t long_ns = 20'000;
        work(units_between_looks_);
        // Enough units that a stretch takes long against a reading of the clock.
        std::int64_t units = 1;
        while (stretch(units) < long_ns) {
            units *= 2;
        }
        const auto long_units = units;
        const auto short_units = std::max<std::int64_t>(1, long_units * short_ns / long_ns);
        const double empty = undisturbed(0);
        const double brief = undisturbed(short_units);
        const double lengthy = undisturbed(long_units);
        WorkRate rate;
        rate.unit_ns = (lengthy - brief) / static_cast<double>(long_units - short_units);
        rate.constant_ns = brief - empty - static_cast<double>(short_units) * rate.unit_ns;
        return rate;
    }

  private:
    std::int64_t stretch(std::int64_t units) {
        const auto begin = clock_.now();
        if (units > 0) {
            work(units);
        }
        return (clock_.now() - begin).count;
    }

    /// What a stretch takes when nothing comes in between.
    double undisturbed(std::int64_t units) {
        constexpr std::size_t stretches = 101;
        std::array<std::int64_t, stretches> times{};
        for (auto& time : times) {
            time = stretch(units);
        }
        std::ranges::sort(times);
        // The mean of the faster half, without the very fastest: a tick of the clock may be longer than what
        // is looked for.
        constexpr std::size_t first = stretches / 20;
        constexpr std::size_t last = stretches / 2;
        double sum = 0;
        for (auto i = first; i < last; ++i) {
            sum += static_cast<double>(times.at(i));
        }
        return sum / (last - first);
    }

    const Clock& clock_;
    std::int64_t units_between_looks_;
};

class RegisterWork : public TimedWork {
  public:
    explicit RegisterWork(const Clock& clock) : TimedWork(clock, units_between_looks) {}

    void work(std::int64_t units) override {
        constexpr std::uint64_t factor = 6364136223846793005U;
        auto value = value_;
        for (std::int64_t i = 0; i < units; ++i) {
            value = value * factor + 1;
            hide(value);
        }
        value_ = value;
    }

  private:
    static constexpr std::int64_t units_between_looks = 10;
    std::uint64_t value_ = 1;
};

class MemoryWork : public TimedWork {
  public:
    explicit MemoryWork(const Clock& clock) : TimedWork(clock, units_between_looks) {
        constexpr std::int64_t where_unknown = 64LL * 1024 * 1024;
        const auto cache = machine::last_level_cache().count;
        const auto bytes = cache > 0 ? 2 * cache : where_unknown;
        lines_.resize(static_cast<std::size_t>(bytes / static_cast<std::int64_t>(sizeof(Line))), Line{});
    }

    /// A unit is a line that is read and written.
    void work(std::int64_t units) override {
        auto at = at_;
        for (std::int64_t i = 0; i < units; ++i) {
            auto& word = lines_[at][0];
            word += 1;
            hide(word);
            at = at + 1 == lines_.size() ? 0 : at + 1;
        }
        at_ = at;
    }

  private:
    static constexpr std::int64_t units_between_looks = 4;
    using Line = std::array<std::uint64_t, 8>;
    std::vector<Line> lines_;
    std::size_t at_ = 0;
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
