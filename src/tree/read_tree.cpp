#include <algorithm>
#include <functional>
#include <initializer_list>
#include <map>
#include <queue>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/printable.hpp"
#include "base/text.hpp"
#include "base/toml.hpp"
#include "tree/contributors.hpp"
#include "tree/file.hpp"
#include "tree/walk.hpp"

namespace fathom::tree {
namespace {

using Line = toml::source_index;

constexpr std::string_view children_fix = "give ranks and joins, such as \"0-3, right\" or [0, 1, \"right\"]";

/// A join that another one lists.
struct WrittenChild {
    std::string name;
    EdgeKind edge = EdgeKind::message;
    Line line = 0;
};

/// A join as the file has it.
struct WrittenJoin {
    std::string name;
    toml::source_position position;
    const toml::node* on = nullptr;
    std::vector<WrittenChild> children = {};
    bool has_leaves = false;
    // Of the join that lists it:
    int parent = -1;
    EdgeKind edge = EdgeKind::message;
    Line listed = 0;

    [[nodiscard]] Line line() const { return position.line; }
};

struct WrittenLeaf {
    Contributor who;
    int join = 0;  ///< among the written ones
    EdgeKind edge = EdgeKind::message;
    Line line = 0;
};

struct WrittenHost {
    int rank = 0;
    std::string_view host;
    Line line = 0;
};

/// Reads one file. Its steps follow each other: joins are read as they are written, connected, put in order,
/// and made a tree, which is then checked as a whole.
class Reader {
  public:
    Reader(const toml::table& table, const std::string& source, const Job& job)
        : table_(&table), source_(&source), job_(&job) {}

    Tree read() {
        take_keys();
        connect();
        order();
        place();
        if (const auto fault = fault_of(tree_, *job_)) {
            refuse(line_of(*fault), fault->sentence);
        }
        return std::move(tree_);
    }

  private:
    [[noreturn]] void refuse(Line line, std::string_view sentence, std::string_view guess = {}) const {
        throw BadInput(fmt::format("{}:{}: {}.{}", *source_, std::max<Line>(line, 1), sentence, guess));
    }

    static Line line_of(const toml::node& node) { return node.source().begin.line; }
    static Line line_of(const toml::key& key) { return key.source().begin.line; }

    // --- as it is written

    void take_keys() {
        static const std::vector<std::string> known{"schema", "name", "segment", "hosts", "join"};
        for (const auto& [key, node] : *table_) {
            const std::string_view name = key.str();
            if (std::find(known.begin(), known.end(), name) == known.end()) {
                const auto guess = did_you_mean(name, known);
                refuse(line_of(key),
                       node.is_table() && is_join_name(name) && guess.empty()
                           ? fmt::format("no key '{}'; a join is written as [join.{}]", name, name)
                           : fmt::format("no key '{}'; give {}", printable_name(name), and_list(known)),
                       guess);
            }
        }
        if (const auto* schema = table_->get("schema");
            schema != nullptr && schema->value_or(std::string()) != tree_file_schema) {
            refuse(line_of(*schema), fmt::format("'schema' must be \"{}\"", tree_file_schema));
        }
        if (const auto* name = table_->get("name")) {
            if (!name->is_string()) {
                refuse(line_of(*name), "'name' must be a text in quotes");
            }
            tree_.name = name->value_or(std::string());
        }
        take_segment();
        take_hosts();
        take_joins();
    }

    void take_segment() {
        const auto* node = table_->get("segment");
        if (node == nullptr) {
            return;
        }
        const auto* number = node->as_integer();
        const auto* text = node->as_string();
        if (number == nullptr && text == nullptr) {
            refuse(line_of(*node), "'segment' must be a size such as 4096 or \"64k\"");
        }
        try {
            tree_.segment = number != nullptr ? Bytes{number->get()} : parse_bytes(text->get());
        } catch (const BadInput& error) {
            refuse(line_of(*node), fmt::format("'segment': {}", error.what()));
        }
        if (tree_.segment->count < 1) {
            refuse(line_of(*node),
                   "'segment' must have at least 1 byte; without it, messages are not divided");
        }
    }

