#include "config/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/foreign_text.h"
#include "core/text_format.h"
#include "core/utf8.h"

namespace translate {

namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::size_t kLongestValue = 60;  // bytes of a value or token in a message

/// The library's reason without its position, which this class reports itself, and without the last token, which may be
/// megabytes: "[json.exception.parse_error.101] parse error at line 1, column 2: syntax error ...; last read: '...';
/// expected ...".
std::string reason_of(std::string reason, const std::string& token) {
  const std::size_t column = reason.find(", column ");
  const std::size_t begin = column == std::string::npos ? reason.find("] ") : reason.find(": ", column);
  if (begin != std::string::npos) {
    reason.erase(0, begin + 2);
  }
  const std::size_t place = token.size() > kLongestValue ? reason.find(token) : std::string::npos;
  if (place != std::string::npos) {
    reason.replace(place, token.size(), shown(token, kLongestValue));
  }
  return reason;
}

/// Returns the mark at the beginning of the text that stands in place of a straight double quotation mark; "" if there
/// is none.
std::string_view wrong_quotation_mark(std::string_view text) {
  for (const std::string_view mark : {"'", "“", "”", "„", "‘", "’", "«", "»"}) {
    if (text.starts_with(mark)) {
      return mark;
    }
  }
  return "";
}

/// Whether a closing bracket stands at `offset`, and a comma in front of it.
bool is_behind_comma(std::string_view text, std::size_t offset) {
  if (offset >= text.size() || (text[offset] != '}' && text[offset] != ']')) {
    return false;
  }
  const auto last = text.substr(0, offset).find_last_not_of(" \t\r\n");
  return last != std::string_view::npos && text[last] == ',';
}

}  // namespace

