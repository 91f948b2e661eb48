#pragma once

#include <string_view>

#include <gtest/gtest.h>

#include "tune/model/algorithms.hpp"
#include "tune/model/costing.hpp"

namespace fathom::testing {

inline const tune::Algorithm& algorithm(std::string_view operation, std::string_view name) {
    for (const auto& one : tune::algorithms()) {
        if (one.operation == operation && one.name == name) {
            return one;
        }
    }
    ADD_FAILURE() << operation << " " << name << " has no model";
    return tune::algorithms().front();
}

inline tune::CostCurve curve_of(const tune::Algorithm& one, const tune::Network& network,
                                const tune::Layout& layout, const tune::AlgorithmSettings& settings = {}) {
    return tune::cost_of(one.schedule(layout.procs(), settings), network, layout);
}

/// Alpha, beta and gamma whose multiples cannot be taken for each other.
inline tune::Network flat_network() {
    return tune::Network{.between = tune::simple_link(10'007, 1.13),
                         .inside = tune::simple_link(10'007, 1.13),
                         .interface_ns_per_byte = 0,
                         .reduce_ns_per_byte = 0.171}
        .flattened();
}

/// Faster inside a host; a stream between hosts does not quite saturate an interface.
inline tune::Network two_level_network() {
    return {.between = tune::simple_link(10'007, 1.13),
            .inside = tune::simple_link(503, 0.21),
            .interface_ns_per_byte = 1.07,
            .reduce_ns_per_byte = 0.171};
}

}  // namespace fathom::testing