    /// Calls `take(word, line)` for each word of a list: a text with commas, a number, or several in
    /// brackets.
    template <typename Take>
    void for_words(const toml::node& node, std::string_view key, std::string_view fix,
                   const Take& take) const {
        if (const auto* list = node.as_array()) {
            for (const auto& item : *list) {
                if (item.is_array()) {
                    refuse(line_of(item), fmt::format("'{}' has a list within its list; {}", key, fix));
                }
                for_words(item, key, fix, take);
            }
            return;
        }
        if (const auto* number = node.as_integer()) {
            take(fmt::format("{}", number->get()), line_of(node));
            return;
        }
        const auto* text = node.as_string();
        if (text == nullptr) {
            refuse(line_of(node), fmt::format("'{}' has a value of the wrong type; {}", key, fix));
        }
        for (const auto& word : split(text->get(), ',')) {
            if (word.empty()) {
                refuse(line_of(node), fmt::format("'{}' has an empty entry; {}", key, fix));
            }
            take(word, line_of(node));
        }
    }

    [[nodiscard]] Contributors contributors(std::string_view word, Line line) const {
        try {
            return contributors_from(word);
        } catch (const BadInput& error) {
            refuse(line, printable(error.what()));
        }
    }

    void take_hosts() {
        const auto* node = table_->get("hosts");
        if (node == nullptr) {
            return;
        }
        const auto* hosts = node->as_table();
        if (hosts == nullptr) {
            refuse(line_of(*node), "'hosts' must be a table of hosts and their ranks, such as a = \"0-3\"");
        }
        for (const auto& [key, ranks] : *hosts) {
            const std::string_view host = key.str();
            if (host.empty()) {
                refuse(line_of(key), "a host has no name; give one");
            }
            for_words(ranks, printable_name(host), "give its ranks, such as \"0-3\"",
                      [&](std::string_view word, Line line) { take_host(word, line, host); });
        }
        std::stable_sort(hosts_.begin(), hosts_.end(), [](const auto& a, const auto& b) {
            return std::pair(a.rank, a.line) < std::pair(b.rank, b.line);
        });
        for (std::size_t i = 0; i < hosts_.size(); ++i) {
            const auto& here = hosts_[i];
            if (i > 0 && hosts_[i - 1].rank == here.rank) {
                refuse(here.line, fmt::format("rank {} is on two hosts, also in line {}; remove it from one",
                                              here.rank, hosts_[i - 1].line));
            }
            if (here.rank != static_cast<int>(i)) {
                refuse(here.line, fmt::format("rank {} is on no host, although rank {} is; add it to one", i,
                                              here.rank));
            }
            tree_.hosts.emplace_back(here.host);
        }
        if (hosts_.empty()) {
            refuse(line_of(*node), "'hosts' has no ranks; give some, such as a = \"0-3\", or remove it");
        }
    }

    void take_host(std::string_view word, Line line, std::string_view host) {
        if (!names_ranks(word)) {
            refuse(line,
                   fmt::format("host '{}' has '{}', which is not a rank; give its ranks, such as \"0-3\"",
                               printable_name(host), printable_name(word)));
        }
        const auto ranks = contributors(word, line);
        if (word.find(':') != std::string_view::npos) {
            refuse(line, fmt::format("host '{}' lists threads; give its ranks, such as \"0-3\"",
                                     printable_name(host)));
        }
        for (int rank = ranks.first_rank; rank <= ranks.last_rank; ++rank) {
            if (hosts_.size() >= most_leaves) {
                refuse(line, "a rank is on two hosts; remove it from one");
            }
            hosts_.push_back({.rank = rank, .host = host, .line = line});
        }
    }

    void take_joins() {
        const auto* node = table_->get("join");
        const auto* joins = node != nullptr ? node->as_table() : nullptr;
        if (node != nullptr && joins == nullptr) {
            refuse(line_of(*node), "joins are tables with names: write [join.root], [join.left]");
        }
        if (joins == nullptr || joins->empty()) {
            refuse(1, "the file has no join; add one such as [join.root] with message = \"0-7\"");
        }
        // Tables are sorted by name: back to the order in which they were written.
        std::vector<std::pair<const toml::key*, const toml::node*>> written;
        for (const auto& [key, join] : *joins) {
            written.emplace_back(&key, &join);
        }
        const auto position = [](const auto& entry) {
            const auto& begin = entry.first->source().begin;
            return std::pair(begin.line, begin.column);
        };
        std::sort(written.begin(), written.end(),
                  [&](const auto& a, const auto& b) { return position(a) < position(b); });
        for (const auto& [key, join] : written) {
            take_join(*key, *join);
        }
    }

