#include "cli/run_reference.hpp"

#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "base/error.hpp"

namespace fathom::cli {
namespace {

bool is_file(const std::string& name) {
    std::error_code ignored;
    return std::filesystem::is_regular_file(name, ignored);
}

RunReference in_file(const std::string& file, const std::string& run) {
    auto store = store::Store::open(file);
    auto row = store.find_run(run);
    return {std::move(store), std::move(row)};
}

}  // namespace

RunReference find_run(const std::string& name, const std::string& db) {
    if (const auto colon = name.rfind(':'); colon != std::string::npos && is_file(name.substr(0, colon))) {
        return in_file(name.substr(0, colon), name.substr(colon + 1));
    }
    return is_file(name) ? in_file(name, "last") : in_file(db, name);
}

std::vector<RunReference> find_runs(const std::vector<std::string>& names, const std::string& db) {
    std::vector<RunReference> found;
    std::set<std::pair<std::filesystem::path, std::int64_t>> known;
    for (const auto& name : names) {
        found.push_back(find_run(name, db));
        const auto& [store, run] = found.back();
        if (!known.emplace(std::filesystem::weakly_canonical(store.path()), run.id).second) {
            throw BadInput(fmt::format("'{}' is given twice; remove one.", name));
        }
    }
    return found;
}

}  // namespace fathom::cli
