#include "machine/processor_names.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

namespace fathom::machine {
namespace {

struct Processor {
    int implementer;
    int part;
    std::string_view name;
};

/// Those of servers and of boards that clusters are made of; the numbers are in each processor's reference
/// manual, in its register MIDR_EL1.
constexpr auto processors = std::to_array<Processor>({
    {0x41, 0xd03, "Arm Cortex-A53"},     {0x41, 0xd04, "Arm Cortex-A35"},
    {0x41, 0xd05, "Arm Cortex-A55"},     {0x41, 0xd07, "Arm Cortex-A57"},
    {0x41, 0xd08, "Arm Cortex-A72"},     {0x41, 0xd09, "Arm Cortex-A73"},
    {0x41, 0xd0a, "Arm Cortex-A75"},     {0x41, 0xd0b, "Arm Cortex-A76"},
    {0x41, 0xd0c, "Arm Neoverse-N1"},    {0x41, 0xd0d, "Arm Cortex-A77"},
    {0x41, 0xd40, "Arm Neoverse-V1"},    {0x41, 0xd41, "Arm Cortex-A78"},
    {0x41, 0xd44, "Arm Cortex-X1"},      {0x41, 0xd49, "Arm Neoverse-N2"},
    {0x41, 0xd4a, "Arm Neoverse-E1"},    {0x41, 0xd4f, "Arm Neoverse-V2"},
    {0x41, 0xd84, "Arm Neoverse-V3"},    {0x41, 0xd8e, "Arm Neoverse-N3"},
    {0x42, 0x516, "Broadcom ThunderX2"}, {0x43, 0x0a1, "Cavium ThunderX"},
    {0x43, 0x0af, "Cavium ThunderX2"},   {0x43, 0x0b8, "Marvell ThunderX3"},
    {0x46, 0x001, "Fujitsu A64FX"},      {0x48, 0xd01, "HiSilicon TaiShan-v110"},
    {0x4e, 0x004, "NVIDIA Carmel"},      {0x50, 0x000, "APM X-Gene"},
    {0x51, 0xc00, "Qualcomm Falkor"},    {0xc0, 0xac3, "Ampere-1"},
    {0xc0, 0xac4, "Ampere-1a"},
});

/// `0xd0c`; -1 if it is none.
int number_of(std::string_view text) {
    constexpr std::string_view prefix = "0x";
    constexpr int hexadecimal_base = 16;
    if (!text.starts_with(prefix)) {
        return -1;
    }
    text.remove_prefix(prefix.size());
    int number = -1;
    const auto [end, code] =
        std::from_chars(text.data(), text.data() + text.size(), number, hexadecimal_base);
    return code == std::errc() && end == text.data() + text.size() ? number : -1;
}

}  // namespace

std::string arm_processor_name(std::string_view implementer, std::string_view part,
                               std::string_view variant) {
    const auto known = std::ranges::find_if(processors, [&](const Processor& processor) {
        return processor.implementer == number_of(implementer) && processor.part == number_of(part);
    });
    if (known == processors.end()) {
        return fmt::format("implementer {} part {} variant {}", implementer, part, variant);
    }
    const auto revision = number_of(variant);
    return revision < 0 ? std::string(known->name) : fmt::format("{} (r{})", known->name, revision);
}

}  // namespace fathom::machine
