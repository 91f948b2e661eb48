#include "machine/leftovers.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <optional>
#include <set>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/file.hpp"
#include "machine/facts.hpp"

namespace fathom::machine {
namespace {

namespace fs = std::filesystem;

/// How the names of segments begin, as the libraries' sources make them.
struct SegmentNames {
    std::string_view beginning;
    std::string_view library;
};
constexpr std::array segment_names{
    SegmentNames{"vader_segment.", "Open MPI"},  // up to 4.1: HOST.UID.JOB.RANK
    SegmentNames{"sm_segment.", "Open MPI"},     // from 5.0 on
    SegmentNames{"osc_rdma.", "Open MPI"},       // windows
    SegmentNames{"osc_sm.", "Open MPI"},        SegmentNames{"open_mpi.", "Open MPI"},  // its shmem posix
    SegmentNames{"mpich_shar_tmp", "MPICH"},    SegmentNames{"psm2_shm.", "PSM2"},
    SegmentNames{"ucx_shm_posix_", "UCX"},      SegmentNames{"smpi-buffer-", "SimGrid"},
};

/// A session folder holds a few levels with a few files per rank. More is something else.
constexpr int most_levels = 8;
constexpr std::size_t most_entries = 100'000;

constexpr std::int64_t bytes_per_block = 512;  // of st_blocks

/// A folder that is read entry by entry, itself not a link.
class Folder {
  public:
    Folder(int above, const char* name)
        : fd_(::openat(above, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)) {}

    [[nodiscard]] bool is_open() const { return fd_.is_open(); }
    [[nodiscard]] int get() const { return fd_.get(); }

    /// Names in order, without `.` and `..`; nothing if it cannot be read.
    [[nodiscard]] std::optional<std::vector<std::string>> names() const {
        const std::unique_ptr<DIR, int (*)(DIR*)> entries(
            ::fdopendir(::openat(get(), ".", O_RDONLY | O_CLOEXEC)), ::closedir);
        if (!entries) {
            return std::nullopt;
        }
        std::vector<std::string> found;
        while (const auto* entry = ::readdir(entries.get())) {  // NOLINT(concurrency-mt-unsafe)
            const std::string name(static_cast<const char*>(entry->d_name));
            if (name != "." && name != "..") {
                found.push_back(name);
            }
        }
        std::sort(found.begin(), found.end());
        return found;
    }

  private:
    FileDescriptor fd_;
};

/// What is there under this name itself, if it is ours.
std::optional<struct stat> own_entry(int folder, const std::string& name) {
    struct stat entry {};
    const bool own =
        ::fstatat(folder, name.c_str(), &entry, AT_SYMLINK_NOFOLLOW) == 0 && entry.st_uid == ::geteuid();
    return own ? std::optional(entry) : std::nullopt;
}

bool is_old(const struct stat& entry, std::chrono::seconds least_age) {
    const auto written = std::chrono::system_clock::from_time_t(entry.st_mtim.tv_sec);
    return std::chrono::system_clock::now() - written >= least_age;
}

Bytes size_of(const struct stat& entry) {
    return {entry.st_blocks * bytes_per_block};
}

/// A file on which we hold a lease: as long as this lives, nobody else gets to open it.
class UnusedFile {
  public:
    UnusedFile(int folder, const std::string& name, const struct stat& known)
        : fd_(::openat(folder, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)) {
        struct stat opened {};
        // The signal that someone waits for the file would end us if it were the default one, SIGIO.
        held_ = fd_.is_open() && ::fstat(fd_.get(), &opened) == 0 && opened.st_ino == known.st_ino &&
                opened.st_dev == known.st_dev && ::fcntl(fd_.get(), F_SETSIG, SIGURG) == 0 &&
                ::fcntl(fd_.get(), F_SETLEASE, F_WRLCK) == 0;
    }
    [[nodiscard]] bool held() const { return held_; }

  private:
    FileDescriptor fd_;
    bool held_ = false;
};

std::optional<std::string_view> library_of_segment(std::string_view name) {
    const auto found = std::find_if(segment_names.begin(), segment_names.end(), [&](const auto& names) {
        return name.size() > names.beginning.size() && name.starts_with(names.beginning);
    });
    return found == segment_names.end() ? std::nullopt : std::optional(found->library);
}

/// The file of a segment that may go: regular, ours and old.
std::optional<struct stat> old_segment(int folder, const std::string& name, std::chrono::seconds least_age) {
    auto entry = own_entry(folder, name);
    return entry && S_ISREG(entry->st_mode) && is_old(*entry, least_age) ? entry : std::nullopt;
}

/// What a tree of a session folder takes, if everything in it is ours and unused.
class UnusedTree {
  public:
    [[nodiscard]] bool take(int above, const std::string& name, int level = 0) {
        const auto entry = own_entry(above, name);
        if (!entry || level > most_levels || ++entries_ > most_entries) {
            return false;
        }
        size_.count += size_of(*entry).count;
        if (S_ISREG(entry->st_mode)) {
            return UnusedFile(above, name, *entry).held();
        }
        if (!S_ISDIR(entry->st_mode)) {
            return true;
        }
        const Folder folder(above, name.c_str());
        const auto names = folder.is_open() ? folder.names() : std::nullopt;
        return names && std::all_of(names->begin(), names->end(),
                                    [&](const auto& inner) { return take(folder.get(), inner, level + 1); });
    }
    [[nodiscard]] Bytes size() const { return size_; }

