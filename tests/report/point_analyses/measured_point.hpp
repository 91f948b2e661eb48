#pragma once

#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "report/point_analyses/point_analyses.hpp"

namespace fathom::report {

/// A point whose samples are made up; its analyses are those of `fathom show`.
struct MeasuredPoint {
    analysis::PointResult point;
    analysis::Repetitions repetitions;
    analysis::Evidence evidence;

    explicit MeasuredPoint(std::vector<double> times) { repetitions.times = std::move(times); }

    [[nodiscard]] PointSamples samples() {
        const bool each = point.over_ranks == plan::OverRanks::each;
        point.analyses = analysis::analyse(repetitions, evidence, false, each);
        return {.point = point, .repetitions = repetitions, .evidence = evidence};
    }
};

inline void expect_narrow(const std::string& text) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        EXPECT_LE(line.size(), 80U) << line;
    }
}

}  // namespace fathom::report
