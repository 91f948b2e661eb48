#include "launch/follower.hpp"

namespace fathom::launch {

bool Follower::advance() {
    bool any = false;
    record_begin_ = reader_.position();
    while (const auto record = reader_.next()) {
        if (const auto* begin = std::get_if<journal::PointBegin>(&*record)) {
            open_point_ = begin->index;
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

}  // namespace fathom::launch
