#include "base/file.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <unistd.h>

#include <fmt/format.h>

#include "base/error.hpp"

namespace fathom {

std::string read_file(const std::filesystem::path& path) {
    if (std::filesystem::is_directory(path)) {
        throw BadInput(fmt::format("cannot read {}: it is a directory", path.string()));
    }
    errno = 0;
    std::ifstream in(path, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    if (!in) {
        throw BadInput(fmt::format("cannot read {}: {}", path.string(), std::strerror(errno)));
    }
    return text;
}

std::string read_file_or_empty(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    if (!in) {
        return {};
    }
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

void write_file(const std::filesystem::path& path, const std::string& text) {
    errno = 0;
    std::ofstream out(path, std::ios::binary | std::ios::trunc);
    out << text;
    out.close();
    if (!out) {
        throw NotMeasured(fmt::format("cannot write {}: {}", path.string(), std::strerror(errno)));
    }
}

FileDescriptor& FileDescriptor::operator=(FileDescriptor&& other) noexcept {
    if (this != &other) {
        close();
        fd_ = std::exchange(other.fd_, -1);
    }
    return *this;
}

FileDescriptor::~FileDescriptor() {
    close();
}

void FileDescriptor::close() noexcept {
    if (fd_ >= 0) {
        ::close(fd_);
        fd_ = -1;
    }
}

}  // namespace fathom
