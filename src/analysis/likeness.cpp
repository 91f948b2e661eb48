#include "analysis/likeness.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "base/text.hpp"
#include "plan/settings.hpp"

namespace fathom::analysis {
namespace {

/// Settings that change what is measured; the others say what is measured at all, or how long.
constexpr std::array<std::string_view, 26> telling_settings{
    "start",         "warmup",    "in_a_row",      "root",           "cache",
    "over_ranks",    "over_reps", "pair",          "pairs",          "window",
    "partitions",    "size_as",   "distribution",  "type",           "reduce_op",
    "window_memory", "pieces",    "piece_work_us", "grid",           "imbalance_percent",
    "iterations",    "work",      "tests",         "test_intervals", "base_threshold",
    "stop_threshold"};

std::string hosts_text(const MeasuredRun& run) {
    std::vector<std::string> words;
    constexpr std::size_t most = 8;
    for (const auto& [host, ranks] : run.hosts) {
        if (words.size() == most) {
            words.push_back(fmt::format("{} more", run.hosts.size() - most));
            break;
        }
        words.push_back(fmt::format("{} ({})", host, ranks));
    }
    return words.empty() ? "not known" : and_list(words);
}

std::string library_text(const store::RunRow& run) {
    return run.mpi_version.empty() ? run.mpi_flavour : run.mpi_version;
}

std::string value_text(const plan::Setting& setting, const plan::Plan& plan) {
    return setting.absent(plan) ? "not given" : plan::quoted(setting.get(plan));
}

}  // namespace

std::vector<Difference> differences(const MeasuredRun& first, const MeasuredRun& second) {
    std::vector<Difference> found;
    const auto look = [&](const char* what, const std::string& one, const std::string& other) {
        if (one != other) {
            found.push_back({.what = what, .first = one, .second = other});
        }
    };
    const auto& a = first.result.run;
    const auto& b = second.result.run;
    look("MPI library", library_text(a), library_text(b));
    look("machine", a.simulated ? "simulated" : "real", b.simulated ? "simulated" : "real");
    look("platform", first.plan.platform, second.plan.platform);
    if (first.hosts != second.hosts) {
        found.push_back({.what = "hosts", .first = hosts_text(first), .second = hosts_text(second)});
    }
    look("clock source", a.time_source, b.time_source);
    look("fathom version", a.fathom_version, b.fathom_version);
    for (const auto& setting : plan::settings()) {
        const bool tells = std::find(telling_settings.begin(), telling_settings.end(), setting.key) !=
                           telling_settings.end();
        const auto one = value_text(setting, first.plan);
        const auto other = value_text(setting, second.plan);
        if (tells && one != other) {
            found.push_back(
                {.what = std::string(setting.key), .first = one, .second = other, .setting = true});
        }
    }
    return found;
}

std::string text_of(const Difference& difference) {
    return fmt::format("{}: {} and {}", difference.what,
                       difference.first.empty() ? "not known" : difference.first,
                       difference.second.empty() ? "not known" : difference.second);
}

}  // namespace fathom::analysis
