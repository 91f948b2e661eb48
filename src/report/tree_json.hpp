#pragma once

#include "journal/json.hpp"
#include "tree/hosts.hpp"
#include "tree/tree.hpp"

namespace fathom::report {

/// A tree as `fathom.tree-file/1`; `hosts` may be unknown.
nlohmann::ordered_json tree_json(const tree::Tree& tree, const tree::Hosts& hosts);

}  // namespace fathom::report
