#include "base/units.hpp"

#include <gtest/gtest.h>

#include "base/test_support.hpp"

namespace fathom {
namespace {

using testing::refusal_of;

constexpr std::int64_t kib = 1024;

TEST(ParseBytes, TakesPlainNumbers) {
    EXPECT_EQ(parse_bytes("0").count, 0);
    EXPECT_EQ(parse_bytes("8").count, 8);
    EXPECT_EQ(parse_bytes("1000").count, 1000);
}

TEST(ParseBytes, TakesSuffixesAsPowersOf1024) {
    EXPECT_EQ(parse_bytes("64k").count, 64 * kib);
    EXPECT_EQ(parse_bytes("1M").count, kib * kib);
    EXPECT_EQ(parse_bytes("2G").count, 2 * kib * kib * kib);
    EXPECT_EQ(parse_bytes("3T").count, 3 * kib * kib * kib * kib);
}

TEST(ParseBytes, TakesEverySpellingOfAUnit) {
    for (const auto* text : {"5", "5B", "5b"}) {
        EXPECT_EQ(parse_bytes(text).count, 5) << text;
    }
    for (const auto* text : {"5k", "5K", "5KiB", "5kiB", "5kb", "5kB", "5KB", "5Kb"}) {
        EXPECT_EQ(parse_bytes(text).count, 5 * kib) << text;
    }
    for (const auto* text : {"5M", "5m", "5MiB", "5MB", "5mb"}) {
        EXPECT_EQ(parse_bytes(text).count, 5 * kib * kib) << text;
    }
    for (const auto* text : {"5G", "5g", "5GiB", "5GB"}) {
        EXPECT_EQ(parse_bytes(text).count, 5 * kib * kib * kib) << text;
    }
    for (const auto* text : {"5T", "5t", "5TiB", "5TB"}) {
        EXPECT_EQ(parse_bytes(text).count, 5 * kib * kib * kib * kib) << text;
    }
}

TEST(ParseBytes, RefusesWhatIsNoSizeAndQuotesIt) {
    for (const std::string text : {"", "k", "x", "-1", "-64k", "1.5M", "8 k", " 8", "8 ", "64kk", "1Mi",
                                   "0x10", "+8", "8,9", "1e3", "1P"}) {
        EXPECT_EQ(refusal_of([&] { parse_bytes(text); }),
                  "'" + text + "' is not a size; give bytes such as 8, 64k or 1M");
    }
}

TEST(ParseBytes, ReachesUpTo2To62AndNotFurther) {
    const std::int64_t largest = std::int64_t{1} << 62;
    EXPECT_EQ(parse_bytes("4611686018427387904").count, largest);
    EXPECT_EQ(parse_bytes("4194304T").count, largest);
    for (const std::string text :
         {"4611686018427387905", "4194305T", "9223372036854775807", "9223372036854775808",
          "99999999999999999999999999", "9007199254740993M"}) {
        EXPECT_EQ(refusal_of([&] { parse_bytes(text); }),
                  "size '" + text + "' is too large; the largest is 4194304T");
    }
}

TEST(ParseBytes, DoesNotReadBeyondTheEndOfAView) {
    const std::string text = "64k9";
    EXPECT_EQ(parse_bytes(std::string_view(text).substr(0, 2)).count, 64);
    EXPECT_EQ(parse_bytes(std::string_view(text).substr(0, 3)).count, 64 * kib);
}

TEST(ParseDuration, TakesEveryUnitAndSecondsByDefault) {
    EXPECT_EQ(parse_duration("100ns").count, 100);
    EXPECT_EQ(parse_duration("20us").count, 20'000);
    EXPECT_EQ(parse_duration("500ms").count, 500'000'000);
    EXPECT_EQ(parse_duration("60s").count, 60'000'000'000);
    EXPECT_EQ(parse_duration("60").count, 60'000'000'000);
    EXPECT_EQ(parse_duration("1.5min").count, 90'000'000'000);
    EXPECT_EQ(parse_duration("14h").count, 50'400'000'000'000);
    EXPECT_EQ(parse_duration("0").count, 0);
}

TEST(ParseDuration, RoundsToWholeNanoseconds) {
    EXPECT_EQ(parse_duration("0.4ns").count, 0);
    EXPECT_EQ(parse_duration("2.6ns").count, 3);
    EXPECT_EQ(parse_duration("1.0004us").count, 1000);
    EXPECT_EQ(parse_duration("0.1").count, 100'000'000);
}

TEST(ParseDuration, RefusesWhatIsNoTimeAndQuotesIt) {
    for (const std::string text :
         {"",     "s",       "x",    "-1",   "-5ms", "5 s", " 5",   "5s ", "+5",    "5S",
          "5sec", "1h30min", "5,5s", "0x10", "nan",  "inf", "infs", "--5", "5..5s", "1e999"}) {
        EXPECT_EQ(refusal_of([&] { parse_duration(text); }),
                  "'" + text + "' is not a time; give one such as 60s, 500ms or 2h");
    }
}

TEST(ParseDuration, RefusesWhatDoesNotFit) {
    EXPECT_EQ(parse_duration("9e18ns").count, 9'000'000'000'000'000'000);
    EXPECT_EQ(parse_duration("2500000h").count, 9'000'000'000'000'000'000);
    for (const std::string text : {"9.1e18ns", "9223372037s", "2600000h", "1e300h"}) {
        EXPECT_EQ(refusal_of([&] { parse_duration(text); }),
                  "'" + text + "' is not a time; give one such as 60s, 500ms or 2h");
    }
}

TEST(ParseDuration, DoesNotReadBeyondTheEndOfAView) {
    const std::string text = "60ms5";
    EXPECT_EQ(parse_duration(std::string_view(text).substr(0, 2)).count, 60'000'000'000);
    EXPECT_EQ(parse_duration(std::string_view(text).substr(0, 4)).count, 60'000'000);
}

TEST(SizeText, ShowsExactMultiplesWithoutDecimals) {
    EXPECT_EQ(to_text(Bytes{0}), "0 B");
    EXPECT_EQ(to_text(Bytes{8}), "8 B");
    EXPECT_EQ(to_text(Bytes{1023}), "1023 B");
    EXPECT_EQ(to_text(Bytes{kib}), "1 KiB");
    EXPECT_EQ(to_text(Bytes{512 * kib}), "512 KiB");
    EXPECT_EQ(to_text(Bytes{4 * kib * kib}), "4 MiB");
    EXPECT_EQ(to_text(Bytes{16 * kib * kib * kib}), "16 GiB");
    EXPECT_EQ(to_text(Bytes{std::int64_t{1} << 62}), "4194304 TiB");
}

TEST(SizeText, ShowsThreeDigitsOfOtherSizes) {
    EXPECT_EQ(to_text(Bytes{kib + kib / 4}), "1.25 KiB");
    EXPECT_EQ(to_text(Bytes{100 * kib + 1}), "100 KiB");
    EXPECT_EQ(to_text(Bytes{10 * kib * kib + 300 * kib}), "10.3 MiB");
}

TEST(SizeText, IsExactForMessageSizes) {
    EXPECT_EQ(exact_text(Bytes{0}), "0 B");
    EXPECT_EQ(exact_text(Bytes{64 * kib}), "64 KiB");
    EXPECT_EQ(exact_text(Bytes{64 * kib + 1}), "65537 B");
    EXPECT_EQ(exact_text(Bytes{kib * kib + 512 * kib}), "1536 KiB");
    EXPECT_EQ(exact_text(Bytes{std::int64_t{1} << 62}), "4194304 TiB");
}

TEST(TimeText, PicksTheUnitThatFits) {
    EXPECT_EQ(time_text(212), "212 ns");
    EXPECT_EQ(time_text(5610), "5.61 us");
    EXPECT_EQ(time_text(56'100), "56.1 us");
    EXPECT_EQ(time_text(561'000), "561 us");
    EXPECT_EQ(time_text(1.2e6), "1.20 ms");
    EXPECT_EQ(time_text(1.2e9), "1.20 s");
}

TEST(TimeText, ShowsWholeNanosecondsExactly) {
    EXPECT_EQ(time_text(0), "0 ns");
    EXPECT_EQ(time_text(1), "1 ns");
    EXPECT_EQ(time_text(10), "10 ns");
    EXPECT_EQ(time_text(999), "999 ns");
}

TEST(TimeText, ShowsThreeDigitsOfBrokenNanoseconds) {
    EXPECT_EQ(time_text(0.5), "0.50 ns");
    EXPECT_EQ(time_text(2.25), "2.25 ns");
    EXPECT_EQ(time_text(106.5), "106 ns");
}

TEST(TimesBeside, ShareAUnitAndTheDigitsOfTheInterval) {
    const TimesBeside usual(5610, 5580, 5660);
    EXPECT_EQ(usual.text(5610), "5.61 us");
    EXPECT_EQ(usual.interval(5580, 5660), "5.58 .. 5.66 us");
    EXPECT_EQ(usual.text(510), "0.51 us");
    EXPECT_EQ(usual.text(12'340), "12.3 us");
    EXPECT_EQ(usual.text(1'234'000), "1234 us");
    const TimesBeside coarse(1.13e6, 0.3e6, 26.5e6);
    EXPECT_EQ(coarse.text(1.13e6), "1.1 ms");
    EXPECT_EQ(coarse.interval(0.3e6, 26.5e6), "0.3 .. 26 ms");
    const TimesBeside fine(5610, 5609, 5611);
    EXPECT_EQ(fine.text(5610), "5.610 us");
    EXPECT_EQ(TimesBeside(18'040, 18'039, 18'041).interval(18'039, 18'041), "18.0 .. 18.0 us");
    EXPECT_EQ(TimesBeside(459.4, 451.2, 459.4).text(459.4), "459 ns");
    EXPECT_EQ(TimesBeside(459.4, 451.2, 459.4).interval(451.2, 459.4), "451 .. 459 ns");
}

TEST(TimesBeside, HaveTheirOwnUnitWhereNoDigitWouldBeLeft) {
    const TimesBeside times(5'610'000);
    EXPECT_EQ(times.text(0), "0 ms");
    EXPECT_EQ(times.text(38), "38 ns");
    EXPECT_EQ(times.text(200e9), "200 s");
    EXPECT_EQ(times.interval(38, 5'700'000), "38 ns .. 5.70 ms");
    EXPECT_EQ(TimesBeside(604).text(16'000), "16.0 us") << "nor too many";
}

TEST(MicroSign, StandsForMicrosecondsBehindNumbersAlone) {
    EXPECT_EQ(with_micro_sign("5.61 us, 5.58 .. 5.66 us\n"), "5.61 \u00b5s, 5.58 .. 5.66 \u00b5s\n");
    EXPECT_EQ(with_micro_sign("3 users tell us 7 us"), "3 users tell us 7 \u00b5s");
    EXPECT_EQ(with_micro_sign(" us"), " us");
    EXPECT_EQ(with_micro_sign("638 ns and 1.81\n     us in"), "638 ns and 1.81\n     \u00b5s in");
}

TEST(TimeText, NeverShowsAThousandOfAUnit) {
    EXPECT_EQ(time_text(999.4), "999 ns");
    EXPECT_EQ(time_text(999.5), "1.00 us");
    EXPECT_EQ(time_text(999'499), "999 us");
    EXPECT_EQ(time_text(999'500), "1.00 ms");
    EXPECT_EQ(time_text(999'500'000), "1.00 s");
}

TEST(TimeText, KeepsThreeDigitsWhereRoundingAddsOne) {
    EXPECT_EQ(time_text(9'994), "9.99 us");
    EXPECT_EQ(time_text(9'995.1), "10.0 us");
    EXPECT_EQ(time_text(99'940), "99.9 us");
    EXPECT_EQ(time_text(99'950), "100 us");
}

TEST(TimeText, KeepsTheSign) {
    EXPECT_EQ(time_text(-212), "-212 ns");
    EXPECT_EQ(time_text(-5610), "-5.61 us");
}

TEST(IntervalText, UsesOneUnitForBothEnds) {
    EXPECT_EQ(time_interval_text(5580, 5660), "5.58 .. 5.66 us");
    EXPECT_EQ(time_interval_text(990, 1010), "0.99 .. 1.01 us");
    EXPECT_EQ(time_interval_text(7, 9), "7 .. 9 ns");
    EXPECT_EQ(time_interval_text(0, 5660), "0 .. 5.66 us");
    EXPECT_EQ(time_interval_text(1'150, 51.8e6), "1.15 us .. 51.8 ms")
        << "unless nothing would be left of one";
}

TEST(RateText, UsesPowersOfAThousand) {
    EXPECT_EQ(rate_text(0), "0 B/s");
    EXPECT_EQ(rate_text(11.7e9), "11.7 GB/s");
    EXPECT_EQ(rate_text(999.4), "999 B/s");
    EXPECT_EQ(rate_text(999.5), "1.00 kB/s");
    EXPECT_EQ(rate_text(2.5e6), "2.50 MB/s");
    EXPECT_EQ(rate_text(3e15), "3000 TB/s");
}

TEST(CountText, GroupsThreeDigits) {
    EXPECT_EQ(count_text(0), "0");
    EXPECT_EQ(count_text(999), "999");
    EXPECT_EQ(count_text(1000), "1 000");
    EXPECT_EQ(count_text(1'234'567), "1 234 567");
    EXPECT_EQ(count_text(-999), "-999");
    EXPECT_EQ(count_text(-1000), "-1 000");
}

TEST(DurationText, UsesAtMostTwoUnits) {
    EXPECT_EQ(duration_text(0), "0 s");
    EXPECT_EQ(duration_text(12.4), "12 s");
    EXPECT_EQ(duration_text(59.6), "1 min 0 s");
    EXPECT_EQ(duration_text(200), "3 min 20 s");
    EXPECT_EQ(duration_text(3599.7), "1 h 0 min");
    EXPECT_EQ(duration_text(7500), "2 h 5 min");
}

TEST(Nanoseconds, AddSubtractAndCompareByCount) {
    const Nanoseconds early{5};
    const Nanoseconds late{12};
    EXPECT_EQ(late - early, Nanoseconds{7});
    EXPECT_EQ(early + late, Nanoseconds{17});
    EXPECT_LT(early, late);
}

TEST(ParseShortTime, KeepsFractionsOfANanosecond) {
    EXPECT_DOUBLE_EQ(parse_short_time("0.8ns"), 0.8);
    EXPECT_DOUBLE_EQ(parse_short_time("12.5us"), 12'500);
    EXPECT_DOUBLE_EQ(parse_short_time("1e-6"), 1'000);
    EXPECT_EQ(refusal_of([] { parse_short_time("-1ns"); }),
              "'-1ns' is not a time; give one such as 60s, 500ms or 2h");
}

TEST(ParseTimePerByte, TakesTimesAndRates) {
    for (const auto* text : {"0.8ns", "0.8ns/B", "1.25GB/s", "1250MB/s", "10Gbit/s"}) {
        EXPECT_DOUBLE_EQ(parse_time_per_byte(text), 0.8) << text;
    }
    EXPECT_DOUBLE_EQ(parse_time_per_byte("1KiB/s"), 1e9 / 1024);
    EXPECT_DOUBLE_EQ(parse_time_per_byte("1kB/s"), 1e6);
    EXPECT_DOUBLE_EQ(parse_time_per_byte("4B/s"), 25e7);
    EXPECT_EQ(parse_time_per_byte("0"), 0);
}

TEST(ParseTimePerByte, RefusesWhatIsNeither) {
    for (const auto* text :
         {"", "5", "-1ns", "fast", "1GB", "1Gbit", "0GB/s", "-1GB/s", "1XB/s", "1G/s", "ns/B"}) {
        EXPECT_EQ(
            refusal_of([&] { parse_time_per_byte(text); }),
            std::string("'") + text +
                "' is neither a time per byte nor a rate; give one such as 0.8ns/B, 1.25GB/s or 10Gbit/s")
            << text;
    }
}

}  // namespace
}  // namespace fathom