    void take_join(const toml::key& key, const toml::node& node) {
        const std::string name(key.str());
        const auto* table = node.as_table();
        if (!is_join_name(name)) {
            refuse(line_of(key),
                   fmt::format("'{}' is not a name of a join; begin with a letter, and continue with "
                               "letters, digits, _ and -",
                               printable_name(name)));
        }
        if (table == nullptr) {
            refuse(line_of(key), fmt::format("join '{}' must be a table: write [join.{}]", name, name));
        }
        const auto index = static_cast<int>(joins_.size());
        by_name_.emplace(name, index);
        joins_.push_back({.name = name, .position = key.source().begin});
        auto& join = joins_.back();
        for (const auto& [inner, value] : *table) {
            const std::string_view what = inner.str();
            if (what == "on") {
                join.on = &value;
                continue;
            }
            const auto kind = from_text<EdgeKind>(what);
            if (!kind) {
                refuse_key(line_of(inner), name, what);
            }
            for_words(value, what, children_fix, [&, edge = *kind](std::string_view word, Line line) {
                take_child(join, index, word, edge, line);
            });
        }
        if (join.children.empty() && !join.has_leaves) {
            refuse(join.line(),
                   fmt::format("join '{}' has no contributions; list ranks or joins in it, such as "
                               "message = \"0-3\", or remove it",
                               name));
        }
    }

    [[noreturn]] void refuse_key(Line line, const std::string& join, std::string_view key) const {
        std::vector<std::string> known{"on"};
        known.insert(known.end(), names_of<EdgeKind>.begin(), names_of<EdgeKind>.end());
        refuse(
            line,
            fmt::format(
                "join '{}' has no key '{}'; give 'on' (a rank or a host), or a kind of edge ({}) with what "
                "contributes through it",
                join, printable_name(key), fmt::join(names_of<EdgeKind>, ", ")),
            did_you_mean(key, known));
    }

    void take_child(WrittenJoin& join, int index, std::string_view word, EdgeKind edge, Line line) {
        if (!names_ranks(word)) {
            join.children.push_back({.name = std::string(word), .edge = edge, .line = line});
            return;
        }
        const auto range = contributors(word, line);
        const auto threads = std::int64_t{range.last_thread} - range.first_thread + 1;
        const auto all = threads * (range.last_rank - range.first_rank + 1);
        if (all > most_leaves - static_cast<std::int64_t>(leaves_.size())) {
            refuse(line, fmt::format("more than {} ranks and threads contribute; give fewer", most_leaves));
        }
        join.has_leaves = true;
        for (int rank = range.first_rank; rank <= range.last_rank; ++rank) {
            for (int thread = range.first_thread; thread <= range.last_thread; ++thread) {
                leaves_.push_back(
                    {.who = {.rank = rank, .thread = thread}, .join = index, .edge = edge, .line = line});
            }
        }
    }

    // --- how it hangs together

    /// Finds the joins that are listed in others.
    void connect() {
        for (std::size_t i = 0; i < joins_.size(); ++i) {
            for (const auto& child : joins_[i].children) {
                const auto found = by_name_.find(child.name);
                if (found == by_name_.end()) {
                    const auto name = printable_name(child.name);
                    refuse(child.line,
                           fmt::format("no join '{}'; add [join.{}], or correct the name", name, name),
                           did_you_mean(child.name, names_of_joins()));
                }
                auto& join = joins_[static_cast<std::size_t>(found->second)];
                if (found->second == static_cast<int>(i)) {
                    refuse(child.line, fmt::format("join '{}' lists itself; remove that", join.name));
                }
                if (join.parent >= 0) {
                    refuse(child.line,
                           fmt::format(
                               "join '{}' contributes twice, also in line {}; remove it from one of them",
                               join.name, join.listed));
                }
                join.parent = static_cast<int>(i);
                join.edge = child.edge;
                join.listed = child.line;
            }
        }
    }

    [[nodiscard]] std::vector<std::string> names_of_joins() const {
        std::vector<std::string> names;
        for (const auto& join : joins_) {
            names.push_back(join.name);
        }
        return names;
    }

