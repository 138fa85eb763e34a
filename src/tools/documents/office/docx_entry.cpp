// An entry of a document of Word. Its paragraphs consist of runs, and all text must be in a run: a paragraph is written
// with runs again, each with the format of the mark around its words, or else with that of most of the paragraph.

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/utf8.h"
#include "documents/html/html_texts.h"
#include "documents/inline_tokens.h"
#include "documents/office/office_parts.h"
#include "documents/xml/xml_file.h"

namespace translate::tools {

namespace {

/// Stand in a text around what is no text: a letter and a number. XML cannot contain these characters.
constexpr char kCodeBegin = '\x01';
constexpr char kCodeEnd = '\x02';

std::string code(char kind, std::size_t number) {
  return std::string(1, kCodeBegin) + kind + std::to_string(number) + kCodeEnd;
}

/// A paragraph to translate.
struct DocxParagraph {
  std::size_t begin = 0;  ///< its bytes, behind its properties
  std::size_t end = 0;
  TextParts parts = {.texts = {}, .between = {""}};
  std::vector<std::string> formats;  ///< what stands in front of text: <w:r><w:rPr/><w:t>
  std::vector<std::string> others;   ///< what is no text, with the run around it
  std::size_t base = 0;              ///< the format of most of its text
  std::string text_end;              ///< </w:t></w:r>
};

/// Reads a paragraph.
class ParagraphReader {
 public:
  ParagraphReader(const XmlFile& file, std::size_t start) : file_(file), start_(start) {}

  /// Returns nothing if the paragraph has no text, or fields whose parts must stay in their order.
  std::optional<DocxParagraph> read() {
    const auto& events = file_.events();
    const auto end = events[start_].partner;
    paragraph_.begin = events[start_].end;
    paragraph_.end = events[end].begin;
    for (auto i = start_ + 1; i < end; ++i) {
      if (events[i].kind == XmlEvent::Kind::kStart && events[i].local_name() == "fldChar") {
        return std::nullopt;
      }
    }
    pieces_.push_back({.kind = 'n'});
    for (auto i = start_ + 1; i < end; ++i) {
      i = read_event(i);
    }
    pieces_.push_back({.kind = 'n'});
    choose_base();
    auto tokens = make_tokens();
    add_inline_text(tokens, {.escape = escape_html}, paragraph_.parts);
    return paragraph_.parts.texts.size() == 1 ? std::optional(std::move(paragraph_)) : std::nullopt;
  }

 private:
  /// A part of the paragraph: 't' text in a format, 'a' something that stands alone, 'h' and 'H' the ends of an element
  /// around runs, 'n' nothing: the edges of the paragraph.
  struct Piece {
    char kind;
    std::size_t number = 0;  ///< of the format or of the bytes
    std::size_t first = 0;   ///< of text: its events
    std::size_t last = 0;
    bool divides_words = false;
  };

  /// Reads an event inside of the paragraph, and returns the last one that belongs to it.
  std::size_t read_event(std::size_t i) {
    const auto& event = file_.events()[i];
    const auto name = event.local_name();
    const bool is_around = name == "hyperlink" || name == "ins" || name == "smartTag";
    if (event.kind == XmlEvent::Kind::kEnd && is_around && event.begin < event.end) {
      add_other('H', std::string(file_.bytes(event)));
      return i;
    }
    if (event.kind != XmlEvent::Kind::kStart) {
      return i;
    }
    if (name == "pPr" && i == start_ + 1) {
      paragraph_.begin = file_.events()[event.partner].end;
      return event.partner;
    }
    if (name == "r") {
      read_run(i);
      return event.partner;
    }
    const auto& end = file_.events()[event.partner];
    if (is_around && end.begin < end.end) {
      add_other('h', std::string(file_.bytes(event)));
      return i;
    }
    add_other('a', std::string(whole(i)));
    return event.partner;
  }

  [[nodiscard]] std::string_view whole(std::size_t start) const {
    const auto& event = file_.events()[start];
    return file_.bytes().substr(event.begin, file_.events()[event.partner].end - event.begin);
  }

  void add_other(char kind, std::string bytes, bool divides_words = false) {
    pieces_.push_back({.kind = kind, .number = paragraph_.others.size(), .divides_words = divides_words});
    paragraph_.others.push_back(std::move(bytes));
  }

  void read_run(std::size_t run) {
    const auto& event = file_.events()[run];
    std::string open = "<" + event.name + ">";
    const auto close = "</" + event.name + ">";
    for (const auto i : file_.children(run)) {
      const auto& child = file_.events()[i];
      const auto name = child.local_name();
      if (name == "rPr") {
        open += whole(i);
      } else if (name == "t") {
        pieces_.push_back({.kind = 't',
                           .number = format_number(open + "<" + child.name + " xml:space=\"preserve\">"),
                           .first = i + 1,
                           .last = child.partner});
        paragraph_.text_end = "</" + child.name + ">" + close;
      } else {
        add_other('a', open + std::string(whole(i)) + close, name == "br" || name == "tab" || name == "cr");
      }
    }
  }

  std::size_t format_number(const std::string& format) {
    const auto [known, is_new] = numbers_.emplace(format, paragraph_.formats.size());
    if (is_new) {
      paragraph_.formats.push_back(format);
    }
    return known->second;
  }

  [[nodiscard]] DecodedString text_of(const Piece& piece) const {
    DecodedString text(file_.bytes(), file_.events()[piece.first - 1].end);
    for (auto i = piece.first; i < piece.last; ++i) {
      text.add(file_.events()[i].text, file_.events()[i].end);
    }
    return text;
  }

