#include "report/matrix_text.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "analysis/matrix/slow_members.hpp"
#include "analysis/samples/pair_schedule.hpp"
#include "base/printable.hpp"
#include "base/text.hpp"
#include "journal/json.hpp"
#include "plan/pairing.hpp"
#include "report/paragraph.hpp"
#include "report/sentences/matrix.hpp"

namespace fathom::report {
namespace {

using analysis::PairLevel;
using nlohmann::ordered_json;

constexpr std::size_t most_members = 16;  // of a table
constexpr double slow_factor = 1.5;
constexpr double very_slow_factor = 3;
constexpr double ns_per_s = 1e9;

/// What a table shows: ranks or hosts, and the time of each pair of them.
struct Grid {
    struct Member {
        std::string number;  ///< empty for hosts
        std::string host;
    };
    std::vector<Member> members;
    std::vector<std::vector<std::optional<double>>> times_ns;  ///< [row][column up to the row]
    std::vector<std::vector<PairLevel>> levels;                ///< what lies between them
};

/// `h0 socket 1`, as far as it is known and needed.
std::string place_text(const analysis::MatrixResult& matrix, std::size_t at) {
    const bool several = std::any_of(matrix.sockets.begin(), matrix.sockets.end(), [&](int socket) {
        return socket >= 0 && socket != matrix.sockets.front();
    });
    return several && matrix.sockets[at] >= 0
               ? fmt::format("{} socket {}", matrix.hosts[at], matrix.sockets[at])
               : matrix.hosts[at];
}

Grid rank_grid(const analysis::MatrixResult& matrix) {
    Grid grid;
    for (std::size_t row = 0; row < matrix.ranks.size(); ++row) {
        grid.members.push_back(
            {fmt::format("{}", matrix.ranks[row]), printable_name(place_text(matrix, row))});
        auto& times = grid.times_ns.emplace_back();
        auto& levels = grid.levels.emplace_back();
        for (std::size_t column = 0; column < row; ++column) {
            const auto& pair = matrix.pair(row, column);
            times.push_back(pair.reps > 0 ? std::optional(pair.median_ns) : std::nullopt);
            levels.push_back(matrix.level(row, column));
        }
        times.emplace_back();
        levels.push_back(PairLevel::same_host);
    }
    return grid;
}

/// Medians over the pairs of ranks of two hosts, or of one.
Grid host_grid(const analysis::MatrixResult& matrix) {
    const auto numbers = plan::host_numbers(matrix.hosts);
    std::vector<std::vector<std::vector<double>>> pairs;
    Grid grid;
    for (std::size_t rank = 0; rank < numbers.size(); ++rank) {
        const auto row = static_cast<std::size_t>(numbers[rank]);
        if (row == grid.members.size()) {
            grid.members.push_back({"", printable_name(matrix.hosts[rank])});
            pairs.emplace_back(row + 1);
        }
        for (std::size_t other = 0; other < rank; ++other) {
            const auto column = static_cast<std::size_t>(numbers[other]);
            if (const auto& pair = matrix.pair(rank, other); pair.reps > 0) {
                pairs[std::max(row, column)][std::min(row, column)].push_back(pair.median_ns);
            }
        }
    }
    for (auto& row : pairs) {
        auto& times = grid.times_ns.emplace_back();
        auto& levels = grid.levels.emplace_back();
        for (auto& cell : row) {
            levels.push_back(times.size() + 1 == row.size() ? PairLevel::same_host : PairLevel::other_host);
            times.push_back(cell.empty() ? std::nullopt
                                         : std::optional(analysis::lower_median(std::move(cell))));
        }
    }
    return grid;
}

/// The usual time of pairs at each level.
class Usual {
  public:
    explicit Usual(const Grid& grid) {
        std::array<std::vector<double>, level_count> times;
        for (std::size_t row = 0; row < grid.times_ns.size(); ++row) {
            for (std::size_t column = 0; column <= row; ++column) {
                if (const auto& time = grid.times_ns[row][column]) {
                    times.at(static_cast<std::size_t>(grid.levels[row][column])).push_back(*time);
                }
            }
        }
        for (std::size_t kind = 0; kind < times.size(); ++kind) {
            medians_.at(kind) = times.at(kind).empty() ? 0 : analysis::lower_median(times.at(kind));
        }
    }