    /// Puts joins after their parents, and otherwise leaves them as they are written; leaves in rank order.
    void order() {
        std::vector<std::vector<int>> below(joins_.size());
        std::priority_queue<int, std::vector<int>, std::greater<>> next;
        int root = -1;
        for (int i = 0; i < static_cast<int>(joins_.size()); ++i) {
            const auto& join = joins_[static_cast<std::size_t>(i)];
            if (join.parent >= 0) {
                below[static_cast<std::size_t>(join.parent)].push_back(i);
            } else if (root >= 0) {
                const auto& first = joins_[static_cast<std::size_t>(root)];
                refuse(join.line(),
                       fmt::format(
                           "join '{}' is listed in no other, and '{}' (line {}) neither, but a tree has one "
                           "root; list one of them in another join",
                           join.name, first.name, first.line()));
            } else {
                root = i;
                next.push(i);
            }
        }
        std::vector<int> position(joins_.size(), -1);
        while (!next.empty()) {
            const int join = next.top();
            next.pop();
            position[static_cast<std::size_t>(join)] = static_cast<int>(order_.size());
            order_.push_back(join);
            for (const int child : below[static_cast<std::size_t>(join)]) {
                next.push(child);
            }
        }
        const auto left = std::find(position.begin(), position.end(), -1);
        if (left != position.end()) {
            refuse_cycle(static_cast<int>(left - position.begin()));
        }
        for (const int index : order_) {
            const auto& join = joins_[static_cast<std::size_t>(index)];
            const int parent = join.parent < 0 ? -1 : position[static_cast<std::size_t>(join.parent)];
            tree_.joins.push_back({.name = join.name, .rank = 0, .parent = parent, .edge = join.edge});
        }
        order_leaves(position);
    }

    /// From a join that no root is above of: the way towards the root comes back to where it was.
    [[noreturn]] void refuse_cycle(int start) const {
        std::vector<bool> seen(joins_.size(), false);
        int at = start;
        while (!seen[static_cast<std::size_t>(at)]) {
            seen[static_cast<std::size_t>(at)] = true;
            at = joins_[static_cast<std::size_t>(at)].parent;
        }
        constexpr std::size_t most_named = 8;
        std::vector<std::string> way;
        const int first = at;
        do {
            way.push_back(joins_[static_cast<std::size_t>(at)].name);
            at = joins_[static_cast<std::size_t>(at)].parent;
        } while (at != first && way.size() < most_named);
        way.emplace_back(at == first ? way.front() : "...");
        const auto& join = joins_[static_cast<std::size_t>(first)];
        refuse(join.listed,
               fmt::format("joins contribute to each other in a cycle: {}; remove one of these edges",
                           fmt::join(way, " -> ")));
    }

    void order_leaves(const std::vector<int>& position) {
        std::stable_sort(leaves_.begin(), leaves_.end(), [](const auto& a, const auto& b) {
            return std::pair(a.who, a.line) < std::pair(b.who, b.line);
        });
        for (std::size_t i = 0; i < leaves_.size(); ++i) {
            const auto& leaf = leaves_[i];
            tree_.leaves.push_back({.rank = leaf.who.rank,
                                    .thread = leaf.who.thread,
                                    .parent = position[static_cast<std::size_t>(leaf.join)],
                                    .edge = leaf.edge});
            if (i > 0 && leaves_[i - 1].who == leaf.who) {
                refuse(leaf.line,
                       fmt::format("{} contributes twice, also in line {}; remove it from one of them",
                                   node_text(tree_, static_cast<int>(i)), leaves_[i - 1].line));
            }
        }
    }

    // --- who performs joins

