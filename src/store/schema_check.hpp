#pragma once

#include "store/sqlite.hpp"

namespace fathom::store {

/// Throws BadInput if a file has tables, indexes, triggers or views that `own`, a database made by the same
/// migrations, does not have, or has them otherwise: their SQL would be run while the file is read or
/// written. Objects that the file lacks are no harm: what needs them says so.
void refuse_foreign_objects(const Database& file, const Database& own);

}  // namespace fathom::store
