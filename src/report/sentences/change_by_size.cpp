#include "report/sentences/change_by_size.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "base/printable.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "plan/point_key.hpp"

namespace fathom::report {
namespace {

using analysis::Change;
using analysis::ChangedCurves;
using analysis::ChangeRange;
using analysis::PointKey;

/// The name of a library without its version: `Open MPI`.
std::string without_version(const std::string& library) {
    std::string name;
    for (const auto& word : split(library, ' ')) {
        if (std::ranges::any_of(word, [](unsigned char letter) { return std::isdigit(letter) != 0; })) {
            break;
        }
        name += (name.empty() ? "" : " ") + word;
    }
    return name;
}

/// `slower`, or where the other run has to be named: `slower than run 1`
std::string word_of(Change change, const std::string& other) {
    if (change == Change::same) {
        return other.empty() ? "as fast" : "as fast as " + other;
    }
    return std::string(to_text(change)) + (other.empty() ? "" : " than " + other);
}

std::string span_text(const analysis::SizeSpan& span) {
    return span.least == span.most ? exact_text(span.least)
                                   : fmt::format("{} .. {}", exact_text(span.least), exact_text(span.most));
}

/// ` up to 1 KiB`
std::string place_in(const ChangeRange& range, bool first, bool last) {
    if (range.from.least == range.to.most) {
        return " at " + exact_text(range.from.least);
    }
    if (first && range.from_smallest) {
        return " up to " + span_text(range.to);
    }
    if (last && range.to_largest) {
        return " from " + span_text(range.from);
    }
    return fmt::format(" from {} to {}", span_text(range.from), span_text(range.to));
}

/// Points of one curve are called by what they differ in.
std::string points_word(const ChangedCurves& group) {
    return group.curves.size() == 1 && group.sizes > 1 ? "sizes" : "points";
}

/// The same verdict from the smallest size to the largest.
bool whole(const ChangedCurves& group) {
    const auto& ranges = group.ranges;
    return ranges.size() == 1 && ranges.front().from_smallest && ranges.front().to_largest;
}

/// `slower than run 1 up to 1 KiB, faster from 2 KiB`
std::string ranges_text(const ChangedCurves& group, const std::string& other) {
    const auto& ranges = group.ranges;
    std::string text;
    for (std::size_t i = 0; i < ranges.size(); ++i) {
        text += (i == 0 ? "" : ", ") + word_of(ranges[i].change, i == 0 ? other : "");
        if (!whole(group)) {
            text += place_in(ranges[i], i == 0, i + 1 == ranges.size());
        }
    }
    if (!whole(group)) {
        return text;
    }
    if (!group.undecided.empty()) {
        return text + fmt::format(" at {} of {} {}", group.points() - group.undecided.size(), group.points(),
                                  points_word(group));
    }
    return text + (group.sizes > 1                                   ? " at every size"
                   : plan::has_sizes(group.curves.front().operation) ? place_in(ranges.front(), true, true)
                                                                     : "");
}

/// `slower than run 1 at 5 and faster at 3 of 12 sizes`
std::string counts_text(const ChangedCurves& group, const std::string& other) {
    std::vector<std::string> words;
    for (const auto& [change, count] : {std::pair(Change::slower, group.slower),
                                        {Change::faster, group.faster},
                                        {Change::same, group.same}}) {
        if (count > 0) {
            words.push_back(fmt::format("{} at {}", word_of(change, words.empty() ? other : ""), count));
        }
    }
    return fmt::format("{} of {} {}", and_list(words), group.points(), points_word(group));
}

/// What curves of one operation are called: `bcast`, or where it has others: `bcast with 4 and 8 processes`.
std::vector<std::string> curve_names(const std::vector<PointKey>& some, const std::vector<PointKey>& all,
                                     const std::string& operation) {
    const auto own = [&](const PointKey& key) { return key.operation == operation; };
    if (std::ranges::count_if(some, own) == std::ranges::count_if(all, own)) {
        return {printable_name(operation)};
    }
    std::vector<std::string> names;
    std::vector<std::string> procs;
    for (const auto& key : some) {
        if (own(key) && !plan::extras_text(key).empty()) {
            names.push_back(plan::curve_text(key));
        } else if (own(key)) {
            procs.push_back(fmt::format("{}", key.procs));
        }
    }
    if (!procs.empty()) {
        names.push_back(fmt::format("{} with {} {}", printable_name(operation), and_list(procs),
                                    procs == std::vector<std::string>{"1"} ? "process" : "processes"));
    }
    return names;
}

std::vector<std::string> operations_of(const std::vector<PointKey>& curves) {
    std::vector<std::string> operations;
    for (const auto& key : curves) {
        if (std::ranges::find(operations, key.operation) == operations.end()) {
            operations.push_back(key.operation);
        }
    }
    return operations;
}

/// ` in bcast and barrier`; nothing where it holds for the one operation that there is.
std::string where_of(const ChangedCurves& group, const std::vector<PointKey>& all) {
    const auto operations = operations_of(group.curves);
    if (group.curves.size() == all.size()) {
        return operations.size() == 1   ? ""
               : operations.size() == 2 ? " in both operations"
                                        : fmt::format(" in all {} operations", operations.size());
    }
    std::vector<std::string> names;
    for (const auto& operation : operations) {
        const auto own = curve_names(group.curves, all, operation);
        names.insert(names.end(), own.begin(), own.end());
    }
    constexpr std::size_t most = 4;
    if (names.size() > most) {
        const auto more = names.size() - most + 1;
        names.resize(most - 1);
        names.push_back(fmt::format("{} more", more));
    }
    return " in " + and_list(names);
}

/// ` (undecided at 4 KiB)`
std::string undecided_text(const ChangedCurves& group) {
    constexpr std::size_t most = 3;
    if (group.undecided.empty()) {
        return "";
    }
    if (group.curves.size() > 1 && whole(group)) {
        return " (the rest undecided)";
    }
    if (group.curves.size() > 1) {
        return fmt::format(" ({} of {} points undecided)", group.undecided.size(), group.points());
    }
    if (group.undecided.size() > most) {
        return fmt::format(" (undecided at {} of {} sizes)", group.undecided.size(), group.points());
    }
    std::vector<std::string> sizes;
    for (const auto& key : group.undecided) {
        sizes.push_back(exact_text(key.size));
    }
    return fmt::format(" (undecided at {})", and_list(sizes));
}

}  // namespace

ComparedNames compared_names(const analysis::Comparison& comparison) {
    const auto& first = comparison.first.result.run;
    const auto& second = comparison.second.result.run;
    const std::pair libraries{analysis::library_of(first), analysis::library_of(second)};
    for (const auto& [one, other] :
         {std::pair(first.label, second.label),
          std::pair(without_version(libraries.first), without_version(libraries.second)), libraries}) {
        if (!one.empty() && !other.empty() && one != other) {
            return {.first = printable_name(one), .second = printable_name(other)};
        }
    }
    return {.first = printable_name(comparison.first.name), .second = printable_name(comparison.second.name)};
}

std::string sentence(const analysis::ChangeBySize& change, const ComparedNames& names) {
    std::string text;
    for (const auto& group : change.groups) {
        const bool first = text.empty();
        const auto& other = first ? names.first : std::string();
        const auto where = where_of(group, change.curves);
        if (group.undecided.size() == group.points()) {
            text += first ? fmt::format("Whether {} is slower or faster than {} is undecided at {}",
                                        names.second, names.first,
                                        group.points() == 1 ? "the one point"
                                                            : fmt::format("all {} points", group.points()))
                          : "; undecided" + where;
            continue;
        }
        text += (first ? names.second + " is " : "; ") +
                (group.ranges.empty() ? counts_text(group, other) : ranges_text(group, other)) + where +
                undecided_text(group);
    }
    // A number of a run, `run 2`, begins the sentence.
    if (names.second.starts_with("run ")) {
        text.front() = text.front() == 'r' ? 'R' : text.front();
    }
    return text + ".";
}

std::string largest_changes(const analysis::ChangeBySize& change) {
    std::vector<std::string> largest;
    for (const auto& point : {change.slowest, change.fastest}) {
        if (point) {
            largest.push_back(fmt::format("{} ({})", change_text(point->ratio), to_text(point->key)));
        }
    }
    return largest.empty()
               ? ""
               : fmt::format("Largest change{}: {}.", largest.size() == 1 ? "" : "s", and_list(largest));
}

std::string three_digits(double ratio) {
    return fmt::format("{:.{}f}", ratio, ratio < 10 ? 2 : ratio < 100 ? 1 : 0);
}

std::string change_text(double ratio) {
    const double percent = (ratio - 1) * 100;
    if (percent > most_percent) {
        return three_digits(ratio) + " times";
    }
    return signed_percent(percent, std::abs(percent) < 100 ? 1 : 0) + " %";
}

std::string signed_percent(double percent, int digits) {
    const bool shown_as_zero = std::abs(percent) * std::pow(10, digits) < 0.5;
    return fmt::format("{:+.{}f}", shown_as_zero ? 0 : percent, digits);
}

}  // namespace fathom::report
