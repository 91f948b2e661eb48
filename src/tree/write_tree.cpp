#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/utf8.hpp"
#include "tree/contributors.hpp"
#include "tree/file.hpp"
#include "tree/walk.hpp"

namespace fathom::tree {
namespace {

/// Whether TOML does not take a character in a string as it is.
bool needs_escape(char32_t code) {
    return code < 0x20 || (code >= 0x7f && code <= 0x9f) || code == 0x2028 || code == 0x2029;
}

/// A text as TOML has it in quotes.
std::string quoted_toml(const std::string& raw) {
    const auto valid = valid_utf8(raw);
    std::string_view text = valid;
    std::string quoted = "\"";
    while (!text.empty()) {
        const auto character = first_character(text);
        if (character.code == U'"' || character.code == U'\\') {
            quoted += '\\';
        }
        if (needs_escape(character.code)) {
            quoted += fmt::format("\\u{:04X}", static_cast<unsigned>(character.code));
        } else {
            quoted += text.substr(0, character.bytes);
        }
        text.remove_prefix(character.bytes);
    }
    return quoted + '"';
}

std::string toml_key(const std::string& name) {
    constexpr std::string_view bare = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    return !name.empty() && name.find_first_not_of(bare) == std::string::npos ? name : quoted_toml(name);
}

/// `key = "0-3, right"`, or as a list over several lines where that would be long.
std::string list_line(std::string_view key, const std::vector<std::string>& words) {
    constexpr std::size_t longest_line = 100;
    const auto line = fmt::format("{} = \"{}\"\n", key, fmt::join(words, ", "));
    if (line.size() <= longest_line) {
        return line;
    }
    auto text = fmt::format("{} = [", key);
    std::size_t column = longest_line;
    for (const auto& word : words) {
        const auto item = fmt::format("\"{}\",", word);
        if (column + 1 + item.size() > longest_line) {
            text += "\n   ";
            column = 3;
        }
        text += " " + item;
        column += 1 + item.size();
    }
    return text + "\n]\n";
}

/// What contributes to a join through each kind of edge: leaves, then joins.
using ByKind = std::array<std::vector<std::string>, names_of<EdgeKind>.size()>;

ByKind words_of(const Tree& tree, const std::vector<Node>& children) {
    ByKind words;
    for (const auto kind : values_of<EdgeKind>) {
        std::vector<Contributor> leaves;
        std::vector<std::string> joins;
        for (const auto child : children) {
            if (edge_of(tree, child) != kind) {
                continue;
            }
            if (is_leaf(tree, child)) {
                const auto& leaf = tree.leaves[static_cast<std::size_t>(child)];
                leaves.push_back({.rank = leaf.rank, .thread = leaf.thread});
            } else {
                joins.push_back(tree.joins[static_cast<std::size_t>(join_at(tree, child))].name);
            }
        }
        auto& list = words[static_cast<std::size_t>(kind)];
        list = contributor_words(leaves);
        list.insert(list.end(), joins.begin(), joins.end());
    }
    return words;
}

}  // namespace

std::string write_tree(const Tree& tree) {
    auto text = fmt::format("schema = \"{}\"\n", tree_file_schema);
    if (!tree.name.empty()) {
        text += fmt::format("name = {}\n", quoted_toml(tree.name));
    }
    if (tree.segment) {
        auto size = exact_text(*tree.segment);
        std::erase(size, ' ');
        text += fmt::format("segment = \"{}\"\n", size);
    }
    if (!tree.hosts.empty()) {
        text += "\n[hosts]\n";
        for (const auto& [host, ranks] : ranks_by_host(tree.hosts)) {
            text += fmt::format("{} = \"{}\"\n", toml_key(host), ranks_text(ranks));
        }
    }
    const auto children = children_of(tree);
    for (std::size_t i = 0; i < tree.joins.size(); ++i) {
        const auto& join = tree.joins[i];
        text += fmt::format("\n[join.{}]\non = {}\n", join.name, join.rank);
        const auto words = words_of(tree, children[i]);
        for (const auto kind : values_of<EdgeKind>) {
            const auto& list = words[static_cast<std::size_t>(kind)];
            if (!list.empty()) {
                text += list_line(to_text(kind), list);
            }
        }
    }
    return text;
}

}  // namespace fathom::tree
