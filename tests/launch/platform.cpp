#include "launch/platform.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.hpp"
#include "base/test_support.hpp"

namespace fathom::launch {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using testing::refusal_of;
using testing::TempFolder;

constexpr const char* two_level = R"(<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<!-- summary: 24 ranks, 2 on each of 12 hosts -->
<!-- a comment over
     two lines with a <cluster id="not" radical="0-99"/> in it -->
<platform version="4.1">
  <config>
    <prop id="network/model" value="CM02"/>
    <prop id="smpi/wtime" value="0"/>
  </config>
  <cluster id="two" prefix="node-" suffix=".lab" radical="0-11" core="2" speed="1Gf"
           bw="1GBps" lat="1us"/>
</platform>
)";

std::string cluster(const std::string& attributes) {
    return "<platform version=\"4.1\">\n  <cluster id=\"c\" " + attributes + "/>\n</platform>\n";
}

class PlatformFiles : public ::testing::Test {
  protected:
    std::filesystem::path put(const std::string& name, const std::string& text) const {
        write_file(folder / name, text);
        return folder / name;
    }
    [[nodiscard]] Platform read(const std::string& xml) const { return read_platform(put("good.xml", xml)); }
    /// Why a file is refused, after its name: `: it holds ...`, `:3: malformed ...`.
    [[nodiscard]] std::string whole_refusal(const std::string& xml) const {
        const auto file = put("bad.xml", xml);
        auto message = refusal_of([&] { read_platform(file); });
        return message.starts_with(file.string()) ? message.substr(file.string().size())
                                                  : "(no file named) " + message;
    }
    [[nodiscard]] std::string refusal(const std::string& xml) const {
        auto message = whole_refusal(xml);
        return message.starts_with(": ") ? message.substr(2) : message;
    }

    TempFolder folder;
};

TEST_F(PlatformFiles, AreReadWithHostsCoresAndConfiguration) {
    const auto platform = read_platform(put("two-level.xml", two_level));
    EXPECT_EQ(platform.name, "two-level");
    EXPECT_EQ(platform.file, folder / "two-level.xml");
    EXPECT_EQ(platform.summary, "24 ranks, 2 on each of 12 hosts");
    EXPECT_EQ(platform.hosts, 12);
    EXPECT_EQ(platform.ranks_per_host, 2);
    EXPECT_EQ(platform.places(), 24);
    EXPECT_THAT(platform.config, ElementsAre(Pair("network/model", "CM02"), Pair("smpi/wtime", "0")));
}

TEST_F(PlatformFiles, NeedNeitherSummaryNorCoresNorConfiguration) {
    const auto platform =
        read_platform(put("plain.xml", cluster("prefix=\"h\" suffix=\"\" radical=\"0-0\"")));
    EXPECT_EQ(platform.summary, "");
    EXPECT_EQ(platform.hosts, 1);
    EXPECT_EQ(platform.ranks_per_host, 1);
    EXPECT_THAT(platform.config, IsEmpty());
}

TEST_F(PlatformFiles, ListHostsInNumericOrderOneLineARank) {
    const auto platform = read_platform(put("two-level.xml", two_level));
    std::string expected;
    for (int host = 0; host < 12; ++host) {
        const auto line = "node-" + std::to_string(host) + ".lab\n";
        expected += line + line;
    }
    EXPECT_EQ(platform.hostfile(), expected);
}

TEST_F(PlatformFiles, AreRefusedWithoutACluster) {
    const std::string mend = "; start other platforms with --launcher 'smpirun ...'.";
    EXPECT_EQ(refusal("<platform version=\"4.1\"></platform>"),
              "it has no <cluster>, a platform has one, or one for each site" + mend);
    EXPECT_EQ(refusal("<platform><!-- " + cluster("radical=\"0-3\"") + " --></platform>"),
              "it has no <cluster>, a platform has one, or one for each site" + mend);
    EXPECT_EQ(refusal("<platform><![CDATA[" + cluster("radical=\"0-3\"") + "]]></platform>"),
              "it has no <cluster>, a platform has one, or one for each site" + mend);
}

