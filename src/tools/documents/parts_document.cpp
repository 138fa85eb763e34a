#include "documents/parts_document.h"

#include <fmt/format.h>

#include <algorithm>

namespace translate::tools {

DataError document_error(const DocumentInput& input, std::size_t at, std::string_view problem) {
  const auto before = std::string_view(input.bytes).substr(0, at);
  return DataError(fmt::format("{}: line {}: {}", input.name, std::ranges::count(before, '\n') + 1, problem));
}

}  // namespace translate::tools
