#pragma once

#include <memory>

#include "config/json.h"
#include "segments/glossary.h"

namespace translate {

/// Reads the field `glossary` of a request: an object with source terms as keys and target terms as values, or a list
/// of pairs [source term, target term]. Of two terms with the same source the first one counts. Null for null and where
/// there is no term. Throws DataError that names the term if it is something else, or a term cannot be used (fault_of).
[[nodiscard]] std::shared_ptr<const Glossary> read_json_glossary(const Json& value);

}  // namespace translate