JsonPosition position_in(std::string_view text, std::size_t offset) {
  JsonPosition position;
  const std::string_view before = text.substr(0, offset);
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

JsonError::JsonError(JsonPosition position, const std::string& reason)
    : DataError(fmt::format("line {}, column {}: {}", position.line, position.column, reason)),
      position_(position),
      reason_(reason) {}

JsonBuilder::TokenCursor::TokenCursor(std::string_view text)
    : text_(text), position_(text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0) {}

std::size_t JsonBuilder::TokenCursor::next() {
  skip_between();
  const std::size_t start = position_;
  if (start >= text_.size()) {
    return text_.size();
  }
  if (text_[start] == '"') {
    skip_string();
  } else if (std::string_view("{}[]").find(text_[start]) != std::string_view::npos) {
    ++position_;
  } else {  // a number, true, false or null
    position_ = std::min(text_.find_first_of(" \t\r\n,:/{}[]\"", start), text_.size());
  }
  return start;
}

void JsonBuilder::TokenCursor::skip_between() {
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

void JsonBuilder::TokenCursor::skip_string() {
  for (++position_; position_ < text_.size() && text_[position_] != '"'; ++position_) {
    if (text_[position_] == '\\') {
      ++position_;
    }
  }
  ++position_;
}

JsonBuilder::JsonBuilder(std::string_view text, const JsonRules& rules) : text_(text), rules_(rules), cursor_(text) {}

Json JsonBuilder::build() {
  if (const auto offset = first_invalid_utf8(text_)) {
    fail(*offset, "not valid UTF-8");
  }
  Json::sax_parse(text_.begin(), text_.end(), this, Json::input_format_t::json, /*strict=*/true, rules_.comments);
  // The library treats a NUL byte as the end of the text.
  if (const std::size_t rest = cursor_.next(); rest < text_.size()) {
    fail(rest, "expected the end of the text");
  }
  return std::move(root_);
}

bool JsonBuilder::key(string_t& name) {
  Open& object = open_.back();
  const std::size_t offset = cursor_.next();
  const std::string path = wants_paths() ? join_path(object.path, name) : "";
  object.is_double = !object.keys.insert(name).second;
  object.key = std::move(name);
  if (object.is_double) {
    on_double_key(wants_paths() ? path : object.key, offset);
  }
  on_key(path, offset);
  return true;
}

bool JsonBuilder::parse_error(std::size_t position, const std::string& token,
                              const nlohmann::detail::exception& error) {
  constexpr int kNumberOverflow = 406;
  if (error.id == kNumberOverflow) {
    fail(cursor_.next(), fmt::format("the number {} is too large", shown(token, kLongestValue)));
  }
  const std::size_t offset = position == 0 ? 0 : position - 1;
  const auto mark = wrong_quotation_mark(text_.substr(std::min(offset, text_.size())));
  if (is_behind_comma(text_, offset)) {
    fail(offset, "a comma stands in front of the closing bracket: remove it, or write what is missing behind it");
  }
  fail(offset, mark.empty() ? reason_of(error.what(), token)
                            : fmt::format("expected a straight double quotation mark, \", got {}", mark));
}

void JsonBuilder::on_double_key(const std::string& path, std::size_t offset) {
  fail(offset, fmt::format("the key {} is given twice", describe_value(path)));
}

void JsonBuilder::fail(std::size_t offset, const std::string& reason) const {
  throw JsonError(position_in(text_, offset), reason);
}

std::string JsonBuilder::next_path() const {
  if (open_.empty() || !wants_paths()) {
    return "";
  }
  const Open& parent = open_.back();
  if (parent.container->is_array()) {
    return fmt::format("{}[{}]", parent.path, parent.container->size());
  }
  return join_path(parent.path, parent.key);
}

/// Puts a value in its place. Only the innermost container grows, so pointers to the open ones stay valid.
Json* JsonBuilder::place(Json value) {
  on_value(next_path(), cursor_.next());
  if (open_.empty()) {
    return &(root_ = std::move(value));
  }
  Open& parent = open_.back();
  if (parent.container->is_array()) {
    parent.container->push_back(std::move(value));
    return &parent.container->back();
  }
  if (parent.is_double) {
    return &((*parent.container)[parent.key] = std::move(value));
  }
  // operator[] would search all members each time, which is quadratic.
  auto& members = parent.container->get_ref<Json::object_t&>();
  static_cast<Json::object_t::Container&>(members).emplace_back(std::move(parent.key), std::move(value));
  return &members.back().second;
}

bool JsonBuilder::add(Json value) {
  place(std::move(value));
  return true;
}

bool JsonBuilder::open(Json container) {
  if (open_.size() == rules_.deepest) {
    fail(cursor_.next(), fmt::format("nested more than {} deep", rules_.deepest));
  }
  std::string path = next_path();
  Json* placed = place(std::move(container));
  open_.push_back({.container = placed, .path = std::move(path), .key = "", .keys = {}});
  return true;
}

bool JsonBuilder::close() {
  cursor_.next();
  open_.pop_back();
  return true;
}

Json parse_json(std::string_view text, const JsonRules& rules) { return JsonBuilder(text, rules).build(); }

std::string join_path(const std::string& object, const std::string& key) {
  return object.empty() ? key : object + "." + key;
}

std::string describe_value(const Json& value) {
  if (value.is_object()) {
    return "an object";
  }
  if (value.is_array()) {
    return "a list";
  }
  // Text from YAML may not be valid UTF-8.
  std::string text = value.dump(/*indent=*/-1, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace);
  if (text.size() <= kLongestValue) {
    return printable(text);
  }
  const auto& content = value.get_ref<const std::string&>();
  constexpr std::size_t kShownDigits = 20;
  if (content.find_first_not_of("0123456789+-.eE") == std::string::npos) {  // from --set, and out of any range
    return fmt::format("{}... ({} characters)", content.substr(0, kShownDigits), content.size());
  }
  return fmt::format("a string of {} bytes", content.size());
}

namespace {

constexpr JsonRules kRules = {.comments = true};

}  // namespace

/// Records the position of each key and value, and collects duplicate keys.
class JsonDocument::Builder : public JsonBuilder {
 public:
  Builder(JsonDocument& document, std::vector<std::string>& double_keys)
      : JsonBuilder(document.text_, kRules), document_(document), double_keys_(double_keys) {}

 protected:
  [[nodiscard]] bool wants_paths() const override { return true; }

  void on_key(const std::string& path, std::size_t offset) override { document_.key_offsets_[path] = offset; }

  void on_value(const std::string& path, std::size_t offset) override { document_.value_offsets_[path] = offset; }

  void on_double_key(const std::string& path, std::size_t offset) override {
    double_keys_.push_back(fmt::format("{}: {}: the key is given twice (first in line {})",
                                       document_.describe(document_.position_at(offset)), shown(path),
                                       document_.position_of_key(path).line));
  }

 private:
  JsonDocument& document_;
  std::vector<std::string>& double_keys_;
};

JsonDocument JsonDocument::parse(std::string text, std::string name) {
  std::vector<std::string> double_keys;
  auto document = parse(std::move(text), std::move(name), double_keys);
  if (!double_keys.empty()) {
    throw ConfigError(double_keys.front());
  }
  return document;
}

JsonDocument JsonDocument::parse(std::string text, std::string name, std::vector<std::string>& double_keys) {
  JsonDocument document(std::move(text), std::move(name));
  if (const auto format = other_format(document.text_)) {
    throw ConfigError(fmt::format("{}: {}", document.name_, *format));
  }
  try {
    document.root_ = Builder(document, double_keys).build();
  } catch (const JsonError& error) {
    throw ConfigError(fmt::format("{}: {}", document.describe(error.position()), error.reason()));
  }
  return document;
}

JsonPosition JsonDocument::position_of_value(const std::string& path) const {
  const auto found = value_offsets_.find(path);
  if (found != value_offsets_.end()) {
    return position_at(found->second);
  }
  const std::size_t end = path.find_last_of(".[");
  return path.empty() ? JsonPosition{} : position_of_value(path.substr(0, end == std::string::npos ? 0 : end));
}

JsonPosition JsonDocument::position_of_key(const std::string& path) const {
  const auto found = key_offsets_.find(path);
  return found == key_offsets_.end() ? position_of_value(path) : position_at(found->second);
}

std::string JsonDocument::describe(JsonPosition position) const {
  return fmt::format("{}:{}:{}", name_, position.line, position.column);
}

JsonPosition JsonDocument::position_at(std::size_t offset) const { return position_in(text_, offset); }

}  // namespace translate
