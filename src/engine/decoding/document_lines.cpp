#include "decoding/document_lines.h"

#include <cstddef>
#include <utility>

namespace translate {

std::vector<SourceLine> lines_of(const Document& document) {
  std::vector<SourceLine> lines;
  auto marks = document.marks();
  for (std::size_t i = 0; i < marks.size(); ++i) {
    const bool is_marked = !marks[i].empty();
    lines.push_back({.text = document.texts()[i], .is_aligned = is_marked, .marks = std::move(marks[i])});
  }
  return lines;
}

}  // namespace translate
