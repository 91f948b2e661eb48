#pragma once

#include <string>
#include <string_view>

#include "analysis/across_runs/comparison.hpp"

namespace fathom::testing {

/// Points of a curve over sizes from 8 B, doubling, one a letter: s(lower), f(aster), = (the same), ?
/// (undecided); a blank leaves a size out. The ratio of a slower point is larger the larger the message, as
/// it is if it is faster.
inline void add_curve(analysis::Comparison& comparison, const std::string& operation,
                      std::string_view verdicts, int procs = 4) {
    for (std::size_t i = 0; i < verdicts.size(); ++i) {
        if (verdicts[i] == ' ') {
            continue;
        }
        analysis::ComparedPoint point;
        point.key.operation = operation;
        point.key.procs = point.second_procs = procs;
        point.key.size = {std::int64_t{8} << i};
        const auto more = 0.1 * static_cast<double>(i + 1);
        point.verdict = verdicts[i] == 's'   ? analysis::Change::slower
                        : verdicts[i] == 'f' ? analysis::Change::faster
                        : verdicts[i] == '=' ? analysis::Change::same
                                             : analysis::Change::undecided;
        point.ratio = verdicts[i] == 's' ? 1 + more : verdicts[i] == 'f' ? 1 / (1 + more) : 1.01;
        comparison.points.push_back(point);
    }
}

inline analysis::Comparison comparison_of(const std::string& operation, std::string_view verdicts) {
    analysis::Comparison comparison;
    add_curve(comparison, operation, verdicts);
    return comparison;
}

}  // namespace fathom::testing
