#pragma once

#include <filesystem>
#include <string>
#include <utility>

namespace fathom {

/// The whole text of a file. Throws BadInput that names the file and the reason.
std::string read_file(const std::filesystem::path& path);

/// Like read_file, but an unreadable file is an empty text: for /proc and /sys, where absence is an answer.
std::string read_file_or_empty(const std::filesystem::path& path);

/// Writes a whole file. Throws NotMeasured that names the file and the reason.
void write_file(const std::filesystem::path& path, const std::string& text);

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
