// Options of `fathom run` as they are typed: lines of KEY=VALUE, by the table that makes the command line.
#include "plan/settings.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "fuzz/written_plan.hpp"
#include "plan/presets.hpp"

namespace {

using namespace fathom;

/// As cli/given_settings.cpp takes an option.
void give(plan::Plan& plan, const std::string& line) {
    const auto sign = line.find('=');
    const auto key = line.substr(0, sign);
    const auto value = sign == std::string::npos ? std::string() : line.substr(sign + 1);
    for (const auto& setting : plan::settings()) {
        if (setting.key != key) {
            continue;
        }
        if (setting.kind == plan::SettingKind::toggle) {
            setting.give(plan, true);
        } else if (setting.options.empty() || setting.kind == plan::SettingKind::repeated) {
            setting.give(plan, split(value, ' '));
        } else {
            setting.give(plan, value);
        }
    }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto text = fuzzing::text_of(data, size);
    fuzzing::refused_or_done([&] {
        plan::Plan plan;
        plan::apply_preset(plan, plan::default_preset);
        for (std::size_t at = 0; at < text.size();) {
            const auto end = std::min(text.find('\n', at), text.size());
            give(plan, text.substr(at, end - at));
            at = end + 1;
        }
        fuzzing::store_and_expand(plan);
    });
    return 0;
}
