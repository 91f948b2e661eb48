#include "plan/operations.hpp"

#include <algorithm>
#include <cctype>
#include <deque>
#include <utility>

#include <fmt/format.h>

#include "base/text.hpp"
#include "plan/pairing.hpp"
#include "plan/unknown_name.hpp"

namespace fathom::plan {
namespace {

/// Who exchanges messages, and what they count as.
struct Role {
    std::string_view name;
    Kind one_way;
    Kind both_ways;
    Fact facts;
    std::string_view summary;  ///< of the plain call, which has none of its own
};

/// Texts in which {name}, {Name} and {summary} stand for those of a collective.
struct FormRow {
    Form form;
    int version;
    std::string_view name;
    std::string_view calls;
    std::string_view summary;
};

/// Every non-blocking collective can be studied.
constexpr FormRow study_of_overlap{Form::non_blocking, 30, "overlap.i{name}",
                                   "MPI_I{name}, MPI_Test, MPI_Wait",
                                   "MPI_I{name} with work before its completion: overhead, availability, "
                                   "overlap and progress on every rank"};

struct SynchronisationRow {
    Synchronisation synchronisation;
    std::string_view calls;
    int version;
    std::string_view summary;
};

/// What the registry is made of. Calls are rows without what their products add.
struct Factors {
    std::vector<Role> roles;
    std::vector<OperationInfo> messages;
    std::vector<FormRow> forms;
    std::vector<OperationInfo> collectives;
    std::vector<SynchronisationRow> synchronisations;
    std::vector<OperationInfo> one_sided;
    std::vector<OperationInfo> others;
};

Factors read_factors() {
    Factors found;
    constexpr bool sized = true;
    constexpr bool unsized = false;
    using enum Fact;
// NOLINTBEGIN(cppcoreguidelines-macro-usage): rows read better without the names of their columns
#define TRAFFIC(formula) \
    []([[maybe_unused]] double b, [[maybe_unused]] double n) -> double { return formula; }
#define ROLE(name, one_way, both_ways, ...) \
    found.roles.push_back({name, Kind::one_way, Kind::both_ways, __VA_ARGS__});
#define MESSAGE(name, facts, calls, version, summary)                                                      \
    found.messages.push_back({name, name, Group::point_to_point, Kind::one_way, 2, sized, 1, facts, calls, \
                              version, TRAFFIC(b), summary});
#define FORM(form, ...) found.forms.push_back({Form::form, __VA_ARGS__});
#define COLLECTIVE(name, has_size, element, facts, version, traffic, summary)                           \
    found.collectives.push_back({name, name, Group::collective, Kind::collective, 1, has_size, element, \
                                 facts, "", version, TRAFFIC(traffic), summary});
#define SYNCHRONISATION(name, ...) found.synchronisations.push_back({Synchronisation::name, __VA_ARGS__});
#define ONE_SIDED(name, has_size, element, version, traffic, summary)                                    \
    found.one_sided.push_back({name, name, Group::one_sided, Kind::pair, 2, has_size, element, none, "", \
                               version, TRAFFIC(traffic), summary});
#define OPERATION(name, group, kind, least, has_size, element, facts, calls, version, traffic, summary)   \
    found.others.push_back({name, name, Group::group, Kind::kind, least, has_size, element, facts, calls, \
                            version, TRAFFIC(traffic), summary});
#include "plan/operations.def"
    // NOLINTEND(cppcoreguidelines-macro-usage)
    return found;
}

/// `bcast` is `MPI_Bcast`.
std::string capitalised(std::string_view name) {
    std::string text(name);
    text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
    return text;
}

/// The whole registry, with the texts of the rows that are products.
class Registry {
  public:
    Registry() {
        const auto factors = read_factors();
        for (const auto& role : factors.roles) {
            for (const auto& call : factors.messages) {
                add_message(call, role);
            }
        }
        for (const bool neighbours : {false, true}) {
            for (const auto& form : factors.forms) {
                for (const auto& call : factors.collectives) {
                    if (call.is(Fact::with_neighbours) == neighbours) {
                        add_collective(call, form);
                    }
                }
            }
        }
        for (const auto& call : factors.one_sided) {
            for (const auto& row : factors.synchronisations) {
                add_one_sided(call, row);
            }
        }
        rows_.insert(rows_.end(), factors.others.begin(), factors.others.end());
        for (const auto& call : factors.collectives) {
            add_collective(call, study_of_overlap);
            rows_.back().group = Group::overlap;
        }
        std::ranges::stable_sort(rows_, {}, &OperationInfo::group);
    }

    [[nodiscard]] const std::vector<OperationInfo>& rows() const { return rows_; }

  private:
    std::string_view keep(std::string text) { return texts_.emplace_back(std::move(text)); }

    void add_message(OperationInfo row, const Role& role) {
        const bool plain = row.call.empty();
        row.name = plain ? role.name : keep(fmt::format("{}.{}", role.name, row.call));
        row.kind = row.is(Fact::both_ways) ? role.both_ways : role.one_way;
        row.facts = row.facts | role.facts;
        row.summary = plain ? role.summary : row.summary;
        rows_.push_back(row);
    }

