#include "machine/leftovers.hpp"

#include <fcntl.h>
#include <fstream>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.hpp"
#include "base/test_support.hpp"

namespace fathom::machine {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// The number of a process that has ended.
pid_t ended_process() {
    const pid_t child = ::fork();
    if (child == 0) {
        ::_exit(0);
    }
    ::waitpid(child, nullptr, 0);
    return child;
}

/// Places of its own, in which everything counts as old.
class LeftoversOf : public ::testing::Test {
  protected:
    void SetUp() override {
        fs::create_directories(places.shared_memory);
        fs::create_directories(places.temporary);
        write_file(folder / "file", "x");
        const FileDescriptor file(::open((folder / "file").c_str(), O_RDONLY | O_CLOEXEC));
        if (::fcntl(file.get(), F_SETLEASE, F_WRLCK) != 0) {
            GTEST_SKIP() << "no leases on this file system";
        }
    }

    fs::path segment(const std::string& name) const {
        write_file(places.shared_memory / name, std::string(8192, 'x'));
        return places.shared_memory / name;
    }
    fs::path session(const std::string& name, const std::string& host = "c1.cluster") const {
        const auto path = places.temporary / fmt::format("ompi.{}.{}", host, ::geteuid()) / name;
        fs::create_directories(path / "1" / "0");
        write_file(path / "contact.txt", "x");
        write_file(path / "1" / "0" / "data", "x");
        return path;
    }
    [[nodiscard]] std::vector<fs::path> found() const {
        std::vector<fs::path> paths;
        for (const auto& leftover : find_leftovers(places)) {
            paths.push_back(leftover.path);
        }
        return paths;
    }

    testing::TempFolder folder;
    LeftoverPlaces places{.shared_memory = folder / "shm",
                          .temporary = folder / "tmp",
                          .host = "c1.cluster",
                          .least_age = std::chrono::seconds(0)};
};

TEST_F(LeftoversOf, LibrariesAreKnownByTheirNames) {
    for (const auto* name : {"vader_segment.c1.0.1b570001.0", "sm_segment.c1.0.1b570001.0",
                             "osc_rdma.c1.5.3.77", "osc_sm.c1.5.0.3", "open_mpi.0000", "mpich_shar_tmpMCilHL",
                             "psm2_shm.00", "ucx_shm_posix_7f", "smpi-buffer-0000000000000001"}) {
        const auto path = segment(name);
        const auto leftovers = find_leftovers(places);
        ASSERT_EQ(leftovers.size(), 1U) << name;
        EXPECT_EQ(leftovers[0].path, path);
        EXPECT_EQ(leftovers[0].kind, LeftoverKind::segment);
        EXPECT_FALSE(leftovers[0].library.empty());
        EXPECT_GE(leftovers[0].size.count, 8192);
        EXPECT_TRUE(remove_leftover(leftovers[0], places));
        EXPECT_FALSE(fs::exists(path));
    }
    segment("sem.other");
    segment("vader_segment.");
    segment("my_vader_segment.c1.0.1b570001.0");
    EXPECT_THAT(found(), IsEmpty()) << "those of others";
}

TEST_F(LeftoversOf, ASegmentThatIsOpenOrMappedIsInUse) {
    const auto open = segment("open_mpi.0001");
    const auto mapped = segment("open_mpi.0002");
    const auto leftovers = find_leftovers(places);
    ASSERT_EQ(leftovers.size(), 2U);
    const FileDescriptor held(::open(open.c_str(), O_RDWR | O_CLOEXEC));
    FileDescriptor brief(::open(mapped.c_str(), O_RDWR | O_CLOEXEC));
    void* memory = ::mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, brief.get(), 0);
    ASSERT_NE(memory, MAP_FAILED);
    brief.close();
    EXPECT_THAT(found(), IsEmpty());
    for (const auto& leftover : leftovers) {
        EXPECT_FALSE(remove_leftover(leftover, places)) << "what was found before is looked at again";
    }
    ::munmap(memory, 8192);
    EXPECT_THAT(found(), ElementsAre(mapped));
}