  void choose_base() {
    std::vector<std::size_t> sizes(paragraph_.formats.size() + 1, 0);
    for (const auto& piece : pieces_) {
      if (piece.kind == 't') {
        sizes[piece.number] += text_of(piece).text().size();
      }
    }
    paragraph_.base = static_cast<std::size_t>(std::ranges::max_element(sizes) - sizes.begin());
  }

  [[nodiscard]] std::vector<InlineToken> make_tokens() const {
    std::vector<InlineToken> tokens;
    std::optional<std::size_t> format;  // of the text in front, if it has one of its own
    const auto end_format = [&] {
      if (format) {
        tokens.push_back({.kind = TokenKind::kClose, .name = "r", .bytes = code('c', 0)});
        format.reset();
      }
    };
    for (const auto& piece : pieces_) {
      if (piece.kind == 't') {
        if (format != piece.number) {
          end_format();
          if (piece.number != paragraph_.base) {
            format = piece.number;
            tokens.push_back({.kind = TokenKind::kOpen, .name = "r", .bytes = code('o', piece.number)});
          }
        }
        const auto text = text_of(piece);
        add_string_tokens(text, 0, text.text().size(), tokens);
        continue;
      }
      end_format();
      const auto kind = piece.kind == 'h'   ? TokenKind::kOpen
                        : piece.kind == 'H' ? TokenKind::kClose
                                            : TokenKind::kAlone;
      tokens.push_back(
          {.kind = kind, .name = piece.divides_words ? "br" : "h", .bytes = code(piece.kind, piece.number)});
    }
    return tokens;
  }

  const XmlFile& file_;
  std::size_t start_;
  DocxParagraph paragraph_;
  std::vector<Piece> pieces_;
  std::map<std::string, std::size_t> numbers_;  ///< of formats
};

/// Writes a paragraph with runs, from its text with codes.
class RunWriter {
 public:
  explicit RunWriter(const DocxParagraph& paragraph) : paragraph_(paragraph) {}

  std::string write(std::string_view text) {
    while (!text.empty()) {
      const auto next = std::min(text.find(kCodeBegin), text.size());
      add_text(text.substr(0, next));
      text.remove_prefix(next);
      if (!text.empty()) {
        const auto end = text.find(kCodeEnd);
        read_code(text.substr(1, end - 1));
        text.remove_prefix(end + 1);
      }
    }
    end_run();
    return std::move(result_);
  }

 private:
  void add_text(std::string_view text) {
    if (text.empty()) {
      return;
    }
    const auto format = formats_.empty() ? paragraph_.base : formats_.back();
    if (run_ != format) {
      end_run();
      result_ += paragraph_.formats[format];
      run_ = format;
    }
    result_ += text;
  }

  void end_run() {
    if (run_) {
      result_ += paragraph_.text_end;
      run_.reset();
    }
  }

  void read_code(std::string_view text) {
    std::size_t number = 0;
    std::from_chars(text.data() + 1, text.data() + text.size(), number);
    if (text.front() == 'o') {
      formats_.push_back(number);
    } else if (text.front() == 'c') {
      formats_.pop_back();
    } else if (text.front() != 'n') {
      end_run();
      result_ += paragraph_.others[number];
    }
  }

  const DocxParagraph& paragraph_;
  std::string result_;
  std::vector<std::size_t> formats_;  ///< of the marks around the text
  std::optional<std::size_t> run_;    ///< the format of the run that is open
};

class DocxEntry : public Document {
 public:
  explicit DocxEntry(const DocumentInput& entry) : bytes_(entry.bytes) {
    const XmlFile file(entry);
    const auto& events = file.events();
    for (std::size_t i = 0; i < events.size(); ++i) {
      if (events[i].kind != XmlEvent::Kind::kStart || events[i].local_name() != "p" || events[i].name == "a:p") {
        continue;
      }
      if (auto paragraph = ParagraphReader(file, i).read()) {
        texts_.push_back(paragraph->parts.texts.front());
        paragraphs_.push_back(std::move(*paragraph));
      }
      i = events[i].partner;
    }
  }

  [[nodiscard]] const std::vector<std::string>& texts() const override { return texts_; }
  [[nodiscard]] std::vector<std::vector<TextMark>> marks() const override {
    std::vector<std::vector<TextMark>> ranges;
    for (const auto& paragraph : paragraphs_) {
      ranges.push_back(paragraph.parts.marked_ranges().front());
      if (ranges.back().size() <= 2) {  // those at the edges
        ranges.back().clear();
      }
    }
    return ranges;
  }

  [[nodiscard]] std::string write(std::span<const AlignedText> translations) const override {
    std::string result;
    std::size_t at = 0;
    for (std::size_t i = 0; i < paragraphs_.size(); ++i) {
      const auto& paragraph = paragraphs_[i];
      if (translations[i].text == texts_[i]) {
        continue;
      }
      result += bytes_.substr(at, paragraph.begin - at);
      result += RunWriter(paragraph).write(join_parts(paragraph.parts, translations.subspan(i, 1)));
      at = paragraph.end;
    }
    return result + bytes_.substr(at);
  }

 private:
  std::string bytes_;
  std::vector<DocxParagraph> paragraphs_;
  std::vector<std::string> texts_;
};

}  // namespace

std::unique_ptr<Document> read_docx_entry(const DocumentInput& entry) { return std::make_unique<DocxEntry>(entry); }

}  // namespace translate::tools
