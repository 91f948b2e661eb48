#pragma once

#include <cstdint>

/// What every value from a journal or a result file lies within. It is checked where it enters, so the rest
/// may add, index and allocate by it without looking (docs/security.md).
namespace fathom::journal {

/// As many as a plan may ask for.
inline constexpr int most_ranks = 10'000'000;

/// The largest reading of a clock, of either sign, and the largest offset between two: 73 years, which
/// clocks that count from 1970 reach in 2043. The sum of two of them and the difference of two sums that are
/// in the same range still fit 64 bits.
inline constexpr std::int64_t latest_ns = std::int64_t{1} << 61;

/// The longest duration, 104 days: every whole number up to it is exact as a double.
inline constexpr std::int64_t longest_ns = std::int64_t{1} << 53;

/// What an empty repetition takes, and how often MPI_Test was called in one: 2 s and two thousand million.
/// Their product fits 64 bits.
inline constexpr std::int64_t longest_empty_ns = std::int64_t{1} << 31;
inline constexpr std::int64_t most_tests = std::int64_t{1} << 31;

/// Calls, warm-up calls, repetitions, samples: more would take longer than the longest duration.
inline constexpr std::int64_t most_calls = std::int64_t{1} << 53;

/// The largest message, as on the command line.
inline constexpr std::int64_t largest_size = std::int64_t{1} << 62;

/// What a kernel counts between two readings, or how long it made a rank wait (5 hours): sums over half a
/// million readings fit 64 bits.
inline constexpr std::int64_t most_counted = std::int64_t{1} << 44;

/// Synchronisations of a job: at one a second, 12 days.
inline constexpr int most_syncs = 1 << 20;

/// Pings of a rank in one synchronisation: a hundred are usual.
inline constexpr int most_pings = 1 << 20;

/// Launches of a run: no plan asks for so many.
inline constexpr int most_launches = 100'000;

/// Points of a run, by position: memory for as many is at hand.
inline constexpr int most_points = 10'000'000;

/// Rows in one packed block. The probe delivers samples and events in blocks of 65536; a study of overlap is
/// one block, and four million of its repetitions take 300 MB.
inline constexpr std::int64_t most_in_block = std::int64_t{1} << 22;

/// Rows for each packed byte. Equal times, as in simulation, pack to some 1600 a byte at best; a block of a
/// few kilobytes must not ask for gigabytes.
inline constexpr std::int64_t most_by_byte = 8192;

/// A text: longer than the longest command line of Linux (2 MiB).
inline constexpr std::size_t longest_text = std::size_t{1} << 22;

}  // namespace fathom::journal
