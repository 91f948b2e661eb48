#pragma once

#include <filesystem>

namespace fathom::store {

/// Whether POSIX locks work on the file system that holds (or would hold) this file.
/// The file is created empty if `create` and it is not there.
bool locks_work(const std::filesystem::path& file, bool create);

/// Stands in for file locks where there are none: FILE.lock, made exclusively, says who holds it.
/// One left behind by a process of this host that is gone is taken over.
class LockFile {
  public:
    /// Throws NotMeasured that names the holder and the fix.
    explicit LockFile(const std::filesystem::path& file);
    LockFile(const LockFile&) = delete;
    LockFile& operator=(const LockFile&) = delete;
    ~LockFile();

  private:
    std::filesystem::path path_;
};

}  // namespace fathom::store
