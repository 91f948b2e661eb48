#pragma once

namespace fathom::stats {

/// The chance that `rate` of so many tries or more succeed, if each does with `chance`. The number of tries
/// may be an effective one, which need not be whole.
double binomial_tail(double rate, double chance, double tries);

}  // namespace fathom::stats
