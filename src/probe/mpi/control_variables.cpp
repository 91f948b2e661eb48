#include "probe/mpi/control_variables.hpp"

#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>

#include <fmt/format.h>
#include <mpi.h>

#include "base/error.hpp"
#include "probe/mpi/check.hpp"

namespace fathom::probe::mpi {

#ifdef FATHOM_SIMULATED
bool ControlVariables::has(const std::string& /*name*/) {
    return false;
}

std::optional<int> ControlVariables::number(const std::string& /*name*/) {
    return std::nullopt;
}

std::vector<std::string> ControlVariables::names() {
    return {};
}

std::vector<plan::NumberedName> ControlVariables::values(const std::string& /*name*/) {
    return {};
}

std::string ControlVariables::description(const std::string& /*name*/) {
    return {};
}

bool ControlVariables::constant(const std::string& /*name*/) {
    return true;
}

std::string ControlVariables::text(const std::string& /*name*/) {
    return {};
}

void ControlVariables::set(const std::string& name, const std::string& /*value*/) {
    throw Unavailable(fmt::format("a simulated library has no variable {}", name));
}
#else
namespace {

constexpr int longest_name = 512;
constexpr int longest_description = 8192;

/// Opens the interface when it is first needed. It stays open to the end of the process: MPICH 4.0 crashes
/// when it is closed and opened again, Open MPI 4.1 when it is closed after MPI.
void open_once() {
    static const bool open = [] {
        int provided = 0;
        FATHOM_MPI(MPI_T_init_thread, MPI_THREAD_SINGLE, &provided);
        return true;
    }();
    (void)open;
}

std::optional<int> index_of(const std::string& name) {
    open_once();
    int index = 0;
    return MPI_T_cvar_get_index(name.c_str(), &index) == MPI_SUCCESS ? std::optional(index) : std::nullopt;
}

/// What the library says of a variable.
struct Info {
    std::string name;
    std::string description;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_T_enum values = MPI_T_ENUM_NULL;
    bool constant = false;  ///< at least from now on
};

std::optional<Info> info_of(int index) {
    std::array<char, longest_name> name{};
    std::array<char, longest_description> description{};
    int name_length = longest_name;
    int description_length = longest_description;
    int verbosity = 0;
    int binding = 0;
    int scope = 0;
    Info info;
    if (MPI_T_cvar_get_info(index, name.data(), &name_length, &verbosity, &info.type, &info.values,
                            description.data(), &description_length, &binding, &scope) != MPI_SUCCESS) {
        return std::nullopt;  // of a component that was unloaded, say
    }
    info.name = name.data();
    info.description = description.data();
    info.constant = scope == MPI_T_SCOPE_CONSTANT || scope == MPI_T_SCOPE_READONLY;
    return info;
}

/// A variable that can be read and written.
class Handle {
  public:
    explicit Handle(int index) { FATHOM_MPI(MPI_T_cvar_handle_alloc, index, nullptr, &handle_, &count_); }
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;
    ~Handle() { MPI_T_cvar_handle_free(&handle_); }

    /// Bytes of a value, with room for any text.
    [[nodiscard]] std::vector<char> read() const {
        std::vector<char> bytes(static_cast<std::size_t>(count_) * sizeof(std::int64_t) + 1);
        FATHOM_MPI(MPI_T_cvar_read, handle_, bytes.data());
        return bytes;
    }
    [[nodiscard]] bool write(const void* value) const {
        return MPI_T_cvar_write(handle_, value) == MPI_SUCCESS;
    }

