#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "tree/check.hpp"
#include "tree/tree.hpp"

/// Tree files in TOML, which docs/trees.md describes.
namespace fathom::tree {

/// What a tree file may name as its `schema`, and JSON of trees does.
inline constexpr std::string_view tree_file_schema = "fathom.tree-file/1";

/// The tree of a text, checked (tree/check.hpp) for a job as far as that is known. Throws BadInput that names
/// `source`, the line and the fix. A join that does not say where it is is performed by the lowest rank below
/// it; one that is on a host, by the lowest rank there that lies between those below it, or else by the
/// lowest there.
Tree read_tree(std::string_view text, const std::string& source, const Job& job = {});

/// The same of a file, which may be as long as other inputs (base/file.hpp).
Tree read_tree_file(const std::filesystem::path& file, const Job& job = {});

/// A tree as TOML, so that reading it gives the same tree.
std::string write_tree(const Tree& tree);

}  // namespace fathom::tree
