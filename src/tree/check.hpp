#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tree/hosts.hpp"
#include "tree/tree.hpp"

namespace fathom::tree {

/// The job that is to use a tree. What is not known of it is not checked.
struct Job {
    int procs = 0;     ///< 0: not known
    Hosts hosts = {};  ///< of its ranks; empty: not known
};

/// What is wrong with a tree.
struct Fault {
    /// What it is about, which decides what `index` is.
    enum class Subject {
        node,   ///< a node: that it is there, its name, what it joins
        place,  ///< the rank that performs a node
        edge,   ///< the edge from a node to its parent
        host,   ///< the host of a rank
        tree    ///< the whole
    };
    Subject subject = Subject::tree;
    int index = 0;
    std::string sentence;  ///< with the fix, for people
};

/// Names of joins: a letter, then letters, digits, `_` and `-`.
bool is_join_name(std::string_view name);

/// `rank 3`, `thread 1 of rank 3` or `join 'left'`.
std::string node_text(const Tree& tree, Node node);

/// What is wrong with a thread that contributes by message, if it is not the first of its rank: that calls
/// MPI alone.
std::string sentence_of_message_from_thread(const Tree& tree, Node leaf);

/// The first fault of a tree, by itself or for a job; nothing if it can be performed.
std::optional<Fault> fault_of(const Tree& tree, const Job& job = {});

/// Throws BadInput with the fault, after the tree's name.
void check(const Tree& tree, const Job& job = {});

/// Where the ranks are: as the job says, or else the tree.
const Hosts& hosts_of(const Tree& tree, const Job& job);

}  // namespace fathom::tree
