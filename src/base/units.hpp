#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace fathom {

/// A length of time or a point on some clock, in whole nanoseconds.
struct Nanoseconds {
    std::int64_t count = 0;

    friend constexpr auto operator<=>(Nanoseconds, Nanoseconds) = default;
    friend constexpr Nanoseconds operator+(Nanoseconds a, Nanoseconds b) { return {a.count + b.count}; }
    friend constexpr Nanoseconds operator-(Nanoseconds a, Nanoseconds b) { return {a.count - b.count}; }
};

/// A message size or an amount of memory.
struct Bytes {
    std::int64_t count = 0;

    friend constexpr auto operator<=>(Bytes, Bytes) = default;
};

/// Reads `8`, `64k`, `1M`, `2G` (powers of 1024; `KiB`, `MiB`, `GiB` are taken too).
/// Throws BadInput that quotes the text if it is not a size, is negative or exceeds 2^62.
Bytes parse_bytes(std::string_view text);

/// `8 B`, `1 KiB`, `1.50 MiB`: short, for people. Exact multiples are shown without decimals.
std::string to_text(Bytes size);

/// To the byte, in the largest unit that divides it: `64 KiB`, `65537 B`, `1536 KiB`. For message sizes.
std::string exact_text(Bytes size);

/// Three significant digits with the unit that fits: `212 ns`, `5.61 us`, `1.20 s`.
std::string time_text(double nanoseconds);

/// Three significant digits with the unit that fits: `11.7 GB/s` (powers of 1000).
std::string rate_text(double bytes_per_second);

/// An interval in one unit: `5.58 .. 5.66 us`.
std::string time_interval_text(double low_ns, double high_ns);

/// Times that stand beside each other: in the unit of one of them, with the digits that its uncertainty
/// leaves. What would have no digit left or too many has its own unit.
class TimesBeside {
  public:
    /// Digits are those of the interval, where there is one, between two and four.
    TimesBeside(double value_ns, double low_ns, double high_ns);
    explicit TimesBeside(double value_ns) : TimesBeside(value_ns, value_ns, value_ns) {}

    [[nodiscard]] std::string text(double nanoseconds) const;
    /// `5.58 .. 5.66 us`
    [[nodiscard]] std::string interval(double low_ns, double high_ns) const;

  private:
    [[nodiscard]] bool fits(double nanoseconds) const;
    [[nodiscard]] int decimals(double nanoseconds) const;

    double factor_;
    const char* unit_;
    int usual_ = 0;  // decimals of three digits
    int decimals_ = 0;
};

/// Microseconds with their sign, for readers that have it: `5.61 us` becomes `5.61 \u00b5s`.
std::string with_micro_sign(std::string_view text);

/// Groups of three digits, separated by a thin space stand-in: `4 120`.
std::string count_text(std::int64_t count);

/// Reads `60s`, `500ms`, `1.5min`, `14h`, `20us`, `100ns`; a bare number is seconds. Throws BadInput that
/// quotes the text.
Nanoseconds parse_duration(std::string_view text);

/// The same with fractions of a nanosecond, which single messages and bytes need: `0.8ns`, `12.5us`.
double parse_short_time(std::string_view text);

/// What a byte takes, in nanoseconds: a time, `0.8ns` or `0.8ns/B`, or a rate, `1.25GB/s` (powers of 1000),
/// `4GiB/s`, `10Gbit/s`. Throws BadInput that quotes the text.
double parse_time_per_byte(std::string_view text);

/// Seconds for people: `12 s`, `3 min 20 s`, `2 h 5 min`.
std::string duration_text(double seconds);

}  // namespace fathom