    void place() {
        const auto spans = spans_of(tree_);
        for (std::size_t i = 0; i < order_.size(); ++i) {
            const auto& written = joins_[static_cast<std::size_t>(order_[i])];
            const auto& span = spans[static_cast<std::size_t>(node_of_join(tree_, static_cast<int>(i)))];
            const int lowest = tree_.leaves[static_cast<std::size_t>(span.first)].rank;
            const int highest = tree_.leaves[static_cast<std::size_t>(span.last)].rank;
            auto& rank = tree_.joins[i].rank;
            if (written.on == nullptr) {
                rank = lowest;
            } else if (const auto* number = written.on->as_integer()) {
                if (number->get() < 0 || number->get() >= most_leaves) {
                    refuse(line_of(*written.on),
                           fmt::format("join '{}' is on rank {}, which is out of range: ranks are 0 to {}",
                                       written.name, number->get(), rank_count(tree_) - 1));
                }
                rank = static_cast<int>(number->get());
            } else if (const auto* host = written.on->as_string()) {
                const auto& ranks = ranks_on(host->get(), written);
                const auto found = std::lower_bound(ranks.begin(), ranks.end(), lowest);
                rank = found != ranks.end() && *found <= highest ? *found : ranks.front();
            } else {
                refuse(line_of(*written.on),
                       fmt::format("'on' of join '{}' must be a rank such as 0, or a host in quotes",
                                   written.name));
            }
        }
    }

    /// Ranks on the host that a join is on: a host of the file or, if it has none of this name, of the job.
    [[nodiscard]] const std::vector<int>& ranks_on(const std::string& host, const WrittenJoin& join) {
        const auto line = line_of(*join.on);
        const auto shown = printable_name(host);
        if (tree_.hosts.empty() && job_->hosts.empty()) {
            const bool number = host.find_first_not_of("0123456789") == std::string::npos && !host.empty();
            refuse(line,
                   number
                       ? fmt::format("'on' of join '{}' is \"{}\"; write a rank without quotes: on = {}",
                                     join.name, shown, shown)
                       : fmt::format("join '{}' is on host '{}', but it is not known where ranks are; add a "
                                     "table [hosts] with {} = \"0-3\", or give a host list (--hosts)",
                                     join.name, shown, shown));
        }
        if (ranks_of_host_.empty()) {
            for (const auto* hosts : std::initializer_list<const Hosts*>{&job_->hosts, &tree_.hosts}) {
                for (auto& [name, ranks] : ranks_by_host(*hosts)) {
                    ranks_of_host_[name] = std::move(ranks);
                }
            }
        }
        const auto found = ranks_of_host_.find(host);
        if (found == ranks_of_host_.end()) {
            std::vector<std::string> known;
            for (const auto& [name, ranks] : ranks_of_host_) {
                known.push_back(name);
            }
            refuse(
                line,
                fmt::format("join '{}' is on host '{}', but no rank is; name another host", join.name, shown),
                did_you_mean(host, known));
        }
        return found->second;
    }

    // --- where it is written

    [[nodiscard]] Line line_of(const Fault& fault) const {
        const auto written = [&](Node node) -> const WrittenJoin& {
            return joins_[static_cast<std::size_t>(order_[static_cast<std::size_t>(join_at(tree_, node))])];
        };
        const auto leaf_line = [&](Node node) { return leaves_[static_cast<std::size_t>(node)].line; };
        switch (fault.subject) {
            case Fault::Subject::node:
                return is_leaf(tree_, fault.index) ? leaf_line(fault.index) : written(fault.index).line();
            case Fault::Subject::place: {
                const auto& join = written(fault.index);
                return join.on != nullptr ? line_of(*join.on) : join.line();
            }
            case Fault::Subject::edge:
                return is_leaf(tree_, fault.index) ? leaf_line(fault.index) : written(fault.index).listed;
            case Fault::Subject::host:
                return hosts_[static_cast<std::size_t>(fault.index)].line;
            case Fault::Subject::tree:
                break;
        }
        const auto* hosts = table_->get("hosts");
        return hosts != nullptr ? line_of(*hosts) : 1;
    }

    const toml::table* table_;
    const std::string* source_;
    const Job* job_;
    std::vector<WrittenHost> hosts_;   ///< by rank, once they are read
    std::vector<WrittenJoin> joins_;   ///< as they are written
    std::vector<WrittenLeaf> leaves_;  ///< in the order of the tree, once it is made
    std::unordered_map<std::string, int> by_name_;
    std::vector<int> order_;  ///< of the tree's joins: their places among the written ones
    std::map<std::string, std::vector<int>> ranks_of_host_;
    Tree tree_;
};

}  // namespace

Tree read_tree(std::string_view text, const std::string& source, const Job& job) {
    const auto table = parse_toml(text, source);
    return Reader(table, source, job).read();
}

Tree read_tree_file(const std::filesystem::path& file, const Job& job) {
    return read_tree(read_file(file, longest_input), file.string(), job);
}

}  // namespace fathom::tree
