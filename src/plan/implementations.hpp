#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/named_enum.hpp"
#include "plan/operations.hpp"

/// What performs a collective. `--via`, plans and results name implementations in one way.
namespace fathom::plan {

struct Plan;
struct PointKey;
using fathom::to_text;  // the text of an implementation is one more

/// The word before the colon of a name.
enum class ImplementationKind {
    library,    ///< the MPI library, as it decides itself, or by its algorithm: `library:NAME`
    tree,       ///< a spanning tree from a file: `tree:FILE`
    reference,  ///< an algorithm of plan/reference_algorithms.def: `reference:NAME`
};
constexpr std::array<std::string_view, 3> enum_names(ImplementationKind /*unused*/) {
    return {"library", "tree", "reference"};
}

/// One implementation, by its kind and what follows the colon.
struct Implementation {
    ImplementationKind kind = ImplementationKind::library;
    /// Of a tree: its file, or its name in the plan once that holds its content. Else of an algorithm.
    std::string name = {};

    /// Whether it is the library by an algorithm that it did not choose itself.
    [[nodiscard]] bool forced() const { return kind == ImplementationKind::library && !name.empty(); }

    friend bool operator==(const Implementation&, const Implementation&) = default;
};

/// Reads `library`, `library:NAME`, `tree:FILE` or `reference:NAME`, whatever performs NAME. Throws BadInput
/// that says what to give.
Implementation implementation_from(std::string_view text);
std::string to_text(const Implementation& implementation);

/// Of a point. Throws BadInput if it is one that this version does not have.
Implementation implementation_of(const PointKey& key);
/// As PointKey::implementation: empty for the library.
std::string key_text(const Implementation& implementation);

/// Whether implementations of a kind perform an operation; the library one by algorithms of its own only if
/// it is a collective.
bool performs(ImplementationKind kind, const OperationInfo& operation);
bool performs(const Implementation& implementation, const OperationInfo& operation);

/// Whether a plan names algorithms of the library, which choice_needs() are for.
bool chooses_algorithms(const Plan& plan);

/// What all points of a plan are measured with, as PointKey::implementation, in the order of the plan: the
/// library alone if it does not say.
std::vector<std::string> implementations_of(const Plan& plan);

/// The content of a tree file, which is part of a plan: results stay explainable and runs can be resumed when
/// the file has changed or is gone.
struct TreeText {
    std::string name;  ///< that points have: the stem of the file, unique within the plan
    std::string file;  ///< where it was read from
    std::string text;

    friend bool operator==(const TreeText&, const TreeText&) = default;
};

/// What the trees of a plan may be: a plan is one text among others in a journal, which limits them.
inline constexpr std::size_t most_trees = 64;
inline constexpr std::size_t most_tree_bytes = std::size_t{1} << 21;

/// What a simulated platform performs a tree with is not what its edges stand for on a machine: results of
/// the two have different names.
std::string simulated_tree(const std::string& name);

/// Reads the trees that a plan names by file, each with `read`, and keeps their content in the plan, which
/// names them `tree:NAME` from then on. Throws BadInput if they are too many or too long.
void take_trees(Plan& plan, bool simulated, const std::function<std::string(const std::string& file)>& read);

/// The files that take_trees would read.
std::vector<std::string> tree_files(const Plan& plan);

/// Throws BadInput if implementations and what else a plan says exclude each other, or if an operation has no
/// algorithm of a name.
void check_implementations(const Plan& plan);

}  // namespace fathom::plan
