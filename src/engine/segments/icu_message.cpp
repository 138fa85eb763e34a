#include "segments/icu_message.h"

#include <unicode/locid.h>
#include <unicode/messagepattern.h>
#include <unicode/plurrule.h>
#include <unicode/unistr.h>

#include <algorithm>
#include <memory>

#include "core/utf8.h"

namespace translate {

namespace {

using icu::MessagePattern;
using icu::UnicodeString;

constexpr std::size_t kMostBranches = 200;
constexpr std::size_t kMostBytes = 65'536;  // of a message that is looked at

std::string utf8(const UnicodeString& text) {
  std::string result;
  return text.toUTF8String(result);
}

bool is_plural(UMessagePatternArgType type) { return UMSGPAT_ARG_TYPE_HAS_PLURAL_STYLE(type) != 0; }

bool is_choice_of_branches(UMessagePatternArgType type) { return is_plural(type) || type == UMSGPAT_ARG_TYPE_SELECT; }

/// A branch of an argument.
struct Selector {
  UnicodeString name;  ///< "one", "=0"
  int32_t message;     ///< the part that begins its message
};

/// The plural categories that a language needs, other last; none if it is unknown.
std::vector<UnicodeString> categories_of(const std::string& language, UPluralType type) {
  UErrorCode status = U_ZERO_ERROR;
  const std::unique_ptr<icu::PluralRules> rules(
      icu::PluralRules::forLocale(icu::Locale(language.c_str()), type, status));
  if (language.empty() || U_FAILURE(status) != 0) {
    return {};
  }
  const std::unique_ptr<icu::StringEnumeration> keywords(rules->getKeywords(status));
  std::vector<UnicodeString> found;
  while (const auto* keyword = U_SUCCESS(status) != 0 ? keywords->snext(status) : nullptr) {
    found.push_back(*keyword);
  }
  std::vector<UnicodeString> categories;
  for (const char* name : {"zero", "one", "two", "few", "many", "other"}) {
    if (std::ranges::find(found, UnicodeString(name)) != found.end()) {
      categories.emplace_back(name);
    }
  }
  return categories;
}

/// Takes a message apart, argument by argument from the left.
class MessageSplitter {
 public:
  explicit MessageSplitter(const std::string& language) : language_(language) {}

  /// Returns false if the message cannot be taken apart.
  bool split(const UnicodeString& text) {
    UErrorCode status = U_ZERO_ERROR;
    const MessagePattern pattern(text, /*parseError=*/nullptr, status);
    if (U_FAILURE(status) != 0) {
      return false;
    }
    const auto argument = next_argument(pattern, 0, pattern.countParts());
    if (argument < 0) {
      result_.branches.push_back({.frame = utf8(frame_), .sentence = utf8(text)});
      frame_.remove();
      return result_.branches.size() <= kMostBranches;
    }
    return split_argument(text, pattern, argument);
  }

  IcuMessage finish() {
    result_.end = utf8(frame_);
    return std::move(result_);
  }

 private:
  /// Returns the first part from `begin` on that begins an argument with branches; -1: there is none before `end`.
  static int32_t next_argument(const MessagePattern& pattern, int32_t begin, int32_t end) {
    for (auto i = begin; i < end; ++i) {
      const auto& part = pattern.getPart(i);
      if (part.getType() == UMSGPAT_PART_TYPE_ARG_START && is_choice_of_branches(part.getArgType())) {
        return i;
      }
    }
    return -1;
  }

  bool split_argument(const UnicodeString& text, const MessagePattern& pattern, int32_t argument) {
    const auto limit = pattern.getLimitPartIndex(argument);
    const auto type = pattern.getPart(argument).getArgType();
    const auto selectors = selectors_of(pattern, argument, limit);
    const bool has_offset = is_plural(type) && pattern.getPluralOffset(argument + 2) != 0;
    const auto begin = pattern.getPart(argument).getIndex();
    frame_ += text.tempSubStringBetween(begin, selector_begin(pattern, selectors.front().message));
    const auto before = text.tempSubStringBetween(0, begin);
    const auto after = text.tempSubStringBetween(pattern.getPart(limit).getLimit());
    const bool more_follow = next_argument(pattern, limit, pattern.countParts()) >= 0;
    if (is_plural(type) && (before.indexOf(u'#') >= 0 || (!more_follow && after.indexOf(u'#') >= 0))) {
      return false;  // it would become a number
    }
    for (const auto& [name, message] : wanted(selectors, type)) {
      const auto end = pattern.getLimitPartIndex(message);
      const bool has_more = more_follow || next_argument(pattern, message, end) >= 0;
      if (has_more && has_offset) {
        return false;
      }
      const auto name_of_argument = pattern.getSubstring(pattern.getPart(argument + 1));
      const auto inside = branch(text, pattern, message, is_plural(type) && has_more ? &name_of_argument : nullptr);
      frame_ += name + UnicodeString(" {");
      if (!split(before + inside + after)) {
        return false;
      }
      frame_ += UnicodeString("} ");
    }
    frame_.truncate(frame_.length() - 1);
    frame_ += UnicodeString("}");
    return true;
  }

