#include "tune/files/mpich_selection.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <charconv>
#include <functional>
#include <map>
#include <vector>

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

struct SelectedCollective {
    std::string_view operation;
    Counted counted;
};

/// Those whose sizes the library's conditions are defined for, and the same on all processes of a call: of
/// gather and scatter, some processes may pass none. It ends the job where a condition is not defined.
constexpr auto selected_collectives = std::to_array<SelectedCollective>({
    {"allgather", Counted::of_all},
    {"allgatherv", Counted::of_all},
    {"allreduce", Counted::of_a_process},
    {"alltoall", Counted::of_a_process},
    {"barrier", Counted::not_at_all},
    {"bcast", Counted::of_a_process},
    {"iallreduce", Counted::of_a_process},
    {"ialltoall", Counted::of_a_process},
    {"ibcast", Counted::of_a_process},
    {"ireduce", Counted::of_a_process},
    {"reduce", Counted::of_a_process},
    {"reduce_scatter", Counted::of_all},
    {"reduce_scatter_block", Counted::of_all},
});

const SelectedCollective* find_selected(std::string_view operation) {
    const auto* const found =
        std::ranges::find(selected_collectives, operation, &SelectedCollective::operation);
    return found == selected_collectives.end() ? nullptr : found;
}

Counted counted(std::string_view operation) {
    const auto* const found = find_selected(operation);
    return found == nullptr ? Counted::not_at_all : found->counted;
}

