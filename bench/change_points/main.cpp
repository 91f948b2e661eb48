// How well ChangePointSearch finds what is there, on curves whose change points are known: prints a Markdown
// table. The constants in src/stats/change_points rest on it. An argument replaces the number of curves of
// each kind.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "stats/change_points/change_point_search.hpp"

namespace {

using fathom::stats::ChangePoint;
using fathom::stats::ChangePointSearch;
using fathom::stats::CurvePoint;

/// Nanoseconds by bytes.
using Curve = std::function<double(double)>;

struct Case {
    Curve curve;
    std::vector<std::int64_t> last_below;  ///< of its change points
};

struct Family {
    std::string name;
    std::function<Case(std::mt19937_64&)> draw;
};

struct Noise {
    std::string name;
    double share = 0;    ///< standard deviation of a median, of its time
    double scatter = 0;  ///< as the search takes it
};

std::int64_t random_size(std::mt19937_64& random, double low, double high) {
    std::uniform_real_distribution<double> place(std::log(low), std::log(high));
    return std::llround(std::exp(place(random)));
}

Curve affine(double start, double slope) {
    return [=](double x) { return start + slope * x; };
}

Curve power(double start, double factor, double exponent) {
    return [=](double x) { return start + factor * std::pow(x, exponent); };
}

Family smooth(std::string name, Curve curve) {
    return {std::move(name), [curve = std::move(curve)](std::mt19937_64& /*random*/) {
                return Case{.curve = curve, .last_below = {}};
            }};
}

Family jump(std::string name, Curve curve, double factor) {
    return {std::move(name), [=](std::mt19937_64& random) {
                const auto at = random_size(random, 64, 1 << 20);
                return Case{
                    .curve = [=](double x) { return (x > static_cast<double>(at) ? factor : 1) * curve(x); },
                    .last_below = {at}};
            }};
}

/// Bends where the slope is most of the time.
Family bend(std::string name, double below, double above) {
    return {std::move(name), [=](std::mt19937_64& random) {
                const auto at = random_size(random, 20'000, 400'000);
                const auto meet = static_cast<double>(at);
                return Case{.curve =
                                [=](double x) {
                                    return 1000 + below * std::min(x, meet) + above * std::max(0.0, x - meet);
                                },
                            .last_below = {at}};
            }};
}

/// An eager limit after which messages are copied no more, and a second jump for large messages.
Family two_jumps() {
    return {"two jumps, x 1.5 each", [](std::mt19937_64& random) {
                const auto first = random_size(random, 512, 16'384);
                const auto second = random_size(random, 65'536, 1 << 20);
                return Case{.curve =
                                [=](double x) {
                                    return (1000 + 0.1 * x) * (x > static_cast<double>(first) ? 1.5 : 1) *
                                           (x > static_cast<double>(second) ? 1.5 : 1);
                                },
                            .last_below = {first, second}};
            }};
}

const std::vector<Family>& families() {
    static const std::vector<Family> all{
        smooth("constant", affine(1000, 0)),
        smooth("line", affine(1000, 0.1)),
        smooth("power 0.7", power(500, 2, 0.7)),
        smooth("power 0.9", power(1000, 0.5, 0.9)),
        smooth("power 1.1", power(1000, 0.1, 1.1)),
        smooth("logarithm", [](double x) { return 1000 + 100 * std::log2(x + 1); }),
        jump("line, jump x 1.1", affine(1000, 0.1), 1.1),
        jump("line, jump x 1.25", affine(1000, 0.1), 1.25),
        jump("line, jump x 1.5", affine(1000, 0.1), 1.5),
        jump("line, jump x 0.7", affine(1000, 0.1), 0.7),
        jump("power 0.9, jump x 1.5", power(1000, 0.1, 0.9), 1.5),
        bend("bend, slope x 2", 0.1, 0.2),
        bend("bend, slope x 0.33", 0.3, 0.1),
        two_jumps(),
    };
    return all;
}

struct Score {
    int curves = 0;
    int real = 0;    ///< change points that are there
    int found = 0;   ///< of them, contained in one that was found
    int narrow = 0;  ///< and known to 1 % of the size
    int wrong = 0;   ///< found where there is none
    int measured = 0;
};

void search_one(const Case& one, const Noise& noise, std::mt19937_64& random, Score& score) {
    std::normal_distribution<double> normal;
    const auto measure = [&](std::int64_t x) {
        const double t = one.curve(static_cast<double>(x));
        const double error = noise.share * t;
        const double median = t + error * normal(random);
        constexpr double reach = 1.959964;
        return CurvePoint{
            .x = x, .median = median, .low = median - reach * error, .high = median + reach * error};
    };
    std::vector<CurvePoint> grid;
    for (std::int64_t x = 1; x <= 4 << 20; x *= 2) {
        grid.push_back(measure(x));
    }
    ChangePointSearch search(grid, noise.scatter);
    while (const auto x = search.next()) {
        search.add(measure(*x));
        ++score.measured;
    }
    ++score.curves;
    score.real += static_cast<int>(one.last_below.size());
    for (const auto& found : search.found()) {
        const auto holds = [&](std::int64_t at) { return found.last_below <= at && at <= found.first_above; };
        const bool real = std::ranges::any_of(one.last_below, holds);
        constexpr std::int64_t narrow = 100;
        (real ? score.found : score.wrong) += 1;
        score.narrow += real && found.first_above - found.last_below <=
                                    std::max<std::int64_t>(1, found.last_below / narrow);
    }
}

std::string percent(int part, int whole) {
    return whole > 0 ? fmt::format("{:.1f} %", 100.0 * part / whole) : "-";
}

}  // namespace

int main(int count, char** arguments) {
    constexpr int usual_curves = 300;
    const int curves = count > 1 ? std::stoi(arguments[1]) : usual_curves;
    const std::vector<Noise> noises{{.name = "none", .share = 0, .scatter = 0},
                                    {.name = "1 %", .share = 0.01, .scatter = fathom::stats::point_scatter},
                                    {.name = "5 %", .share = 0.05, .scatter = fathom::stats::point_scatter}};
    fmt::print(
        "| curve | noise | found | to 1 % of the size | false positives per 100 curves | sizes measured "
        "per curve |\n|---|---|---|---|---|---|\n");
    for (const auto& family : families()) {
        for (const auto& noise : noises) {
            std::mt19937_64 random(1);
            Score score;
            for (int i = 0; i < curves; ++i) {
                search_one(family.draw(random), noise, random, score);
            }
            fmt::print("| {} | {} | {} | {} | {:.1f} | {:.1f} |\n", family.name, noise.name,
                       percent(score.found, score.real), percent(score.narrow, score.real),
                       100.0 * score.wrong / score.curves,
                       static_cast<double>(score.measured) / score.curves);
        }
    }
    return 0;
}
