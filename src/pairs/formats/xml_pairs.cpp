#include "pairs/formats/xml_pairs.h"

#include <expat.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <string_view>
#include <utility>

#include "core/error.h"
#include "core/foreign_text.h"
#include "core/unpacked_file.h"
#include "languages/language_codes.h"

namespace translate {

namespace {

/// A sentence in several languages.
struct Unit {
  struct Text {
    std::string language;
    std::string text;
  };
  std::vector<Text> texts;
  std::size_t line = 0;
};

std::string_view local_name(std::string_view name) {
  const auto colon = name.rfind(':');
  return colon == std::string_view::npos ? name : name.substr(colon + 1);
}

/// White space as a single space, and none at the ends.
std::string with_single_spaces(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c != ' ' && c != '\t' && c != '\n' && c != '\r') {
      result += c;
    } else if (!result.empty() && result.back() != ' ') {
      result += ' ';
    }
  }
  if (result.ends_with(' ')) {
    result.pop_back();
  }
  return result;
}

/// Reads the units of a file one after the other.
class UnitReader {
 public:
  UnitReader(std::unique_ptr<ByteReader> bytes, std::filesystem::path path, XmlPairFormat format)
      : bytes_(std::move(bytes)), path_(std::move(path)), format_(format), parser_(XML_ParserCreate(nullptr)) {
    auto* const parser = parser_.get();
    XML_SetUserData(parser, this);
    XML_SetElementHandler(parser, on_start, on_end);
    XML_SetCharacterDataHandler(parser, on_text);
    XML_SetEntityDeclHandler(parser, on_entity);
  }
  UnitReader(const UnitReader&) = delete;  // the parser knows its address
  UnitReader& operator=(const UnitReader&) = delete;
  ~UnitReader() = default;

  /// Returns false at the end of the file.
  bool next(Unit& unit) {
    while (units_.empty()) {
      if (ended_) {
        return false;
      }
      parse(bytes_->read());
    }
    unit = std::move(units_.front());
    units_.pop_front();
    return true;
  }

  /// The languages that the head of the file names.
  [[nodiscard]] const std::vector<std::string>& head_languages() const { return head_languages_; }

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  struct Free {
    void operator()(XML_ParserStruct* parser) const { XML_ParserFree(parser); }
  };

  static UnitReader& of(void* self) { return *static_cast<UnitReader*>(self); }

  void parse(std::string_view bytes) {
    ended_ = bytes.empty();
    if (XML_Parse(parser_.get(), bytes.data(), static_cast<int>(bytes.size()), ended_ ? XML_TRUE : XML_FALSE) ==
        XML_STATUS_OK) {
      return;
    }
    throw DataError(fmt::format(
        "{}:{}: {}", path_.string(), line(),
        fault_.empty() ? fmt::format("not well-formed XML: {}", XML_ErrorString(XML_GetErrorCode(parser_.get())))
                       : fault_));
  }

  [[nodiscard]] std::size_t line() const { return XML_GetCurrentLineNumber(parser_.get()); }

  /// Stops the parser, whose caller then throws: exceptions must not pass through it.
  void stop(std::string fault) {
    fault_ = std::move(fault);
    XML_StopParser(parser_.get(), XML_FALSE);
  }

  static std::string_view attribute(const XML_Char** attributes, std::string_view name) {
    for (; *attributes != nullptr; attributes += 2) {
      if (local_name(attributes[0]) == name) {
        return attributes[1];
      }
    }
    return {};
  }

  static void on_start(void* self, const XML_Char* name, const XML_Char** attributes) {
    of(self).start(local_name(name), attributes);
  }
  static void on_end(void* self, const XML_Char* name) { of(self).end(local_name(name)); }
  static void on_text(void* self, const XML_Char* text, int length) {
    auto& reader = of(self);
    if (!reader.is_in_text_ || reader.codes_ > 0) {
      return;
    }
    reader.text_.append(text, static_cast<std::size_t>(length));
    if (reader.text_.size() > kLongestLine) {
      reader.stop(longest_line_text());
    }
  }
  static void on_entity(void* self, const XML_Char* name, int /*is_parameter*/, const XML_Char* /*value*/,
                        int /*length*/, const XML_Char* /*base*/, const XML_Char* /*system*/,
                        const XML_Char* /*public_id*/, const XML_Char* /*notation*/) {
    of(self).stop(
        fmt::format("defines the entity {}, and entities may stand for anything; write what it stands for "
                    "in its place, and remove the definition",
                    shown(name)));
  }

  void start(std::string_view name, const XML_Char** attributes) {
    if (name == (format_ == XmlPairFormat::kTmx ? "tmx" : "xliff")) {
      is_format_ = true;
    } else if (!is_format_) {
      stop(fmt::format("expected the element {}, as the name of the file says",
                       format_ == XmlPairFormat::kTmx ? "tmx" : "xliff"));
    }
    if (is_in_text_) {
      constexpr std::array<std::string_view, 6> kCodes = {"bpt", "ept", "ph", "it", "ut", "sub"};
      codes_ += static_cast<std::size_t>(codes_ > 0 || std::ranges::find(kCodes, name) != kCodes.end());
      return;
    }
    format_ == XmlPairFormat::kTmx ? start_of_tmx(name, attributes) : start_of_xliff(name, attributes);
  }

