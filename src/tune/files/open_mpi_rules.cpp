#include "tune/files/open_mpi_rules.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <vector>

#include <fmt/format.h>

namespace fathom::tune {
namespace {

struct Collective {
    std::string_view operation;
    int number;  ///< in rule files
    Counted counted;
    bool reduces = false;
};

/// Those that the tuned component reads rules for and that can have them: of alltoallv and scans a rule does
/// not look at the size, and of gather and scatter some processes of a call may pass none and would choose
/// another algorithm than the others. The numbers are the order of collectives in Open MPI 4.1
/// and 5.0; its documentation lists them.
constexpr auto collectives = std::to_array<Collective>({
    {"allgather", 0, Counted::of_all},
    {"allgatherv", 1, Counted::of_all},
    {"allreduce", 2, Counted::of_a_process, true},
    {"alltoall", 3, Counted::of_all},
    {"barrier", 6, Counted::not_at_all},
    {"bcast", 7, Counted::of_a_process},
    {"reduce", 11, Counted::of_a_process, true},
    {"reduce_scatter", 12, Counted::of_all, true},
    {"reduce_scatter_block", 13, Counted::of_all, true},
});

const Collective* find(std::string_view operation) {
    const auto* const found = std::ranges::find(collectives, operation, &Collective::operation);
    return found == collectives.end() ? nullptr : found;
}

/// From this one on a file may begin with its version and rules may have a number of requests.
constexpr OpenMpiVersion with_requests{5, 0, 7};

class Writer {
  public:
    Writer(const RuleFile& file, const OpenMpiVersion& version)
        : file_(file), requests_(open_mpi_has_requests(version)) {}

    std::string text() {
        if (requests_) {
            text_ += "rule-file-version-2\n";
        }
        for (const auto& remark : file_.remarks) {
            text_ += fmt::format("# {}\n", remark);
        }
        std::map<int, std::vector<const RuleSet*>> by_collective;
        for (const auto& set : file_.sets) {
            by_collective[find(set.operation)->number].push_back(&set);
        }
        line(fmt::format("{}", by_collective.size()), "collectives");
        for (auto& [number, sets] : by_collective) {
            std::ranges::sort(sets, {}, [](const RuleSet* set) { return set->procs; });
            line(fmt::format("{}", number), sets.front()->operation);
            line(fmt::format("{}", 1 + communicators(sets)), "sizes of communicators");
            put_nothing(0);  // the first rules hold for smaller communicators too
            for (std::size_t i = 0; i < sets.size(); ++i) {
                put(*sets[i]);
                if (ends(sets, i)) {
                    put_nothing(sets[i]->last_procs + 1);
                }
            }
        }
        return std::move(text_);
    }

  private:
    /// Whether no rules follow those for some communicators at the next size.
    static bool ends(const std::vector<const RuleSet*>& sets, std::size_t i) {
        return i + 1 == sets.size() || sets[i + 1]->procs > sets[i]->last_procs + 1;
    }
    /// Those of the rules, and what follows where they end.
    static std::size_t communicators(const std::vector<const RuleSet*>& sets) {
        std::size_t count = sets.size();
        for (std::size_t i = 0; i < sets.size(); ++i) {
            count += ends(sets, i) ? 1U : 0U;
        }
        return count;
    }

    void line(const std::string& values, const std::string& remark) {
        text_ += fmt::format("{:<24} # {}\n", values, remark);
    }
    void put_nothing(int procs) {
        line(fmt::format("{}", procs), "processes, or more");
        line("1", "size of messages");
        decision(0, nullptr);
    }

    struct Step {
        std::int64_t from;
        const Rule* rule;  ///< null: the library's own decision
    };

    void put(const RuleSet& set) {
        std::vector<Step> steps{{0, nullptr}};
        const auto add = [&](std::int64_t from, const Rule* rule) {
            if (steps.back().from >= from) {
                steps.back().rule = rule;
            } else {
                steps.push_back({from, rule});
            }
        };
        for (const auto& rule : set.rules) {
            // Of several sizes of communicators: what is within the rule for all of them.
            const auto from = open_mpi_message_bytes(set.operation, rule.first, set.last_procs);
            const auto to = open_mpi_message_bytes(set.operation, rule.last, set.procs);
            if (find(set.operation)->counted == Counted::not_at_all) {
                add(from, &rule);
            } else if (from <= to) {
                add(from, &rule);
                add(to + 1, nullptr);
            }
        }
        line(fmt::format("{}", set.procs), "processes");
        line(fmt::format("{}", steps.size()), "sizes of messages");
        for (const auto& step : steps) {
            decision(step.from, step.rule);
        }
    }

    void decision(std::int64_t from, const Rule* rule) {
        auto values = rule == nullptr
                          ? fmt::format("{} 0 0 0", from)
                          : fmt::format("{} {} {} {}", from, rule->number, rule->fanout, rule->segment);
        if (requests_) {
            values += fmt::format(" {}", rule == nullptr ? 0 : rule->requests);
        }
        line(values, rule == nullptr ? "the library's own decision"
                                     : fmt::format("{}; {}", rule->algorithm, rule->remark));
    }

    const RuleFile& file_;
    bool requests_;
    std::string text_;
};

}  // namespace

std::optional<OpenMpiVersion> open_mpi_version(std::string_view library) {
    constexpr std::string_view beginning = "Open MPI v";
    if (!library.starts_with(beginning)) {
        return std::nullopt;
    }
    library.remove_prefix(beginning.size());
    OpenMpiVersion version;
    const auto* at = library.data();
    const auto* const end = at + library.size();
    for (auto* const part : {&version.major, &version.minor, &version.release}) {
        const auto [stop, error] = std::from_chars(at, end, *part);
        if (error != std::errc()) {
            return std::nullopt;
        }
        at = stop != end && *stop == '.' ? stop + 1 : stop;
    }
    return version;
}

bool open_mpi_has_requests(const OpenMpiVersion& version) {
    return version >= with_requests;
}

bool open_mpi_has_rules(std::string_view operation) {
    return find(operation) != nullptr;
}

bool open_mpi_reduces(std::string_view operation) {
    const auto* const found = find(operation);
    return found != nullptr && found->reduces;
}

std::int64_t open_mpi_message_bytes(std::string_view operation, Bytes size, int procs) {
    switch (find(operation)->counted) {
        case Counted::of_a_process:
            return size.count;
        case Counted::of_all:
            return size.count * procs;
        default:
            return 0;
    }
}

std::string open_mpi_rules(const RuleFile& file, const OpenMpiVersion& version) {
    return Writer(file, version).text();
}

bool open_mpi_takes_any_size(std::string_view algorithm) {
    // With other than a power of two these take additional steps, or another algorithm replaces them.
    constexpr auto particular = std::to_array<std::string_view>(
        {"recursive_doubling", "recursive_halving", "butterfly", "rabenseifner", "neighbor", "two_proc"});
    return std::ranges::find(particular, algorithm) == particular.end();
}

}  // namespace fathom::tune