  /// Where the selector in front of a message begins.
  static int32_t selector_begin(const MessagePattern& pattern, int32_t message) {
    auto i = message;
    while (pattern.getPartType(i) != UMSGPAT_PART_TYPE_ARG_SELECTOR) {
      --i;
    }
    return pattern.getPart(i).getIndex();
  }

  static std::vector<Selector> selectors_of(const MessagePattern& pattern, int32_t argument, int32_t limit) {
    std::vector<Selector> selectors;
    for (auto i = argument + 1; i < limit; ++i) {
      if (pattern.getPartType(i) == UMSGPAT_PART_TYPE_ARG_SELECTOR) {
        const auto name = pattern.getSubstring(pattern.getPart(i));
        while (pattern.getPartType(i) != UMSGPAT_PART_TYPE_MSG_START) {
          ++i;  // the number of "=1"
        }
        selectors.push_back({.name = name, .message = i});
        i = pattern.getLimitPartIndex(i);
      }
    }
    return selectors;
  }

  /// The branches that the translation has: of a plural, those for single numbers, then the language's categories.
  [[nodiscard]] std::vector<Selector> wanted(const std::vector<Selector>& selectors,
                                             UMessagePatternArgType type) const {
    if (!is_plural(type)) {
      return selectors;
    }
    const auto categories =
        categories_of(language_, type == UMSGPAT_ARG_TYPE_SELECTORDINAL ? UPLURAL_TYPE_ORDINAL : UPLURAL_TYPE_CARDINAL);
    if (categories.empty()) {
      return selectors;
    }
    const auto named = [&](const UnicodeString& name) { return std::ranges::find(selectors, name, &Selector::name); };
    std::vector<Selector> result;
    std::ranges::copy_if(selectors, std::back_inserter(result),
                         [](const Selector& one) { return one.name.startsWith(UnicodeString("=")) != 0; });
    for (const auto& category : categories) {
      const auto own = named(category);
      result.push_back({.name = category, .message = (own != selectors.end() ? own : named("other"))->message});
    }
    return result;
  }

  /// The text of a branch. `number`: # becomes this argument, because another argument will stand around it.
  static UnicodeString branch(const UnicodeString& text, const MessagePattern& pattern, int32_t message,
                              const UnicodeString* number) {
    const auto end = pattern.getLimitPartIndex(message);
    UnicodeString result;
    auto at = pattern.getPart(message).getLimit();
    for (auto i = message + 1; number != nullptr && i < end; ++i) {
      const auto& part = pattern.getPart(i);
      if (part.getType() == UMSGPAT_PART_TYPE_ARG_START && is_plural(part.getArgType())) {
        i = pattern.getLimitPartIndex(i);  // has numbers of its own
      } else if (part.getType() == UMSGPAT_PART_TYPE_REPLACE_NUMBER) {
        result += text.tempSubStringBetween(at, part.getIndex()) + "{" + *number + ", number}";
        at = part.getLimit();
      }
    }
    return result + text.tempSubStringBetween(at, pattern.getPart(end).getIndex());
  }

  const std::string& language_;
  UnicodeString frame_;  ///< since the last sentence
  IcuMessage result_;
};

}  // namespace

std::optional<IcuMessage> parse_icu_message(std::string_view text, const std::string& target_language) {
  const auto has = [&](std::string_view type) { return text.find(type) != std::string_view::npos; };
  if (text.size() > kMostBytes || text.find('{') == std::string_view::npos || !(has("plural") || has("select"))) {
    return std::nullopt;
  }
  MessageSplitter splitter(target_language);
  if (!splitter.split(UnicodeString::fromUTF8({text.data(), static_cast<int32_t>(text.size())}))) {
    return std::nullopt;
  }
  auto message = splitter.finish();
  if (message.end.empty()) {
    return std::nullopt;  // no argument with branches
  }
  for (auto& branch : message.branches) {
    branch.sentence = replace_all(branch.sentence, "''", "'");
  }
  return message;
}

std::string icu_branch_text(std::string_view translation) {
  std::string text;
  for (std::size_t i = 0; i < translation.size(); ++i) {
    constexpr std::string_view kSyntax = "{}#|";
    text += translation[i];
    const bool quotes = i + 1 < translation.size() && kSyntax.find(translation[i + 1]) != std::string_view::npos;
    if (translation[i] == '\'' && quotes) {
      text += '\'';
    }
  }
  return text;
}

}  // namespace translate
