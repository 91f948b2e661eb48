// A key with one more dimension than fathom has: every form carries it, although none of them names it.
#include "report/point_key.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plan/point_key_toml.hpp"
#include "store/point_key_columns.hpp"

namespace fathom {
namespace {

struct LargerKey : plan::PointKey {
    std::string implementation = {};

    friend auto operator<=>(const LargerKey&, const LargerKey&) = default;
};

}  // namespace

template <>
inline constexpr auto plan::extra_dimensions<LargerKey> = std::to_array<plan::ExtraDimension<LargerKey>>({
    {.name = "scheme", .value = &LargerKey::scheme},
    {.name = "implementation",
     .value = &LargerKey::implementation,
     .said_as = "via ",
     .when_empty = "library"},
});

namespace {

using ::testing::ElementsAre;

LargerKey bcast(const std::string& implementation) {
    LargerKey key;
    key.operation = "bcast";
    key.pattern = "all";
    key.procs = 8;
    key.size = {65'536};
    key.implementation = implementation;
    return key;
}

TEST(NewDimension, IsInTheTextWhereItIsSet) {
    EXPECT_EQ(to_text(bcast("tree:flat.toml")), "bcast, 64 KiB, 8 processes, via tree:flat.toml");
    EXPECT_EQ(curve_text(bcast("tree:flat.toml")), "bcast, 8 processes, via tree:flat.toml");
    EXPECT_EQ(to_text(bcast("")), "bcast, 64 KiB, 8 processes");
}

TEST(NewDimension, SurvivesToml) {
    toml::table table;
    plan::put_key(table, bcast("tree:flat.toml"));
    EXPECT_EQ(plan::key_from<LargerKey>(table), bcast("tree:flat.toml"));
    table.erase("implementation");
    EXPECT_EQ(plan::key_from<LargerKey>(table), bcast("")) << "files from before it was there";
}

TEST(NewDimension, SurvivesJson) {
    nlohmann::json json;
    journal::put_key(json, bcast("tree:flat.toml"));
    EXPECT_EQ(json.at("implementation"), "tree:flat.toml");
    EXPECT_EQ(journal::key_from<LargerKey>(json), bcast("tree:flat.toml"));
}

TEST(NewDimension, SurvivesTheStore) {
    store::Database database(":memory:", store::Database::Access::write, false);
    const auto columns = store::key_columns<LargerKey>();
    EXPECT_EQ(columns, "operation, pattern, procs, size_bytes, scheme, implementation");
    database.execute("CREATE TABLE point (" + columns + ")");
    auto insert = database.prepare("INSERT INTO point (" + columns + ") VALUES (?1, ?2, ?3, ?4, ?5, ?6)");
    EXPECT_EQ(store::bind_key(insert, 1, bcast("tree:flat.toml")), 7);
    insert.run();
    auto query = database.prepare("SELECT " + columns + " FROM point");
    ASSERT_TRUE(query.step());
    int at = 0;
    EXPECT_EQ(store::key_from<LargerKey>(query, at), bcast("tree:flat.toml"));
    EXPECT_EQ(at, 6);
}

TEST(NewDimension, IsAColumnOfCsv) {
    EXPECT_EQ(report::csv_extra_titles<LargerKey>(), "scheme,implementation");
    EXPECT_EQ(report::csv_extra_cells(bcast("a,b")), ",\"a,b\"");
    EXPECT_EQ(report::csv_place_cells(bcast("a,b")), "bcast,all,8,65536");
}

TEST(NewDimension, IsAColumnOfTablesWhereAPointUsesIt) {
    const auto columns = [](const std::vector<LargerKey>& keys) {
        return report::KeyColumns<LargerKey>(
            keys, [](const auto& key) -> const auto& { return key; });
    };
    EXPECT_EQ(columns({bcast("")}).titles().size(), 3U);
    const auto used = columns({bcast(""), bcast("tree:flat.toml")});
    EXPECT_EQ(used.titles().at(1).title, "implementation");
    EXPECT_THAT(used.cells(bcast("")), ElementsAre("bcast", "library", "8", "64 KiB"));
    EXPECT_THAT(used.cells(bcast("tree:flat.toml")), ElementsAre("bcast", "tree:flat.toml", "8", "64 KiB"));
}

TEST(NewDimension, TellsPointsApart) {
    EXPECT_NE(bcast(""), bcast("tree:flat.toml"));
    EXPECT_NE(of_size(bcast(""), {}), of_size(bcast("tree:flat.toml"), {})) << "and their curves";
}

}  // namespace
}  // namespace fathom
