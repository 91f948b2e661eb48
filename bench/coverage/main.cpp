// How often the 95 % interval of a quantile misses the true quantile, on series whose truth is known:
//     build/bench/fathom-coverage            all tables (some minutes)
//     build/bench/fathom-coverage quick      a quarter of the trials
//     build/bench/fathom-coverage median     short series and the median alone (some seconds)
// docs/method.md quotes what it prints.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <boost/math/constants/constants.hpp>
#include <boost/math/distributions/normal.hpp>
#include <fmt/format.h>

#include "stats/quantile_ci.hpp"
#include "stats/stopping/stop_rule.hpp"

namespace {

using fathom::stats::Interval;
using Series = std::vector<double>;
using Generator = std::mt19937_64;

/// A standard normal AR(1) process, on its stationary distribution from the first value on.
Series ar1(Generator& random, std::size_t count, double correlation) {
    std::normal_distribution<double> noise;
    Series values(count);
    double last = noise(random);
    for (auto& value : values) {
        value = last;
        last = correlation * last + std::sqrt(1 - correlation * correlation) * noise(random);
    }
    return values;
}

/// Standard normal noise on two levels, 0 and `gap`, that the series leaves with a chance of 1 / `stay`.
Series two_levels(Generator& random, std::size_t count, double gap, double stay) {
    std::normal_distribution<double> noise;
    std::uniform_real_distribution<double> uniform;
    Series values(count);
    bool high = uniform(random) < 0.5;
    for (auto& value : values) {
        value = (high ? gap : 0) + noise(random);
        high = uniform(random) < 1 / stay ? !high : high;
    }
    return values;
}

/// What a standard normal value becomes; all are monotone, so quantiles follow.
struct Margin {
    std::string_view name;
    double (*of_normal)(double);
};

constexpr Margin normal{"normal", [](double x) { return 1000 + 20 * x; }};
constexpr Margin log_normal{"log-normal", [](double x) { return std::exp(0.5 * x); }};
/// Pareto with exponent 1.5: it has no variance.
constexpr Margin heavy{"Pareto 1.5",
                       [](double x) { return std::pow(std::erfc(x / std::sqrt(2.0)) / 2, -1 / 1.5); }};

struct Tally {
    int trials = 0;
    int given = 0;
    int held = 0;

