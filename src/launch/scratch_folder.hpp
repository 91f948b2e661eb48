#pragma once

#include <filesystem>

namespace fathom::launch {

/// A folder of its own that is gone afterwards. Its path has no blank: smpirun splits its arguments there.
class ScratchFolder {
  public:
    /// Throws NotMeasured if it cannot be made.
    ScratchFolder();
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;
    ~ScratchFolder();

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  private:
    std::filesystem::path path_;
};

}  // namespace fathom::launch
