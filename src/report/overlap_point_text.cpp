#include "report/overlap_point_text.hpp"

#include <vector>

#include <fmt/format.h>

#include "report/plot.hpp"
#include "report/table.hpp"

namespace fathom::report {
namespace {

using Align = Table::Align;

std::string curve_text(const analysis::MessageOverlap& message, const Terminal& terminal) {
    Table table({{"work", Align::right}, {"iteration", Align::right}, {"95% interval", Align::right}});
    std::vector<Dot> dots;
    for (const auto& step : message.curve) {
        table.add(
            {time_text(step.work_ns), time_cell(step.iteration_ns), time_interval_cell(step.iteration_ns)});
        dots.push_back({.x = step.work_ns, .y = step.iteration_ns.value});
    }
    auto text = fmt::format(
        "\nThe curve: iterations of post, work, wait on rank {} (base up to {:.2f} times itself, work grows "
        "to {:.2f} times the base)\n",
        message.rank, message.base_threshold, message.stop_threshold);
    text += table.text(terminal);
    text += fmt::format(
        "the largest work alone takes {}; up to {} of work hide behind the message; the "
        "transfer takes {}\n",
        time_cell(message.work_alone_ns), time_cell(message.knee_ns), time_cell(message.transfer_ns));
    return text + "Iteration against work\n" + scatter_plot(dots, time_text, time_text);
}

std::string intervals_text(const analysis::CollectiveOverlap& collective, const Terminal& terminal) {
    Table table({{"tests", Align::right},
                 {"by time", Align::right},
                 {"95% interval", Align::right},
                 {"by work", Align::right},
                 {"95% interval", Align::right},
                 {"availability", Align::right},
                 {"difference", Align::right},
                 {"stolen", Align::right}});
    const auto add = [&](const std::string& tests, const analysis::SchemesOverlap& at, bool best) {
        table.add({tests, time_cell(at.time_based.overhead_ns), time_interval_cell(at.time_based.overhead_ns),
                   time_cell(at.work_based.overhead_ns), time_interval_cell(at.work_based.overhead_ns),
                   share_cell(at.work_based.availability), time_cell(at.difference_ns),
                   percent_cell(at.stolen_share)},
                  best ? "best" : "");
    };
    add("none", collective.plain, false);
    for (std::size_t i = 0; i < collective.intervals.size(); ++i) {
        add(tests_cell(collective.intervals[i]), collective.intervals[i], collective.best == i);
    }
    return "\nOverhead against calls to MPI_Test spread over the work\n" + table.text(terminal);
}

std::string ranks_text(const analysis::CollectiveOverlap& collective, const Terminal& terminal) {
    Table table({{"rank", Align::right},
                 {"own time", Align::right},
                 {"by time", Align::right},
                 {"by work", Align::right},
                 {"availability", Align::right},
                 {"95% interval", Align::right},
                 {"overlap share", Align::right},
                 {"95% interval", Align::right},
                 {"stolen", Align::right}});
    for (const auto& rank : collective.ranks) {
        table.add({fmt::format("{}", rank.rank), time_cell(rank.own_time_ns),
                   time_cell(rank.time_based_overhead_ns), time_cell(rank.work_based_overhead_ns),
                   share_cell(rank.availability), share_interval_cell(rank.availability),
                   share_cell(rank.overlap_share), share_interval_cell(rank.overlap_share),
                   percent_cell(rank.stolen_share)});
    }
    return "\nRanks, without tests\n" + table.text(terminal);
}

}  // namespace

std::string time_cell(const std::optional<analysis::Reduced>& time_ns) {
    return time_ns ? time_text(time_ns->value) : "-";
}

std::string time_interval_cell(const std::optional<analysis::Reduced>& time_ns) {
    return time_ns && time_ns->ci95 ? time_interval_text(time_ns->ci95->low, time_ns->ci95->high) : "-";
}

std::string share_cell(const std::optional<analysis::Reduced>& share) {
    return share ? fmt::format("{:.3f}", share->value) : "-";
}

std::string share_interval_cell(const std::optional<analysis::Reduced>& share) {
    return share && share->ci95 ? fmt::format("{:.3f} .. {:.3f}", share->ci95->low, share->ci95->high) : "-";
}

std::string percent_cell(const std::optional<analysis::Reduced>& share) {
    constexpr double percent = 100;
    if (!share) {
        return "-";
    }
    const auto reach = share->ci95
                           ? fmt::format(" +- {:.1f}", percent * (share->ci95->high - share->ci95->low) / 2)
                           : std::string();
    return fmt::format("{:.1f}{} %", percent * share->value, reach);
}

std::string per_byte_cell(const std::optional<analysis::Reduced>& ns_per_byte) {
    if (!ns_per_byte) {
        return "-";
    }
    const auto interval = ns_per_byte->ci95 ? fmt::format(" ({:.3g} .. {:.3g})", ns_per_byte->ci95->low,
                                                          ns_per_byte->ci95->high)
                                            : std::string();
    return fmt::format("{:.3g} ns{}", ns_per_byte->value, interval);
}

std::string tests_cell(const analysis::SchemesOverlap& with_tests) {
    return with_tests.interval_bytes > 0
               ? fmt::format("{} (every {})", with_tests.tests, to_text(Bytes{with_tests.interval_bytes}))
               : fmt::format("{}", with_tests.tests);
}

std::string overlap_point_text(const analysis::OverlapResult& overlap, const Terminal& terminal) {
    std::string text;
    if (overlap.message && !overlap.message->curve.empty()) {
        text += curve_text(*overlap.message, terminal);
    }
    if (overlap.collective && overlap.collective->t_b_ns) {
        text += intervals_text(*overlap.collective, terminal);
        text += ranks_text(*overlap.collective, terminal);
    }
    return text;
}

}  // namespace fathom::report
