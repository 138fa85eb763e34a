#include "translate/decoding/long_text.h"

#include <algorithm>
#include <utility>

#include "translate/core/utf8.h"

namespace translate {
namespace {

bool ends_sentence(char32_t c) { return std::u32string_view(U".!?…").find(c) != std::u32string_view::npos; }
bool ends_sentence_without_space(char32_t c) {
  return std::u32string_view(U"。！？").find(c) != std::u32string_view::npos;
}
bool closes(char32_t c) { return std::u32string_view(U"\"')]}»”’").find(c) != std::u32string_view::npos; }

/// Where units end: after sentence ends, after spaces, after every character.
using Units = std::vector<std::u32string>;

/// A sentence ends at an end mark and the marks that close after it, followed by a space (or, for the marks of
/// scripts without spaces, by anything).
Units sentences(const std::u32string& text) {
  enum class State { kInside, kAfterMark, kAfterMarkWithoutSpace, kAfterSpace };
  Units units(1);
  auto state = State::kInside;
  for (const char32_t c : text) {
    const bool begins = state == State::kAfterSpace || state == State::kAfterMarkWithoutSpace;
    if (begins && !is_unicode_space(c) &&
        (state == State::kAfterSpace || (!closes(c) && !ends_sentence(c) && !ends_sentence_without_space(c)))) {
      units.emplace_back();
      state = State::kInside;
    }
    units.back() += c;
    if (ends_sentence_without_space(c)) {
      state = State::kAfterMarkWithoutSpace;
    } else if (ends_sentence(c)) {
      state = State::kAfterMark;
    } else if (is_unicode_space(c)) {
      state = state == State::kInside ? State::kInside : State::kAfterSpace;
    } else if (!closes(c)) {
      state = State::kInside;
    }
  }
  return units;
}

Units words(const std::u32string& text) {
  Units units(1);
  for (const char32_t c : text) {
    if (!is_unicode_space(c) && !units.back().empty() && is_unicode_space(units.back().back())) {
      units.emplace_back();
    }
    units.back() += c;
  }
  return units;
}

Units characters(const std::u32string& text) {
  Units units;
  for (const char32_t c : text) {
    units.emplace_back(1, c);
  }
  return units;
}

std::string trimmed(const std::u32string& text) {
  const auto is_text = [](char32_t c) { return !is_unicode_space(c); };
  const auto begin = std::find_if(text.begin(), text.end(), is_text);
  const auto end = std::find_if(text.rbegin(), text.rend(), is_text).base();
  return begin < end ? encode_utf8(std::u32string(begin, end)) : std::string();
}

using Splitter = Units (*)(const std::u32string&);
constexpr Splitter kSplitters[] = {&sentences, &words, &characters};

void split(const std::u32string& text, std::size_t level, std::int64_t max_length, const TextLength& length,
           std::vector<std::string>& parts) {
  std::u32string current;
  const auto flush = [&] {
    if (auto part = trimmed(current); !part.empty()) {
      parts.push_back(std::move(part));
    }
    current.clear();
  };
  for (auto& unit : kSplitters[level](text)) {
    if (length(trimmed(current + unit)) <= max_length) {
      current += unit;
      continue;
    }
    flush();
    if (length(trimmed(unit)) <= max_length || level + 1 == std::size(kSplitters)) {
      current = std::move(unit);
    } else {
      split(unit, level + 1, max_length, length, parts);
    }
  }
  flush();
}

}  // namespace

std::vector<std::string> split_long_text(std::string_view text, std::int64_t max_length, const TextLength& length) {
  std::vector<std::string> parts;
  split(decode_utf8(text), /*level=*/0, max_length, length, parts);
  return parts;
}

}  // namespace translate
