#include "translate/serving/text_parts.h"

#include "translate/core/utf8.h"

namespace translate {
namespace {

void append_escaped(std::string& html, std::string_view text) {
  for (const char c : text) {
    switch (c) {
      case '&':
        html += "&amp;";
        break;
      case '<':
        html += "&lt;";
        break;
      case '>':
        html += "&gt;";
        break;
      default:
        html += c;
    }
  }
}

}  // namespace

TextParts split_plain_text(std::string_view text) {
  TextParts parts{.texts = {}, .between = {""}};
  while (!text.empty()) {
    const auto newline = text.find('\n');
    auto line = text.substr(0, newline);
    std::string_view ending;
    if (newline != std::string_view::npos) {
      const bool after_return = newline > 0 && text[newline - 1] == '\r';
      line.remove_suffix(after_return ? 1 : 0);
      ending = text.substr(line.size(), newline + 1 - line.size());
    }
    if (is_blank(line)) {
      parts.between.back() += line;
    } else {
      parts.texts.emplace_back(line);
      parts.between.emplace_back();
    }
    parts.between.back() += ending;
    text.remove_prefix(line.size() + ending.size());
  }
  return parts;
}

std::string join_parts(const TextParts& parts, std::span<const std::string> translations, TextFormat format) {
  std::string joined = parts.between.front();
  for (std::size_t i = 0; i < parts.texts.size(); ++i) {
    if (format == TextFormat::kHtml) {
      append_escaped(joined, apply_spacing(translations[i], parts.spacing[i]));
    } else {
      joined += translations[i];
    }
    joined += parts.between[i + 1];
  }
  return joined;
}

}  // namespace translate
