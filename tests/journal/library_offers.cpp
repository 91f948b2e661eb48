#include "journal/library_offers.hpp"

#include <gtest/gtest.h>

namespace fathom::journal {
namespace {

const plan::OfferedLibrary offers{
    .version = "Some MPI 1.2",
    .file = "/lib/libmpi.so",
    .operations =
        {{"bcast",
          {.algorithms = {"chain", "ring"}, .parameters = {"segmentsize"}, .numbers = {{"chain", 2}}}},
         {"gatherv", {}}},
    .protocol = {{.name = "eager_limit", .standard = "4096"},
                 {.name = "copy", .standard = "none", .named = {"none", "cma"}}},
    .rule_files = {"/etc/some.rules"}};

TEST(LibraryOffers, AreFoundAmongWhatALauncherPrints) {
    const auto line = offers_line(offers);
    EXPECT_EQ(line.find('\n'), std::string::npos);
    EXPECT_EQ(offers_from(line), offers);
    EXPECT_EQ(offers_from("a warning {\n" + line + "\nand another\n"), offers);
}

TEST(LibraryOffers, AreNoneInAnythingElse) {
    for (const auto* text : {"", "\n\n", "{}", "[1]", R"({"schema":"other"})", R"({"schema":3})",
                             R"({"schema":"fathom.algorithms/1"})",
                             R"({"schema":"fathom.algorithms/1","version":"","file":"","operations":)"
                             R"({"bcast":{"algorithms":3}}})",
                             R"({"schema":"fathom.algorithms/1","version":"","file":"","operations":{}})"}) {
        EXPECT_FALSE(offers_from(text)) << text;
    }
}

}  // namespace
}  // namespace fathom::journal