TEST_F(LeftoversOf, AYoungSegmentMayBelongToAJobThatStarts) {
    const auto path = segment("open_mpi.0001");
    places.least_age = std::chrono::minutes(1);
    EXPECT_THAT(found(), IsEmpty());
    fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::minutes(2));
    EXPECT_THAT(found(), ElementsAre(path));
}

TEST_F(LeftoversOf, LinksAreNotFollowed) {
    const auto precious = folder / "precious";
    write_file(precious, "x");
    fs::create_symlink(precious, places.shared_memory / "open_mpi.0001");
    const auto path = session(fmt::format("pid.{}", ended_process()));
    fs::create_directories(folder / "kept");
    write_file(folder / "kept" / "file", "x");
    fs::create_directory_symlink(folder / "kept", path / "link");
    const auto leftovers = find_leftovers(places);
    ASSERT_EQ(leftovers.size(), 1U);
    EXPECT_TRUE(remove_leftover(leftovers[0], places));
    EXPECT_FALSE(fs::exists(path));
    EXPECT_TRUE(fs::exists(precious));
    EXPECT_TRUE(fs::exists(folder / "kept" / "file"));
}

TEST_F(LeftoversOf, ASessionFolderGoesIfItsLauncherHasEnded) {
    session(fmt::format("pid.{}", ::getpid()));
    session("jf.0");
    session("pid.x");
    session(fmt::format("pid.{}", ended_process()), "c2");
    const auto ours = session(fmt::format("pid.{}", ended_process()));
    const auto without_domain = session(fmt::format("pid.{}", ended_process()), "c1");
    EXPECT_THAT(found(), ::testing::UnorderedElementsAre(ours, without_domain));
    for (const auto& leftover : find_leftovers(places)) {
        EXPECT_EQ(leftover.kind, LeftoverKind::session_folder);
        EXPECT_TRUE(remove_leftover(leftover, places));
    }
    EXPECT_THAT(found(), IsEmpty());
    EXPECT_FALSE(fs::exists(without_domain.parent_path())) << "the last one takes the folder of all with it";
    EXPECT_TRUE(fs::exists(ours.parent_path())) << "others are in it";
}

TEST_F(LeftoversOf, ASessionFolderWithAFileInUseStays) {
    const auto path = session(fmt::format("pid.{}", ended_process()));
    const FileDescriptor held(::open((path / "1" / "0" / "data").c_str(), O_RDWR | O_CLOEXEC));
    EXPECT_THAT(found(), IsEmpty());
}

TEST_F(LeftoversOf, WhatAnotherUserOwnsStays) {
    if (::geteuid() != 0) {
        GTEST_SKIP() << "needs root";
    }
    constexpr uid_t nobody = 65'534;
    const auto theirs = segment("open_mpi.0001");
    ASSERT_EQ(::chown(theirs.c_str(), nobody, nobody), 0);
    const auto path = session(fmt::format("pid.{}", ended_process()));
    ASSERT_EQ(::chown((path / "contact.txt").c_str(), nobody, nobody), 0);
    EXPECT_THAT(found(), IsEmpty());
    EXPECT_FALSE(
        remove_leftover({.kind = LeftoverKind::segment, .path = theirs, .library = "", .size = {}}, places));
}

TEST_F(LeftoversOf, NothingIsRemovedOutsideItsPlaces) {
    const auto other = folder / "other" / "pid.1";
    fs::create_directories(other);
    EXPECT_FALSE(remove_leftover(
        {.kind = LeftoverKind::session_folder, .path = other, .library = "", .size = {}}, places));
    EXPECT_TRUE(fs::exists(other));
}

TEST(Leftovers, AreNoneWhereThePlacesAreNot) {
    EXPECT_THAT(find_leftovers({.shared_memory = "/nonexistent", .temporary = "/nonexistent", .host = "c1"}),
                IsEmpty());
}

}  // namespace
}  // namespace fathom::machine
