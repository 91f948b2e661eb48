#include "cli/write_page.hpp"

#include <filesystem>
#include <unistd.h>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/printable.hpp"
#include "report/output.hpp"
#include "report/page/page_bundle.hpp"

namespace fathom::cli {
namespace {

namespace fs = std::filesystem;

/// All or nothing: an existing file stays until the new page is complete. Devices are written directly.
void replace_page(const std::string& output, const std::string& text) {
    constexpr const char* name_another = "name another with -o.";
    std::error_code ignored;
    const auto target = fs::is_symlink(output, ignored) ? fs::weakly_canonical(output) : fs::path(output);
    if (fs::exists(target, ignored) && !fs::is_regular_file(target, ignored)) {
        write_file(target, text, name_another);
        return;
    }
    const fs::path beside(fmt::format("{}.{}.part", target.string(), ::getpid()));
    try {
        write_file(beside, text, name_another);
        fs::rename(beside, target);
    } catch (...) {
        fs::remove(beside, ignored);
        throw;
    }
}

}  // namespace

void need_page(std::string_view instead) {
    if (!report::page_bundle().there()) {
        throw NotMeasured(
            fmt::format("this build has no report page: {}. {}", report::page_bundle().missing, instead));
    }
}

void write_page(const std::string& output, const std::string& page, std::string_view what) {
    replace_page(output, page);
    report::print("{}: {}, {:.1f} MB in one file. Open it in any browser.\n", printable(output),
                  printable(what), static_cast<double>(page.size()) / 1e6);
}

}  // namespace fathom::cli
