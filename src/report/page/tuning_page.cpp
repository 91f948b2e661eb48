#include "report/page/tuning_page.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/build_info.hpp"
#include "base/error.hpp"
#include "base/printable.hpp"
#include "report/tuning.hpp"

namespace fathom::report {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

// What a page can show, far above what a tuning has. The number of values bounds the memory.
constexpr std::size_t most_values = 2'000'000;
constexpr int deepest_value = 16;
constexpr std::size_t most_operations = 1'000;
constexpr std::size_t most_implementations = 500;
constexpr std::size_t most_sizes = 10'000;
constexpr std::size_t most_times = 100'000;
constexpr std::size_t most_files = 100;
constexpr std::size_t most_variables = 1'000;
constexpr std::size_t longest_word = 1'000;
/// MPI_Get_library_version of MPICH may be this long, as may the value of a variable.
constexpr std::size_t longest_text = 8'192;
constexpr std::int64_t most_processes = INT32_MAX;
/// The largest whole number that a script holds exactly.
constexpr std::int64_t largest_whole = std::int64_t{1} << 53;
/// Eleven days: no call takes longer, and axes need an end.
constexpr double longest_time = 1e15;

/// A value of a document and where it is, for errors.
class TuningField {
  public:
    TuningField(const json& value, std::string source, std::string path)
        : value_(&value), source_(std::move(source)), path_(std::move(path)) {
        if (!value.is_object()) {
            throw BadInput(fmt::format("{}: {} is not an object.", source_, path_.empty() ? "it" : path_));
        }
    }

    [[nodiscard]] bool has(const char* name) const {
        const auto found = value_->find(name);
        return found != value_->end() && !found->is_null();
    }

    [[nodiscard]] TuningField object(const char* name) const { return {at(name), source_, place(name)}; }

    [[nodiscard]] std::string text(const char* name, std::size_t longest = longest_word) const {
        const auto& value = at(name);
        if (!value.is_string()) {
            refuse(name, "is not a text");
        }
        return shorter(value, name, longest);
    }

    [[nodiscard]] bool truth(const char* name) const {
        const auto& value = at(name);
        if (!value.is_boolean()) {
            refuse(name, "is neither true nor false");
        }
        return value.get<bool>();
    }

    [[nodiscard]] std::int64_t whole(const char* name, std::int64_t lowest, std::int64_t highest) const {
        const auto& value = at(name);
        const bool fits = value.is_number_unsigned()
                              ? value.get<std::uint64_t>() <= static_cast<std::uint64_t>(highest)
                              : value.is_number_integer();
        if (!fits || value.get<std::int64_t>() < lowest) {
            refuse(name, fmt::format("is not a whole number from {} to {}", lowest, highest));
        }
        return value.get<std::int64_t>();
    }

    [[nodiscard]] double positive(const char* name, double highest = longest_time) const {
        return checked(at(name), name, highest, [](double value) { return value > 0; });
    }

    /// Both ends, the lower one first.
    [[nodiscard]] ordered_json interval(const char* name, double highest = longest_time) const {
        const auto& value = at(name);
        if (!value.is_array() || value.size() != 2) {
            refuse(name, "is not an interval of two numbers");
        }
        const auto not_negative = [](double end) { return end >= 0; };
        const double low = checked(value[0], fmt::format("{}[0]", name), highest, not_negative);
        const double high = checked(value[1], fmt::format("{}[1]", name), highest, not_negative);
        if (low > high) {
            refuse(name, "begins above its end");
        }
        return {low, high};
    }

    /// The same, or null where the times have none.
    [[nodiscard]] ordered_json interval_or_null(const char* name) const {
        return has(name) ? interval(name) : ordered_json(nullptr);
    }

    /// Calls `take` with each object of an array and returns what it returned.
    ordered_json each(const char* name, std::size_t most,
                      const std::function<ordered_json(const TuningField&)>& take) const {
        auto all = ordered_json::array();
        const auto& values = array(name, most);
        for (std::size_t i = 0; i < values.size(); ++i) {
            all.push_back(take({values[i], source_, fmt::format("{}[{}]", place(name), i)}));
        }
        return all;
    }

