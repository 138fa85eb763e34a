#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace translate::tools {

/// A text that stands in a file with escapes, such as "\n" in JSON or &amp; in XML: what it means, and where in the
/// file each of its bytes comes from.
class DecodedString {
 public:
  /// `file` must outlive this object. The string begins at the byte `begin` of it.
  DecodedString(std::string_view file, std::size_t begin) : file_(file), at_{begin} {}

  /// Adds text for the bytes of the file from the end of what was added so far up to `end`. Where both have the same
  /// length, each byte stands for itself; otherwise the text belongs together.
  void add(std::string_view text, std::size_t end) {
    const auto begin = at_.back();
    const bool is_plain = text.size() == end - begin;
    at_.pop_back();
    for (std::size_t i = 0; i < text.size(); ++i) {
      at_.push_back(is_plain ? begin + i : begin);
    }
    at_.push_back(end);
    text_ += text;
  }

  [[nodiscard]] const std::string& text() const { return text_; }

  [[nodiscard]] std::string_view file() const { return file_; }

  /// The place in the file of a byte of the text, or of its end.
  [[nodiscard]] std::size_t place(std::size_t byte) const { return at_[byte]; }

  /// The bytes of the file that hold the bytes [begin, end) of the text.
  [[nodiscard]] std::string_view original(std::size_t begin, std::size_t end) const {
    return file_.substr(at_[begin], at_[end] - at_[begin]);
  }

 private:
  std::string_view file_;
  std::string text_;
  std::vector<std::size_t> at_;  ///< of each byte of the text, and of its end
};

}  // namespace translate::tools
