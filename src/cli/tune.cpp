#include "cli/tune.hpp"

namespace fathom::cli {

void add_tune(const Command& program, Invocation& invocation) {
    const auto tune = add_tune_search(program, invocation);
    for (const auto add : {add_tune_protocol, add_tune_model, add_tune_fit, add_tune_report}) {
        add(tune, invocation);
    }
}

}  // namespace fathom::cli
