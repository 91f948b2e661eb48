#include "plan/plan_toml.hpp"

#include <algorithm>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/toml.hpp"
#include "plan/point_key_toml.hpp"
#include "plan/presets.hpp"
#include "plan/schemes.hpp"
#include "plan/settings.hpp"
#include "plan/unknown_name.hpp"

namespace fathom::plan {
namespace {

constexpr std::string_view schema_name = "fathom.plan/1";
constexpr std::string_view job_key = "job";
constexpr std::string_view overrides_key = "scheme_overrides";
constexpr std::string_view trees_key = "trees";
constexpr std::string_view settled_level_key = "settled_thread_level";

/// A TOML value as a setting takes it, or nothing for kinds no setting takes (dates, tables).
std::optional<SettingValue> setting_value(const toml::node& node) {
    if (const auto* text = node.as_string()) {
        return text->get();
    }
    if (const auto* number = node.as_integer()) {
        return number->get();
    }
    if (const auto* number = node.as_floating_point()) {
        return number->get();
    }
    if (const auto* toggle = node.as_boolean()) {
        return toggle->get();
    }
    if (const auto* array = node.as_array()) {
        std::vector<std::string> list;
        for (const auto& item : *array) {
            if (const auto* word = item.as_string()) {
                list.push_back(word->get());
            } else if (const auto* number = item.as_integer()) {
                list.push_back(fmt::format("{}", number->get()));
            } else {
                return std::nullopt;
            }
        }
        return list;
    }
    return std::nullopt;
}

void take(Plan& plan, const Setting& setting, const toml::node& node, const std::string& source) {
    const auto value = setting_value(node);
    if (!value) {
        throw BadInput(fmt::format("{}: '{}' has a value of the wrong type; see docs/plans.md.",
                                   place_in(source, node.source()), setting.key));
    }
    try {
        setting.give(plan, *value);
    } catch (const UnknownName& error) {  // says which name of a list it is
        throw BadInput(fmt::format("{}: {}", place_in(source, node.source()), error.what()));
    } catch (const BadInput& error) {
        throw BadInput(fmt::format("{}: '{}' is {}; {}, or remove the line.", place_in(source, node.source()),
                                   setting.key, quoted(*value), error.what()));
    }
}

void take_named(Plan& plan, const toml::table& table, std::string_view key, const std::string& source,
                void (*apply)(Plan& plan, std::string_view name)) {
    const auto* node = table.get(key);
    if (node == nullptr) {
        return;
    }
    const auto* name = node->as_string();
    if (name == nullptr) {
        throw BadInput(
            fmt::format("{}: '{}' must be a name in quotes.", place_in(source, node->source()), key));
    }
    try {
        apply(plan, name->get());
    } catch (const BadInput& error) {
        throw BadInput(fmt::format("{}: {}", place_in(source, node->source()), error.what()));
    }
}

/// A stored plan has every setting and says which of them the user gave besides the scheme; in a plan that a
/// user wrote, all are.
void take_overrides(Plan& plan, const toml::table& table, const std::string& source) {
    const auto* const node = table.get(overrides_key);
    if (node == nullptr) {
        return;
    }
    const auto value = setting_value(*node);
    const auto* const keys = value ? std::get_if<std::vector<std::string>>(&*value) : nullptr;
    if (keys == nullptr) {
        throw BadInput(fmt::format("{}: '{}' must be a list of settings.", place_in(source, node->source()),
                                   overrides_key));
    }
    plan.scheme_overrides = *keys;
}

/// Which thread level was settled rather than given. One that differs from the plan's own was changed since,
/// so that it is given.
void take_settled_level(Plan& plan, const toml::table& table, const std::string& source) {
    const auto* const node = table.get(settled_level_key);
    if (node == nullptr) {
        return;
    }
    const auto level = from_text<ThreadLevel>(node->value_or(std::string()));
    if (!level) {
        throw BadInput(fmt::format("{}: '{}' must be a thread level.", place_in(source, node->source()),
                                   settled_level_key));
    }
    if (plan.thread_levels == std::vector{*level}) {
        plan.settled_thread_level = level;
    }
}

/// Whether `tree:` can stand before it.
bool may_follow_colon(const std::string& name) {
    try {
        return !implementation_from("tree:" + name).name.empty();
    } catch (const BadInput&) {
        return false;
    }
}

/// The content of the trees that `via` names, where the plan has it.
void take_tree_texts(Plan& plan, const toml::table& table, const std::string& source) {
    const auto* const node = table.get(trees_key);
    if (node == nullptr) {
        return;
    }
    const auto refused = [&] {
        return BadInput(fmt::format("{}: '{}' must be a list of at most {} tables with name, file and lines.",
                                    place_in(source, node->source()), trees_key, most_trees));
    };
    const auto* const list = node->as_array();
    if (list == nullptr || list->size() > most_trees) {
        throw refused();
    }
    plan.trees.clear();
    for (const auto& item : *list) {
        const auto* const entry = item.as_table();
        const auto name = entry != nullptr ? (*entry)["name"].value<std::string>() : std::nullopt;
        const auto file = entry != nullptr ? (*entry)["file"].value<std::string>() : std::nullopt;
        const auto lines =
            entry != nullptr && entry->contains("lines") ? setting_value(*entry->get("lines")) : std::nullopt;
        const auto* const words = lines ? std::get_if<std::vector<std::string>>(&*lines) : nullptr;
        if (!name || !file || words == nullptr || !may_follow_colon(*name) || !may_follow_colon(*file)) {
            throw refused();
        }
        plan.trees.push_back(
            {.name = *name, .file = *file, .text = fmt::format("{}", fmt::join(*words, "\n"))});
    }
}

/// Line by line: what toml++ 3.3 writes for a text of several lines is another one if it has three quotes.
toml::array lines_of(const std::string& text) {
    toml::array lines;
    for (std::size_t at = 0; at <= text.size();) {
        const auto end = std::min(text.find('\n', at), text.size());
        lines.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return lines;
}

void take_all(Plan& plan, const toml::table& table, const std::string& source, bool may_hold_job) {
    // Presets and schemes apply before the other keys, wherever they are in the file.
    take_named(plan, table, "preset", source, apply_preset);
    take_named(plan, table, "scheme", source, apply_scheme);
    for (const auto& [key, node] : table) {
        const std::string_view name = key.str();
        if (name == "preset" || name == "scheme" || name == overrides_key || name == trees_key ||
            name == settled_level_key || (name == job_key && may_hold_job)) {
            continue;
        }
        if (name == "schema") {
            if (node.value_or(std::string()) != schema_name) {
                throw BadInput(
                    fmt::format("{}: 'schema' must be \"{}\".", place_in(source, key.source()), schema_name));
            }
            continue;
        }
        const auto rows = settings();
        const auto row =
            std::find_if(rows.begin(), rows.end(), [&](const auto& known) { return known.key == name; });
        if (row == rows.end()) {
            std::vector<std::string> keys{"preset", "schema", "scheme"};
            for (const auto& known : rows) {
                keys.emplace_back(known.key);
            }
            throw BadInput(fmt::format("{}: no setting '{}'.{}", place_in(source, key.source()), name,
                                       did_you_mean(name, keys)));
        }
        take(plan, *row, node, source);
    }
    take_overrides(plan, table, source);
    take_settled_level(plan, table, source);
    take_tree_texts(plan, table, source);  // naming implementations forgets those of others
}

toml::array array_of(const std::vector<std::string>& words) {
    toml::array array;
    for (const auto& word : words) {
        array.push_back(word);
    }
    return array;
}

toml::table table_of(const Plan& plan) {
    toml::table table;
    for (const auto& setting : settings()) {
        if (setting.absent(plan)) {
            continue;
        }
        std::visit(
            [&](const auto& value) {
                if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::vector<std::string>>) {
                    table.insert(setting.key, array_of(value));
                } else {
                    table.insert(setting.key, value);
                }
            },
            setting.get(plan));
    }
    if (!plan.trees.empty()) {
        toml::array trees;
        for (const auto& tree : plan.trees) {
            trees.push_back(
                toml::table{{"name", tree.name}, {"file", tree.file}, {"lines", lines_of(tree.text)}});
        }
        table.insert(trees_key, std::move(trees));
    }
    if (!plan.scheme.empty()) {
        table.insert("scheme", plan.scheme);
        table.insert(overrides_key, array_of(plan.scheme_overrides));
    }
    if (plan.settled_thread_level) {
        table.insert(settled_level_key, to_text(*plan.settled_thread_level));
    }
    table.insert("schema", std::string(schema_name));
    return table;
}

toml::table table_of(const PointSpec& point) {
    toml::table table{{"index", point.index}, {"purpose", point.purpose}};
    put_key(table, point.key);
    return table;
}

PointSpec point_from(const toml::table& table) {
    return {.index = table["index"].value_or(-1),
            .key = key_from<PointKey>(table),
            .purpose = table["purpose"].value_or(std::string())};
}

toml::table table_of(const KnownPoint& known) {
    auto table = table_of(known.point);
    table.insert("measured", known.measured);
    table.insert("median_ns", known.median_ns);
    table.insert("low_ns", known.low_ns);
    table.insert("high_ns", known.high_ns);
    return table;
}

KnownPoint known_from(const toml::table& table) {
    return {.point = point_from(table),
            .measured = table["measured"].value_or(true),
            .median_ns = table["median_ns"].value_or(0.0),
            .low_ns = table["low_ns"].value_or(0.0),
            .high_ns = table["high_ns"].value_or(0.0)};
}

/// Items of a list of tables.
template <typename Item>
std::vector<Item> items_from(const toml::node_view<const toml::node>& list,
                             Item (*item_from)(const toml::table& table)) {
    std::vector<Item> items;
    if (const auto* array = list.as_array()) {
        for (const auto& node : *array) {
            if (const auto* table = node.as_table()) {
                items.push_back(item_from(*table));
            }
        }
    }
    return items;
}

template <typename Item>
toml::array tables_of(const std::vector<Item>& items) {
    toml::array array;
    for (const auto& item : items) {
        array.push_back(table_of(item));
    }
    return array;
}

toml::table table_of(const ClockTask& task) {
    toml::array after;
    for (const auto time : task.after) {
        after.push_back(time.count);
    }
    return toml::table{
        {"kind", to_text(task.kind)},   {"repeat", task.repeat}, {"length_ns", task.length.count},
        {"every_ns", task.every.count}, {"pairs", task.pairs},   {"pings", task.pings},
        {"after_ns", std::move(after)}, {"events", task.events}};
}

ClockTask clock_task_from(const toml::node_view<const toml::node>& job) {
    const auto words = job["clock"];
    ClockTask task;
    if (const auto kind = words["kind"].value<std::string>()) {
        task.kind = from_text<ClockStudy>(*kind);
        if (!task.kind) {
            throw BadInput(fmt::format("the job requests an unknown clock study, '{}'", *kind));
        }
    }
    task.repeat = words["repeat"].value_or(task.repeat);
    task.length = {words["length_ns"].value_or(task.length.count)};
    task.every = {words["every_ns"].value_or(task.every.count)};
    task.pairs = words["pairs"].value_or(task.pairs);
    task.pings = words["pings"].value_or(task.pings);
    task.events = words["events"].value_or(task.events);
    if (const auto* after = words["after_ns"].as_array()) {
        task.after.clear();
        for (const auto& time : *after) {
            task.after.push_back({time.value_or(std::int64_t{0})});
        }
    }
    return task;
}

std::string text_of(const toml::table& table) {
    std::ostringstream out;
    out << table << "\n";
    return out.str();
}

}  // namespace

void read_plan(Plan& plan, std::string_view toml, const std::string& source) {
    take_all(plan, parse_toml(toml, source), source, false);
}

void read_stored_plan(Plan& plan, std::string_view toml, std::int64_t run) {
    read_plan(plan, toml, fmt::format("plan of run {}", run));
}

std::string write_plan(const Plan& plan) {
    return text_of(table_of(plan));
}

Job read_job(std::string_view toml, const std::string& source) {
    const auto table = parse_toml(toml, source);
    Job job;
    apply_preset(job.plan, default_preset);
    take_all(job.plan, table, source, true);
    job.journal = table[job_key]["journal"].value_or(source + ".journal");
    job.points = items_from(table[job_key]["points"], point_from);
    job.known = items_from(table[job_key]["known"], known_from);
    job.next_index = table[job_key]["next_index"].value_or(0);
    job.refining = table[job_key]["refining"].value_or(true);
    job.effort = table[job_key]["effort"].value_or(1.0);
    job.allowance_s = table[job_key]["allowance_s"].value_or(0.0);
    // If the probe is started by hand, the user also sets the library's variables.
    job.progress = table[job_key]["progress"].value_or(
        std::string(job.plan.overlap.progress == Progress::library ? "" : progress_thread));
    job.setting = table[job_key]["setting"].value_or(std::string());
    job.clock = clock_task_from(table[job_key]);
    return job;
}

std::string write_job(const Job& job) {
    auto table = table_of(job.plan);
    toml::table words{{"journal", job.journal},        {"points", tables_of(job.points)},
                      {"known", tables_of(job.known)}, {"next_index", job.next_index},
                      {"refining", job.refining},      {"progress", job.progress},
                      {"setting", job.setting},        {"effort", job.effort},
                      {"allowance_s", job.allowance_s}};
    if (job.clock.kind) {
        words.insert("clock", table_of(job.clock));
    }
    table.insert(job_key, std::move(words));
    return text_of(table);
}

}  // namespace fathom::plan
