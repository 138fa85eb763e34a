#include "translate/decoding/line_splitter.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "translate/core/utf8.h"
#include "translate/decoding/long_text.h"
#include "translate/text/long_lines.h"
#include "translate/text/sequence_ids.h"

namespace translate {

/// A sentence: whole, or, where it is too long, cut.
void LineSplitter::add(std::string text, std::string separator, LineParts& line) const {
  auto input = encoder_input_ids(source_, text);
  const auto length = std::ssize(input) - 2;  // sos and eos
  if (length <= options_.max_source_length) {
    line.parts.push_back({.text = std::move(text), .separator = std::move(separator)});
    line.parts.back().sentence.encoder_input = std::move(input);
    return;
  }
  line.longest = std::max(line.longest, length);
  const auto pieces = [this](std::string_view part) { return static_cast<std::int64_t>(source_.encode(part).size()); };
  for (auto& part : split_long_text(text, options_.max_source_length, splitter_, pieces)) {
    auto of_part = encoder_input_ids(source_, part);
    line.parts.push_back({.text = std::move(part), .separator = std::exchange(separator, " ")});
    line.parts.back().sentence.encoder_input = std::move(of_part);
  }
}

LineParts LineSplitter::split(const std::string& text, bool whole) const {
  const auto size = most_bytes(options_.max_source_length);
  return text.size() <= size ? split_window(text, whole) : split_long(text, size, whole);
}

/// The last part of a window may go on behind it: the next window begins with it.
LineParts LineSplitter::split_long(const std::string& text, std::size_t size, bool whole) const {
  LineParts line{.parts = {}, .longest = 0, .bytes = text.size()};
  std::string separator;  // in front of the next window
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = chunk_end(text, begin, size);
    const auto window = text.substr(begin, end - begin);
    auto found = split_window(window, whole);
    auto& parts = found.parts;
    line.longest = std::max(line.longest, found.longest);
    if (!parts.empty()) {
      parts.front().separator = std::exchange(separator, " ");
    }
    if (end < text.size() && parts.size() > 1) {
      end = begin + window.rfind(parts.back().text);  // nothing but white space is behind it
      separator = std::move(parts.back().separator);
      parts.pop_back();
    } else if (end < text.size() && !parts.empty()) {
      line.longest = std::max<std::int64_t>(line.longest, 1);  // it may be cut here
    }
    std::ranges::move(parts, std::back_inserter(line.parts));
    begin = end;
  }
  return line;
}

LineParts LineSplitter::split_window(const std::string& text, bool whole) const {
  LineParts line;
  if (is_blank(text)) {
    return line;
  }
  const auto sentences = options_.split_sentences && !whole ? splitter_.split(text)
                                                            : std::vector<TextRange>{{.begin = 0, .end = text.size()}};
  std::size_t end = sentences.front().begin;
  for (const auto& sentence : sentences) {
    add(text.substr(sentence.begin, sentence.end - sentence.begin), text.substr(end, sentence.begin - end), line);
    end = sentence.end;
  }
  return line;
}

}  // namespace translate
