#pragma once

namespace fathom::launch {

/// From now on Ctrl-C and its kin only ask to stop, so that what was measured can be put in order first.
void catch_interruptions();

/// Whether that was asked for.
bool interrupted();

}  // namespace fathom::launch