    [[nodiscard]] std::vector<std::string> texts(const char* name, std::size_t most) const {
        std::vector<std::string> all;
        const auto& values = array(name, most);
        for (std::size_t i = 0; i < values.size(); ++i) {
            const auto entry = fmt::format("{}[{}]", name, i);
            if (!values[i].is_string()) {
                refuse(entry, "is not a text");
            }
            all.push_back(shorter(values[i], entry, longest_word));
        }
        return all;
    }

    /// Every name of an object and its text.
    [[nodiscard]] std::vector<std::pair<std::string, std::string>> named_texts(const char* name,
                                                                               std::size_t most) const {
        const auto inner = object(name);
        if (inner.value_->size() > most) {
            refuse(name, fmt::format("has more than {} entries", most));
        }
        std::vector<std::pair<std::string, std::string>> all;
        for (const auto& [key, value] : inner.value_->items()) {
            if (!value.is_string()) {
                refuse(name, fmt::format("has a value of '{}' that is not a text", printable_name(key)));
            }
            all.emplace_back(key, shorter(value, name, longest_text));
        }
        return all;
    }

    [[noreturn]] void refuse(std::string_view name, std::string_view what) const {
        throw BadInput(fmt::format("{}: {} {}.", source_, place(name), what));
    }

  private:
    [[nodiscard]] std::string place(std::string_view name) const {
        return path_.empty() ? std::string(name) : fmt::format("{}.{}", path_, name);
    }

    [[nodiscard]] const json& at(const char* name) const {
        const auto found = value_->find(name);
        if (found == value_->end()) {
            refuse(name, "is missing");
        }
        return *found;
    }

    [[nodiscard]] const json& array(const char* name, std::size_t most) const {
        const auto& values = at(name);
        if (!values.is_array()) {
            refuse(name, "is not an array");
        }
        if (values.size() > most) {
            refuse(name, fmt::format("has more than {} entries", most));
        }
        return values;
    }

    [[nodiscard]] std::string shorter(const json& value, std::string_view name, std::size_t longest) const {
        auto text = value.get<std::string>();
        if (text.size() > longest) {
            refuse(name, fmt::format("is longer than {} bytes", longest));
        }
        return text;
    }

    template <typename Holds>
    double checked(const json& value, std::string_view name, double highest, const Holds& holds) const {
        if (!value.is_number()) {
            refuse(name, "is not a number");
        }
        const auto number = value.get<double>();
        if (!std::isfinite(number) || !holds(number)) {
            refuse(name, "is not a positive number");
        }
        if (number > highest) {
            refuse(name, fmt::format("is above {:g}", highest));
        }
        return number;
    }

