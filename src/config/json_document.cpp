#include "translate/config/json_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "translate/core/error.h"
#include "translate/core/utf8.h"

namespace translate {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::size_t kDeepest = 100;

/// Follows a parser through its text, one token at a time: the parser tells which tokens there are and has checked
/// them, this finds where each begins.
class TokenCursor {
 public:
  explicit TokenCursor(std::string_view text)
      : text_(text), position_(text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0) {}

  /// The offset of the next token that is not a comma or a colon.
  std::size_t next() {
    skip_between();
    const std::size_t start = position_;
    if (start >= text_.size()) return start;
    if (text_[start] == '"') {
      skip_string();
    } else if (std::string_view("{}[]").find(text_[start]) != std::string_view::npos) {
      ++position_;
    } else {  // a number, true, false or null
      position_ = std::min(text_.find_first_of(" \t\r\n,:/{}[]\"", start), text_.size());
    }
    return start;
  }

 private:
  void skip_between() {
    while (position_ < text_.size()) {
      const std::string_view rest = text_.substr(position_);
      if (rest.starts_with("//")) {
        position_ = std::min(text_.find('\n', position_), text_.size());
      } else if (rest.starts_with("/*")) {
        const std::size_t end = text_.find("*/", position_ + 2);
        position_ = end == std::string_view::npos ? text_.size() : end + 2;
      } else if (std::string_view(" \t\r\n,:").find(rest.front()) != std::string_view::npos) {
        ++position_;
      } else {
        return;
      }
    }
  }

  void skip_string() {
    for (++position_; position_ < text_.size() && text_[position_] != '"'; ++position_) {
      if (text_[position_] == '\\') ++position_;
    }
    ++position_;
  }

  std::string_view text_;
  std::size_t position_ = 0;
};

}  // namespace

/// Receives the parser's events and puts the document together.
class JsonDocumentBuilder : public nlohmann::json_sax<Json> {
 public:
  JsonDocumentBuilder(JsonDocument& document, std::vector<std::string>& double_keys)
      : document_(document), double_keys_(double_keys), cursor_(document.text_) {}

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool number_float(number_float_t value, const string_t& /*text*/) override { return add(value); }
  bool string(string_t& value) override { return add(value); }
  bool binary(binary_t& /*value*/) override { return false; }  // text holds none
  bool start_object(std::size_t /*size*/) override { return open(Json::object()); }
  bool start_array(std::size_t /*size*/) override { return open(Json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    Open& object = open_.back();
    const std::size_t offset = cursor_.next();
    const std::string path = join_path(object.path, name);
    if (object.container->contains(name)) {
      double_keys_.push_back(fmt::format("{}: {}: the key is given twice (first in line {})",
                                         document_.describe(document_.position_at(offset)), path,
                                         document_.position_of_key(path).line));
    }
    document_.key_offsets_[path] = offset;
    object.key = name;
    return true;
  }

  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const nlohmann::detail::exception& error) override {
    // "[json.exception.parse_error.101] parse error at line 1, column 2: syntax error ...": the position is ours to say
    std::string reason = error.what();
    const std::size_t column = reason.find(", column ");
    const std::size_t begin = column == std::string::npos ? reason.find("] ") : reason.find(": ", column);
    if (begin != std::string::npos) reason.erase(0, begin + 2);
    fail(position == 0 ? 0 : position - 1, reason);
  }

 private:
  /// An object or list whose end has not come yet.
  struct Open {
    Json* container;
    std::string path;
    std::string key;  ///< the member whose value comes next
  };

  [[noreturn]] void fail(std::size_t offset, std::string_view reason) const {
    throw ConfigError(fmt::format("{}: {}", document_.describe(document_.position_at(offset)), reason));
  }

  [[nodiscard]] std::string next_path() const {
    if (open_.empty()) return "";
    const Open& parent = open_.back();
    if (parent.container->is_array()) return fmt::format("{}[{}]", parent.path, parent.container->size());
    return join_path(parent.path, parent.key);
  }

  /// Puts a value in its place. Only the innermost container grows, so pointers to the open ones stay good.
  Json* place(Json value) {
    document_.value_offsets_[next_path()] = cursor_.next();
    if (open_.empty()) return &(document_.root_ = std::move(value));
    Json& parent = *open_.back().container;
    if (parent.is_array()) {
      parent.push_back(std::move(value));
      return &parent.back();
    }
    return &(parent[open_.back().key] = std::move(value));
  }

  bool add(Json value) {
    place(std::move(value));
    return true;
  }

  bool open(Json container) {
    if (open_.size() == kDeepest) fail(cursor_.next(), fmt::format("nested more than {} deep", kDeepest));
    std::string path = next_path();
    Json* placed = place(std::move(container));
    open_.push_back({placed, std::move(path), ""});
    return true;
  }

  bool close() {
    cursor_.next();
    open_.pop_back();
    return true;
  }

  JsonDocument& document_;
  std::vector<std::string>& double_keys_;
  TokenCursor cursor_;
  std::vector<Open> open_;
};

JsonDocument JsonDocument::parse(std::string text, std::string name) {
  std::vector<std::string> double_keys;
  auto document = parse(std::move(text), std::move(name), double_keys);
  if (!double_keys.empty()) throw ConfigError(double_keys.front());
  return document;
}

JsonDocument JsonDocument::parse(std::string text, std::string name, std::vector<std::string>& double_keys) {
  JsonDocument document(std::move(text), std::move(name));
  if (const auto offset = first_invalid_utf8(document.text_)) {
    throw ConfigError(fmt::format("{}: not valid UTF-8", document.describe(document.position_at(*offset))));
  }
  JsonDocumentBuilder builder(document, double_keys);
  Json::sax_parse(document.text_, &builder, Json::input_format_t::json, /*strict=*/true, /*ignore_comments=*/true);
  return document;
}

JsonPosition JsonDocument::position_of_value(const std::string& path) const {
  const auto found = value_offsets_.find(path);
  return found == value_offsets_.end() ? JsonPosition{} : position_at(found->second);
}

JsonPosition JsonDocument::position_of_key(const std::string& path) const {
  const auto found = key_offsets_.find(path);
  return found == key_offsets_.end() ? position_of_value(path) : position_at(found->second);
}

std::string JsonDocument::describe(JsonPosition position) const {
  return fmt::format("{}:{}:{}", name_, position.line, position.column);
}

JsonPosition JsonDocument::position_at(std::size_t offset) const {
  JsonPosition position;
  const std::string_view before = std::string_view(text_).substr(0, offset);
  const bool marked = before.starts_with(kByteOrderMark);
  for (const char byte : marked ? before.substr(kByteOrderMark.size()) : before) {
    const bool starts_character = (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
    if (byte == '\n') {
      ++position.line;
      position.column = 1;
    } else if (starts_character) {
      ++position.column;
    }
  }
  return position;
}

std::string join_path(const std::string& object, const std::string& key) {
  return object.empty() ? key : object + "." + key;
}

std::string describe_value(const Json& value) {
  constexpr std::size_t kLongest = 60;
  if (value.is_object()) return "an object";
  if (value.is_array()) return "a list";
  const std::string text = value.dump();
  if (text.size() <= kLongest) return text;
  const auto& content = value.get_ref<const std::string&>();
  constexpr std::size_t kShownDigits = 20;
  if (content.find_first_not_of("0123456789+-.eE") == std::string::npos) {  // of --set, and out of any range
    return fmt::format("{}... ({} characters)", content.substr(0, kShownDigits), content.size());
  }
  return fmt::format("a text of {} bytes", content.size());
}

}  // namespace translate
