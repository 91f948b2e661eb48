#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "analysis/run/run_result.hpp"

namespace fathom::report {

/// Collects the figures of a run for gnuplot while its points are evaluated, then writes data files and
/// scripts.
class GnuplotFigures {
  public:
    /// Takes in a point with its repetitions; what analysis::Wanted::visit is called with. Timeouts are
    /// drawn where they were requested and found.
    void add(const analysis::PointResult& point, const analysis::Repetitions& repetitions);

    /// Writes all files into a folder, which is made if need be; `result` is what the points belong to. Every
    /// script runs as it is, in that folder, and writes SVG. Returns the scripts' names.
    std::vector<std::string> write(const std::filesystem::path& folder,
                                   const analysis::RunResult& result) const;

  private:
    using Script = std::function<void(const std::string& name, const std::string& text)>;
    struct Figure {
        std::string name;   ///< of its data file, without ending
        std::string title;  ///< of the point
        double low = 0;     ///< smallest and largest time, microseconds
        double high = 0;
        double end_of_bins = 0;  ///< microseconds
        std::string beyond;      ///< for the title: the share that lies further away
        int ranks = 0;
        double highest_rank_us = 0;  ///< longest time of any rank
        bool timeouts = false;       ///< whether some were found
        double least_share = 1;      ///< of repetitions with some number of them
        std::string data;            ///< blocks: histogram, distribution function, ranks, timeouts
    };
    void write_points(const Script& script, const std::filesystem::path& folder) const;

    std::vector<Figure> figures_;
};

/// Text quoted for gnuplot in single quotes, where nothing is expanded or run, on one line.
std::string gnuplot_text(const std::string& text);

}  // namespace fathom::report