    const json* value_;
    std::string source_;
    std::string path_;
};

/// The names that implementations of an operation may have.
using KnownNames = std::set<std::string, std::less<>>;

std::string known_name(const TuningField& field, const char* name, const KnownNames& known) {
    auto text = field.text(name);
    if (!known.contains(text)) {
        field.refuse(name, "is not one of the operation's implementations");
    }
    return text;
}

std::int64_t size_of(const TuningField& field, const char* name = "size_bytes") {
    return field.whole(name, 0, largest_whole);
}

std::int64_t procs_of(const TuningField& field, const char* name) {
    return field.whole(name, 1, most_processes);
}

ordered_json time_of(const TuningField& field, const KnownNames& known) {
    return {{"implementation", known_name(field, "implementation", known)},
            {"size_bytes", size_of(field)},
            {"time_ns", field.positive("time_ns")},
            {"ci95_ns", field.interval("ci95_ns")}};
}

ordered_json sizes_of(const TuningField& operation, const KnownNames& known) {
    std::int64_t before = -1;
    return operation.each("sizes", most_sizes, [&](const TuningField& at) -> ordered_json {
        const auto size = size_of(at);
        if (size <= std::exchange(before, size)) {
            at.refuse("size_bytes", "is not above the one before");
        }
        return {{"size_bytes", size},
                {"library", time_of(at.object("library"), known)},
                {"best", at.has("best") ? time_of(at.object("best"), known) : ordered_json(nullptr)},
                {"speedup", at.positive("speedup")},
                {"speedup_ci95", at.interval("speedup_ci95")},
                {"proposed", at.has("proposed") ? ordered_json(known_name(at, "proposed", known))
                                                : ordered_json(nullptr)}};
    });
}

ordered_json proposals_of(const TuningField& operation, const KnownNames& known) {
    return operation.each("proposals", most_sizes, [&](const TuningField& proposal) -> ordered_json {
        const auto first = size_of(proposal, "first_bytes");
        const auto last = size_of(proposal, "last_bytes");
        if (first > last) {
            proposal.refuse("first_bytes", "is above last_bytes");
        }
        return {{"implementation", known_name(proposal, "implementation", known)},
                {"first_bytes", first},
                {"last_bytes", last},
                {"least_speedup", proposal.positive("least_speedup")},
                {"most_speedup", proposal.positive("most_speedup")}};
    });
}

ordered_json tuned_operation(const TuningField& operation) {
    const auto names = operation.texts("implementations", most_implementations);
    const KnownNames known(names.begin(), names.end());
    if (names.empty()) {
        operation.refuse("implementations", "is empty");
    }
    ordered_json tuned{{"operation", operation.text("operation")},
                       {"procs", procs_of(operation, "procs")},
                       {"implementations", names},
                       {"finished", operation.truth("finished")},
                       {"rounds", operation.whole("rounds", 0, largest_whole)},
                       {"points_measured", operation.whole("points_measured", 0, largest_whole)},
                       {"points_all", operation.whole("points_all", 0, largest_whole)},
                       {"dropped", operation.texts("dropped", most_implementations)},
                       {"sizes", sizes_of(operation, known)},
                       {"proposals", proposals_of(operation, known)},
                       {"times", operation.each("times", most_times,
                                                [&](const auto& time) { return time_of(time, known); })},
                       {"predictions", ordered_json::array()}};
    if (operation.has("predictions")) {
        tuned["predictions"] =
            operation.each("predictions", most_times, [&](const TuningField& at) -> ordered_json {
                return {{"implementation", known_name(at, "implementation", known)},
                        {"size_bytes", size_of(at)},
                        {"time_ns", at.positive("time_ns")}};
            });
    }
    return tuned;
}

/// Of one operation with one number of processes there is one entry.
ordered_json tuned_operations(const TuningField& document) {
    std::set<std::pair<std::string, std::int64_t>> seen;
    return document.each("operations", most_operations, [&](const TuningField& operation) {
        auto tuned = tuned_operation(operation);
        if (!seen.emplace(tuned["operation"].get<std::string>(), tuned["procs"].get<std::int64_t>()).second) {
            operation.refuse("operation", "with these procs is there twice");
        }
        return tuned;
    });
}

ordered_json proven_sizes(const TuningField& document) {
    return document.each("proof", most_times, [](const TuningField& at) -> ordered_json {
        static const std::set<std::string, std::less<>> verdicts{"faster", "same", "slower", "undecided"};
        auto verdict = at.text("verdict");
        if (!verdicts.contains(verdict)) {
            at.refuse("verdict", "is not one of faster, same, slower, undecided");
        }
        return {{"operation", at.text("operation")},
                {"procs", procs_of(at, "procs")},
                {"size_bytes", size_of(at)},
                {"before_ns", at.positive("before_ns")},
                {"before_ci95_ns", at.interval_or_null("before_ci95_ns")},
                {"after_ns", at.positive("after_ns")},
                {"after_ci95_ns", at.interval_or_null("after_ci95_ns")},
                {"speedup", at.positive("speedup")},
                {"speedup_ci95", at.interval_or_null("speedup_ci95")},
                {"ruled", at.truth("ruled")},
                {"verdict", std::move(verdict)}};
    });
}

bool is_variable_name(std::string_view name) {
    const auto is_letter = [](char one) {
        return (one >= 'a' && one <= 'z') || (one >= 'A' && one <= 'Z') || one == '_';
    };
    return !name.empty() && is_letter(name.front()) &&
           std::ranges::all_of(name, [&](char one) { return is_letter(one) || (one >= '0' && one <= '9'); });
}

/// Files that a library reads and the variables that name them. People put these into scripts, so a name must
/// be a name, and a value must not have lines of its own or read as something else than it is.
ordered_json tuned_files(const TuningField& document) {
    return document.each("files", most_files, [](const TuningField& file) -> ordered_json {
        auto variables = ordered_json::array();
        for (const auto& [name, value] : file.named_texts("variables", most_variables)) {
            if (!is_variable_name(name) || name.size() > longest_word) {
                file.refuse("variables",
                            fmt::format("has '{}', which is not a variable's name", printable_name(name)));
            }
            if (printable(value, longest_text) != value) {
                file.refuse("variables", fmt::format("has a value of {} that cannot be shown", name));
            }
            variables.push_back({{"name", name}, {"value", value}});
        }
        return {{"path", file.text("path", longest_text)},
                {"sha256", file.has("sha256") ? ordered_json(file.text("sha256")) : ordered_json(nullptr)},
                {"variables", std::move(variables)}};
    });
}

/// Refuses what would need too much memory before it is parsed. A parser with a callback could count too, but
/// looks through an array again for every object in it.
void check_extent(std::string_view text, const std::string& source) {
    std::size_t values = 1;
    int depth = 0;
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char letter = text[i];
        if (quoted && letter == '\\') {
            ++i;
        } else if (letter == '"') {
            quoted = !quoted;
        } else if (!quoted) {
            const bool opens = letter == '[' || letter == '{';
            values += opens || letter == ',' ? 1 : 0;
            depth += opens ? 1 : letter == ']' || letter == '}' ? -1 : 0;
        }
        if (values > most_values || depth > deepest_value) {
            throw BadInput(fmt::format("{}: more than {} values, or {} within each other, is not a tuning.",
                                       source, most_values, deepest_value));
        }
    }
}

