#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "documents/decoded_string.h"
#include "documents/inline_tokens.h"
#include "segments/document_formats.h"

namespace translate::tools {

/// A part of an XML file: the bytes [begin, end).
struct XmlEvent {
  enum class Kind {
    kStart,  ///< the start tag of an element
    kEnd,    ///< its end tag; without bytes if the start tag is an empty element's, <x/>
    kText,
    kCdata,  ///< a whole CDATA section
    kOther   ///< a comment or a processing instruction
  };

  Kind kind;
  std::size_t begin;
  std::size_t end;
  std::string name = {};  ///< of an element, with its prefix
  std::string text = {};  ///< what text means
  std::vector<std::pair<std::string, std::string>> attributes = {};
  std::size_t partner = 0;  ///< of a start tag: the index of its end, and the reverse

  /// Returns the value of an attribute; empty if there is none.
  [[nodiscard]] std::string_view attribute(std::string_view wanted) const;

  /// The name of the element without its prefix.
  [[nodiscard]] std::string_view local_name() const;
};

/// The language of an element by its attribute xml:lang, or lang as older formats have it; empty if it has neither.
[[nodiscard]] std::string_view language_of(const XmlEvent& start);

/// "en" of "en-US" and "EN_us".
[[nodiscard]] std::string primary_language(std::string_view code);

/// An XML file with the places of everything in it.
class XmlFile {
 public:
  /// Parses the bytes of `input`, which must outlive this object. Nothing outside of the file is read, and it may
  /// define no entities. Throws DataError with file and line if it is not well-formed, in another encoding than UTF-8,
  /// or defines or uses entities of its own.
  explicit XmlFile(const DocumentInput& input);

  [[nodiscard]] const std::vector<XmlEvent>& events() const { return events_; }
  [[nodiscard]] std::string_view bytes() const { return bytes_; }
  [[nodiscard]] std::string_view bytes(const XmlEvent& event) const {
    return bytes_.substr(event.begin, event.end - event.begin);
  }

  /// The first child element of a start tag with this local name; nothing (0) if there is none.
  [[nodiscard]] std::size_t child(std::size_t start, std::string_view name) const;

  /// The start tags directly inside the element that begins at `start`.
  [[nodiscard]] std::vector<std::size_t> children(std::size_t start) const;

  /// Whether there is text that is not blank in the events [first, last).
  [[nodiscard]] bool has_text(std::size_t first, std::size_t last) const;

  /// Whether there is a CDATA section in the events [first, last).
  [[nodiscard]] bool has_cdata(std::size_t first, std::size_t last) const;

 private:
  std::string_view bytes_;
  std::vector<XmlEvent> events_;
};

/// How an element inside of a text is treated.
struct InlineElement {
  enum class Kind {
    kContent,  ///< its content is text
    kWhole,    ///< it moves with its content, which is not translated
    kOpens,    ///< it is the beginning of a pair
    kCloses    ///< it is the end of a pair
  };
  Kind kind = Kind::kContent;
  std::string pair = {};  ///< what the two of a pair have in common
};

/// Adds the content of the events [first, last) as tokens. `text` adds a run of text.
void add_xml_tokens(const XmlFile& file, std::size_t first, std::size_t last,
                    InlineElement (*kind_of)(const XmlEvent& start),
                    void (*add_text)(const DecodedString& text, std::vector<InlineToken>& tokens),
                    std::vector<InlineToken>& tokens);

/// Adds a run of text as it is.
void add_xml_text(const DecodedString& text, std::vector<InlineToken>& tokens);

/// Returns a start tag with an attribute of this value, whether or not it had one.
[[nodiscard]] std::string with_attribute(std::string_view tag, std::string_view name, std::string_view value);

/// Returns a start tag without an attribute.
[[nodiscard]] std::string without_attribute(std::string_view tag, std::string_view name);

/// The white space in front of a byte, from the last line end on; empty if there is anything else.
[[nodiscard]] std::string_view indentation_before(std::string_view bytes, std::size_t at);

}  // namespace translate::tools
