#include "store/lock_file.hpp"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <sstream>
#include <unistd.h>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/file.hpp"
#include "machine/facts.hpp"

namespace fathom::store {

bool locks_work(const std::filesystem::path& file, bool create) {
    const FileDescriptor fd(::open(file.c_str(), O_RDWR | O_CLOEXEC | (create ? O_CREAT : 0), 0666));
    if (!fd.is_open()) {
        return true;  // opening it will report what is wrong
    }
    struct flock lock {};
    lock.l_type = F_RDLCK;
    lock.l_whence = SEEK_SET;
    lock.l_start = 0;
    lock.l_len = 1;
    return ::fcntl(fd.get(), F_SETLK, &lock) == 0 || errno == EACCES || errno == EAGAIN;
}

LockFile::LockFile(const std::filesystem::path& file) : path_(file.string() + ".lock") {
    for (int attempt = 0; attempt < 2; ++attempt) {
        const FileDescriptor fd(::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
        if (fd.is_open()) {
            write_file(path_, fmt::format("{} {}\n", machine::host_name(), ::getpid()));
            return;
        }
        if (errno != EEXIST) {
            fail_to_write(path_.string(), errno, "name another file with --db.");
        }
        std::string host;
        pid_t pid = 0;
        std::istringstream(read_file_or_empty(path_)) >> host >> pid;
        const bool gone = host == machine::host_name() && pid > 0 && ::kill(pid, 0) != 0 && errno == ESRCH;
        if (!gone) {
            throw NotMeasured(
                fmt::format("{} is in use by process {} on {}. If that process is gone, remove {}.",
                            file.string(), pid, host, path_.string()));
        }
        std::filesystem::remove(path_);
    }
    throw NotMeasured(
        fmt::format("{} keeps being locked by others; name another file with --db.", path_.string()));
}

LockFile::~LockFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
}

}  // namespace fathom::store