TEST_F(PlatformFiles, OfSeveralSitesHaveAClusterForEach) {
    const auto platform = read(
        "<platform><zone id='world' routing='Full'><cluster prefix='a' suffix='.x' radical='0-1' core='2'/>"
        "<cluster prefix='b' radical='0-2' core='2'/></zone></platform>");
    EXPECT_EQ(platform.hosts, 5);
    EXPECT_EQ(platform.places(), 10);
    EXPECT_EQ(platform.hostfile(), "a0.x\na0.x\na1.x\na1.x\nb0\nb0\nb1\nb1\nb2\nb2\n");
    const std::string mend = "; start other platforms with --launcher 'smpirun ...'.";
    EXPECT_EQ(refusal("<platform><cluster radical='0-3' core='2'/><cluster radical='0-3'/></platform>"),
              "its clusters have 2 and 1 cores a host, a platform's have the same" + mend);
    EXPECT_EQ(refusal("<platform><cluster radical='0-9999998'/><cluster radical='0-1'/></platform>"),
              "its 10000001 hosts of 1 cores are too many, a platform has at most 10000000 cores" + mend);
}

TEST_F(PlatformFiles, AreRefusedWithOtherRadicals) {
    const std::string mend = ", a platform's is 0-N; start other platforms with --launcher 'smpirun ...'.";
    EXPECT_EQ(refusal(cluster("speed=\"1Gf\"")), "its radical is ''" + mend);
    for (const std::string radical : {"1-4", "0-3,5-7", "0", "0-", "0-x", "0--1", "0-99999999999"}) {
        EXPECT_EQ(refusal(cluster("radical=\"" + radical + "\"")), "its radical is '" + radical + "'" + mend);
    }
}

