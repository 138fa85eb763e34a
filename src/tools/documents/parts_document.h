#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.h"
#include "documents/text_parts.h"
#include "segments/document_formats.h"

namespace translate::tools {

/// A document whose translations stand one by one between bytes that stay.
class PartsDocument : public Document {
 public:
  explicit PartsDocument(TextParts parts) : parts_(std::move(parts)) {}

  [[nodiscard]] const std::vector<std::string>& texts() const override { return parts_.texts; }
  [[nodiscard]] std::vector<std::vector<TextMark>> marks() const override { return parts_.marked_ranges(); }
  [[nodiscard]] std::string write(std::span<const AlignedText> translations) const override {
    return join_parts(parts_, translations);
  }

 private:
  TextParts parts_;
};

/// Returns the error that a file is not what its format asks for, at a byte of it.
[[nodiscard]] DataError document_error(const DocumentInput& input, std::size_t at, std::string_view problem);

}  // namespace translate::tools
