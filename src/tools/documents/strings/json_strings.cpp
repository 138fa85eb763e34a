#include "documents/strings/json_strings.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "config/json.h"
#include "core/error.h"
#include "documents/inline_tokens.h"
#include "documents/parts_document.h"
#include "documents/strings/escapes.h"

namespace translate::tools {

namespace {

/// Messages of a web extension: an object of objects, each with a "message".
bool is_web_extension(const Json& json) {
  return json.is_object() && !json.empty() && std::ranges::all_of(json, [](const Json& value) {
           return value.is_object() && value.contains("message") && value["message"].is_string();
         });
}

/// Goes through JSON that was parsed before.
class JsonScanner {
 public:
  JsonScanner(std::string_view bytes, bool is_web_extension) : bytes_(bytes), is_web_extension_(is_web_extension) {}

  TextParts scan() {
    for (std::size_t at = 0; at < bytes_.size(); ++at) {
      switch (bytes_[at]) {
        case '{':
        case '[':
          open_.push_back({.is_object = bytes_[at] == '{', .is_kept = is_kept()});
          is_value_ = false;
          break;
        case '}':
        case ']':
          open_.pop_back();
          break;
        case ',':
          is_value_ = false;
          break;
        case ':':
          is_value_ = true;
          break;
        case '"':
          at = take_string(at + 1);
          break;
        default:
          break;
      }
    }
    parts_.keep(bytes_.substr(kept_));
    return std::move(parts_);
  }

 private:
  struct Open {
    bool is_object;
    bool is_kept;  ///< nothing in it is translated
    std::string_view key = {};
  };

  /// Whether the value that comes next stays.
  [[nodiscard]] bool is_kept() const {
    return !open_.empty() && (open_.back().is_kept || open_.back().key.starts_with('@'));
  }

  [[nodiscard]] bool is_translated() const {
    return !is_kept() && !(is_web_extension_ && (open_.size() != 2 || open_.back().key != "message"));
  }

  /// Takes the string whose first byte is at `begin`, and returns the place of its closing quote.
  std::size_t take_string(std::size_t begin) {
    auto end = begin;
    while (bytes_[end] != '"') {
      end += bytes_[end] == '\\' ? 2 : 1;
    }
    const bool is_key = !open_.empty() && open_.back().is_object && !is_value_;
    if (is_key) {
      open_.back().key = bytes_.substr(begin, end - begin);
    } else if (is_translated()) {
      if (const auto decoded = decode_backslashes(bytes_, begin, end)) {
        parts_.keep(bytes_.substr(kept_, begin - kept_));
        add_string(*decoded, {.escape = escape_backslashes}, parts_);
        kept_ = end;
      }
    }
    return end;
  }

  std::string_view bytes_;
  bool is_web_extension_;
  std::vector<Open> open_;
  bool is_value_ = false;  ///< behind a colon
  std::size_t kept_ = 0;   ///< everything before it is in parts_
  TextParts parts_{.texts = {}, .between = {""}};
};

}  // namespace

std::unique_ptr<Document> read_json_strings(DocumentInput input) {
  constexpr std::size_t kDeepestJson = 1000;
  Json json;
  try {
    json = parse_json(input.bytes, {.deepest = kDeepestJson});
  } catch (const JsonError& error) {
    throw DataError(fmt::format("{}: line {}, column {}: {}", input.name, error.position().line,
                                error.position().column, error.reason()));
  }
  return std::make_unique<PartsDocument>(JsonScanner(input.bytes, is_web_extension(json)).scan());
}

}  // namespace translate::tools
