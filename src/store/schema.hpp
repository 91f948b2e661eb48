#pragma once

#include "store/sqlite.hpp"

namespace fathom::store {

/// Makes a new file a result file, or brings an older one forward step by step.
/// Throws BadInput if the file belongs to another program or to a newer fathom; it is then left as it was.
void bring_to_current_schema(Database& database);

/// The same up to an earlier version, as that fathom would have left the file; a newer file stays as it is.
void bring_to_schema(Database& database, int version);

/// Whether a result file has the current schema already. Throws as above.
bool has_current_schema(Database& database);

/// The schema version that this program writes.
int current_schema_version();

}  // namespace fathom::store
