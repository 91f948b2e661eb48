// A key with one more dimension than fathom has: every form carries it, although none of them names it.
#include "report/point_key.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plan/point_key_toml.hpp"
#include "store/point_key_columns.hpp"

namespace fathom {
namespace {

struct LargerKey : plan::PointKey {
    std::string adapter = {};

    friend auto operator<=>(const LargerKey&, const LargerKey&) = default;
};

}  // namespace

template <>
inline constexpr auto plan::extra_dimensions<LargerKey> = std::to_array<plan::ExtraDimension<LargerKey>>({
    {.name = "scheme", .value = &LargerKey::scheme},
    {.name = "adapter",
     .value = &LargerKey::adapter,
     .said_as = "over ",
     .when_empty = "any",
     .only_if_set = true},
});

namespace {

using ::testing::ElementsAre;

LargerKey bcast(const std::string& adapter) {
    LargerKey key;
    key.operation = "bcast";
    key.pattern = "all";
    key.procs = 8;
    key.size = {65'536};
    key.adapter = adapter;
    return key;
}

TEST(NewDimension, IsInTheTextWhereItIsSet) {
    EXPECT_EQ(to_text(bcast("eth1")), "bcast, 64 KiB, 8 processes, over eth1");
    EXPECT_EQ(curve_text(bcast("eth1")), "bcast, 8 processes, over eth1");
    EXPECT_EQ(to_text(bcast("")), "bcast, 64 KiB, 8 processes");
}

TEST(NewDimension, SurvivesToml) {
    toml::table table;
    plan::put_key(table, bcast("eth1"));
    EXPECT_EQ(plan::key_from<LargerKey>(table), bcast("eth1"));
    table.erase("adapter");
    EXPECT_EQ(plan::key_from<LargerKey>(table), bcast("")) << "files from before it was there";
}

TEST(NewDimension, SurvivesJson) {
    nlohmann::json json;
    journal::put_key(json, bcast("eth1"));
    EXPECT_EQ(json.at("adapter"), "eth1");
    EXPECT_EQ(journal::key_from<LargerKey>(json), bcast("eth1"));
}

TEST(NewDimension, IsLeftOutOfResultsWhereItIsEmptyIfItSaysSo) {
    EXPECT_EQ(report::with_key(bcast("eth1"), {{"reps", 5}}).at("adapter"), "eth1");
    const auto without = report::with_key(bcast(""), {{"reps", 5}});
    EXPECT_FALSE(without.contains("adapter"));
    EXPECT_EQ(without.at("scheme"), "") << "scripts rely on the others";
}

TEST(NewDimension, SurvivesTheStore) {
    store::Database database(":memory:", store::Database::Access::write, false);
    const auto columns = store::key_columns<LargerKey>();
    EXPECT_EQ(columns, "operation, pattern, procs, size_bytes, scheme, adapter");
    database.execute("CREATE TABLE point (" + columns + ")");
    auto insert = database.prepare("INSERT INTO point (" + columns + ") VALUES (?1, ?2, ?3, ?4, ?5, ?6)");
    EXPECT_EQ(store::bind_key(insert, 1, bcast("eth1")), 7);
    insert.run();
    auto query = database.prepare("SELECT " + columns + " FROM point");
    ASSERT_TRUE(query.step());
    store::Row row(query, "point");
    EXPECT_EQ(store::key_from<LargerKey>(row), bcast("eth1"));
    EXPECT_EQ(row.columns_read(), 6);
    EXPECT_EQ(row.damage(), "");
}

TEST(NewDimension, IsAColumnOfCsv) {
    EXPECT_EQ(report::csv_extra_titles<LargerKey>(), "scheme,adapter");
    EXPECT_EQ(report::csv_extra_cells(bcast("a,b")), ",\"a,b\"");
    EXPECT_EQ(report::csv_place_cells(bcast("a,b")), "bcast,all,8,65536");
}

TEST(NewDimension, IsAColumnOfTablesWhereAPointUsesIt) {
    const auto columns = [](const std::vector<LargerKey>& keys) {
        return report::KeyColumns<LargerKey>(
            keys, [](const auto& key) -> const auto& { return key; });
    };
    EXPECT_EQ(columns({bcast("")}).titles().size(), 3U);
    const auto used = columns({bcast(""), bcast("eth1")});
    EXPECT_EQ(used.titles().at(1).title, "adapter");
    EXPECT_THAT(used.cells(bcast("")), ElementsAre("bcast", "any", "8", "64 KiB"));
    EXPECT_THAT(used.cells(bcast("eth1")), ElementsAre("bcast", "eth1", "8", "64 KiB"));
}

TEST(NewDimension, TellsPointsApart) {
    EXPECT_NE(bcast(""), bcast("eth1"));
    EXPECT_NE(of_size(bcast(""), {}), of_size(bcast("eth1"), {})) << "and their curves";
}

}  // namespace
}  // namespace fathom