  private:
    Bytes size_;
    std::size_t entries_ = 0;
};

bool remove_tree(int above, const std::string& name, int level = 0) {
    const auto entry = own_entry(above, name);
    if (!entry || level > most_levels) {
        return false;
    }
    if (!S_ISDIR(entry->st_mode)) {
        return ::unlinkat(above, name.c_str(), 0) == 0;
    }
    const Folder folder(above, name.c_str());
    const auto names = folder.is_open() ? folder.names() : std::nullopt;
    if (!names) {
        return false;
    }
    for (const auto& inner : *names) {
        if (!remove_tree(folder.get(), inner, level + 1)) {
            return false;
        }
    }
    return ::unlinkat(above, name.c_str(), AT_REMOVEDIR) == 0;
}

/// The launcher of a session folder `pid.N`.
std::optional<pid_t> launcher_of(std::string_view name) {
    constexpr std::string_view beginning = "pid.";
    if (!name.starts_with(beginning)) {
        return std::nullopt;
    }
    name.remove_prefix(beginning.size());
    pid_t pid = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), pid);
    return error == std::errc() && end == name.data() + name.size() && pid > 0 ? std::optional(pid)
                                                                               : std::nullopt;
}

bool has_ended(pid_t pid) {
    return ::kill(pid, 0) != 0 && errno == ESRCH;
}

/// The folders of all sessions of this user on this host: `ompi.HOST.UID`, where the host may lack its
/// domain.
std::set<fs::path> session_tops(const LeftoverPlaces& places) {
    const auto top_of = [&](const std::string& host) {
        return places.temporary / fmt::format("ompi.{}.{}", host, ::geteuid());
    };
    return {top_of(places.host), top_of(places.host.substr(0, places.host.find('.')))};
}

/// A session folder, if it may go.
std::optional<Leftover> old_session(const Folder& top, const fs::path& path, const LeftoverPlaces& places) {
    const auto name = path.filename().string();
    const auto launcher = launcher_of(name);
    const auto entry = own_entry(top.get(), name);
    UnusedTree tree;
    if (!launcher || !has_ended(*launcher) || !entry || !S_ISDIR(entry->st_mode) ||
        !is_old(*entry, places.least_age) || !tree.take(top.get(), name)) {
        return std::nullopt;
    }
    return Leftover{
        .kind = LeftoverKind::session_folder, .path = path, .library = "Open MPI", .size = tree.size()};
}

/// Opens a folder by its path, of which only the last part must not be a link.
Folder folder_at(const fs::path& path) {
    return {AT_FDCWD, path.c_str()};
}

}  // namespace

LeftoverPlaces LeftoverPlaces::here() {
    LeftoverPlaces places;
    places.host = host_name();
    if (const char* other = std::getenv("FATHOM_SHARED_MEMORY"); other != nullptr && *other != '\0') {
        places.shared_memory = other;
    }
    if (const char* other = std::getenv("TMPDIR"); other != nullptr && *other != '\0') {
        places.temporary = other;
    }
    return places;
}

std::vector<Leftover> find_leftovers(const LeftoverPlaces& places) {
    std::vector<Leftover> found;
    const auto memory = folder_at(places.shared_memory);
    for (const auto& name : memory.names().value_or(std::vector<std::string>())) {
        const auto library = library_of_segment(name);
        const auto entry = library ? old_segment(memory.get(), name, places.least_age) : std::nullopt;
        if (entry && UnusedFile(memory.get(), name, *entry).held()) {
            found.push_back({.kind = LeftoverKind::segment,
                             .path = places.shared_memory / name,
                             .library = std::string(*library),
                             .size = size_of(*entry)});
        }
    }
    for (const auto& path : session_tops(places)) {
        const auto top = folder_at(path);
        for (const auto& name : top.names().value_or(std::vector<std::string>())) {
            if (auto session = old_session(top, path / name, places)) {
                found.push_back(std::move(*session));
            }
        }
    }
    return found;
}

bool remove_leftover(const Leftover& leftover, const LeftoverPlaces& places) {
    const auto name = leftover.path.filename().string();
    if (leftover.kind == LeftoverKind::segment) {
        const auto memory = folder_at(places.shared_memory);
        const auto entry = old_segment(memory.get(), name, places.least_age);
        if (!entry) {
            return false;
        }
        const UnusedFile file(memory.get(), name, *entry);
        return file.held() && ::unlinkat(memory.get(), name.c_str(), 0) == 0;
    }
    const auto path = leftover.path.parent_path();
    const auto top = folder_at(path);
    if (!session_tops(places).contains(path) || !old_session(top, leftover.path, places) ||
        !remove_tree(top.get(), name)) {
        return false;
    }
    ::rmdir(path.c_str());  // empty after the last one, as Open MPI itself leaves it
    return true;
}

}  // namespace fathom::machine
