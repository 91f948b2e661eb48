#pragma once

#include <optional>
#include <string>

#include "base/units.hpp"

/// How sentences call what they speak of.
namespace fathom::analysis {

struct PointResult;

/// What tells a point, or without a size a curve of points, from others.
struct Name {
    std::string operation;
    std::optional<Bytes> size;  ///< left out of the text where the operation has none
    int procs = 0;              ///< 0: left out
    std::string scheme;
    std::string progress;

    /// `bcast, 64 KiB, 8 processes, as-imb, progress thread`
    [[nodiscard]] std::string text() const;
};

Name name_of(const PointResult& point);

/// `1 process`, `8 processes`
std::string processes_text(int procs);

/// Whether an operation has message sizes; one that this fathom does not know is taken to.
bool has_sizes(const std::string& operation);

}  // namespace fathom::analysis
