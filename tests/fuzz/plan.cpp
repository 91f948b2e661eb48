// A plan or a job in TOML.
#include "plan/plan.hpp"

#include "fuzz/written_plan.hpp"
#include "plan/presets.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace fathom;
    const auto text = fuzzing::text_of(data, size);
    fuzzing::refused_or_done([&] {
        plan::Plan plan;
        plan::apply_preset(plan, plan::default_preset);
        plan::read_plan(plan, text, "input.toml");
        fuzzing::store_and_expand(plan);
    });
    fuzzing::refused_or_done([&] { plan::write_job(plan::read_job(text, "job.toml")); });
    return 0;
}
