#include "alignment/tagged_text.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <utility>

namespace translate::benchmark {

namespace {

/// Reads a line from left to right.
class TagReader {
 public:
  void read(std::string_view line) {
    for (std::size_t i = 0; i < line.size(); ++i) {
      const auto end = line[i] == '<' ? line.find('>', i) : std::string_view::npos;
      if (end != std::string_view::npos) {
        end_word();
        tag(std::string(line.substr(i, end + 1 - i)));
        i = end;
      } else {
        character(line[i]);
      }
    }
    end_word();
    for (const auto& repeated : repeated_) {
      line_.spans.erase(repeated);
    }
  }

  [[nodiscard]] TaggedLine take() { return std::move(line_); }

 private:
  void character(char byte) {
    const auto value = static_cast<unsigned char>(byte);
    if (std::isspace(value) != 0) {
      end_word();
    } else if (value < 0x80 && std::ispunct(value) != 0) {
      end_word();
      word_ = byte;
      end_word();
    } else {
      word_ += static_cast<char>(value < 0x80 ? std::tolower(value) : value);
    }
  }

  void end_word() {
    if (word_.empty()) {
      return;
    }
    for (const auto& open : open_) {
      line_.spans[open].push_back(static_cast<std::int32_t>(line_.words.size()));
    }
    line_.words.push_back(std::exchange(word_, {}));
  }

  void tag(const std::string& text) {
    if (text.starts_with("</")) {
      if (!open_.empty()) {
        open_.pop_back();
      }
      return;
    }
    if (!seen_.insert(text).second) {
      repeated_.insert(text);
    }
    open_.push_back(text);
  }

  TaggedLine line_;
  std::string word_;
  std::vector<std::string> open_;
  std::set<std::string> seen_;
  std::set<std::string> repeated_;
};

}  // namespace

TaggedLine parse_tagged_line(std::string_view line) {
  TagReader reader;
  reader.read(line);
  return reader.take();
}

}  // namespace translate::benchmark
