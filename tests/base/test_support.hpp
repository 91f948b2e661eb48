#pragma once

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

#include "base/error.hpp"

namespace fathom::testing {

/// A folder of its own for a test, removed with everything in it.
class TempFolder {
  public:
    TempFolder() {
        auto name = (std::filesystem::temp_directory_path() / "fathom-test-XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr) {
            throw std::runtime_error("cannot make a temporary folder");
        }
        path_ = name;
    }
    TempFolder(const TempFolder&) = delete;
    TempFolder& operator=(const TempFolder&) = delete;
    ~TempFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    [[nodiscard]] std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

  private:
    std::filesystem::path path_;
};

/// The sentence of the Refusal that an action ends in; `nothing was refused` if it goes through.
template <typename Refusal = BadInput, typename Action>
std::string refusal_of(const Action& action) {
    try {
        action();
    } catch (const Refusal& error) {
        return error.what();
    }
    return "nothing was refused";
}

}  // namespace fathom::testing
