#include "base/named_enum.hpp"

#include <array>
#include <optional>
#include <string_view>

#include <gtest/gtest.h>

namespace fathom {
namespace {

enum class Fruit { apple, blackberry };

constexpr std::array<std::string_view, 2> enum_names(Fruit /*unused*/) {
    return {"apple", "black-berry"};
}

TEST(NamedEnum, TurnsEveryValueIntoItsNameAndBack) {
    static_assert(to_text(Fruit::blackberry) == "black-berry");
    for (const auto value : {Fruit::apple, Fruit::blackberry}) {
        EXPECT_EQ(from_text<Fruit>(to_text(value)), value);
    }
}

TEST(NamedEnum, ListsItsValuesInOrder) {
    static_assert(values_of<Fruit> == std::array{Fruit::apple, Fruit::blackberry});
}

TEST(NamedEnum, HasNoNameForAnAbsentValue) {
    EXPECT_EQ(to_text(std::optional<Fruit>()), "");
    EXPECT_EQ(to_text(std::optional(Fruit::apple)), "apple");
}

TEST(NamedEnum, KnowsNoOtherNames) {
    EXPECT_EQ(from_text<Fruit>("blackberry"), std::nullopt);
    EXPECT_EQ(from_text<Fruit>(""), std::nullopt);
}

}  // namespace
}  // namespace fathom
