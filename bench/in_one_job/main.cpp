// Whether the probe's loops take the times of a plain loop, in one job: launches of the same program differ
// by a tenth and more on some machines, which two blocks of one job have in common. Both take turns, block by
// block; a ratio is the geometric mean over the rounds, of a block of the probe over the plain one beside it.
// Two processes of one host. Run by bench/agreement.py --in-one-job, which reads the rows.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <mpi.h>

#include "clock/model.hpp"
#include "plan/operations.hpp"
#include "probe/loops/in_a_row.hpp"
#include "probe/loops/timed_loop.hpp"
#include "probe/mpi/local_clock.hpp"
#include "probe/mpi/mpi_group.hpp"
#include "probe/ops/registry.hpp"
#include "probe/start/none.hpp"
#include "probe/start/roundtime.hpp"

namespace {

using namespace fathom;

constexpr int rounds = 30;
constexpr int in_a_row = 100;
constexpr double ns_per_s = 1e9;
constexpr double start_ahead_s = 5e-6;  // longer than announcing a start takes, as in bench/plain

double now_s() {
    timespec time{};
    ::clock_gettime(CLOCK_MONOTONIC, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / ns_per_s;
}

double median_of(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

/// What a plain program has: its memory from malloc, its window, its calls.
class Plain {
  public:
    Plain(const std::string& operation, int rank, int bytes)
        : rank_(rank), bytes_(bytes), one_sided_(operation.ends_with(".flush")) {
        // As much as the operation needs: malloc places large blocks elsewhere.
        const auto room = static_cast<std::size_t>(bytes) * (operation == "alltoall" ? 2 : 1) + 1;
        sent_ = static_cast<char*>(std::malloc(room));
        received_ = static_cast<char*>(std::malloc(room));
        std::memset(sent_, 0, room);
        std::memset(received_, 0, room);
        if (one_sided_) {
            MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, static_cast<void*>(&window_memory_),
                             &window_);
            MPI_Win_lock_all(0, window_);
        }
        measure_ = measure_of(operation);
    }
    Plain(const Plain&) = delete;
    Plain& operator=(const Plain&) = delete;
    ~Plain() {
        if (one_sided_) {
            MPI_Win_unlock_all(window_);
            MPI_Win_free(&window_);
        }
        std::free(sent_);
        std::free(received_);
    }

    /// The median of `reps` repetitions of `calls` calls each, of the slowest rank or of rank 0 alone.
    double median_ns(int reps, int calls, bool together, bool first_rank_only) {
        return (this->*measure_)(reps, calls, together, first_rank_only);
    }

  private:
    using Measure = double (Plain::*)(int reps, int calls, bool together, bool first_rank_only);

    static Measure measure_of(const std::string& operation) {
        return operation == "pingpong"    ? &Plain::measured<&Plain::pingpong>
               : operation == "barrier"   ? &Plain::measured<&Plain::barrier>
               : operation == "bcast"     ? &Plain::measured<&Plain::bcast>
               : operation == "allreduce" ? &Plain::measured<&Plain::allreduce>
               : operation == "alltoall"  ? &Plain::measured<&Plain::alltoall>
               : operation == "put.flush" ? &Plain::measured<&Plain::put>
                                          : &Plain::measured<&Plain::get>;
    }

    /// The call is known when this is compiled, as in a plain program: nothing decides between the time
    /// stamps.
    template <void (Plain::*call)()>
    double measured(int reps, int calls, bool together, bool first_rank_only) {
        std::vector<double> times(static_cast<std::size_t>(reps));
        for (auto& time : times) {
            const double begin = now_s();
            time = now_s() - begin;
        }
        const double empty = median_of(times);
        const bool idle = one_sided_ && rank_ != 0;
        MPI_Barrier(MPI_COMM_WORLD);
        for (int i = -reps / 10; i < reps && !idle; ++i) {
            double start = now_s() + start_ahead_s;
            if (together) {
                MPI_Bcast(&start, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
            }
            double begin = now_s();
            while (together && begin < start) {
                begin = now_s();
            }
            for (int k = 0; k < calls; ++k) {
                (this->*call)();
            }
            const double time = (now_s() - begin - empty) / calls;
            times[static_cast<std::size_t>(std::max(0, i))] = time;
        }
        MPI_Barrier(MPI_COMM_WORLD);
        if (!first_rank_only) {
            MPI_Allreduce(MPI_IN_PLACE, times.data(), reps, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        }
        return ns_per_s * median_of(times);
    }

    void pingpong() {
        if (rank_ == 0) {
            MPI_Send(sent_, bytes_, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
            MPI_Recv(received_, bytes_, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(received_, bytes_, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(sent_, bytes_, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
        }
    }
    void barrier() { MPI_Barrier(MPI_COMM_WORLD); }
    void bcast() { MPI_Bcast(sent_, bytes_, MPI_BYTE, 0, MPI_COMM_WORLD); }
    void allreduce() { MPI_Allreduce(sent_, received_, bytes_ / 4, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD); }
    void alltoall() { MPI_Alltoall(sent_, bytes_, MPI_BYTE, received_, bytes_, MPI_BYTE, MPI_COMM_WORLD); }
    void put() {
        MPI_Put(sent_, bytes_, MPI_BYTE, 1, 0, bytes_, MPI_BYTE, window_);
        MPI_Win_flush(1, window_);
    }
    void get() {
        MPI_Get(received_, bytes_, MPI_BYTE, 1, 0, bytes_, MPI_BYTE, window_);
        MPI_Win_flush(1, window_);
    }

    int rank_;
    int bytes_;
    bool one_sided_;
    char* sent_ = nullptr;
    char* received_ = nullptr;
    char* window_memory_ = nullptr;
    MPI_Win window_ = MPI_WIN_NULL;
    Measure measure_ = nullptr;
};

/// The same by the probe's own clock, start, operation and loop.
class Probed {
  public:
    Probed(probe::Group& group, const probe::Clock& clock, probe::Operation& operation, bool together)
        : group_(group), clock_(clock), operation_(operation), empty_(probe::empty_repetition(clock)) {
        model_.set_shared();
        start_ = together ? std::unique_ptr<probe::Start>(
                                std::make_unique<probe::RoundTime>(group, clock, model_, Nanoseconds{0}))
                          : std::make_unique<probe::NoStart>();
    }

    double median_ns(int reps, int calls, bool first_rank_only) {
        probe::InARow row(operation_, calls);
        probe::Operation& timed = calls > 1 ? static_cast<probe::Operation&>(row) : operation_;
        (void)series(timed, std::max(1, reps / 10), false);
        return median_of(series(timed, reps, first_rank_only)) / calls;
    }

  private:
    std::vector<double> series(probe::Operation& timed, int reps, bool first_rank_only) {
        std::vector<journal::Sample> samples(static_cast<std::size_t>(reps));
        samples.clear();
        (void)group_.largest(0);
        start_->begin(reps);
        if (start_->needs_lead_in()) {
            timed.call();
        }
        probe::run_timed(clock_, *start_, timed, 0, reps, samples);
        constexpr std::int64_t invalid = INT64_MAX;
        std::vector<std::int64_t> times;
        for (const auto& sample : samples) {
            times.push_back(!sample.valid                           ? invalid
                            : first_rank_only && group_.rank() != 0 ? 0
                                                                    : (sample.duration - empty_).count);
        }
        group_.largest_each(times);
        std::erase(times, invalid);
        start_->adapt(reps - static_cast<std::int64_t>(times.size()), reps);
        return times.empty() ? std::vector<double>{NAN} : std::vector<double>(times.begin(), times.end());
    }

    probe::Group& group_;
    const probe::Clock& clock_;
    probe::Operation& operation_;
    clock::DriftModel model_;
    Nanoseconds empty_;
    std::unique_ptr<probe::Start> start_;
};

double ratio_of(const std::vector<double>& probed, const std::vector<double>& plain) {
    double sum = 0;
    int count = 0;
    for (std::size_t i = 0; i < plain.size(); ++i) {
        if (std::isfinite(probed[i]) && probed[i] > 0 && plain[i] > 0) {
            sum += std::log(probed[i] / plain[i]);
            ++count;
        }
    }
    return std::exp(sum / count);
}

void compare(probe::mpi::MpiGroup& group, const probe::Clock& clock, const std::string& name, int bytes,
             int calls) {
    MPI_Comm own = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &own);
    {
        const auto& info = plan::find_operation(name);
        const auto operation = probe::make_operation(
            name, {.communicator = own, .rank = group.rank(), .procs = group.size(), .size = Bytes{bytes}});
        const bool pair = info.of_two();
        Plain plain(name, group.rank(), bytes);
        Probed probed(group, clock, *operation, !pair);
        const int reps = std::max(10, (bytes < 65'536 ? 1'000 : 100) / calls);
        std::vector<double> by_plain;
        std::vector<double> by_probe;
        const auto turn = [&](bool of_probe) {
            if (of_probe) {
                by_probe.push_back(probed.median_ns(reps, calls, pair));
            } else {
                by_plain.push_back(plain.median_ns(reps, calls, !pair, pair));
            }
        };
        for (int round = 0; round < rounds; ++round) {
            turn(round % 2 != 0);
            turn(round % 2 == 0);
        }
        if (group.rank() == 0) {
            const double legs = name == "pingpong" ? 2 : 1;
            fmt::print("{} {} {} {:.1f} {:.1f} {:.4f}\n", name, bytes, calls, median_of(by_plain) / legs,
                       median_of(by_probe) / legs, ratio_of(by_probe, by_plain));
            std::fflush(stdout);
        }
    }
    MPI_Comm_free(&own);
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    {
        probe::mpi::MpiGroup group(MPI_COMM_WORLD, false);
        const auto local = probe::mpi::make_local_clock(group, clock::Source::automatic);
        for (const char* name :
             {"pingpong", "barrier", "bcast", "allreduce", "alltoall", "put.flush", "get.flush"}) {
            for (const int bytes : {8, 1'024, 65'536}) {
                const bool empty = std::string(name) == "barrier";
                if (!empty || bytes == 8) {
                    compare(group, *local.clock, name, empty ? 0 : bytes, 1);
                    compare(group, *local.clock, name, empty ? 0 : bytes, in_a_row);
                }
            }
        }
    }
    MPI_Finalize();
    return 0;
}