    /// 0 if there are none.
    [[nodiscard]] double of(PairLevel level) const { return medians_.at(static_cast<std::size_t>(level)); }
    /// Of the farthest that there are: between hosts if there are several.
    [[nodiscard]] double any() const {
        const auto found =
            std::find_if(medians_.rbegin(), medians_.rend(), [](double median) { return median > 0; });
        return found == medians_.rend() ? 0 : *found;
    }
    /// The levels that there are, the farthest first.
    [[nodiscard]] std::vector<PairLevel> levels() const {
        std::vector<PairLevel> found;
        for (std::size_t level = level_count; level-- > 0;) {
            if (medians_.at(level) > 0) {
                found.push_back(static_cast<PairLevel>(level));
            }
        }
        return found;
    }

  private:
    static constexpr auto level_count = names_of<PairLevel>.size();
    std::array<double, level_count> medians_{};
};

/// Numbers of one table in one unit, with as many decimals as the usual one needs.
class Scale {
  public:
    Scale(Bytes size, double usual_ns)
        : size_(size), rates_(size >= analysis::rates_from), usual_(value(usual_ns)) {
        constexpr std::array<Unit, 4> times{{{1, "ns"}, {1e3, "us"}, {1e6, "ms"}, {1e9, "s"}}};
        constexpr std::array<Unit, 5> rates{
            {{1, "B/s"}, {1e3, "kB/s"}, {1e6, "MB/s"}, {1e9, "GB/s"}, {1e12, "TB/s"}}};
        for (const auto& unit : rates_ ? std::span<const Unit>(rates) : std::span<const Unit>(times)) {
            if (unit.factor == 1 || usual_ >= unit.factor) {
                unit_ = unit;
            }
        }
    }

    [[nodiscard]] std::string cell(double time_ns) const {
        const double usual = usual_ / unit_.factor;
        const int decimals = usual < 10 ? 2 : usual < 100 ? 1 : 0;
        return fmt::format("{:.{}f}", value(time_ns) / unit_.factor, decimals);
    }
    [[nodiscard]] std::string title() const {
        return fmt::format("{} in {}", rates_ ? "bandwidth" : "one-way time", unit_.name);
    }
    /// With its unit, for a sentence.
    [[nodiscard]] std::string text(double time_ns) const {
        return rates_ ? rate_text(value(time_ns)) : time_text(time_ns);
    }

  private:
    struct Unit {
        double factor = 1;
        const char* name = "";
    };
    [[nodiscard]] double value(double time_ns) const {
        return !rates_ ? time_ns : time_ns > 0 ? static_cast<double>(size_.count) / time_ns * ns_per_s : 0;
    }

    Bytes size_;
    bool rates_;
    double usual_;
    Unit unit_;
};

/// A number with a mark behind it if its pair is slow.
struct Cell {
    std::string text;
    double factor = 0;  ///< of the usual time

    [[nodiscard]] std::string padded(std::size_t width, const Terminal& terminal) const {
        const bool slow = factor >= slow_factor;
        const auto plain = fmt::format("{:>{}}{}", text, width, slow ? "*" : " ");
        return factor >= very_slow_factor ? red(plain, terminal) : slow ? yellow(plain, terminal) : plain;
    }
};

class HeatTable {
  public:
    HeatTable(const Grid& grid, const Usual& usual, const Scale& scale) : grid_(grid) {
        for (std::size_t row = 0; row < grid.members.size(); ++row) {
            auto& cells = cells_.emplace_back();
            for (std::size_t column = 0; column <= row; ++column) {
                const auto& time = grid.times_ns[row][column];
                const double median = usual.of(grid.levels[row][column]);
                cells.push_back(time ? Cell{scale.cell(*time), median > 0 ? *time / median : 0} : Cell{"-"});
                cell_width_ = std::max(cell_width_, cells.back().text.size());
                any_slow_ = any_slow_ || cells.back().factor >= slow_factor;
            }
            cell_width_ = std::max(cell_width_, column_title(row).size());
            number_width_ = std::max(number_width_, grid.members[row].number.size());
            host_width_ = std::max(host_width_, grid.members[row].host.size());
        }
    }

