#pragma once

#include <optional>

#include "tune/piecewise_time.hpp"

namespace fathom::tune {

/// What messages between two ranks cost.
struct Link {
    PiecewiseTime message;  ///< alpha + beta * bytes, perhaps with other parameters above some size
    /// For how long a message keeps its sender from sending the next one, besides beta * bytes. With alpha
    /// here, messages of one rank do not overlap at all: the classical assumption.
    double overhead_ns = 0;

    [[nodiscard]] Line line_at(double bytes) const { return message.range_of(bytes).time; }
};

/// One alpha and one beta for all sizes; messages of one rank do not overlap.
inline Link simple_link(double alpha_ns, double beta_ns_per_byte) {
    return {.message = {.ranges = {{.time = {alpha_ns, beta_ns_per_byte}}}}, .overhead_ns = alpha_ns};
}

/// What communication costs, in two levels. Ranks can send and receive at the same time.
struct Network {
    Link between;  ///< hosts
    Link inside;   ///< a host
    /// How long a byte keeps a host's network interface busy, one way: transfers of its ranks share it.
    /// Nothing: as long as the message's own beta says, so that one transfer saturates it. 0: not shared.
    std::optional<double> interface_ns_per_byte = {};
    double reduce_ns_per_byte = 0;  ///< gamma

    /// All ranks as far from each other as hosts are, each with an interface of its own.
    [[nodiscard]] Network flattened() const {
        return {.between = between,
                .inside = between,
                .interface_ns_per_byte = 0,
                .reduce_ns_per_byte = reduce_ns_per_byte};
    }
};

}  // namespace fathom::tune