  private:
    MPI_T_cvar_handle handle_ = MPI_T_CVAR_HANDLE_NULL;
    int count_ = 0;
};

int bytes_of(MPI_Datatype type) {
    int bytes = 0;
    FATHOM_MPI(MPI_Type_size, type, &bytes);
    return bytes;
}

/// The bytes of a number of so many of them.
std::optional<std::array<char, sizeof(std::int64_t)>> as_number(const std::string& text, int bytes) {
    std::int64_t value = 0;
    const auto* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc() || stop != end) {
        return std::nullopt;
    }
    std::array<char, sizeof(std::int64_t)> made{};
    const auto narrow = static_cast<std::int32_t>(value);
    switch (bytes) {
        case sizeof(std::int64_t):
            std::memcpy(made.data(), &value, sizeof value);
            return made;
        case sizeof(std::int32_t):
            std::memcpy(made.data(), &narrow, sizeof narrow);
            return narrow == value ? std::optional(made) : std::nullopt;
        case 1:
            made[0] = static_cast<char>(value);
            return value == 0 || value == 1 ? std::optional(made) : std::nullopt;
        default:
            return std::nullopt;
    }
}

}  // namespace

bool ControlVariables::has(const std::string& name) {
    return index_of(name).has_value();
}

std::optional<int> ControlVariables::number(const std::string& name) {
    const auto index = index_of(name);
    if (!index) {
        return std::nullopt;
    }
    int value = 0;
    std::memcpy(&value, Handle(*index).read().data(), sizeof value);
    return value;
}

std::vector<std::string> ControlVariables::names() {
    open_once();
    int count = 0;
    FATHOM_MPI(MPI_T_cvar_get_num, &count);
    std::vector<std::string> names;
    for (int index = 0; index < count; ++index) {
        if (const auto info = info_of(index)) {
            names.push_back(info->name);
        }
    }
    return names;
}

std::vector<plan::NumberedName> ControlVariables::values(const std::string& name) {
    const auto index = index_of(name);
    const auto info = index ? info_of(*index) : std::nullopt;
    if (!info || info->values == MPI_T_ENUM_NULL) {
        return {};
    }
    int count = 0;
    std::array<char, longest_name> text{};
    int length = longest_name;
    FATHOM_MPI(MPI_T_enum_get_info, info->values, &count, text.data(), &length);
    std::vector<plan::NumberedName> values;
    for (int item = 0; item < count; ++item) {
        plan::NumberedName value;
        length = longest_name;
        FATHOM_MPI(MPI_T_enum_get_item, info->values, item, &value.number, text.data(), &length);
        value.name = text.data();
        values.push_back(std::move(value));
    }
    return values;
}

std::string ControlVariables::description(const std::string& name) {
    const auto index = index_of(name);
    const auto info = index ? info_of(*index) : std::nullopt;
    return info ? info->description : std::string();
}

bool ControlVariables::constant(const std::string& name) {
    const auto index = index_of(name);
    const auto info = index ? info_of(*index) : std::nullopt;
    return !info || info->constant;
}

std::string ControlVariables::text(const std::string& name) {
    const auto index = index_of(name);
    const auto info = index ? info_of(*index) : std::nullopt;
    if (!info) {
        return {};
    }
    const auto value = Handle(*index).read();
    if (info->type == MPI_CHAR) {
        return value.data();
    }
    std::int64_t wide = 0;
    std::int32_t narrow = 0;
    switch (bytes_of(info->type)) {
        case sizeof wide:
            std::memcpy(&wide, value.data(), sizeof wide);
            return std::to_string(wide);
        case sizeof narrow:
            std::memcpy(&narrow, value.data(), sizeof narrow);
            return std::to_string(narrow);
        default:
            return value[0] != 0 ? "1" : "0";
    }
}

void ControlVariables::set(const std::string& name, const std::string& value) {
    const auto index = index_of(name);
    const auto info = index ? info_of(*index) : std::nullopt;
    if (!info) {
        throw Unavailable(fmt::format("the library has no variable {}", name));
    }
    const Handle handle(*index);
    bool taken = false;
    if (info->type == MPI_CHAR) {
        taken = handle.write(value.c_str());
    } else if (const auto number = as_number(value, bytes_of(info->type))) {
        taken = handle.write(number->data());
    }
    if (!taken) {
        throw Unavailable(fmt::format("the library's variable {} does not take {}", name, value));
    }
}
#endif

}  // namespace fathom::probe::mpi
