#pragma once

#include <string>

#include "cli/command_line.hpp"
#include "tree/check.hpp"

namespace fathom::cli {

// One function per sub-command of `fathom tree`, each in a file of its name: tree_make.cpp. A new one is a
// function here and a row of the table in tree.cpp.
void add_tree_make(const Command& tree, Invocation& invocation);
void add_tree_show(const Command& tree, Invocation& invocation);
void add_tree_check(const Command& tree, Invocation& invocation);

/// Which job a tree is read for, as the command line says.
struct TreeJobOptions {
    int procs = 0;
    std::string hosts;
};
/// `-n` and `--hosts`
void add_tree_job_options(const Command& command, TreeJobOptions& options);
/// Throws BadInput if the host list does not fit.
tree::Job tree_job(const TreeJobOptions& options);

}  // namespace fathom::cli
