#pragma once

#include <string>

#include "tree/hosts.hpp"
#include "tree/tree.hpp"

/// Trees as pictures.
namespace fathom::tree {

/// For a terminal, one line for each join and for leaves that a join lists side by side. No line is longer
/// than `columns`; what would begin too far to the right is counted instead. `hosts` may be unknown.
std::string text_drawing(const Tree& tree, const Hosts& hosts, int columns);

/// A self-contained SVG with the root at the left and a row for every leaf. Edges differ by kind, and leaves
/// of a host stand on a common ground.
std::string svg_drawing(const Tree& tree, const Hosts& hosts);

}  // namespace fathom::tree
