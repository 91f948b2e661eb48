// Sizes, ranges, times, sets of ranks and other words that people type, each input as all of them.
#include <algorithm>
#include <functional>

#include "analysis/samples/view.hpp"
#include "base/text.hpp"
#include "fuzz/fuzzing.hpp"
#include "plan/grid.hpp"
#include "plan/pairing.hpp"
#include "plan/participants.hpp"
#include "plan/setting_values.hpp"
#include "plan/varied_settings.hpp"
#include "stats/reduction.hpp"

namespace {

using namespace fathom;

void check(const plan::Grid& grid) {
    const auto& values = grid.values;
    if (std::adjacent_find(values.begin(), values.end(), std::greater_equal<>()) != values.end()) {
        fuzzing::finding("a grid is not in rising order");
    }
    if (!values.empty() && values.front() < 0) {
        fuzzing::finding("a grid has a negative value");
    }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto text = fuzzing::text_of(data, size);
    const auto words = split(text, ',');
    const auto read = [&](const auto& action) { fuzzing::refused_or_done(action); };
    read([&] { to_text(parse_bytes(text)); });
    read([&] { parse_duration(text); });
    read([&] { check(plan::size_grid(words)); });
    read([&] { check(plan::process_grid(words)); });
    read([&] { plan::rank_list(words); });
    read([&] { plan::parse_pair(text); });
    read([&] { plan::check_pairs(words); });
    read([&] { plan::read_pairs(text, "pairs.txt"); });
    read([&] { plan::tag_map(words); });
    read([&] { plan::label_text(text); });
    read([&] { plan::to_text(plan::varied_setting(text)); });
    read([&] { plan::combinations({text}); });
    read([&] { analysis::RankSet::parse(text); });
    read([&] { stats::Reduction::parse(text); });
    read([&] {
        const auto command = shell_words(text);
        if (shell_words(shell_text(command)) != command) {
            fuzzing::finding("a command changes when it is quoted");
        }
    });
    return 0;
}
