#include "launch/follower.hpp"

#include <fmt/format.h>

namespace fathom::launch {

bool Follower::advance() {
    bool any = false;
    record_begin_ = reader_.position();
    while (const auto record = reader_.next()) {
        if (const auto* begin = std::get_if<journal::PointBegin>(&*record)) {
            open_point_ = begin->index;
            last_point_ = begin->index;
        } else if (const auto* job = std::get_if<journal::JobInfo>(&*record)) {
            library_ = job->mpi_version.substr(0, job->mpi_version.find_first_of(",;"));
        } else if (const auto* end = std::get_if<journal::JobEnd>(&*record)) {
            complete_ = end->complete;
            failure_ = end->reason;
        }
        any = true;
        take(*record);
        if (std::holds_alternative<journal::PointEnd>(*record) ||
            std::holds_alternative<journal::PointPause>(*record)) {
            open_point_.reset();
        }
        record_begin_ = reader_.position();
    }
    caught_up();
    return any;
}

void Follower::finish() {
    finishing_ = true;
    reader_.nobody_writes();
    advance();
    while (const auto skipped = reader_.skip_damage()) {
        ++damage_.places;
        damage_.bytes += skipped;
        records_lost();
        advance();
    }
}

std::string Follower::losses() const {
    return damage_.places == 0
               ? std::string()
               : fmt::format("the journal is damaged: {} bytes{} could not be read", damage_.bytes,
                             damage_.places == 1 ? "" : fmt::format(" in {} places", damage_.places));
}

}  // namespace fathom::launch
