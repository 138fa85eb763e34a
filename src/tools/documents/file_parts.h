#pragma once

#include <cstddef>
#include <string_view>
#include <utility>

#include "documents/text_parts.h"

namespace translate::tools {

/// The parts of a file that is read from its beginning to its end: bytes that no text takes the place of stay.
class FileParts : public TextParts {
 public:
  /// `bytes`, of the whole file, must outlive this object.
  explicit FileParts(std::string_view bytes) : TextParts{.texts = {}, .between = {""}}, bytes_(bytes) {}

  /// The byte before which everything is in the parts.
  [[nodiscard]] std::size_t at() const { return at_; }

  /// Keeps the bytes up to `end`.
  void keep_to(std::size_t end) {
    keep(bytes_.substr(at_, end - at_));
    at_ = end;
  }

  /// Leaves out the bytes up to `end`, whose place something else has taken.
  void skip_to(std::size_t end) { at_ = end; }

  /// Keeps the rest of the file and returns its parts. To be called once.
  [[nodiscard]] TextParts finish() {
    keep_to(bytes_.size());
    return std::move(*this);
  }

 private:
  std::string_view bytes_;
  std::size_t at_ = 0;
};

}  // namespace translate::tools
