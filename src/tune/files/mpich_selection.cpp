#include "tune/files/mpich_selection.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <functional>

#include <fmt/format.h>

#include "base/error.hpp"
#include "journal/json.hpp"

namespace fathom::tune {
namespace {

using nlohmann::ordered_json;

constexpr std::string_view within = "comm_type=intra";

std::string key_of(std::string_view operation) {
    return fmt::format("collective={}", operation);
}

/// Operations whose conditions count the data of all processes; the others those of one.
constexpr auto counted_together = std::to_array<std::string_view>(
    {"allgather", "allgatherv", "gather", "scatter", "reduce_scatter", "reduce_scatter_block"});

bool counts_together(std::string_view operation) {
    // The same for calls that return before they are done.
    const auto blocking = operation.starts_with('i') ? operation.substr(1) : operation;
    return std::ranges::find(counted_together, blocking) != counted_together.end();
}

/// Those of reductions, whose rules hold for operators that commute.
constexpr auto reductions =
    std::to_array<std::string_view>({"allreduce", "reduce", "reduce_scatter", "reduce_scatter_block"});

bool reduces(std::string_view operation) {
    const auto blocking = operation.starts_with('i') ? operation.substr(1) : operation;
    return std::ranges::find(reductions, blocking) != reductions.end();
}

/// What the device does with a whole communicator at once, of the collectives of which it has a choice.
struct Composition {
    std::string_view operation;
    std::string_view name;
};
constexpr auto without_hosts = std::to_array<Composition>({
    {"bcast", "MPIDI_Bcast_intra_composition_gamma"},
    {"allreduce", "MPIDI_Allreduce_intra_composition_beta"},
    {"reduce", "MPIDI_Reduce_intra_composition_gamma"},
    {"barrier", "MPIDI_Barrier_intra_composition_beta"},
});

using LeafOf = std::function<std::string(const Rule& rule)>;

/// What is used for which size, and what for all others.
ordered_json by_size(const RuleSet& set, const ordered_json& otherwise, const LeafOf& leaf) {
    const auto* const what = counts_together(set.operation) ? "total_msg_size" : "avg_msg_size";
    ordered_json branches = ordered_json::object();
    std::int64_t decided = 0;  // all sizes below
    for (const auto& rule : set.rules) {
        // Of several sizes of communicators: what is within the rule for all of them.
        const auto first = mpich_message_bytes(set.operation, rule.first, set.last_procs);
        const auto last = mpich_message_bytes(set.operation, rule.last, set.procs);
        if (first > last) {
            continue;
        }
        if (first > decided) {
            branches[fmt::format("{}<{}", what, first)] = otherwise;
        }
        branches[fmt::format("{}<={}", what, last)] = {{leaf(rule), ordered_json::object()}};
        decided = last + 1;
    }
    branches[fmt::format("{}=any", what)] = otherwise;
    return branches;
}

/// Puts the rules of a set into a selection.
void put(ordered_json& selection, const RuleSet& set, const LeafOf& leaf) {
    const auto key = key_of(set.operation);
    if (!selection.is_object() || !selection.contains(key) || !selection[key].contains(within)) {
        throw BadInput(fmt::format("the selection of algorithms does not have {}.", set.operation));
    }
    auto& branch = selection[key][within];
    const auto own = branch;
    auto ruled = by_size(set, own, leaf);
    if (reduces(set.operation)) {
        ruled = {{"is_commutative=yes", ruled}, {"is_commutative=no", own}};
    }
    branch = {{fmt::format("comm_size<{}", set.procs), own},
              {fmt::format("comm_size<{}", set.last_procs + 1), ruled},
              {"comm_size=any", own}};
}

std::string written(const ordered_json& selection) {
    constexpr int indent = 1;
    return selection.dump(indent) + "\n";
}

/// The JSON text in a library that has a word.
std::string text_with(std::string_view library, std::string_view word) {
    constexpr std::string_view beginning = "{\"collective=";
    for (auto at = library.find(beginning); at != std::string_view::npos;
         at = library.find(beginning, at + 1)) {
        const auto end = library.find('\0', at);
        const auto text =
            library.substr(at, end == std::string_view::npos ? std::string_view::npos : end - at);
        if (text.find(word) != std::string_view::npos && ordered_json::accept(text)) {
            return std::string(text);
        }
    }
    return {};
}

}  // namespace

std::optional<MpichSelections> mpich_selections(std::string_view library) {
    // There is one more for shared memory, which has neither.
    MpichSelections found{.algorithms = text_with(library, "\"collective=ibarrier\""),
                          .compositions = text_with(library, "\"composition=")};
    return found.algorithms.empty() ? std::nullopt : std::optional(std::move(found));
}

bool mpich_selects(std::string_view selection, std::string_view operation) {
    const auto json = ordered_json::parse(selection, nullptr, false);
    return json.is_object() && json.contains(key_of(operation)) && json[key_of(operation)].contains(within);
}

std::int64_t mpich_message_bytes(std::string_view operation, Bytes size, int procs) {
    return counts_together(operation) ? size.count * procs : size.count;
}

std::string mpich_algorithm(std::string_view operation, std::string_view name) {
    auto collective = std::string(operation);
    collective.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(collective.front())));
    // By the non-blocking call, on communicators of both kinds.
    return fmt::format("MPIR_{}_{}_{}", collective, name == "nb" ? "allcomm" : "intra", name);
}

std::string mpich_selection(const RuleFile& file, std::string_view selection) {
    auto json = ordered_json::parse(selection, nullptr, false);
    for (const auto& set : file.sets) {
        put(json, set, [&](const Rule& rule) {
            return fmt::format("algorithm={}", mpich_algorithm(set.operation, rule.algorithm));
        });
    }
    return written(json);
}

std::optional<std::string> mpich_compositions(const RuleFile& file, std::string_view compositions) {
    auto json = ordered_json::parse(compositions, nullptr, false);
    bool needed = false;
    for (const auto& set : file.sets) {
        const auto* const flat = std::ranges::find(without_hosts, set.operation, &Composition::operation);
        if (flat == without_hosts.end()) {
            continue;
        }
        if (compositions.find(flat->name) == std::string_view::npos) {
            throw BadInput(fmt::format("the selection of compositions does not have {}.", flat->name));
        }
        needed = true;
        put(json, set, [&](const Rule&) { return fmt::format("composition={}", flat->name); });
    }
    return needed ? std::optional(written(json)) : std::nullopt;
}

}  // namespace fathom::tune