    void add(const std::optional<Interval>& interval, double truth) {
        ++trials;
        if (interval) {
            ++given;
            held += interval->low <= truth && truth <= interval->high ? 1 : 0;
        }
    }
    /// Of the intervals given, those that hold the truth, in percent.
    [[nodiscard]] std::string held_text() const {
        return given > 0 ? fmt::format("{:.1f}", 100.0 * held / given) : "-";
    }
    /// Series whose interval is wrong, in percent; in brackets those that have none.
    [[nodiscard]] std::string text() const {
        const double none = 100.0 * (trials - given) / trials;
        const auto wrong = fmt::format("{:.1f}", 100.0 * (given - held) / trials);
        return none < 0.05 ? wrong : fmt::format("{} ({:.{}f})", wrong, none, none < 10 ? 1 : 0);
    }
};

class Table {
  public:
    explicit Table(std::vector<std::string> head) { row(head, "series"), row(Series(head.size()), "---"); }
    template <typename Cells>
    static void row(const Cells& cells, std::string_view name) {
        fmt::print("| {} |", name);
        for (const auto& cell : cells) {
            if constexpr (std::is_same_v<std::decay_t<decltype(cell)>, double>) {
                fmt::print("---|");
            } else {
                fmt::print(" {} |", cell);
            }
        }
        fmt::print("\n");
        std::fflush(stdout);
    }
};

const std::vector<std::size_t> all_counts{20, 30, 50, 100, 200, 1'000, 10'000, 100'000};

/// Fewer of the long ones, which take longer.
int trials_of(std::size_t count, int trials) {
    constexpr std::size_t affordable = 2'000;
    const auto most = static_cast<std::size_t>(trials) * affordable / std::max(affordable, count);
    return std::max(400, static_cast<int>(most));
}

using Source = std::function<Series(Generator&, std::size_t)>;

/// Prints how many are wrong, and returns how many of those given hold.
std::vector<std::string> row(const std::string& name, const Source& source, double share, double truth,
                             int trials, std::span<const std::size_t> counts = all_counts) {
    std::vector<std::string> wrong;
    std::vector<std::string> held;
    for (const auto count : counts) {
        Tally tally;
        if (static_cast<double>(count) >= fathom::stats::least_sample(share)) {
            Generator random(count + 17);
            for (int trial = 0; trial < trials_of(count, trials); ++trial) {
                tally.add(fathom::stats::quantile_estimate(source(random, count), share).ci95, truth);
            }
        }
        wrong.push_back(tally.trials > 0 ? tally.text() : "-");
        held.push_back(tally.held_text());
    }
    Table::row(wrong, name);
    return held;
}

std::vector<std::string> heads(std::span<const std::size_t> counts = all_counts) {
    std::vector<std::string> names;
    for (const auto count : counts) {
        names.push_back(fmt::format("{}", count));
    }
    return names;
}

Source ar1_source(double correlation, const Margin& margin) {
    return [=](Generator& random, std::size_t count) {
        auto values = ar1(random, count, correlation);
        std::transform(values.begin(), values.end(), values.begin(), margin.of_normal);
        return values;
    };
}

/// Of AR(1) series that end when the stopping rule says so, after batches of 50.
void stopping_row(double correlation, int trials) {
    Tally tally;
    Generator random(31);
    std::normal_distribution<double> noise;
    std::size_t repetitions = 0;
    for (int trial = 0; trial < trials; ++trial) {
        const auto rule = fathom::stats::median_ci_rule(0.05);
        Series all;
        double last = noise(random);
        while (!rule->reached() && all.size() < 20'000) {
            Series batch(50);
            for (auto& value : batch) {
                value = std::exp(0.15 * last);
                last = correlation * last + std::sqrt(1 - correlation * correlation) * noise(random);
            }
            rule->add(batch);
            all.insert(all.end(), batch.begin(), batch.end());
        }
        repetitions += all.size();
        tally.add(fathom::stats::quantile_estimate(all, 0.5).ci95, 1);
    }
    fmt::print("| {} | {} | {} |\n", correlation, tally.text(),
               repetitions / static_cast<std::size_t>(trials));
    std::fflush(stdout);
}

/// All tables of one quantile.
void tables_of(double share, int trials, std::span<const std::size_t> counts) {
    fmt::print(
        "\nSeries whose 95 % interval of p{:g} is wrong, in percent (in brackets: those that "
        "have none), by number of values\n\n",
        100 * share);
    const Table table(heads(counts));
    std::map<std::string, std::vector<std::string>> held;
    for (const double correlation : {0.0, 0.3, 0.6, 0.8, 0.9}) {
        const auto name = fmt::format("AR(1) {}", correlation);
        held[name] =
            row(name, ar1_source(correlation, normal), share,
                normal.of_normal(boost::math::quantile(boost::math::normal(), share)), trials, counts);
    }
    fmt::print("\nOf the intervals given, those that hold the true p{:g}, in percent\n\n", 100 * share);
    const Table of_given(heads(counts));
    for (const auto& [name, cells] : held) {
        Table::row(cells, name);
    }
}

}  // namespace

int main(int argc, char** argv) {
    const std::string_view mode = argc > 1 ? argv[1] : "all";
    const int trials = mode == "all" ? 4'000 : 1'000;
    if (mode == "median") {
        tables_of(0.5, trials, std::span(all_counts).first(6));
        return 0;
    }
    for (const double share : {0.5, 0.9, 0.99}) {
        tables_of(share, trials, all_counts);
    }
    fmt::print("\nThe same of the median for other distributions and for two levels that change slowly\n\n");
    const Table table(heads());
    for (const auto& margin : {log_normal, heavy}) {
        for (const double correlation : {0.6}) {
            row(fmt::format("{}, AR(1) {}", margin.name, correlation), ar1_source(correlation, margin), 0.5,
                margin.of_normal(0), trials);
        }
    }
    for (const double gap : {1.0, 2.0}) {
        for (const double stay : {10.0, 100.0}) {
            row(
                fmt::format("levels {} sigma apart, {} values long", gap, stay),
                [=](Generator& random, std::size_t count) { return two_levels(random, count, gap, stay); },
                0.5, gap / 2, trials);
        }
    }
    fmt::print(
        "\nWhere `--stop median-ci` ends the series (5 %, log-normal with sigma 0.15)\n\n"
        "| correlation | wrong | mean repetitions |\n|---|---|---|\n");
    for (const double correlation : {0.0, 0.3, 0.6, 0.8, 0.9}) {
        stopping_row(correlation, trials / 4);
    }
    return 0;
}
