#include "base/units.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/error.hpp"

namespace fathom {
namespace {

constexpr std::int64_t largest_size = std::int64_t{1} << 62;

struct Scale {
    double factor;
    const char* unit;
};

/// Decimals of a number with three significant digits.
int decimals_of_three(double value) {
    const double size = std::fabs(value);
    return size == 0 || size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2;
}

/// Three significant digits: 5.61, 56.1, 561, 5610.
std::string three_digits(double value) {
    return fmt::format("{:.{}f}", value, decimals_of_three(value));
}

Scale time_scale(double nanoseconds) {
    const double size = std::fabs(nanoseconds);
    if (size < 999.5) {
        return {1, "ns"};
    }
    if (size < 999.5e3) {
        return {1e3, "us"};
    }
    if (size < 999.5e6) {
        return {1e6, "ms"};
    }
    return {1e9, "s"};
}

std::string scaled(double nanoseconds, Scale scale) {
    // Whole nanoseconds are exact: decimals would only be noise.
    if (scale.factor == 1 && nanoseconds == std::round(nanoseconds)) {
        return fmt::format("{:.0f}", nanoseconds);
    }
    return three_digits(nanoseconds / scale.factor);
}

/// The power of 1024 that a suffix stands for, or -1. `kb` is 1024 bytes too, as in other benchmarks.
int suffix_power(std::string_view suffix) {
    constexpr std::string_view prefixes = "kmgt";
    std::string name(suffix);
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    if (name.empty() || name == "b") {
        return 0;
    }
    const auto prefix = prefixes.find(name.front());
    const auto rest = std::string_view(name).substr(1);
    return prefix != std::string_view::npos && (rest.empty() || rest == "b" || rest == "ib")
               ? static_cast<int>(prefix) + 1
               : -1;
}

/// The number that a text begins with, and the rest.
std::pair<std::optional<double>, std::string_view> number_and_unit(std::string_view text) {
    double number = 0;
    const auto* end = text.data() + text.size();
    const auto [rest, code] = std::from_chars(text.data(), end, number);
    return {code == std::errc() ? std::optional(number) : std::nullopt,
            std::string_view(rest, static_cast<std::size_t>(end - rest))};
}

/// Of a unit of rates: `B`, `kB`, `MiB`, `Gbit`. Throws BadInput for another.
double bytes_in(std::string_view unit) {
    constexpr std::string_view prefixes = "kMGT";
    constexpr double bits_in_byte = 8;
    double bytes = 1;
    if (!unit.empty()) {
        auto prefix = prefixes.find(unit.front() == 'K' ? 'k' : unit.front());
        if (prefix != std::string_view::npos) {
            unit.remove_prefix(1);
            const bool binary = unit.starts_with('i');
            unit.remove_prefix(binary ? 1 : 0);
            bytes = std::pow(binary ? 1024.0 : 1000.0, static_cast<double>(prefix + 1));
        }
    }
    if (unit == "bit") {
        return bytes / bits_in_byte;
    }
    if (unit != "B") {
        throw BadInput("not a rate");
    }
    return bytes;
}

constexpr std::array<const char*, 5> size_units{"B", "KiB", "MiB", "GiB", "TiB"};

}  // namespace

Bytes parse_bytes(std::string_view text) {
    std::int64_t number = 0;
    const auto* end = text.data() + text.size();
    const auto [rest, code] = std::from_chars(text.data(), end, number);
    const bool overflow = code == std::errc::result_out_of_range;
    const int power = code == std::errc() ? suffix_power({rest, static_cast<std::size_t>(end - rest)})
                                          : (overflow ? 0 : -1);
    if (power < 0 || number < 0 || rest == text.data()) {
        throw BadInput(fmt::format("'{}' is not a size; give bytes such as 8, 64k or 1M", text));
    }
    const int shift = 10 * power;
    if (overflow || number > (largest_size >> shift)) {
        throw BadInput(fmt::format("size '{}' is too large; the largest is 4194304T", text));
    }
    return {number << shift};
}

double parse_short_time(std::string_view text) {
    struct Unit {
        std::string_view name;
        double nanoseconds;
    };
    constexpr std::array<Unit, 7> units{
        {{"", 1e9}, {"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"ns", 1}, {"min", 60e9}, {"h", 3600e9}}};
    constexpr double longest = 9e18;
    const auto [number, rest] = number_and_unit(text);
    const auto unit =
        std::find_if(units.begin(), units.end(), [name = rest](const auto& one) { return one.name == name; });
    if (!number || unit == units.end() || !(*number >= 0) || *number * unit->nanoseconds > longest) {
        throw BadInput(fmt::format("'{}' is not a time; give one such as 60s, 500ms or 2h", text));
    }
    return *number * unit->nanoseconds;
}

Nanoseconds parse_duration(std::string_view text) {
    return {std::llround(parse_short_time(text))};
}

double parse_time_per_byte(std::string_view text) {
    const auto [number, unit] = number_and_unit(text);
    constexpr std::string_view per_second = "/s";
    constexpr std::string_view per_byte = "/B";
    try {
        if (number && *number > 0 && unit.ends_with(per_second)) {
            return 1e9 / (*number * bytes_in(unit.substr(0, unit.size() - per_second.size())));
        }
        if (number && (*number == 0 || !unit.empty())) {
            return parse_short_time(unit.ends_with(per_byte) ? text.substr(0, text.size() - per_byte.size())
                                                             : text);
        }
    } catch (const BadInput&) {  // said below, with what to give here
    }
    throw BadInput(
        fmt::format("'{}' is neither a time per byte nor a rate; give one such as 0.8ns/B, 1.25GB/s "
                    "or 10Gbit/s",
                    text));
}

std::string to_text(Bytes size) {
    std::size_t unit = 0;
    auto value = static_cast<double>(size.count);
    while (value >= 1024 && unit + 1 < size_units.size()) {
        value /= 1024;
        ++unit;
    }
    if (value == std::floor(value)) {
        return fmt::format("{:.0f} {}", value, size_units[unit]);
    }
    return fmt::format("{} {}", three_digits(value), size_units[unit]);
}

std::string exact_text(Bytes size) {
    std::size_t unit = 0;
    auto value = size.count;
    while (value != 0 && value % 1024 == 0 && unit + 1 < size_units.size()) {
        value /= 1024;
        ++unit;
    }
    return fmt::format("{} {}", value, size_units[unit]);
}

std::string time_text(double nanoseconds) {
    const auto scale = time_scale(nanoseconds);
    return fmt::format("{} {}", scaled(nanoseconds, scale), scale.unit);
}

std::string rate_text(double bytes_per_second) {
    constexpr std::array<Scale, 5> scales{
        {{1, "B/s"}, {1e3, "kB/s"}, {1e6, "MB/s"}, {1e9, "GB/s"}, {1e12, "TB/s"}}};
    std::size_t index = 0;
    while (index + 1 < scales.size() && bytes_per_second >= 999.5 * scales[index].factor) {
        ++index;
    }
    return fmt::format("{} {}", three_digits(bytes_per_second / scales[index].factor), scales[index].unit);
}

std::string time_interval_text(double low_ns, double high_ns) {
    const auto scale = time_scale(high_ns);
    constexpr double far = 100;  // the lower end would have no digit left
    if (low_ns > 0 && high_ns > far * low_ns) {
        return fmt::format("{} .. {}", time_text(low_ns), time_text(high_ns));
    }
    return fmt::format("{} .. {} {}", scaled(low_ns, scale), scaled(high_ns, scale), scale.unit);
}

TimesBeside::TimesBeside(double value_ns, double low_ns, double high_ns)
    : factor_(time_scale(value_ns).factor), unit_(time_scale(value_ns).unit) {
    usual_ = decimals_of_three(value_ns / factor_);
    const double half = (high_ns - low_ns) / 2 / factor_;
    const int certain = half > 0 ? static_cast<int>(-std::floor(std::log10(half))) : usual_;
    decimals_ = std::max(0, std::clamp(certain, usual_ - 1, usual_ + 1));
    if (decimals_ > usual_ && fmt::format("{:.{}f}", low_ns / factor_, decimals_) ==
                                  fmt::format("{:.{}f}", high_ns / factor_, decimals_)) {
        decimals_ = usual_;  // a digit more would not show that the ends differ
    }
    if (factor_ == 1 && value_ns == std::round(value_ns)) {
        usual_ = decimals_ = 0;  // whole nanoseconds are exact
    }
}

bool TimesBeside::fits(double nanoseconds) const {
    constexpr double least = 0.01;
    constexpr double most = 1e4;  // four digits before the point are read at a glance
    const double size = std::fabs(nanoseconds / factor_);
    return size == 0 || (size >= least && size < most);
}

int TimesBeside::decimals(double nanoseconds) const {
    return std::max(0, decimals_ - std::max(0, usual_ - decimals_of_three(nanoseconds / factor_)));
}

std::string TimesBeside::text(double nanoseconds) const {
    return fits(nanoseconds) ? fmt::format("{:.{}f} {}", nanoseconds / factor_, decimals(nanoseconds), unit_)
                             : time_text(nanoseconds);
}

std::string TimesBeside::interval(double low_ns, double high_ns) const {
    constexpr double far = 10;  // the lower end may need a decimal more
    const int high = decimals(high_ns);
    const int low = high_ns > far * low_ns ? decimals(low_ns) : std::min(decimals(low_ns), high);
    return fits(low_ns) && fits(high_ns)
               ? fmt::format("{:.{}f} .. {:.{}f} {}", low_ns / factor_, low, high_ns / factor_, high, unit_)
               : time_interval_text(low_ns, high_ns);
}

std::string with_micro_sign(std::string_view text) {
    constexpr std::string_view unit = " us";
    std::string signs;
    std::size_t done = 0;
    for (auto at = text.find(unit); at != std::string_view::npos; at = text.find(unit, at + 1)) {
        const auto after = at + unit.size();
        const bool whole = after == text.size() || std::isalnum(static_cast<unsigned char>(text[after])) == 0;
        const auto before = text.find_last_not_of(" \n", at);  // a line may end before the unit
        if (before != std::string_view::npos && whole &&
            std::isdigit(static_cast<unsigned char>(text[before])) != 0) {
            signs += text.substr(done, at - done);
            signs += " \u00b5s";
            done = after;
        }
    }
    return signs.append(text.substr(done));
}

std::string count_text(std::int64_t count) {
    auto digits = fmt::format("{}", count);
    const std::size_t first = count < 0 ? 1 : 0;
    for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > static_cast<std::ptrdiff_t>(first);
         at -= 3) {
        digits.insert(static_cast<std::size_t>(at), 1, ' ');
    }
    return digits;
}

std::string duration_text(double seconds) {
    const auto whole = static_cast<std::int64_t>(std::llround(seconds));
    if (whole < 60) {
        return fmt::format("{} s", whole);
    }
    if (whole < 3600) {
        return fmt::format("{} min {} s", whole / 60, whole % 60);
    }
    return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

}  // namespace fathom
