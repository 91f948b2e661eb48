#include "launch/trust.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <map>
#include <optional>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include <fmt/format.h>

#include "analysis/run/run_kind.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"
#include "plan/plan_toml.hpp"

namespace fathom::launch {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t key_bytes = 32;

/// By the XDG base directory specification; empty if there is no home.
fs::path key_file() {
    const auto variable = [](const char* name) {
        const char* const value = std::getenv(name);
        return value != nullptr && value[0] == '/' ? fs::path(value) : fs::path();
    };
    if (const auto state = variable("XDG_STATE_HOME"); !state.empty()) {
        return state / "fathom" / "key";
    }
    const auto home = variable("HOME");
    return home.empty() ? home : home / ".local" / "state" / "fathom" / "key";
}

/// The key, if it is one's own and nobody else can read or replace it.
std::optional<std::string> read_key() {
    const FileDescriptor file(::open(key_file().c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    struct stat status {};
    if (!file.is_open() || ::fstat(file.get(), &status) != 0 || status.st_uid != ::geteuid() ||
        (status.st_mode & 077U) != 0) {
        return std::nullopt;
    }
    std::string key(key_bytes, '\0');
    return ::read(file.get(), key.data(), key.size()) == static_cast<ssize_t>(key.size()) ? std::optional(key)
                                                                                          : std::nullopt;
}

/// Another process may make it at the same moment: whose file is linked first, wins.
void make_key() {
    const auto path = key_file();
    std::error_code failed;
    if (path.empty() || (fs::create_directories(path.parent_path(), failed), failed)) {
        return;
    }
    std::string key(key_bytes, '\0');
    if (::getrandom(key.data(), key.size(), 0) != static_cast<ssize_t>(key.size())) {
        return;
    }
    const auto beside = fmt::format("{}.{}", path.string(), ::getpid());
    {
        const FileDescriptor file(::open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
        if (!file.is_open() ||
            ::write(file.get(), key.data(), key.size()) != static_cast<ssize_t>(key.size())) {
            fs::remove(beside, failed);
            return;
        }
    }
    fs::create_hard_link(beside, path, failed);
    fs::remove(beside, failed);
}

/// What a mark stands for, in one text that no other plan and variables have.
std::string marked_text(std::string_view plan_toml, const std::map<std::string, std::string>& variables) {
    auto text = fmt::format("fathom.mark/1\n{}\n{}", plan_toml.size(), plan_toml);
    for (const auto& [name, value] : variables) {
        text += fmt::format("{} {}\n{}={}\n", name.size(), value.size(), name, value);
    }
    return text;
}

store::RunMark mark_of(const std::string& key, const store::Store& store, const store::RunRow& run) {
    return {.plan = keyed_hash(key, marked_text(run.plan_toml, {})),
            .variables = keyed_hash(
                key, marked_text(run.plan_toml, analysis::variables_of(store.environment(run.id))))};
}

/// What measuring a run again would run or read, as options and variables name it.
std::vector<std::string> named_in(const store::Store& store, const store::RunRow& run, Use use) {
    plan::Plan plan;
    plan::read_stored_plan(plan, run.plan_toml, run.id);
    std::vector<std::string> words;
    if (!plan.launcher.empty()) {
        words.insert(words.end(), {"--launcher", plan.launcher});
    }
    if (plan.platform.ends_with(".xml")) {
        words.insert(words.end(), {"--platform", plan.platform});
    }
    for (const auto& varied : plan.vary) {
        words.insert(words.end(), {"--vary", varied});
    }
    for (const auto& file : plan::tree_files(plan)) {
        words.insert(words.end(), {"--via", "tree:" + file});
    }
    if (use == Use::plan_and_variables) {
        for (const auto& [name, value] : analysis::variables_of(store.environment(run.id))) {
            words.push_back(fmt::format("{}={}", name, value));
        }
    }
    return words;
}

void put_mark(store::Store& store, std::int64_t run) {
    if (const auto key = read_key()) {
        store.set_mark(run, mark_of(*key, store, store.find_run(fmt::format("{}", run))));
    }
}

bool has_own_plan(const store::Store& store, std::int64_t run) {
    const auto key = read_key();
    const auto stored = store.mark(run);
    return key && stored && stored->plan == mark_of(*key, store, store.find_run(fmt::format("{}", run))).plan;
}

}  // namespace

void mark_as_own(store::Store& store, std::int64_t run) {
    if (!read_key()) {
        make_key();
    }
    put_mark(store, run);
}

void change_plan(store::Store& store, std::int64_t run, const std::string& plan_toml) {
    const bool own = has_own_plan(store, run);
    store.set_run_plan(run, plan_toml);
    if (own) {
        put_mark(store, run);
    }
}

void mark_variables(store::Store& store, std::int64_t run) {
    if (has_own_plan(store, run)) {
        put_mark(store, run);
    }
}

bool is_foreign(const store::Store& store, const store::RunRow& run, Use use) {
    if (named_in(store, run, use).empty()) {
        return false;
    }
    const auto key = read_key();
    const auto stored = store.mark(run.id);
    if (!key || !stored) {
        return true;
    }
    const auto own = mark_of(*key, store, run);
    return use == Use::plan ? stored->plan != own.plan : stored->variables != own.variables;
}

void refuse_foreign_run(const store::Store& store, const store::RunRow& run, Use use) {
    if (!is_foreign(store, run, use)) {
        return;
    }
    constexpr std::size_t longest = 2000;
    auto shown = shell_text(named_in(store, run, use));
    if (shown.size() > longest) {
        shown = shown.substr(0, longest) + "...";
    }
    throw BadInput(fmt::format(
        "run {} of {} names what is to be run, and you did not make it with the key {}{}: {}. Add "
        "--trust-file "
        "if you trust that.",
        run.id, store.path().string(), key_file().string(), read_key() ? "" : " (which cannot be read)",
        shown));
}

}  // namespace fathom::launch
