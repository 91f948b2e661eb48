#include "plan/varied_settings.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "plan/point_key.hpp"

namespace fathom::plan {
namespace {

/// A library's parameters, which it reads from variables of the environment.
struct ParameterKind {
    std::string_view prefix;      ///< of a name on the command line
    std::string_view variable;    ///< beginning of its variables
    std::string_view shown_as;    ///< beginning of the name in results
    std::optional<Flavour> only;  ///< the one flavour that reads it
    std::string_view library;
};

constexpr auto parameter_kinds = std::to_array<ParameterKind>({
    {"mca:", "OMPI_MCA_", "", Flavour::openmpi, "Open MPI"},
    {"cvar:", "MPIR_CVAR_", "MPIR_CVAR_", Flavour::mpich, "MPICH"},
    {"env:", "", "", std::nullopt, ""},
});
constexpr const auto& of_open_mpi = parameter_kinds[0];

/// Open MPI's tuned collectives ignore the choice of an algorithm without this.
constexpr std::string_view tuned_prefix = "OMPI_MCA_coll_tuned_";
constexpr std::string_view dynamic_rules = "OMPI_MCA_coll_tuned_use_dynamic_rules";

constexpr std::string_view form = "give NAME=VALUE,VALUE,... such as mca:btl_vader_eager_limit=4096,32768";

bool is_name(std::string_view text) {
    return !text.empty() && std::isdigit(static_cast<unsigned char>(text.front())) == 0 &&
           std::all_of(text.begin(), text.end(),
                       [](unsigned char letter) { return std::isalnum(letter) != 0 || letter == '_'; });
}

bool is_lower_case(std::string_view text) {
    return std::none_of(text.begin(), text.end(),
                        [](unsigned char letter) { return std::isupper(letter) != 0; });
}

/// The variable of a name as it was given.
std::string variable_of(std::string_view given) {
    for (const auto& kind : parameter_kinds) {
        if (given.starts_with(kind.prefix)) {
            const auto name = given.substr(kind.prefix.size());
            return name.starts_with(kind.variable) ? std::string(name)
                                                   : fmt::format("{}{}", kind.variable, name);
        }
    }
    return is_lower_case(given) ? fmt::format("{}{}", of_open_mpi.variable, given) : std::string(given);
}

std::string name_of(const std::string& variable) {
    const auto* const kind =
        std::find_if(parameter_kinds.begin(), parameter_kinds.end(),
                     [&](const auto& row) { return variable.starts_with(row.variable); });
    return fmt::format("{}{}", kind->shown_as, variable.substr(kind->variable.size()));
}

std::vector<std::string> values_of(std::string_view text) {
    const char separator = text.find(';') != std::string_view::npos ? ';' : ',';
    std::vector<std::string> values;
    for (std::size_t at = 0; at <= text.size();) {
        const auto end = std::min(text.find(separator, at), text.size());
        values.push_back(trimmed(text.substr(at, end - at)));
        at = end + 1;
    }
    return values;
}

std::vector<VariedSetting> all_of(const std::vector<std::string>& vary) {
    std::vector<VariedSetting> settings;
    settings.reserve(vary.size());
    for (const auto& text : vary) {
        settings.push_back(varied_setting(text));
    }
    return settings;
}

void add_value(Combination& combination, std::string_view name, std::string_view value) {
    combination.text += fmt::format("{}{}={}", combination.text.empty() ? "" : " ", name, value);
    if (combination.text.size() > longest_dimension) {
        throw BadInput(fmt::format("--vary makes a combination of more than {} bytes; give shorter values.",
                                   longest_dimension));
    }
    combination.values.emplace_back(value);
}

/// One for each thread level; they have a text only if there are several.
std::vector<Combination> by_thread_level(const std::vector<ThreadLevel>& levels) {
    std::vector<Combination> all;
    for (const auto level : levels) {
        all.emplace_back().thread_level = level;
        if (levels.size() > 1) {
            add_value(all.back(), thread_level_name, fathom::to_text(level));
        }
    }
    if (all.empty()) {
        all.emplace_back();
    }
    return all;
}

}  // namespace

VariedSetting varied_setting(std::string_view text) {
    const auto equals = text.find('=');
    if (equals == std::string_view::npos) {
        throw BadInput(std::string(form));
    }
    VariedSetting setting{.variable = variable_of(trimmed(text.substr(0, equals))),
                          .name = {},
                          .values = values_of(text.substr(equals + 1))};
    const auto& values = setting.values;
    const bool control =
        std::any_of(text.begin(), text.end(), [](unsigned char letter) { return letter < ' '; });
    setting.name = is_name(setting.variable) ? name_of(setting.variable) : std::string();
    if (setting.name.empty() || control ||
        std::any_of(values.begin(), values.end(), [](const auto& value) { return value.empty(); })) {
        throw BadInput(std::string(form));
    }
    if (values.size() < 2) {
        throw BadInput(fmt::format("give {} at least two values to compare, such as {}={},OTHER",
                                   setting.variable, setting.variable, values.front()));
    }
    if (std::set<std::string>(values.begin(), values.end()).size() < values.size()) {
        throw BadInput(fmt::format("give each value of {} once", setting.variable));
    }
    return setting;
}

std::string to_text(const VariedSetting& setting) {
    const bool commas = std::any_of(setting.values.begin(), setting.values.end(),
                                    [](const auto& value) { return value.find(',') != std::string::npos; });
    // Reading takes a name in lower case for one of Open MPI's.
    return fmt::format("{}{}={}", is_lower_case(setting.variable) ? "env:" : "", setting.variable,
                       fmt::join(setting.values, commas ? ";" : ","));
}

std::vector<std::string> varied_names(const std::vector<std::string>& vary,
                                      const std::vector<ThreadLevel>& levels) {
    std::vector<std::string> names;
    if (levels.size() > 1) {
        names.emplace_back(thread_level_name);
    }
    for (const auto& setting : all_of(vary)) {
        names.push_back(setting.name);
    }
    return names;
}

std::vector<Combination> combinations(const std::vector<std::string>& vary,
                                      const std::vector<ThreadLevel>& levels) {
    auto all = by_thread_level(levels);
    std::set<std::string> names;
    for (const auto& setting : all_of(vary)) {
        if (!names.insert(setting.variable).second) {
            throw BadInput(
                fmt::format("--vary names {} twice; give all its values together.", setting.variable));
        }
        std::vector<Combination> longer;
        for (const auto& before : all) {
            for (const auto& value : setting.values) {
                longer.push_back(before);
                auto& next = longer.back();
                add_value(next, setting.name, value);
                if (value == unset_value) {
                    next.removed.push_back(setting.variable);
                } else {
                    next.environment.emplace_back(setting.variable, value);
                }
            }
        }
        all = std::move(longer);
        if (all.size() > most_combinations) {
            throw BadInput(fmt::format(
                "--vary and --thread-level make more than {} combinations; vary fewer values at a time.",
                most_combinations));
        }
    }
    const auto enabling = enabling_variables(vary);
    for (auto& combination : all) {
        combination.environment.insert(combination.environment.end(), enabling.begin(), enabling.end());
    }
    return all;
}

std::vector<std::pair<std::string, std::string>> enabling_variables(const std::vector<std::string>& vary) {
    const auto settings = all_of(vary);
    const auto varies = [&](auto matches) {
        return std::any_of(settings.begin(), settings.end(),
                           [&](const auto& setting) { return matches(setting.variable); });
    };
    const bool tuned = varies([](const auto& variable) { return variable.starts_with(tuned_prefix); });
    const bool itself = varies([](const auto& variable) { return variable == dynamic_rules; });
    if (!tuned || itself) {
        return {};
    }
    return {{std::string(dynamic_rules), "1"}};
}

std::optional<std::string> parameter_of(const std::string& variable, Flavour flavour) {
    const auto* const kind =
        std::find_if(parameter_kinds.begin(), parameter_kinds.end(),
                     [&](const auto& row) { return row.only && variable.starts_with(row.variable); });
    if (kind == parameter_kinds.end() || kind->only != flavour) {
        return std::nullopt;
    }
    return fmt::format("{}{}", kind->shown_as, variable.substr(kind->variable.size()));
}

void check_variables(const std::vector<std::string>& vary, Flavour flavour) {
    for (const auto& setting : all_of(vary)) {
        if (flavour == Flavour::smpi) {
            throw BadInput(fmt::format(
                "a simulation does not read environment variables such as {}; --vary needs a real library.",
                setting.variable));
        }
        for (const auto& kind : parameter_kinds) {
            const bool its_own = kind.only && setting.variable.starts_with(kind.variable);
            if (its_own && flavour != *kind.only && flavour != Flavour::mpi) {
                throw BadInput(
                    fmt::format("{} is a parameter of {}, which {} does not read; change --vary or --mpi.",
                                setting.variable, kind.library, to_text(flavour)));
            }
        }
    }
}

}  // namespace fathom::plan
