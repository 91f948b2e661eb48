#include "report/run_differences.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.hpp"

namespace fathom::report {
namespace {

using analysis::Difference;
using Kind = analysis::DifferenceKind;

/// The first few of them, with their processes: `a (2), b (2) and 7 more`.
std::string hosts_text(const std::map<std::string, int>& hosts) {
    std::vector<std::string> words;
    for (const auto& [host, ranks] : hosts) {
        words.push_back(fmt::format("{} ({})", host, ranks));
    }
    constexpr std::size_t most = 4;
    if (words.size() > most) {
        const auto more = words.size() - most + 1;
        words.resize(most - 1);
        words.push_back(fmt::format("{} more", more));
    }
    return and_list(words);
}

std::string value_text(const Difference& difference, const std::vector<std::string>& values,
                       const std::map<std::string, int>& hosts) {
    switch (difference.kind) {
        case Kind::hosts:
            return !hosts.empty() ? hosts_text(hosts) : difference.hosts_known ? "no others" : "not known";
        case Kind::placement:
            return fmt::format("rank {} on {}", difference.rank, fmt::join(values, ", "));
        case Kind::binding:
            return fmt::format("rank {} on processors {}", difference.rank,
                               values.empty() ? "not known" : values.front());
        case Kind::variable:
            return values.empty() ? "not set" : values.front();
        case Kind::setting:
            return values.empty() ? "not given" : values.front();
        default:
            return values.empty() ? "not known" : fmt::format("{}", fmt::join(values, ", "));
    }
}

}  // namespace

std::string difference_name(const Difference& difference) {
    switch (difference.kind) {
        case Kind::library:
            return "MPI library";
        case Kind::clock_source:
            return "clock source";
        case Kind::fathom_version:
            return "fathom version";
        case Kind::processes:
            return "process count";
        case Kind::variable:
        case Kind::setting:
            return difference.name;
        default:
            return std::string(to_text(difference.kind));
    }
}

std::string first_value(const Difference& difference) {
    return value_text(difference, difference.first, difference.first_hosts);
}

std::string second_value(const Difference& difference) {
    return value_text(difference, difference.second, difference.second_hosts);
}

std::string difference_text(const Difference& difference) {
    return fmt::format("{}{}: {} and {}", difference.kind == Kind::variable ? "environment variable " : "",
                       difference_name(difference), first_value(difference), second_value(difference));
}

}  // namespace fathom::report