std::string_view blocking(std::string_view operation) {
    return operation.starts_with('i') ? operation.substr(1) : operation;
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

/// Whether a condition on the size of a communicator holds; nothing if that depends on where its processes
/// are.
std::optional<bool> holds_for(std::string_view condition, int procs) {
    const auto size = static_cast<unsigned>(procs);
    if (condition == "comm_size=any") {
        return true;
    }
    if (condition == "comm_size=pow2") {
        return std::has_single_bit(size);
    }
    for (const std::string_view beginning : {"comm_size<=", "comm_size<"}) {
        if (condition.starts_with(beginning)) {
            int limit = 0;
            const auto number = condition.substr(beginning.size());
            std::from_chars(number.data(), number.data() + number.size(), limit);
            return beginning.ends_with('=') ? procs <= limit : procs < limit;
        }
    }
    return std::nullopt;
}

/// What a selection is for communicators of one size. Below a condition on the size of messages the library
/// takes `comm_size<8` for `comm_size<=8`, so none may be left there.
ordered_json for_communicators_of(const ordered_json& branch, int procs) {
    ordered_json left = ordered_json::object();
    for (const auto& [condition, below] : branch.items()) {
        const bool of_size = condition.starts_with("comm_size");
        const auto holds = of_size ? holds_for(condition, procs) : std::nullopt;
        if (holds == false) {
            continue;
        }
        auto resolved = for_communicators_of(below, procs);
        if (holds && left.empty()) {
            return resolved;
        }
        left[holds ? std::string("comm_size=any") : condition] = std::move(resolved);
        if (holds) {
            break;
        }
    }
    return left;
}

/// What is used for which size, and what for all others.
ordered_json by_size(const RuleSet& set, const ordered_json& otherwise, const LeafOf& leaf) {
    if (counted(set.operation) == Counted::not_at_all) {
        return {{leaf(set.rules.front()), ordered_json::object()}};
    }
    const auto* const what = counted(set.operation) == Counted::of_all ? "total_msg_size" : "avg_msg_size";
    ordered_json branches = ordered_json::object();
    std::int64_t decided = 0;  // all sizes below
    for (const auto& rule : set.rules) {
        const auto first = mpich_message_bytes(set.operation, rule.first, set.procs);
        const auto last = mpich_message_bytes(set.operation, rule.last, set.procs);
        if (first > decided) {
            branches[fmt::format("{}<{}", what, first)] = otherwise;
        }
        branches[fmt::format("{}<={}", what, last)] = {{leaf(rule), ordered_json::object()}};
        decided = last + 1;
    }
    branches[fmt::format("{}=any", what)] = otherwise;
    return branches;
}

/// The algorithm that works on hosts first: it calls the same collective on parts of a communicator.
constexpr std::string_view by_hosts = "smp";

/// What was measured, so that algorithms that are not made for other calls are not used for them: the library
/// ends the job then.
ordered_json guarded(const RuleSet& set, ordered_json ruled, const ordered_json& own) {
    const auto only = [&](const char* first, const char* second, bool ruled_first) {
        ruled = ruled_first ? ordered_json{{first, ruled}, {second, own}}
                            : ordered_json{{first, own}, {second, ruled}};
    };
    const auto operation = blocking(set.operation);
    if (operation == "alltoall") {
        only("is_sendbuf_inplace=yes", "is_sendbuf_inplace=no", false);
    }
    if (operation == "reduce_scatter") {
        only("is_block_regular=yes", "is_block_regular=no", true);
    }
    if (operation == "allreduce" || operation == "reduce") {
        only("count<pow2", "count=any", false);
        only("is_op_built_in=yes", "is_op_built_in=no", set.built_in);
    }
    if (operation == "allreduce" || operation.starts_with("reduce")) {
        only("is_commutative=yes", "is_commutative=no", set.commutative);
    }
    if (std::ranges::find(set.rules, by_hosts, &Rule::algorithm) != set.rules.end()) {
        only("comm_hierarchy=parent", "comm_hierarchy=any", true);
    }
    return ruled;
}

/// Every size of communicators for itself: what the library does by itself differs between them.
std::vector<RuleSet> apart(const std::vector<const RuleSet*>& sets) {
    std::vector<RuleSet> all;
    for (const auto* const set : sets) {
        for (int procs = set->procs; procs <= set->last_procs; ++procs) {
            auto one = *set;
            one.procs = procs;
            one.last_procs = procs;
            all.push_back(std::move(one));
        }
    }
    std::ranges::sort(all, {}, &RuleSet::procs);
    return all;
}

/// Puts the rules for an operation into a selection.
void put(ordered_json& selection, const std::string& operation, const std::vector<const RuleSet*>& sets,
         const LeafOf& leaf) {
    const auto key = key_of(operation);
    if (!selection.is_object() || !selection.contains(key) || !selection[key].contains(within)) {
        throw BadInput(fmt::format("the selection of algorithms does not have {}.", operation));
    }
    auto& branch = selection[key][within];
    const auto own = branch;
    ordered_json ladder = ordered_json::object();
    int decided = 0;  // all communicators below
    for (const auto& set : apart(sets)) {
        if (set.procs > decided) {
            ladder[fmt::format("comm_size<{}", set.procs)] = own;
        }
        const auto here = for_communicators_of(own, set.procs);
        ladder[fmt::format("comm_size<{}", set.procs + 1)] = guarded(set, by_size(set, here, leaf), here);
        decided = set.procs + 1;
    }
    ladder["comm_size=any"] = own;
    branch = std::move(ladder);
}

std::map<std::string, std::vector<const RuleSet*>> by_operation(const RuleFile& file) {
    std::map<std::string, std::vector<const RuleSet*>> sets;
    for (const auto& set : file.sets) {
        sets[set.operation].push_back(&set);
    }
    return sets;
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
    return find_selected(operation) != nullptr && json.is_object() && json.contains(key_of(operation)) &&
           json[key_of(operation)].contains(within);
}

namespace {

bool has_outside_powers(const ordered_json& branch, const std::string& leaf) {
    for (const auto& [condition, below] : branch.items()) {
        if (condition == leaf || (condition != "comm_size=pow2" && has_outside_powers(below, leaf))) {
            return true;
        }
    }
    return false;
}

}  // namespace

bool mpich_takes_any_size(std::string_view selection, std::string_view operation, std::string_view name) {
    const auto json = ordered_json::parse(selection, nullptr, false);
    return mpich_selects(selection, operation) &&
           has_outside_powers(json[key_of(operation)][within],
                              fmt::format("algorithm={}", mpich_algorithm(operation, name)));
}

std::int64_t mpich_message_bytes(std::string_view operation, Bytes size, int procs) {
    return counted(operation) == Counted::of_all ? size.count * procs : size.count;
}

std::string mpich_algorithm(std::string_view operation, std::string_view name) {
    auto collective = std::string(operation);
    collective.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(collective.front())));
    // By the non-blocking call, on communicators of both kinds.
    return fmt::format("MPIR_{}_{}_{}", collective, name == "nb" ? "allcomm" : "intra", name);
}

std::string mpich_selection(const RuleFile& file, std::string_view selection) {
    auto json = ordered_json::parse(selection, nullptr, false);
    for (const auto& [operation, sets] : by_operation(file)) {
        put(json, operation, sets, [&, &name = operation](const Rule& rule) {
            return fmt::format("algorithm={}", mpich_algorithm(name, rule.algorithm));
        });
    }
    return written(json);
}

std::optional<std::string> mpich_compositions(const RuleFile& file, std::string_view compositions) {
    auto json = ordered_json::parse(compositions, nullptr, false);
    bool needed = false;
    for (const auto& [operation, sets] : by_operation(file)) {
        const auto* const flat = std::ranges::find(without_hosts, operation, &Composition::operation);
        if (flat == without_hosts.end()) {
            continue;
        }
        if (compositions.find(flat->name) == std::string_view::npos) {
            throw BadInput(fmt::format("the selection of compositions does not have {}.", flat->name));
        }
        needed = true;
        put(json, operation, sets, [&](const Rule&) { return fmt::format("composition={}", flat->name); });
    }
    return needed ? std::optional(written(json)) : std::nullopt;
}

}  // namespace fathom::tune
