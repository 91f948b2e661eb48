#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/units.hpp"
#include "tune/model/network.hpp"

namespace fathom::tune {

/// A part of a curve of time against size.
struct CurvePiece {
    Line time;
    Bytes last;  ///< the largest size that it holds for
};

/// Messages in segments along a chain. The first one passes every hop; the others follow it at the pace of
/// the slowest hop, where one leaves when the one before it has arrived.
struct Pipeline {
    Bytes segment;
    Link inside;
    Link between;
    std::int64_t inside_hops = 0;
    std::int64_t between_hops = 0;
    bool last_inside = false;  ///< the last hop

    [[nodiscard]] CurvePiece piece(Bytes size) const;
};

/// The predicted time of an algorithm against its size: exactly linear between sizes at which a message
/// changes its protocol, another part of the network becomes the slowest, or one more segment is needed.
class CostCurve {
  public:
    /// The line that the time follows at a size, and up to which.
    [[nodiscard]] CurvePiece piece(Bytes size) const;
    [[nodiscard]] double at(Bytes size) const { return piece(size).time.at(static_cast<double>(size.count)); }

    /// A line that holds from a size on, until the next piece.
    struct From {
        Bytes first;
        Line time;
    };

  private:
    friend class CostSum;
    std::vector<From> pieces_ = {{.first = {0}, .time = {}}};
    std::optional<Pipeline> pipeline_;
};

/// Adds up the rounds of an algorithm.
class CostSum {
  public:
    /// A round that takes as long as the slower of two kinds of messages, each of `bytes_per_size` times the
    /// operation's size; this many times. Either may be missing.
    struct Part {
        const Link* link = nullptr;  ///< null: there are no such messages
        double bytes_per_size = 0;
        double interface_bytes_per_size = 0;               ///< that pass the busiest interface
        std::optional<double> interface_ns_per_byte = {};  ///< nothing: beta of the link
    };
    void add_round(const Part& inside, const Part& between, double reduce_ns_per_size, double times);
    /// Messages of one rank, each of the operation's size times `block`, sent without waiting.
    struct Burst {
        double inside = 0;   ///< messages
        double between = 0;  ///< messages
        double block = 0;
        double interface_messages = 0;  ///< that pass the busiest interface, those of other ranks too
    };
    void add_burst(const Network& network, const Burst& burst);
    void add_pipeline(const Pipeline& pipeline) { pipeline_ = pipeline; }

    [[nodiscard]] CostCurve curve();

  private:
    /// From this size on the sum is another line.
    struct Change {
        std::int64_t first = 0;
        Line by = {};
    };
    void add(const std::vector<CostCurve::From>& pieces, double times);

    std::vector<Change> changes_;
    std::optional<Pipeline> pipeline_;
};

}  // namespace fathom::tune
