#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/named_enum.hpp"
#include "plan/choices.hpp"

/// What differs between the jobs of a run, to be compared: environment variables and parameters of MPI
/// libraries (`--vary`), and the thread level (`--thread-level`).
namespace fathom::plan {

using fathom::to_text;  // the text of a varied setting is one more

/// A variable and the values that it takes in turn.
struct VariedSetting {
    std::string variable;             ///< of the environment: `OMPI_MCA_btl_vader_eager_limit`
    std::string name;                 ///< as results have it: `btl_vader_eager_limit`
    std::vector<std::string> values;  ///< at least two, all different

    friend bool operator==(const VariedSetting&, const VariedSetting&) = default;
};

/// The value of a variable that is not there: what the library does by itself.
inline constexpr std::string_view unset_value = "unset";

/// Reads `NAME=VALUE,VALUE,...`; values that contain commas are separated by semicolons. NAME is `mca:NAME`
/// (Open MPI), `cvar:NAME` (MPICH), `env:NAME`, a variable of the environment, or, all in lower case, a
/// parameter of Open MPI. Throws BadInput that says what to give instead.
VariedSetting varied_setting(std::string_view text);

/// The same with the variable written out, which means the same with every library.
std::string to_text(const VariedSetting& setting);

/// One value of each varied setting.
struct Combination {
    std::string text;                 ///< as PointKey::setting: `a=1 b=2`; empty where nothing is varied
    std::vector<std::string> values;  ///< one for each varied setting, in the order of the plan
    std::vector<std::pair<std::string, std::string>> environment;  ///< with all that it needs to take effect
    std::vector<std::string> removed = {};                         ///< variables that are not to be there
    ThreadLevel thread_level = ThreadLevel::single;
};

/// More are refused: each takes several launches.
inline constexpr std::size_t most_combinations = 64;

/// The name of the thread level in results where several are compared.
inline constexpr std::string_view thread_level_name = "thread_level";

/// The names of everything that is varied, in the order of Combination::values.
std::vector<std::string> varied_names(const std::vector<std::string>& vary,
                                      const std::vector<ThreadLevel>& levels = {});

/// All combinations of settings as a plan lists them, thread levels first, the last varying fastest; one
/// whose text is empty where nothing is varied. A single thread level is that of all of them. Throws BadInput
/// if a variable is named twice or there are too many.
std::vector<Combination> combinations(const std::vector<std::string>& vary,
                                      const std::vector<ThreadLevel>& levels = {});

/// What has to be set besides for the values to take effect, the same in all combinations.
std::vector<std::pair<std::string, std::string>> enabling_variables(const std::vector<std::string>& vary);

/// The name under which a library of this flavour has the parameter that a variable sets, as MPI_T names it;
/// nothing for variables that set none.
std::optional<std::string> parameter_of(const std::string& variable, Flavour flavour);

/// Throws BadInput if a library of this flavour does not read one of the variables.
void check_variables(const std::vector<std::string>& vary, Flavour flavour);

}  // namespace fathom::plan
