#pragma once

#include <string>

#include "analysis/across_runs/change_by_size.hpp"

namespace fathom::report {

/// What a sentence calls two runs.
struct ComparedNames {
    std::string first;
    std::string second;
};

/// Their labels, else their libraries, else their numbers: the first of these in which they differ.
ComparedNames compared_names(const analysis::Comparison& comparison);

/// `MPICH is slower than Open MPI up to 1 KiB, faster from 2 KiB.`
std::string sentence(const analysis::ChangeBySize& change, const ComparedNames& names);

/// `Largest changes: +72 % (bcast, 8 B, 2 processes) and -39 % (bcast, 64 KiB, 2 processes).` Empty if
/// nothing is slower or faster.
std::string largest_changes(const analysis::ChangeBySize& change);

/// From here on a change is said as a factor: nobody reads +8400 %.
inline constexpr double most_percent = 1000;

/// A factor in three digits: `0.92`, `85.0`, `2090`.
std::string three_digits(double ratio);

/// A ratio as a change: `+48.9 %`, or `85.0 times`.
std::string change_text(double ratio);

/// `+1.2` with one digit; what is shown as zero has no minus.
std::string signed_percent(double percent, int digits);

}  // namespace fathom::report