    [[nodiscard]] std::string text(const Terminal& terminal) const {
        std::string head = label({by_rank() ? "rank" : "", "host"});
        for (std::size_t column = 0; column < cells_.size(); ++column) {
            head += fmt::format("  {:>{}} ", column_title(column), cell_width_);
        }
        std::string whole = bold(without_tail(std::move(head)), terminal) + "\n";
        for (std::size_t row = 0; row < cells_.size(); ++row) {
            auto line = label(grid_.members[row]);
            for (const auto& cell : cells_[row]) {
                line += "  " + cell.padded(cell_width_, terminal);
            }
            whole += without_tail(std::move(line)) + "\n";
        }
        return whole + (any_slow_ ? "* takes 1.5 times the median or longer\n" : "");
    }

  private:
    [[nodiscard]] bool by_rank() const { return !grid_.members.front().number.empty(); }
    [[nodiscard]] const std::string& column_title(std::size_t column) const {
        const auto& member = grid_.members[column];
        return by_rank() ? member.number : member.host;
    }
    [[nodiscard]] std::string label(const Grid::Member& member) const {
        constexpr std::size_t title_width = 4;
        return (by_rank() ? fmt::format("{:>{}}  ", member.number, std::max(number_width_, title_width))
                          : "") +
               fmt::format("{:<{}}", member.host, std::max(host_width_, title_width));
    }

