#include "launch/failure_cause.hpp"

#include <algorithm>
#include <array>
#include <regex>

#include <fmt/format.h>

#include "base/text.hpp"

namespace fathom::launch {
namespace {

std::string rank_text(const std::string& pid, const std::string& host,
                      const std::vector<store::RankRow>& ranks) {
    for (const auto& rank : ranks) {
        if (fmt::format("{}", rank.pid) == pid && (host.empty() || rank.host == host || ranks.size() == 1)) {
            return fmt::format("rank {} on node {}", rank.rank, rank.host);
        }
    }
    return fmt::format("process {} on node {}", pid, host);
}

/// std::regex recurses over what it matches: lines are cut so that no output can exhaust the stack.
std::string with_short_lines(const std::string& text) {
    constexpr std::size_t longest = 500;
    std::string cut;
    for (const auto& line : split(text, '\n')) {
        cut += line.substr(0, longest) + "\n";
    }
    return cut;
}

}  // namespace

bool lost_a_link(const std::string& output) {
    // What strerror says of ENETDOWN, ENETUNREACH, EHOSTDOWN, EHOSTUNREACH and ETIMEDOUT, which MPI libraries
    // print, and Open MPI's daemons of each other.
    constexpr std::array signs{"Network is down",      "Network is unreachable",
                               "Host is down",         "No route to host",
                               "Connection timed out", "lost communication with a remote daemon"};
    return std::any_of(signs.begin(), signs.end(),
                       [&](const char* sign) { return output.find(sign) != std::string::npos; });
}

std::optional<std::string> failure_cause(const std::string& whole, const std::vector<store::RankRow>& ranks) {
    const auto output = with_short_lines(whole);
    std::smatch match;
    const auto found = [&](const char* pattern) {
        return std::regex_search(output, match, std::regex(pattern));
    };

    // The probe itself, when it gave up cleanly.
    if (found("fathom-probe: (rank [0-9]+ on [^:\n]+: [^\n]+)")) {
        return match[1].str();
    }
    // Open MPI
    if (found("process rank ([0-9]+) with PID [0-9]+ on node ([^ \n]+) exited on signal ([0-9]+)")) {
        return fmt::format("rank {} on node {} died (signal {})", match[1].str(), match[2].str(),
                           match[3].str());
    }
    if (found("Process name: \\[\\[[0-9]+,[0-9]+\\],([0-9]+)\\]\\s+Exit code:\\s+([0-9]+)")) {
        return fmt::format("rank {} ended with exit status {}", match[1].str(), match[2].str());
    }
    if (found("mpirun has detected an attempt to run as root")) {
        return "Open MPI refuses to run as root; add --allow-run-as-root if that is what you want";
    }
    if (found("There are not enough slots available")) {
        return "Open MPI has too few slots for this many processes; add --oversubscribe to the launcher or "
               "use "
               "fewer";
    }
    // MPICH (Hydra). Its exit code is 9 for whatever signal; the exit string names the right one.
    if (found("PID ([0-9]+) RUNNING AT ([^ \n]+)\\s*\n=\\s+(EXIT CODE|KILLED BY SIGNAL): ([0-9]+)")) {
        const auto who = rank_text(match[1].str(), match[2].str(), ranks);
        const bool signal = match[3].str() != "EXIT CODE";
        const auto code = match[4].str();
        if (found("EXIT STRING: [^\n]*\\(signal ([0-9]+)\\)")) {
            return fmt::format("{} died (signal {})", who, match[1].str());
        }
        return fmt::format("{} died ({} {})", who, signal ? "signal" : "exit status", code);
    }
    // Slurm
    if (found("srun: error: ([^:\n]+): tasks? ([0-9]+)[^:\n]*: ([^\n]+)")) {
        return fmt::format("rank {} on node {} died ({})", match[2].str(), match[1].str(), match[3].str());
    }
    // SimGrid
    if (found("Execution failed with code ([0-9]+)")) {
        const int code = std::stoi(match[1].str());
        return code > 128 ? fmt::format("the simulation died (signal {})", code - 128)
                          : fmt::format("the simulation ended with exit status {}", code);
    }
    return std::nullopt;
}

}  // namespace fathom::launch
