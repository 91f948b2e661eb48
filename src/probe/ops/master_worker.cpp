#include "probe/ops/registry.hpp"

namespace fathom::probe {

std::unique_ptr<Operation> make_master_worker(std::string_view /*name*/,
                                              const OperationContext& /*context*/) {
    return nullptr;
}

}  // namespace fathom::probe
