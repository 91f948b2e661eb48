#include "analysis/across_runs/run_differences.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.hpp"
#include "plan/settings.hpp"

namespace fathom::analysis {
namespace {

/// The first few of those that the other run does not have, or with another number of processes.
std::string hosts_text(const MeasuredRun& run, const MeasuredRun& other) {
    if (run.hosts.empty()) {
        return "not known";
    }
    std::vector<std::string> words;
    for (const auto& [host, ranks] : run.hosts) {
        const auto same = other.hosts.find(host);
        if (same == other.hosts.end() || same->second != ranks) {
            words.push_back(fmt::format("{} ({})", host, ranks));
        }
    }
    constexpr std::size_t most = 4;
    if (words.size() > most) {
        const auto more = words.size() - most + 1;
        words.resize(most - 1);
        words.push_back(fmt::format("{} more", more));
    }
    return words.empty() ? "no others" : and_list(words);
}

/// The first rank that is elsewhere, or bound to other processors.
template <typename Look>
void look_at_places(const MeasuredRun& first, const MeasuredRun& second, const Look& look) {
    const auto at = std::mismatch(
        first.ranks.begin(), first.ranks.end(), second.ranks.begin(), second.ranks.end(),
        [](const auto& a, const auto& b) { return a.host == b.host && a.binding == b.binding; });
    if (at.first == first.ranks.end() || at.second == second.ranks.end()) {
        return;
    }
    const bool elsewhere = at.first->host != at.second->host;
    const auto text = [&](const store::RankRow& rank) {
        return elsewhere ? fmt::format("rank {} on {}", rank.rank, rank.host)
                         : fmt::format("rank {} on processors {}", rank.rank,
                                       rank.binding.empty() ? "not known" : rank.binding);
    };
    look(elsewhere ? "placement" : "binding", text(*at.first), text(*at.second));
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
    if (library_of(a) != library_of(b)) {
        look("MPI library", library_of(a), library_of(b));
    } else {
        look("MPI library", a.mpi_version, b.mpi_version);
    }
    look("machine", a.simulated ? "simulated" : "real", b.simulated ? "simulated" : "real");
    look("platform", first.result.plan.platform, second.result.plan.platform);
    if (first.hosts != second.hosts) {
        found.push_back(
            {.what = "hosts", .first = hosts_text(first, second), .second = hosts_text(second, first)});
    } else {
        look_at_places(first, second, look);
    }
    look("clock source", a.time_source, b.time_source);
    look("fathom version", a.fathom_version, b.fathom_version);
    for (const auto& setting : plan::settings()) {
        const auto one = value_text(setting, first.result.plan);
        const auto other = value_text(setting, second.result.plan);
        if (setting.if_different == plan::IfDifferent::not_comparable && one != other) {
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