/// Names are sorted, so that a file with a million of them is read in time.
json parsed_tuning(std::string_view text, const std::string& source) {
    check_extent(text, source);
    try {
        return json::parse(text);
    } catch (const json::parse_error& error) {
        const auto read = text.substr(0, std::min(error.byte, text.size()));
        throw BadInput(fmt::format("{}:{}: this is not JSON; 'fathom tune' writes the file.", source,
                                   1 + std::ranges::count(read, '\n')));
    } catch (const json::out_of_range&) {
        throw BadInput(fmt::format("{}: it has a number that is too large.", source));
    }
}

}  // namespace

ordered_json check_tuning_document(std::string_view text, const std::string& source) {
    const auto name = printable_name(source);
    const auto parsed = parsed_tuning(text, name);
    const TuningField document(parsed, name, {});
    if (const auto schema = document.text("schema"); schema != tuning_schema) {
        document.refuse("schema",
                        fmt::format("is \"{}\", not \"{}\"", printable_name(schema), tuning_schema));
    }
    ordered_json tuning{{"file", source},
                        {"fathom", document.text("fathom")},
                        {"date", document.text("date")},
                        {"library", document.text("library", longest_text)},
                        {"flavour", document.text("flavour")},
                        {"platform", nullptr},
                        {"hosts", procs_of(document, "hosts")},
                        {"procs_per_host", procs_of(document, "procs_per_host")},
                        {"metric", document.text("metric")},
                        {"settings", ordered_json::object()},
                        {"operations", tuned_operations(document)},
                        {"files", ordered_json::array()},
                        {"proof", nullptr}};
    if (document.has("platform")) {
        tuning["platform"] = document.text("platform");
    }
    if (document.has("settings")) {
        for (const auto& [key, value] : document.named_texts("settings", most_variables)) {
            tuning["settings"][key] = value;
        }
    }
    if (document.has("files")) {
        tuning["files"] = tuned_files(document);
    }
    if (document.has("proof")) {
        auto proven = proven_sizes(document);
        tuning["proof"] = proven.empty() ? ordered_json(nullptr) : std::move(proven);
    }
    return tuning;
}

ordered_json tuning_page_data(std::vector<ordered_json> tunings) {
    ordered_json json{{"schema", "fathom.tuning-page/1"},
                      {"fathom_version", build_info().version},
                      {"tunings", ordered_json::array()}};
    for (auto& tuning : tunings) {
        json["tunings"].push_back(std::move(tuning));
    }
    return json;
}

}  // namespace fathom::report
