#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

namespace fathom {

/// The whole text of a file. Throws BadInput that names the file and the reason; one longer than `most` bytes
/// is refused before it is in memory.
std::string read_file(const std::filesystem::path& path, std::size_t most = SIZE_MAX);

/// What a person writes for fathom to read is shorter: a plan, a platform, a list of pairs.
inline constexpr std::size_t longest_input = std::size_t{4} << 20;

/// Like read_file, but an unreadable file is an empty text: for /proc and /sys, where absence is an answer.
std::string read_file_or_empty(const std::filesystem::path& path);

/// Throws the error of a file, or another `place`, that could not be written, for a reason by errno. `fix`
/// says how the user names another place (`name another with -o.`), where it was the user who named this one:
/// then it is BadInput, otherwise Unwritable.
[[noreturn]] void fail_to_write(const std::string& place, int reason, std::string_view fix = {});

/// Writes a whole file. Throws Unwritable that names the file and the reason; with a `fix`, one that cannot
/// be opened is BadInput.
void write_file(const std::filesystem::path& path, const std::string& text, std::string_view fix = {});

/// Whether nothing more can be written to a file: its disk is full, or it is as long as this process may make
/// a file (ulimit -f).
bool cannot_grow(const std::filesystem::path& path);

/// A file descriptor that is closed with its owner.
class FileDescriptor {
  public:
    FileDescriptor() = default;
    explicit FileDescriptor(int fd) : fd_(fd) {}
    FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    FileDescriptor& operator=(FileDescriptor&& other) noexcept;
    FileDescriptor(const FileDescriptor&) = delete;
    FileDescriptor& operator=(const FileDescriptor&) = delete;
    ~FileDescriptor();

    [[nodiscard]] int get() const noexcept { return fd_; }
    [[nodiscard]] bool is_open() const noexcept { return fd_ >= 0; }
    void close() noexcept;

  private:
    int fd_ = -1;
};

}  // namespace fathom
