#include "probe/ops/synchronisation.hpp"

namespace fathom::probe {

std::unique_ptr<Synchronisation> make_synchronisation(plan::Synchronisation kind, const WindowOfTwo& place) {
    switch (kind) {
        case plan::Synchronisation::fence:
            return std::make_unique<Fence>(place);
        case plan::Synchronisation::pscw:
            return std::make_unique<PostStartCompleteWait>(place);
        case plan::Synchronisation::lock:
            return std::make_unique<Lock>(place);
        case plan::Synchronisation::flush:
            return std::make_unique<Flush>(place);
    }
    return nullptr;
}

}  // namespace fathom::probe
