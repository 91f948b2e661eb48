#include "plan/operations.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"

namespace fathom::plan {
namespace {

constexpr bool sized = true;
constexpr bool unsized = false;

constexpr auto registry = std::to_array<OperationInfo>({
#define OPERATION(name, group, kind, least, has_size, element, calls, version, traffic, summary) \
    {name,   #group,   Kind::kind,                                                               \
     least,  has_size, element,                                                                  \
     calls,  version,  []([[maybe_unused]] double b, [[maybe_unused]] double n) -> double { return traffic; },   \
     summary},
#include "plan/operations.def"
#undef OPERATION
});

/// Every non-blocking collective of the registry can be studied: a row like its own with another name.
std::vector<OperationInfo> with_overlap_of_collectives() {
    struct Words {
        std::string name;
        std::string calls;
        std::string summary;
    };
    static const auto words = [] {
        std::vector<Words> made;
        for (const auto& row : registry) {
            if (row.non_blocking_collective()) {
                const auto call = row.calls.substr(0, row.calls.find(','));
                made.push_back({.name = fmt::format("{}{}", overlap_prefix, row.name),
                                .calls = fmt::format("{}, MPI_Test, MPI_Wait", call),
                                .summary = fmt::format("{} with work before its end: overhead, availability, "
                                                       "overlap and progress on every rank",
                                                       call)});
            }
        }
        return made;
    }();
    std::vector<OperationInfo> rows(registry.begin(), registry.end());
    auto word = words.begin();
    for (const auto& row : registry) {
        if (row.non_blocking_collective()) {
            auto study = row;
            study.name = word->name;
            study.calls = word->calls;
            study.summary = word->summary;
            study.group = "overlap";
            rows.push_back(study);
            ++word;
        }
    }
    return rows;
}

const std::vector<OperationInfo>& all_rows() {
    static const auto rows = with_overlap_of_collectives();
    return rows;
}

}  // namespace

bool OperationInfo::in_pairs() const {
    return name.starts_with("pairs") || name == "duplex" || name == "message-rate";
}

bool OperationInfo::in_blocks() const {
    const auto has = [&](std::string_view part) { return name.find(part) != std::string_view::npos; };
    return (group == "collective" || overlaps()) && !has("neighbor") &&
           (has("gather") || has("scatter") || has("alltoall"));
}

std::string_view OperationInfo::pattern() const {
    if (of_two()) {
        return "first-last";
    }
    if (in_pairs()) {
        return "pairs";
    }
    return group == "pattern" || kind == Kind::matrix ? name : kind == Kind::single ? "one" : "all";
}

std::string OperationInfo::version_text() const {
    return fmt::format("{}.{}", version / 10, version % 10);
}

double OperationInfo::rate_bytes_per_s(Bytes size, int procs, double time_ns) const {
    return time_ns > 0 ? traffic(static_cast<double>(size.count), procs) / time_ns * 1e9 : 0;
}

std::span<const OperationInfo> operations() {
    return all_rows();
}

std::vector<std::string> operation_names() {
    std::vector<std::string> names;
    for (const auto& operation : operations()) {
        names.emplace_back(operation.name);
    }
    return names;
}

std::vector<std::string> single_operation_names() {
    std::vector<std::string> names;
    for (const auto& operation : operations()) {
        if (!operation.overlaps()) {
            names.emplace_back(operation.name);
        }
    }
    return names;
}

const OperationInfo* known_operation(std::string_view name) {
    const auto rows = operations();
    const auto found =
        std::find_if(rows.begin(), rows.end(), [&](const auto& row) { return row.name == name; });
    return found == rows.end() ? nullptr : &*found;
}

const OperationInfo& find_operation(std::string_view name) {
    const auto* found = known_operation(name);
    if (found == nullptr) {
        throw BadInput(fmt::format("no operation '{}'.{} ('fathom list ops' shows all.)", name,
                                   did_you_mean(name, operation_names())));
    }
    return *found;
}

}  // namespace fathom::plan
