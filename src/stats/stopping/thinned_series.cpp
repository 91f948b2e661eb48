#include "stats/stopping/thinned_series.hpp"

namespace fathom::stats {

void ThinnedSeries::add(std::span<const double> values) {
    for (const double value : values) {
        if (count_++ % step_ == 0) {
            values_.push_back(value);
        }
        if (values_.size() > most_) {
            halve();
        }
    }
}

void ThinnedSeries::halve() {
    for (std::size_t i = 0; 2 * i < values_.size(); ++i) {
        values_[i] = values_[2 * i];
    }
    values_.resize((values_.size() + 1) / 2);
    step_ *= 2;
}

}  // namespace fathom::stats
