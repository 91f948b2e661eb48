#include "store/lock_file.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "base/file.hpp"
#include "base/test_support.hpp"
#include "machine/facts.hpp"

namespace fathom::store {
namespace {

using testing::refusal_of;
using testing::TempFolder;

/// The id of a process that has ended.
pid_t gone_process() {
    const pid_t child = ::fork();
    if (child == 0) {
        ::_exit(0);
    }
    ::waitpid(child, nullptr, 0);
    return child;
}

class LockFiles : public ::testing::Test {
  protected:
    TempFolder folder;
    std::filesystem::path file = folder / "fathom.db";
    std::filesystem::path lock = folder / "fathom.db.lock";
};

TEST_F(LockFiles, SayWhoHoldsThemAndGoWithTheHolder) {
    {
        const LockFile held(file);
        EXPECT_EQ(read_file(lock), machine::host_name() + " " + std::to_string(::getpid()) + "\n");
    }
    EXPECT_FALSE(std::filesystem::exists(lock));
}

TEST_F(LockFiles, OfALivingProcessAreRespected) {
    const LockFile held(file);
    EXPECT_EQ(refusal_of<NotMeasured>([&] { const LockFile second(file); }),
              file.string() + " is in use by process " + std::to_string(::getpid()) + " on " +
                  machine::host_name() + ". If that process is gone, remove " + lock.string() + ".");
    EXPECT_TRUE(std::filesystem::exists(lock)) << "the holder keeps it";
}

TEST_F(LockFiles, OfAProcessThatIsGoneAreTakenOver) {
    write_file(lock, machine::host_name() + " " + std::to_string(gone_process()) + "\n");
    const LockFile held(file);
    EXPECT_EQ(read_file(lock), machine::host_name() + " " + std::to_string(::getpid()) + "\n");
}

TEST_F(LockFiles, OfAnotherHostAreRespected) {
    write_file(lock, "some-other-host " + std::to_string(gone_process()) + "\n");
    EXPECT_THROW(const LockFile held(file), NotMeasured);
    EXPECT_TRUE(std::filesystem::exists(lock));
}

TEST_F(LockFiles, ThatSayNothingAreRespected) {
    write_file(lock, "");
    EXPECT_THROW(const LockFile held(file), NotMeasured);
}

TEST_F(LockFiles, InAFolderThatIsNotThereAreRefused) {
    EXPECT_THROW(const LockFile held(folder / "absent/fathom.db"), BadInput);
}

TEST(LocksWork, MakesTheFileOnlyIfAsked) {
    const TempFolder folder;
    locks_work(folder / "x.db", false);
    EXPECT_FALSE(std::filesystem::exists(folder / "x.db"));
    locks_work(folder / "x.db", true);
    EXPECT_TRUE(std::filesystem::exists(folder / "x.db"));
}

}  // namespace
}  // namespace fathom::store