TEST_F(PlatformFiles, MayHaveAttributesOfAnyLengthAndQuoteTheirBeginning) {
    const auto path = put("long.xml", cluster("radical='0-" + std::string(300'000, '1') + "'"));
    const auto said = refusal_of([&] { read_platform(path); });
    EXPECT_NE(said.find("its radical is '0-1111"), std::string::npos) << said.substr(0, 300);
    EXPECT_LT(said.size(), 400U);
    const auto huge = put("huge.xml", cluster("radical='0-3' x='" + std::string(longest_input, 'x') + "'"));
    EXPECT_NE(refusal_of([&] { read_platform(huge); }).find("File too large"), std::string::npos);
}

TEST_F(PlatformFiles, AreRefusedWithoutANumberOfCores) {
    for (const std::string cores : {"0", "-2", "two", "", "99999"}) {
        EXPECT_EQ(refusal(cluster("radical=\"0-3\" core=\"" + cores + "\"")),
                  "its core is '" + cores +
                      "', a platform's is 1 to 9999; start other platforms with --launcher 'smpirun ...'.");
    }
}

TEST_F(PlatformFiles, AreRefusedWithMorePlacesThanCanBeCounted) {
    EXPECT_EQ(read(cluster("radical=\"0-999\" core=\"9999\"")).places(), 9'999'000);
    EXPECT_EQ(refusal(cluster("radical=\"0-9999999\" core=\"9999\"")),
              "its 10000000 hosts of 9999 cores are too many, a platform has at most 10000000 cores; "
              "start other platforms with --launcher 'smpirun ...'.");
}

TEST_F(PlatformFiles, ThatAreNoXmlAreRefusedWithTheLine) {
    EXPECT_EQ(whole_refusal(""), ":1: malformed XML: No document element found.");
    EXPECT_EQ(whole_refusal("this is no XML"), ":1: malformed XML: No document element found.");
    EXPECT_EQ(whole_refusal("<platform>\n  <cluster radical=\"0-3\"/>\n</platfrom>\n"),
              ":3: malformed XML: Start-end tags mismatch.");
    EXPECT_EQ(whole_refusal("<platform>\n  <cluster radical=\"0-3\">\n\n"),
              ":2: malformed XML: Start-end tags mismatch.");
    EXPECT_EQ(whole_refusal("<platform>\n  <cluster radical=0-3/>\n</platform>\n"),
              ":2: malformed XML: Error parsing element attribute.");
    EXPECT_EQ(whole_refusal("<platform>\n<config>\n<>\n</config></platform>\n"),
              ":3: malformed XML: Could not determine tag type.");
    EXPECT_EQ(whole_refusal("<platform/>\n<!-- never closed\n\n"),
              ":2: malformed XML: Error parsing comment.");
}

TEST_F(PlatformFiles, MayHaveAttributesInAnyOrderQuoteAndLine) {
    const auto platform = read(
        "<platform>\n<config id='General'>\n<prop value = 'CM02'\n\tid = 'network/model' />"
        "</config>\n<cluster\n  core='4'\n  radical=\"0-7\" suffix='.b' prefix='a>'\n/></platform>");
    EXPECT_EQ(platform.hosts, 8);
    EXPECT_EQ(platform.ranks_per_host, 4);
    EXPECT_EQ(platform.sites.front().host_prefix, "a>");
    EXPECT_EQ(platform.sites.front().host_suffix, ".b");
    EXPECT_THAT(platform.config, ElementsAre(Pair("network/model", "CM02")));
}

TEST_F(PlatformFiles, MayHaveEntitiesInAttributes) {
    const auto platform = read(
        "<platform><config><prop id=\"a\" value=\"1 &lt; 2 &amp;&#32;&quot;3&#x22;\"/></config>"
        "<cluster prefix=\"&apos;\" radical=\"0-&#49;\"/></platform>");
    EXPECT_EQ(platform.hosts, 2);
    EXPECT_EQ(platform.sites.front().host_prefix, "'");
    EXPECT_THAT(platform.config, ElementsAre(Pair("a", "1 < 2 & \"3\"")));
}

TEST_F(PlatformFiles, MayHaveTheirClusterInsideAZone) {
    EXPECT_EQ(
        read("<platform><zone id=\"z\" routing=\"Full\"><cluster radical=\"0-2\"/></zone></platform>").hosts,
        3);
}

TEST_F(PlatformFiles, TakeSettingsFromTheirConfigurationOnly) {
    const auto platform = read(
        "<platform><config><prop id=\"a\" value=\"1\"/><prop id=\"no value\"/></config>"
        "<!-- <config><prop id=\"b\" value=\"2\"/></config> -->"
        "<cluster radical=\"0-2\"><prop id=\"of a host\" value=\"3\"/></cluster></platform>");
    EXPECT_THAT(platform.config, ElementsAre(Pair("a", "1")));
}

TEST_F(PlatformFiles, MayHaveTheirSummaryAnywhereAndOverSeveralLines) {
    EXPECT_EQ(read("<platform><!-- no summary: here --><cluster radical=\"0-2\"><!--\n  summary: 3 hosts,\n"
                   "           all alike --></cluster></platform><!-- summary: a second one -->")
                  .summary,
              "3 hosts, all alike");
}

TEST_F(PlatformFiles, MayBeginWithAByteOrderMark) {
    EXPECT_EQ(read("\xEF\xBB\xBF" + cluster("radical=\"0-2\"")).hosts, 3);
}

TEST_F(PlatformFiles, ThatAreMissingAreNamed) {
    const auto file = folder / "absent.xml";
    EXPECT_EQ(refusal_of([&] { read_platform(file); }),
              "cannot read " + file.string() + ": No such file or directory");
}

TEST_F(PlatformFiles, OfAFolderAreSortedByName) {
    put("zeta.xml", two_level);
    put("alpha.xml", two_level);
    put("notes.txt", "no platform");
    std::vector<std::string> names;
    for (const auto& platform : platforms_in(folder.path())) {
        names.push_back(platform.name);
    }
    EXPECT_THAT(names, ElementsAre("alpha", "zeta"));
    EXPECT_THAT(platforms_in(folder / "absent"), IsEmpty());
}

TEST_F(PlatformFiles, AreFoundByNameOrByPath) {
    put("two-level.xml", two_level);
    EXPECT_EQ(find_platform(folder.path(), "two-level").hosts, 12);
    EXPECT_EQ(find_platform("/nowhere", (folder / "two-level.xml").string()).hosts, 12);
}

TEST_F(PlatformFiles, ThatAreUnknownAreRefusedWithTheNearest) {
    put("two-level.xml", two_level);
    EXPECT_EQ(refusal_of([&] { find_platform(folder.path(), "two-leval"); }),
              "no platform 'two-leval'. Did you mean 'two-level'? ('fathom list platforms' shows all.)");
    EXPECT_EQ(refusal_of([&] { find_platform(folder.path(), "mars"); }),
              "no platform 'mars'. ('fathom list platforms' shows all.)");
}

}  // namespace
}  // namespace fathom::launch
