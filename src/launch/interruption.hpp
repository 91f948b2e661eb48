#pragma once

namespace fathom::launch {

/// From now on Ctrl-C and similar signals only request a stop, so that results can be saved first.
void catch_interruptions();

/// Whether a stop was requested.
bool interrupted();

}  // namespace fathom::launch