  void start_of_tmx(std::string_view name, const XML_Char** attributes) {
    if (name == "header") {
      add_head_language(attribute(attributes, "srclang"));
    } else if (name == "tu") {
      unit_ = {.texts = {}, .line = line()};
    } else if (name == "tuv") {
      language_ = attribute(attributes, "lang");
    } else if (name == "seg") {
      is_in_text_ = true;
    }
  }

  void start_of_xliff(std::string_view name, const XML_Char** attributes) {
    if (name == "file" || name == "xliff") {
      for (const auto* key : {"source-language", "srcLang", "target-language", "trgLang"}) {
        if (const auto language = attribute(attributes, key); !language.empty()) {
          add_head_language(language);
          (std::string_view(key).starts_with('s') ? source_language_ : target_language_) = language;
        }
      }
    } else if (name == "trans-unit" || name == "segment") {
      unit_ = {.texts = {}, .line = line()};
    } else if (name == "alt-trans") {
      ++alternatives_;
    } else if ((name == "source" || name == "target") && alternatives_ == 0) {
      language_ = name == "source" ? source_language_ : target_language_;
      is_in_text_ = true;
    }
  }

  void end(std::string_view name) {
    if (codes_ > 0) {
      --codes_;
      return;
    }
    const bool is_tmx = format_ == XmlPairFormat::kTmx;
    if (is_in_text_ && (is_tmx ? name == "seg" : name == "source" || name == "target")) {
      unit_.texts.push_back({.language = language_, .text = with_single_spaces(text_)});
      text_.clear();
      is_in_text_ = false;
    } else if (name == "alt-trans") {
      --alternatives_;
    } else if (is_tmx ? name == "tu" : name == "trans-unit" || name == "segment") {
      units_.push_back(std::move(unit_));
      unit_ = {};
    }
  }

  void add_head_language(std::string_view language) {
    if (!language.empty() && language != "*all*") {
      head_languages_.emplace_back(language);
    }
  }

  std::unique_ptr<ByteReader> bytes_;
  std::filesystem::path path_;
  XmlPairFormat format_;
  std::unique_ptr<XML_ParserStruct, Free> parser_;
  bool is_format_ = false;  ///< the root has the name of the format
  bool ended_ = false;
  std::string fault_;
  std::vector<std::string> head_languages_;
  std::string source_language_;  ///< of XLIFF
  std::string target_language_;
  std::deque<Unit> units_;  ///< read, and not yet taken
  Unit unit_;               ///< that is being read
  std::string language_;    ///< of the text that is being read
  bool is_in_text_ = false;
  std::size_t codes_ = 0;         ///< elements around, whose content is no text
  std::size_t alternatives_ = 0;  ///< elements around, whose content is another translation
  std::string text_;
};

bool is_language(const std::string& one, const std::string& other) {
  return compare_languages(one, other) >= LanguageMatch::kLanguage;
}

class XmlPairs final : public PairSource {
 public:
  XmlPairs(std::unique_ptr<ByteReader> bytes, std::filesystem::path path, XmlPairFormat format, LanguageCodes languages)
      : units_(std::move(bytes), std::move(path), format), languages_(std::move(languages)) {}

  bool next(SentencePair& pair) override {
    for (Unit unit; units_.next(unit);) {
      const auto* source = find(unit, languages_.source);
      const auto* target = find(unit, languages_.target);
      if (source != nullptr && target != nullptr && source != target) {
        pair = {.source = source->text, .target = target->text};
        line_ = unit.line;
        return true;
      }
    }
    return false;
  }

  [[nodiscard]] std::string place() const override { return fmt::format("{}:{}", units_.path().string(), line_); }

 private:
  static const Unit::Text* find(const Unit& unit, const std::string& language) {
    const auto found = std::ranges::find_if(
        unit.texts, [&](const Unit::Text& text) { return !text.text.empty() && is_language(text.language, language); });
    return found == unit.texts.end() ? nullptr : &*found;
  }

  UnitReader units_;
  LanguageCodes languages_;
  std::size_t line_ = 0;
};

}  // namespace

std::vector<std::string> languages_of_xml(std::unique_ptr<ByteReader> bytes, const std::filesystem::path& path,
                                          XmlPairFormat format) {
  constexpr std::size_t kUnits = 1000;
  UnitReader units(std::move(bytes), path, format);
  std::vector<std::string> found;
  const auto add = [&](const std::string& language) {
    const auto is_same = [&](const std::string& other) { return is_language(other, language); };
    if (!language.empty() && std::ranges::none_of(found, is_same)) {
      found.push_back(language);
    }
  };
  Unit unit;
  for (std::size_t read = 0; read < kUnits && units.next(unit); ++read) {
    std::ranges::for_each(units.head_languages(), add);
    std::ranges::for_each(unit.texts, add, &Unit::Text::language);
  }
  return found;
}

std::unique_ptr<PairSource> xml_pairs(std::unique_ptr<ByteReader> bytes, std::filesystem::path path,
                                      XmlPairFormat format, const LanguageCodes& languages) {
  return std::make_unique<XmlPairs>(std::move(bytes), std::move(path), format, languages);
}

}  // namespace translate
