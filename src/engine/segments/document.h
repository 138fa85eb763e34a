#pragma once

#include <span>
#include <string>
#include <vector>

#include "segments/mark_projection.h"

namespace translate {

/// A translation, and which of its words come from which of the source.
struct AlignedText {
  std::string text;
  Alignment alignment = {};
};

/// A file whose texts are translated while everything else in it stays: keys, tags, time codes, white space.
class Document {
 public:
  Document() = default;
  virtual ~Document() = default;
  Document(const Document&) = delete;
  Document& operator=(const Document&) = delete;

  /// The texts to translate, in their order: valid UTF-8, none of them blank, without mark-up and escapes.
  [[nodiscard]] virtual const std::vector<std::string>& texts() const = 0;

  /// The ranges of each text that have mark-up around them, or at one place of them, an empty one: as many lists as
  /// there are texts. The translations of texts with some must be aligned.
  [[nodiscard]] virtual std::vector<std::vector<TextMark>> marks() const = 0;

  /// Returns the file with `translations` (as many as there are texts) in the places of the texts. All other bytes are
  /// those of the file that was read. A text whose translation is the text itself stays as it was written.
  [[nodiscard]] virtual std::string write(std::span<const AlignedText> translations) const = 0;
};

}  // namespace translate
