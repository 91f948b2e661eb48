#include "plan/implementations.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.hpp"
#include "base/printable.hpp"
#include "base/text.hpp"
#include "plan/library_algorithms.hpp"
#include "plan/plan.hpp"
#include "plan/reference_algorithms.hpp"

namespace fathom::plan {
namespace {

constexpr std::string_view way_to_name_one = "give library, library:NAME, tree:FILE or reference:NAME";

/// Whether a name follows the word of a kind.
enum class Naming { possible, always };

/// One row for each kind, in the order of the enumeration.
struct ImplementationRow {
    Naming naming;
    bool (*performs)(const OperationInfo& operation);
    /// The algorithms that an operation has; null where names are something else.
    std::vector<std::string> (*algorithms)(const OperationInfo& operation);
};

constexpr std::array<ImplementationRow, names_of<ImplementationKind>.size()> implementation_rows{{
    {Naming::possible, [](const OperationInfo& /*any*/) { return true; }, nullptr},
    {Naming::always,
     [](const OperationInfo& operation) {
         return operation.is(Fact::over_trees) && !operation.overlaps() &&
                operation.form.value_or(Form::blocking) == Form::blocking;
     },
     nullptr},
    {Naming::always, [](const OperationInfo& operation) { return !reference_collective(operation).empty(); },
     reference_names},
}};

const ImplementationRow& row_of(ImplementationKind kind) {
    return implementation_rows.at(static_cast<std::size_t>(kind));
}

std::vector<Implementation> all_of_plan(const Plan& plan) {
    std::vector<Implementation> all;
    for (const auto& text : plan.via) {
        all.push_back(implementation_from(text));
    }
    return all;
}

bool holds(const Plan& plan, const std::string& name) {
    return std::any_of(plan.trees.begin(), plan.trees.end(),
                       [&](const auto& tree) { return tree.name == name; });
}

/// The stem of a file in letters that need no quotes anywhere, with a number if the plan has that already.
std::string name_of_file(const Plan& plan, bool simulated, const std::string& file) {
    auto stem = std::filesystem::path(file).stem().string();
    std::replace_if(
        stem.begin(), stem.end(),
        [](unsigned char letter) {
            return letter >= 0x80 || (std::isalnum(letter) == 0 && letter != '.' && letter != '_' &&
                                      letter != '-' && letter != '+');
        },
        '_');
    if (simulated) {
        stem = simulated_tree(stem);
    }
    auto name = stem;
    for (int number = 2; holds(plan, name); ++number) {
        name = fmt::format("{}-{}", stem, number);
    }
    return name;
}

/// Throws BadInput if a kind of implementation has algorithms and none of this name for an operation.
void check_algorithm(const Implementation& implementation, const OperationInfo& operation) {
    const auto& row = row_of(implementation.kind);
    if (row.algorithms == nullptr) {
        return;
    }
    const auto names = row.algorithms(operation);
    if (std::ranges::find(names, implementation.name) == names.end()) {
        const auto kind = to_text(implementation.kind);
        throw BadInput(fmt::format("{} has no {} algorithm '{}'.{} (--via {}:NAME takes {} for it.)",
                                   operation.name, kind, printable_name(implementation.name),
                                   did_you_mean(implementation.name, names), kind, fmt::join(names, ", ")));
    }
}

std::vector<std::string> performed_by(const Implementation& implementation) {
    std::vector<std::string> names;
    for (const auto& operation : operations()) {
        if (performs(implementation, operation)) {
            names.emplace_back(operation.name);
        }
    }
    return names;
}

}  // namespace

Implementation implementation_from(std::string_view text) {
    const auto colon = std::min(text.find(':'), text.size());
    const auto kind = from_text<ImplementationKind>(text.substr(0, colon));
    const auto name = text.substr(std::min(colon + 1, text.size()));
    const bool control =
        std::any_of(text.begin(), text.end(), [](unsigned char letter) { return letter < ' '; });
    const bool colon_given = colon < text.size();
    if (!kind || control || colon_given == name.empty() ||
        (!colon_given && row_of(*kind).naming == Naming::always)) {
        throw BadInput(std::string(way_to_name_one));
    }
    if (*kind == ImplementationKind::library && colon_given) {
        (void)library_algorithm(name);
    }
    return {.kind = *kind, .name = std::string(name)};
}

std::string to_text(const Implementation& implementation) {
    return fmt::format("{}{}{}", to_text(implementation.kind), implementation.name.empty() ? "" : ":",
                       implementation.name);
}

Implementation implementation_of(const PointKey& key) {
    return key.implementation.empty() ? Implementation{} : implementation_from(key.implementation);
}

std::string key_text(const Implementation& implementation) {
    return implementation == Implementation{} ? std::string() : to_text(implementation);
}

bool performs(ImplementationKind kind, const OperationInfo& operation) {
    return row_of(kind).performs(operation);
}

bool performs(const Implementation& implementation, const OperationInfo& operation) {
    const bool named = implementation.forced();
    return named ? has_library_algorithms(operation) : performs(implementation.kind, operation);
}

bool chooses_algorithms(const Plan& plan) {
    const auto all = all_of_plan(plan);
    return std::ranges::any_of(all, [](const auto& implementation) { return implementation.forced(); });
}

std::vector<std::string> implementations_of(const Plan& plan) {
    std::vector<std::string> names;
    for (const auto& implementation : all_of_plan(plan)) {
        names.push_back(key_text(implementation));
    }
    return names.empty() ? std::vector<std::string>{""} : names;
}

std::vector<std::string> tree_files(const Plan& plan) {
    std::vector<std::string> files;
    for (const auto& implementation : all_of_plan(plan)) {
        if (implementation.kind == ImplementationKind::tree && !holds(plan, implementation.name)) {
            files.push_back(implementation.name);
        }
    }
    return files;
}

std::string simulated_tree(const std::string& name) {
    return name + "-sim";
}

void take_trees(Plan& plan, bool simulated, const std::function<std::string(const std::string& file)>& read) {
    const auto files = tree_files(plan);
    std::size_t bytes = 0;
    for (auto& text : plan.via) {
        const auto implementation = implementation_from(text);
        // By what was missing before: a name that was just given may be that of another file.
        if (implementation.kind != ImplementationKind::tree ||
            std::find(files.begin(), files.end(), implementation.name) == files.end()) {
            continue;
        }
        TreeText tree{.name = name_of_file(plan, simulated, implementation.name),
                      .file = implementation.name,
                      .text = read(implementation.name)};
        text = to_text(Implementation{.kind = ImplementationKind::tree, .name = tree.name});
        plan.trees.push_back(std::move(tree));
    }
    for (const auto& tree : plan.trees) {
        bytes += tree.text.size();
    }
    if (plan.trees.size() > most_trees || bytes > most_tree_bytes) {
        throw BadInput(fmt::format("--via names {} trees of {} bytes together; at most {} and {} fit a plan.",
                                   plan.trees.size(), bytes, most_trees, most_tree_bytes));
    }
}

void check_implementations(const Plan& plan) {
    std::set<std::string> names;
    bool trees = false;
    for (const auto& implementation : all_of_plan(plan)) {
        const auto text = to_text(implementation);
        if (!names.insert(text).second) {
            throw BadInput(fmt::format("--via names {} twice; give each implementation once.", text));
        }
        trees = trees || implementation.kind == ImplementationKind::tree;
        for (const auto& name : plan.operations) {
            const auto* const operation = known_operation(name);
            const bool performed = name == all_operations
                                       ? implementation == Implementation{}
                                       : operation == nullptr || performs(implementation, *operation);
            if (!performed) {
                throw BadInput(
                    fmt::format("{} cannot be performed via {}; give some of {}, or leave it out of --via.",
                                name, text, fmt::join(performed_by(implementation), ", ")));
            }
            if (operation != nullptr) {
                check_algorithm(implementation, *operation);
            }
        }
    }
    if (plan.via.size() > 1 && searches(plan)) {
        throw BadInput(
            "--via measures several implementations in alternation, so all points must be known in advance; "
            "give fixed sizes and process counts without 'auto' and --locate-switches.");
    }
    if (plan.trace.every > 0 && !trees) {
        throw BadInput("--trace records what happens inside trees; add --via tree:FILE.");
    }
    // Events are stored by rank of the job, and analysed by rank of the tree.
    if (plan.trace.every > 0 && (plan.operation.groups > 1 || !plan.operation.ranks.empty())) {
        throw BadInput("--trace takes trees over all processes of the job; leave out --groups and --ranks.");
    }
}

}  // namespace fathom::plan