    const Grid& grid_;
    std::vector<std::vector<Cell>> cells_;
    std::size_t cell_width_ = 0;
    std::size_t number_width_ = 0;
    std::size_t host_width_ = 0;
    bool any_slow_ = false;
};

/// One sentence: how many pairs there are, what is usual, which is the slowest.
std::string summary(const analysis::MatrixResult& matrix, const Usual& usual, const Scale& scale) {
    std::size_t pairs = 0;
    std::pair<std::size_t, std::size_t> slowest{0, 0};
    double longest = -1;
    for (std::size_t b = 0; b < matrix.ranks.size(); ++b) {
        for (std::size_t a = 0; a < b; ++a) {
            const auto& pair = matrix.pair(a, b);
            pairs += pair.reps > 0 ? 1 : 0;
            if (pair.reps > 0 && pair.median_ns > longest) {
                longest = pair.median_ns;
                slowest = {a, b};
            }
        }
    }
    if (pairs == 0) {
        return "no pair was measured\n";
    }
    std::vector<std::string> kinds;
    const auto levels = usual.levels();
    for (const auto level : levels) {
        kinds.push_back(levels.size() > 1
                            ? fmt::format("{} {}", scale.text(usual.of(level)), level_text(level))
                            : scale.text(usual.of(level)));
    }
    return fmt::format(
        "{} {}, median {}; slowest: {} between ranks {} and {}{}\n", pairs, pairs == 1 ? "pair" : "pairs",
        and_list(kinds), scale.text(longest), matrix.ranks[slowest.first], matrix.ranks[slowest.second],
        levels.size() > 1 ? fmt::format(" ({})", level_text(matrix.level(slowest.first, slowest.second)))
                          : "");
}

std::string one_matrix(const analysis::MatrixResult& matrix, const Terminal& terminal) {
    const bool by_rank = matrix.ranks.size() <= most_members;
    const auto grid = by_rank ? rank_grid(matrix) : host_grid(matrix);
    const Usual usual(grid);
    const Scale scale(matrix.key.size, usual.any());
    std::string text =
        fmt::format("\n{}{}{}: ", to_text(matrix.key), analysis::contended(matrix.key) ? ", contended" : "",
                    matrix.disturbed ? ", disturbed" : "");
    if (grid.members.size() > 1 && grid.members.size() <= most_members) {
        text += fmt::format("{}, median of each pair{}\n", scale.title(), by_rank ? "" : " of hosts");
        text += HeatTable(grid, usual, scale).text(terminal);
    }
    return text + summary(matrix, usual, scale);
}

std::string findings_text(const analysis::SlowComponents& findings) {
    const bool disturbed = findings.limit == analysis::MatrixLimit::disturbed;
    if (findings.found.empty() && disturbed) {
        return fmt::format("\nNot decided: {}.\n", remark_on(findings));
    }
    if (findings.found.empty()) {
        return fmt::format("\nNo process, host or link stands out{}{}.\n", findings.limit ? ": " : "",
                           remark_on(findings));
    }
    std::string text = "\nWhat stands out\n";
    for (std::size_t i = 0; i < findings.found.size(); ++i) {
        text += fmt::format("  {}. {}.\n", i + 1, printable(sentence(findings.found[i])));
    }
    return text + (findings.limit
                       ? fmt::format("{}: {}.\n", disturbed ? "Incomplete" : "Of hosts", remark_on(findings))
                       : "");
}

/// Null where one is not known.
ordered_json known_numbers(const std::vector<int>& numbers) {
    auto json = ordered_json::array();
    for (const int number : numbers) {
        json.push_back(number < 0 ? ordered_json(nullptr) : ordered_json(number));
    }
    return json;
}

}  // namespace

std::string matrix_text(const analysis::RunResult& result, const Terminal& terminal) {
    constexpr std::size_t most_tables = 4;
    if (result.matrices.empty()) {
        return {};
    }
    std::string text;
    if (result.matrices.size() <= most_tables) {
        for (const auto& matrix : result.matrices) {
            text += one_matrix(matrix, terminal);
        }
    } else {
        for (const auto* matrix : analysis::telling(result.matrices)) {
            text += one_matrix(*matrix, terminal);
        }
        text += "\nThe matrices of other sizes are in --json.\n";
    }
    return text + findings_text(result.slow_components);
}

ordered_json matrix_json(const analysis::MatrixResult& matrix) {
    ordered_json json{{"contended", analysis::contended(matrix.key)},
                      {"ranks", matrix.ranks},
                      {"hosts", matrix.hosts},
                      {"sockets", known_numbers(matrix.sockets)},
                      {"numa_nodes", known_numbers(matrix.numa_nodes)}};
    auto times = ordered_json::array();
    auto rates = ordered_json::array();
    for (std::size_t a = 0; a < matrix.ranks.size(); ++a) {
        auto row_times = ordered_json::array();
        auto row_rates = ordered_json::array();
        for (std::size_t b = 0; b < matrix.ranks.size(); ++b) {
            const bool known = a != b && matrix.pair(a, b).reps > 0;
            const double time_ns = known ? matrix.pair(a, b).median_ns : 0;
            row_times.push_back(known ? ordered_json(time_ns) : ordered_json(nullptr));
            row_rates.push_back(
                known && time_ns > 0
                    ? ordered_json(static_cast<double>(matrix.key.size.count) / time_ns * ns_per_s)
                    : ordered_json(nullptr));
        }
        times.push_back(std::move(row_times));
        rates.push_back(std::move(row_rates));
    }
    json["time_ns"] = std::move(times);
    json["rate_bytes_per_s"] = std::move(rates);
    return json;
}

ordered_json slow_component_json(const analysis::SlowComponent& finding) {
    return {{"kind", finding.kind},       {"who", name_of(finding)},
            {"hosts", finding.hosts},     {"size_bytes", finding.key.size.count},
            {"time_ns", finding.time_ns}, {"median_ns", finding.median_ns},
            {"factor", finding.factor},   {"text", sentence(finding)}};
}

}  // namespace fathom::report
