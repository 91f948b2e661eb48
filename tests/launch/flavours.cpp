#include "launch/flavours.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.hpp"
#include "base/test_support.hpp"

namespace fathom::launch {
namespace {

using plan::Flavour;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::refusal_of;
using testing::TempFolder;

class Flavours : public ::testing::Test {
  protected:
    void install(const std::string& flavour) const { write_file(folder / ("fathom-probe-" + flavour), ""); }

    TempFolder folder;
    Installation here{folder.path(), folder / "platforms"};
};

TEST_F(Flavours, AreThoseWhoseProbeIsHereInOrderOfPreference) {
    EXPECT_THAT(here.flavours(), IsEmpty());
    for (const auto* flavour : {"smpi", "mpich", "openmpi", "mpi"}) {
        install(flavour);
    }
    EXPECT_THAT(here.flavours(), ElementsAre(Flavour::mpi, Flavour::openmpi, Flavour::mpich, Flavour::smpi));
    EXPECT_EQ(here.probe(Flavour::mpich), folder / "fathom-probe-mpich");
}

TEST_F(Flavours, AreChosenAsAskedElseTheFirstRealOne) {
    install("mpich");
    install("openmpi");
    install("smpi");
    EXPECT_EQ(choose_flavour(here, Flavour::mpich, false), Flavour::mpich);
    EXPECT_EQ(choose_flavour(here, {}, false), Flavour::openmpi);
    EXPECT_EQ(choose_flavour(here, {}, true), Flavour::smpi);
    EXPECT_EQ(choose_flavour(here, Flavour::smpi, true), Flavour::smpi);
    EXPECT_EQ(choose_flavour(here, Flavour::smpi, false), Flavour::smpi);
}

TEST_F(Flavours, ThatAreNotHereAreRefusedWithThoseThatAre) {
    const auto place = folder.path().string();
    EXPECT_EQ(refusal_of([&] { choose_flavour(here, Flavour::mpich, false); }),
              "no probe for MPI flavour 'mpich' in " + place + ". Found: none.");
    install("openmpi");
    install("mpich");
    EXPECT_EQ(refusal_of([&] { choose_flavour(here, {}, true); }),
              "no probe for MPI flavour 'smpi' in " + place + ". Found: openmpi and mpich.");
}

TEST_F(Flavours, OfARealLibraryDoNotGoWithAPlatform) {
    install("openmpi");
    install("smpi");
    EXPECT_EQ(refusal_of([&] { choose_flavour(here, Flavour::openmpi, true); }),
              "a platform is simulated, but --mpi says 'openmpi'; use --mpi smpi or no --platform.");
}

TEST_F(Flavours, AreNeverSimulatedUnasked) {
    const auto place = folder.path().string();
    EXPECT_EQ(refusal_of([&] { choose_flavour(here, {}, false); }),
              "no probe for a real MPI library in " + place + "; install one and build again.");
    install("smpi");
    EXPECT_EQ(refusal_of([&] { choose_flavour(here, {}, false); }),
              "no probe for a real MPI library in " + place +
                  "; install one and build again, or simulate with --platform NAME.");
}

TEST(Installation, IsWhereTheProgramLies) {
    const auto here = Installation::of_this_program();
    EXPECT_EQ(here.programs, std::filesystem::read_symlink("/proc/self/exe").parent_path());
    EXPECT_EQ(here.platforms, here.programs.parent_path() / "share/fathom/platforms");
}

}  // namespace
}  // namespace fathom::launch
