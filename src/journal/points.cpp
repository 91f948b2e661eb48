#include "journal/points.hpp"

namespace fathom::journal {

PointAdded record_of(const plan::PointSpec& point) {
    return {.index = point.index,
            .operation = point.operation,
            .pattern = point.pattern,
            .procs = point.procs,
            .size_bytes = point.size.count,
            .scheme = point.scheme,
            .purpose = point.purpose,
            .progress = point.progress};
}

plan::PointSpec point_of(const PointAdded& record) {
    return {.index = record.index,
            .operation = record.operation,
            .pattern = record.pattern,
            .procs = record.procs,
            .size = {record.size_bytes},
            .scheme = record.scheme,
            .purpose = record.purpose,
            .progress = record.progress};
}

}  // namespace fathom::journal
