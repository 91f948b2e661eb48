#include "cli/tune.hpp"

namespace fathom::cli {

void add_tune(const Command& program, Invocation& invocation) {
    const auto tune =
        program.group("tune", "Predict which algorithm is best, and fit closed forms to times",
                      "fathom tune model bcast -n 64 --alpha 10us --beta 1GB/s", "tune command");
    for (const auto add : {add_tune_model, add_tune_fit}) {
        add(tune, invocation);
    }
}

}  // namespace fathom::cli
