#pragma once

#include <stdexcept>
#include <string>

#include <nlohmann/json.hpp>  // here only: elsewhere an enumeration would become a number

#include "base/named_enum.hpp"

/// JSON as fathom reads and writes it: named enumerations by their names, and an unknown name is an error of
/// the document.
template <fathom::NamedEnum Enum>
struct nlohmann::adl_serializer<Enum> {
    template <typename Json>
    static void to_json(Json& json, Enum value) {
        json = fathom::to_text(value);
    }
    template <typename Json>
    static void from_json(const Json& json, Enum& value) {
        const auto& name = json.template get_ref<const std::string&>();
        const auto found = fathom::from_text<Enum>(name);
        if (!found) {
            throw std::invalid_argument("unknown word '" + name + "'");
        }
        value = *found;
    }
};
