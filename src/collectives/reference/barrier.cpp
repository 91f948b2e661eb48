#include "collectives/reference/algorithms.hpp"

namespace fathom::collectives::reference {

void barrier_dissemination(const Task& task) {
    for (int distance = 1; distance < task.size(); distance *= 2) {
        task.net.exchange(nullptr, 0, task.ahead(distance), nullptr, 0, task.behind(distance));
    }
}

}  // namespace fathom::collectives::reference
