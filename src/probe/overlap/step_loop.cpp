#include "probe/overlap/step_loop.hpp"

#include <algorithm>

namespace fathom::probe {

void StepLoop::run(const Step& step, int number, int round, std::int64_t reps, Start& start) {
    last_begin_ = samples_.size();
    samples_.reserve(last_begin_ + static_cast<std::size_t>(reps));
    start.begin(reps);
    for (std::int64_t i = 0; i < reps; ++i) {
        journal::StudySample sample;
        sample.step = number;
        sample.round = round;
        if (step.scheme != Scheme::alone) {
            operation_->next(rep_++);
        }
        const bool punctual = start.align();
        repeat(step, sample);
        sample.valid = start.in_time(sample.start + sample.whole) && punctual;
        samples_.push_back(sample);
    }
    std::vector<std::int64_t> invalid;
    for (auto i = last_begin_; i < samples_.size(); ++i) {
        invalid.push_back(samples_[i].valid ? 0 : 1);
    }
    group_.largest_each(invalid);
    for (std::size_t i = 0; i < invalid.size(); ++i) {
        samples_[last_begin_ + i].valid = invalid[i] == 0;
    }
    start.adapt(std::count(invalid.begin(), invalid.end(), 1), reps);
}

std::string StepLoop::checked(const Step& step, Start& start) {
    operation_->next(rep_++);
    operation_->prepare_check();
    constexpr std::int64_t times = 2;
    start.begin(times);
    start.align();
    journal::StudySample sample;
    repeat(step, sample);
    start.align();  // all data of others are there
    return operation_->check();
}

void StepLoop::repeat(const Step& step, journal::StudySample& sample) {
    if (step.scheme == Scheme::time) {
        by_parts(step, sample);
    } else {
        as_one(step, sample);
    }
}

void StepLoop::as_one(const Step& step, journal::StudySample& sample) {
    const bool talks = step.scheme != Scheme::alone;
    sample.start = clock_.now();
    if (talks) {
        exchange_->post();
    }
    if (works_ && step.scheme != Scheme::at_once) {
        fixed_work(step, sample);
    }
    if (talks) {
        exchange_->wait();
    }
    sample.whole = clock_.now() - sample.start;
}

/// With tests: the first before the work, the last after it, as MPI programs have them. A rank that knows
/// that the communication has ended does not test any more.
void StepLoop::fixed_work(const Step& step, journal::StudySample& sample) {
    const bool tests = step.scheme == Scheme::work && step.tests > 0;
    if (!tests) {
        worker_.work(step.units);
        return;
    }
    const auto pieces = std::max<std::int64_t>(1, step.tests - 1);
    bool ended = exchange_->test();
    ++sample.tests_made;
    std::int64_t done = 0;
    for (std::int64_t piece = 1; piece <= pieces; ++piece) {
        const auto until = step.units * piece / pieces;
        worker_.work(until - done);
        done = until;
        if (!ended && piece < step.tests) {
            ended = exchange_->test();
            ++sample.tests_made;
        }
    }
}

void StepLoop::by_parts(const Step& step, journal::StudySample& sample) {
    sample.start = clock_.now();
    exchange_->post();
    const auto posted = clock_.now();
    sample.post = posted - sample.start;
    auto now = posted;
    if (works_) {
        bool ended = step.tests == 0;
        const auto test = [&] {
            const auto before = clock_.now();
            ended = exchange_->test();
            sample.tests = sample.tests + (clock_.now() - before);
            ++sample.tests_made;
        };
        if (!ended) {
            test();
        }
        const auto pieces = std::max<std::int64_t>(1, step.tests - 1);
        for (std::int64_t piece = 1; piece <= pieces; ++piece) {
            worker_.work_until(posted + Nanoseconds{step.work.count * piece / pieces});
            if (!ended && piece < step.tests) {
                test();
            }
        }
        now = clock_.now();
    }
    exchange_->wait();
    const auto end = clock_.now();
    sample.wait = end - now;
    sample.whole = end - sample.start;
}

}  // namespace fathom::probe
