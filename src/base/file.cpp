#include "base/file.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <sys/resource.h>
#include <unistd.h>
#include <variant>

#include <fmt/format.h>

#include "base/error.hpp"

namespace fathom {

namespace {

/// The text of a file, or errno.
std::variant<std::string, int> text_or_error(const std::filesystem::path& path, std::size_t most) {
    const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file.is_open()) {
        return errno;
    }
    std::string text;
    std::array<char, 65'536> piece{};
    while (true) {
        const auto got = ::read(file.get(), piece.data(), piece.size());
        if (got > 0 && static_cast<std::size_t>(got) > most - text.size()) {
            return EFBIG;
        }
        if (got > 0) {
            text.append(piece.data(), static_cast<std::size_t>(got));
        } else if (got == 0) {
            return text;
        } else if (errno != EINTR) {
            return errno;
        }
    }
}

}  // namespace

std::string read_file(const std::filesystem::path& path, std::size_t most) {
    auto text = text_or_error(path, most);
    if (const auto* error = std::get_if<int>(&text)) {
        throw BadInput(fmt::format("cannot read {}: {}", path.string(), std::strerror(*error)));
    }
    return std::get<std::string>(std::move(text));
}

std::string read_file_or_empty(const std::filesystem::path& path) {
    auto text = text_or_error(path, SIZE_MAX);
    return text.index() == 0 ? std::get<std::string>(std::move(text)) : std::string();
}

void fail_to_write(const std::string& place, int reason, std::string_view fix) {
    const auto sentence = fmt::format("cannot write {}: {}{}", place, std::strerror(reason),
                                      reason == EFBIG ? " (ulimit -f)" : "");
    if (!fix.empty()) {
        throw BadInput(fmt::format("{}; {}", sentence, fix));
    }
    throw Unwritable(sentence);
}

void write_file(const std::filesystem::path& path, const std::string& text, std::string_view fix) {
    errno = 0;
    std::ofstream out(path, std::ios::binary | std::ios::trunc);
    if (!out) {
        fail_to_write(path.string(), errno, fix);
    }
    out << text;
    out.close();
    if (!out) {
        fail_to_write(path.string(), errno);
    }
}

bool cannot_grow(const std::filesystem::path& path) {
    // A record that did not fit leaves less than that; a disk with so little is full for its next user too.
    constexpr std::uintmax_t least_room = 65'536;
    std::error_code unknown;
    const auto space = std::filesystem::space(path, unknown);
    if (!unknown && space.available < least_room) {
        return true;
    }
    rlimit limit{};
    const auto size = std::filesystem::file_size(path, unknown);
    return !unknown && ::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
           size >= limit.rlim_cur;
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