    void add_collective(OperationInfo row, const FormRow& form) {
        const auto text = [&](std::string_view pattern) {
            return keep(fmt::format(fmt::runtime(pattern), fmt::arg("name", row.call),
                                    fmt::arg("Name", capitalised(row.call)),
                                    fmt::arg("summary", row.summary)));
        };
        row.name = text(form.name);
        row.calls = text(form.calls);
        row.version = std::max(row.version, form.version);
        row.summary = text(form.summary);
        row.form = form.form;
        rows_.push_back(row);
    }

    void add_one_sided(OperationInfo row, const SynchronisationRow& with) {
        row.name = keep(fmt::format("{}.{}", row.call, to_text(with.synchronisation)));
        row.calls = keep(fmt::format("MPI_{}, {}", capitalised(row.call), with.calls));
        row.version = std::max(row.version, with.version);
        row.summary = keep(fmt::format("{}, {}", row.summary, with.summary));
        row.synchronisation = with.synchronisation;
        rows_.push_back(row);
    }

    std::deque<std::string> texts_;
    std::vector<OperationInfo> rows_;
};

std::vector<std::string> names_of_rows(bool with_studies) {
    std::vector<std::string> names;
    for (const auto& operation : operations()) {
        if (with_studies || !operation.overlaps()) {
            names.emplace_back(operation.name);
        }
    }
    return names;
}

std::string in_lower_case(std::string_view text) {
    std::string lower(text);
    std::ranges::transform(lower, lower.begin(), [](unsigned char letter) { return std::tolower(letter); });
    return lower;
}

constexpr std::string_view prefix_of_calls = "mpi_";

/// Operations that make an MPI call; the first of them are named, as many as one reads.
std::string text_of_callers(std::string_view call) {
    constexpr std::size_t most_named = 4;
    std::vector<std::string> names;
    for (const auto& row : operations()) {
        if (row.makes_call(call)) {
            names.emplace_back(row.name);
        }
    }
    if (names.size() > most_named + 1) {
        names[most_named] = fmt::format("{} more", names.size() - most_named);
        names.resize(most_named + 1);
    }
    return and_list(names);
}

const OperationInfo* find_row(const auto& condition) {
    const auto rows = operations();
    const auto found = std::find_if(rows.begin(), rows.end(), condition);
    return found == rows.end() ? nullptr : &*found;
}

}  // namespace

bool OperationInfo::makes_call(std::string_view name_in_mpi) const {
    return std::ranges::any_of(split(calls, ','), [wanted = in_lower_case(name_in_mpi)](const auto& own) {
        return in_lower_case(own) == wanted;
    });
}

std::string_view OperationInfo::pattern() const {
    if (of_two()) {
        return "first-last";
    }
    if (is(Fact::in_pairs)) {
        return "pairs";
    }
    if (kind == Kind::matrix) {
        return pair_per_host;
    }
    return group == Group::pattern ? name : kind == Kind::single ? "one" : "all";
}

std::string OperationInfo::version_text() const {
    return fmt::format("{}.{}", version / 10, version % 10);
}

double OperationInfo::rate_bytes_per_s(Bytes size, int procs, double time_ns) const {
    return time_ns > 0 ? traffic(static_cast<double>(size.count), procs) / time_ns * 1e9 : 0;
}

std::span<const OperationInfo> operations() {
    static const Registry registry;
    return registry.rows();
}

std::vector<std::string> operation_names() {
    return names_of_rows(true);
}

std::vector<std::string> single_operation_names() {
    return names_of_rows(false);
}

const OperationInfo* known_operation(std::string_view name) {
    return find_row([&](const OperationInfo& row) { return row.name == name; });
}

const OperationInfo* collective_of(std::string_view call, Form form) {
    return find_row([&](const OperationInfo& row) {
        return row.group == Group::collective && row.call == call && row.form == form;
    });
}

const OperationInfo& find_operation(std::string_view name) {
    const auto* found = known_operation(name);
    if (found == nullptr) {
        throw UnknownName("operation", name, operation_names(), "'fathom list ops' shows all");
    }
    return *found;
}

const OperationInfo& operation_given(std::string_view word) {
    const auto call = in_lower_case(word);
    if (!call.starts_with(prefix_of_calls)) {
        return find_operation(word);
    }
    const auto name = std::string_view(call).substr(prefix_of_calls.size());
    const auto* of_that_name = known_operation(name);
    if (of_that_name != nullptr && of_that_name->makes_call(call)) {
        return *of_that_name;
    }
    if (const auto callers = text_of_callers(call); !callers.empty()) {
        throw UnknownName(
            fmt::format("'{0}' is not an operation; it is called by {1}. ('fathom list ops {0}' shows all.)",
                        word, callers));
    }
    throw UnknownName("operation", word, name, operation_names(), "'fathom list ops' shows all");
}

}  // namespace fathom::plan
