#include "base/file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "base/test_support.hpp"

namespace fathom {
namespace {

using testing::refusal_of;
using testing::TempFolder;

bool is_open_in_kernel(int fd) {
    return ::fcntl(fd, F_GETFD) != -1;
}

TEST(ReadFile, GivesBackEveryByteThatWasWritten) {
    const TempFolder folder;
    const std::string bytes("line\r\n\0\xff tail", 13);
    write_file(folder / "bytes", bytes);
    EXPECT_EQ(read_file(folder / "bytes"), bytes);
}

TEST(ReadFile, TakesAnEmptyFileAsAnEmptyText) {
    const TempFolder folder;
    write_file(folder / "empty", "");
    EXPECT_EQ(read_file(folder / "empty"), "");
}

TEST(ReadFile, NamesAMissingFileAndTheReason) {
    const TempFolder folder;
    const auto path = folder / "absent.toml";
    EXPECT_EQ(refusal_of([&] { read_file(path); }),
              "cannot read " + path.string() + ": No such file or directory");
}

TEST(ReadFile, RefusesADirectory) {
    const TempFolder folder;
    EXPECT_EQ(refusal_of([&] { read_file(folder.path()); }),
              "cannot read " + folder.path().string() + ": Is a directory");
}

// The first page of a process is never mapped: /proc/self/mem can be opened, but not read from its beginning.
TEST(ReadFile, NamesAFileThatCanBeOpenedButNotRead) {
    EXPECT_EQ(refusal_of([] { read_file("/proc/self/mem"); }),
              "cannot read /proc/self/mem: Input/output error");
}

// As happens to /proc/PID/stat when the process goes between opening and reading.
TEST(ReadFileOrEmpty, TakesAFileThatCanBeOpenedButNotReadAsEmpty) {
    EXPECT_EQ(read_file_or_empty("/proc/self/mem"), "");
}

TEST(ReadFileOrEmpty, TakesAbsenceAsAnAnswer) {
    const TempFolder folder;
    EXPECT_EQ(read_file_or_empty(folder / "absent"), "");
    write_file(folder / "there", "text");
    EXPECT_EQ(read_file_or_empty(folder / "there"), "text");
}

TEST(WriteFile, ReplacesWhatWasThere) {
    const TempFolder folder;
    write_file(folder / "file", "a long first text");
    write_file(folder / "file", "short");
    EXPECT_EQ(read_file(folder / "file"), "short");
}

TEST(WriteFile, NamesTheFileItCannotWrite) {
    const TempFolder folder;
    const auto path = folder / "no-such-folder/file";
    EXPECT_EQ(refusal_of<Unwritable>([&] { write_file(path, "x"); }),
              "cannot write " + path.string() + ": No such file or directory");
}

TEST(WriteFile, BlamesTheUserForAPlaceThatTheyNamed) {
    const TempFolder folder;
    const auto path = folder / "no-such-folder/file";
    EXPECT_EQ(refusal_of<BadInput>([&] { write_file(path, "x", "name another with -o."); }),
              "cannot write " + path.string() + ": No such file or directory; name another with -o.");
}

TEST(WriteFile, NoticesAFullDisk) {
    if (::access("/dev/full", W_OK) != 0) {
        GTEST_SKIP() << "no /dev/full here";
    }
    EXPECT_EQ(refusal_of<Unwritable>([] { write_file("/dev/full", "x"); }),
              "cannot write /dev/full: No space left on device");
    EXPECT_EQ(refusal_of<Unwritable>([] { write_file("/dev/full", "x", "name another with -o."); }),
              "cannot write /dev/full: No space left on device");
}

TEST(FileDescriptor, ClosesWithItsOwner) {
    int fd = -1;
    {
        const FileDescriptor file(::open("/dev/null", O_RDONLY));
        fd = file.get();
        EXPECT_TRUE(file.is_open());
        EXPECT_TRUE(is_open_in_kernel(fd));
    }
    EXPECT_FALSE(is_open_in_kernel(fd));
}

TEST(FileDescriptor, IsClosedOnceAfterAMove) {
    FileDescriptor first(::open("/dev/null", O_RDONLY));
    const int fd = first.get();
    FileDescriptor second(std::move(first));
    EXPECT_TRUE(is_open_in_kernel(fd));
    FileDescriptor third(::open("/dev/null", O_RDONLY));
    const int replaced = third.get();
    third = std::move(second);
    EXPECT_EQ(third.get(), fd);
    EXPECT_TRUE(is_open_in_kernel(fd));
    EXPECT_FALSE(is_open_in_kernel(replaced));
    third.close();
    EXPECT_FALSE(third.is_open());
    EXPECT_FALSE(is_open_in_kernel(fd));
}

}  // namespace
}  // namespace fathom
