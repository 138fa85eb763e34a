#include "documents/prose/subtitles.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/utf8.h"
#include "documents/html/html_references.h"
#include "documents/html/html_texts.h"
#include "documents/html/inline_marks.h"
#include "documents/inline_tokens.h"
#include "documents/markup.h"
#include "documents/parts_document.h"
#include "documents/text_lines.h"

namespace translate::tools {

namespace {

/// Stands in a text where a cue ends.
constexpr std::string_view kCueEnd = "\x1e";

/// The text of a cue, or a line of one where people talk in turn.
struct Cue {
  std::size_t begin = 0;  ///< its bytes in the file
  std::size_t end = 0;
  std::int64_t starts = 0;  ///< milliseconds
  std::int64_t stops = 0;
  bool is_whole = true;  ///< not a line of a cue
};

/// Cues that are translated together, at most kMostCues.
struct CueGroup {
  std::vector<Cue> cues;
  TextParts parts = {.texts = {}, .between = {""}};
  std::size_t first_text = 0;           ///< the number of its first text among all
  std::vector<std::string> times = {};  ///< the times inside of its text, "<00:01.500>", as they rise
};

constexpr std::size_t kMostCues = 8;
constexpr std::int64_t kPause = 1500;  // milliseconds

/// Reads "00:01:02,345" and "01:02.345"; nothing if the text does not begin with a time.
std::optional<std::int64_t> read_time(std::string_view text) {
  std::int64_t number = 0;
  std::int64_t time = 0;
  int parts = 0;
  bool has_digit = false;
  for (const char c : text) {
    if (c >= '0' && c <= '9') {
      number = std::min<std::int64_t>(number * 10 + (c - '0'), 1'000'000);
      has_digit = true;
    } else if ((c == ':' || c == ',' || c == '.') && has_digit) {
      time = (time + number) * (c == ':' ? 60 : 1000);
      number = 0;
      ++parts;
      has_digit = false;
    } else {
      break;
    }
  }
  return parts >= 2 && has_digit ? std::optional(time + number) : std::nullopt;
}

/// Parts a translation into those of its cues.
std::vector<std::string> part_cues(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const auto end = std::min(text.find(kCueEnd, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

/// Returns a translation whose times inside, which it has all, rise as those of the source do.
std::string with_rising_times(std::string text, const std::vector<std::string>& times) {
  std::size_t at = 0;
  for (const auto& time : times) {
    while (at < text.size() && std::ranges::none_of(times, [&](const std::string& each) {
             return std::string_view(text).substr(at).starts_with(each);
           })) {
      ++at;
    }
    const auto close = text.find('>', at);
    if (close == std::string::npos) {
      break;
    }
    const auto length = close + 1 - at;
    text.replace(at, length, time);
    at += time.size();
  }
  return text;
}

/// Shares the words of a translation without tags out among cues, in proportion to the lengths of their texts.
std::vector<std::string> share_words(const std::vector<std::string>& parts, const std::vector<Cue>& cues) {
  std::size_t bytes = 0;
  std::size_t source_bytes = 0;
  for (const auto& part : parts) {
    bytes += part.size();
  }
  for (const auto& cue : cues) {
    source_bytes += cue.end - cue.begin;
  }
  std::vector<std::string> shared(cues.size());
  std::size_t cue = 0;
  std::size_t done = 0;
  std::size_t due = (cues[0].end - cues[0].begin) * bytes / source_bytes;
  for (const auto& part : parts) {
    for (std::size_t at = 0; at < part.size();) {
      const auto word = std::min(part.find_first_not_of(" \n\r", at), part.size());
      const auto end = std::min(part.find_first_of(" \n\r", word), part.size());
      const bool is_due = done + (end - word) / 2 >= due && !shared[cue].empty();
      if (is_due && cue + 1 < cues.size()) {
        ++cue;
        due += (cues[cue].end - cues[cue].begin) * bytes / source_bytes;
      }
      shared[cue] += (shared[cue].empty() ? "" : " ") + part.substr(word, end - word);
      done += end - at;
      at = end;
    }
  }
  return shared;
}

class SubtitleDocument : public Document {
 public:
  SubtitleDocument(std::string bytes, std::vector<CueGroup> groups)
      : bytes_(std::move(bytes)), groups_(std::move(groups)) {
    line_end_ = bytes_.find("\r\n") == std::string::npos ? "\n" : "\r\n";
    for (auto& group : groups_) {
      group.first_text = texts_.size();
      texts_.insert(texts_.end(), group.parts.texts.begin(), group.parts.texts.end());
    }
  }

  [[nodiscard]] const std::vector<std::string>& texts() const override { return texts_; }
  [[nodiscard]] std::vector<std::vector<TextMark>> marks() const override {
    std::vector<std::vector<TextMark>> ranges;
    for (const auto& group : groups_) {
      std::ranges::move(group.parts.marked_ranges(), std::back_inserter(ranges));
    }
    return ranges;
  }

  [[nodiscard]] std::string write(std::span<const AlignedText> translations) const override {
    std::string result;
    std::size_t at = 0;
    for (const auto& group : groups_) {
      const auto own = translations.subspan(group.first_text, group.parts.texts.size());
      const bool is_changed = !std::ranges::equal(own, group.parts.texts, {}, &AlignedText::text);
      if (!is_changed) {
        continue;
      }
      const auto parts = cues_of(group, with_rising_times(join_parts(group.parts, own), group.times));
      for (std::size_t i = 0; i < group.cues.size(); ++i) {
        const auto& cue = group.cues[i];
        result += bytes_.substr(at, cue.begin - at);
        result += wrap_subtitle(parts[i], cue.is_whole ? line_end_ : " ");
        at = cue.end;
      }
    }
    return result + bytes_.substr(at);
  }

 private:
  /// Parts a translation into as many texts as there are cues.
  static std::vector<std::string> cues_of(const CueGroup& group, const std::string& translation) {
    auto parts = part_cues(translation);
    parts.resize(group.cues.size());
    const bool lacks_text = std::ranges::any_of(parts, [](const std::string& part) { return is_blank(part); });
    return lacks_text && translation.find('<') == std::string::npos ? share_words(parts, group.cues) : parts;
  }

  std::string bytes_;
  std::vector<CueGroup> groups_;
  std::string line_end_;
  std::vector<std::string> texts_;
};

/// Finds the cues of a file and joins them.
class SubtitleReader {
 public:
  SubtitleReader(const DocumentInput& input, bool is_webvtt)
      : input_(input), bytes_(input.bytes), is_webvtt_(is_webvtt) {}

  std::vector<CueGroup> read() {
    if (is_webvtt_ && !bytes_.starts_with("WEBVTT")) {
      throw document_error(input_, 0, "expected WEBVTT in the first line");
    }
    if (const auto mark = bytes_.find(kCueEnd); mark != std::string_view::npos) {
      throw document_error(input_, mark, "a control character (1E); remove it");
    }
    for (std::size_t at = 0; at < bytes_.size();) {
      at = read_block(at);
    }
    for (auto& group : groups_) {
      add_texts(group);
    }
    return std::move(groups_);
  }

 private:
  [[nodiscard]] std::string_view line(std::size_t at) const { return bytes_.substr(at, line_end(bytes_, at) - at); }

  /// Reads a block of lines up to a blank one: a cue, or a part of WebVTT that is none. Returns what follows.
  std::size_t read_block(std::size_t begin) {
    if (is_blank(line(begin))) {
      return next_line(bytes_, begin);
    }
    auto times = begin;
    auto end = begin;
    bool has_times = false;
    for (; end < bytes_.size() && !is_blank(line(end)); end = next_line(bytes_, end)) {
      if (!has_times && line(end).find("-->") != std::string_view::npos) {
        times = end;
        has_times = true;
      }
    }
    if (has_times) {
      read_cue(times, end);
    } else if (!is_webvtt_) {
      throw document_error(input_, begin, "text without a time code; expected 00:00:01,000 --> 00:00:02,000");
    }
    return end;
  }

  void read_cue(std::size_t times, std::size_t block_end) {
    const auto codes = line(times);
    const auto arrow = codes.find("-->");
    const auto trimmed = [](std::string_view text) {
      return text.substr(std::min(text.find_first_not_of(" \t"), text.size()));
    };
    const auto starts = read_time(trimmed(codes.substr(0, arrow)));
    const auto stops = read_time(trimmed(codes.substr(arrow + 3)));
    if (!starts || !stops) {
      throw document_error(input_, times, "no time code; expected 00:00:01,000 --> 00:00:02,000");
    }
    const auto begin = next_line(bytes_, times);
    if (begin >= block_end) {
      return;
    }
    Cue cue{.begin = begin, .end = begin, .starts = *starts, .stops = *stops};
    for (auto at = begin; at < block_end; at = next_line(bytes_, at)) {
      cue.end = line_end(bytes_, at);
    }
    if (is_dialogue(cue)) {
      cue.is_whole = false;
      for (auto at = begin; at < block_end; at = next_line(bytes_, at)) {
        cue.end = line_end(bytes_, at);
        cue.begin = std::min(skip_dash(at), cue.end);
        groups_.push_back({.cues = {cue}});
      }
    } else {
      join(cue);
    }
  }

  /// The place behind the dash with which a line begins, and the white space behind it.
  [[nodiscard]] std::size_t skip_dash(std::size_t at) const {
    if (!begins_speech(bytes_.substr(at))) {
      return at;
    }
    const auto dash = bytes_[at] == '-' ? 1U : 3U;  // bytes
    return std::min(bytes_.find_first_not_of(" \t", at + dash), bytes_.size());
  }

  /// Whether a cue has lines of several people, which begin with dashes.
  [[nodiscard]] bool is_dialogue(const Cue& cue) const {
    bool found = false;
    for (auto at = cue.begin; at < cue.end; at = next_line(bytes_, at)) {
      found = found || (at > cue.begin && begins_speech(line(at)));
    }
    return found;
  }

  static bool begins_speech(std::string_view text) {
    return text.starts_with("-") || text.starts_with("–") || text.starts_with("—");
  }

  /// Adds a cue to the last group, if its sentence goes on there, or to a new one.
  void join(Cue cue) {
    const auto text = bytes_.substr(cue.begin, cue.end - cue.begin);
    cue.begin = std::min(skip_dash(cue.begin), cue.end);
    if (!groups_.empty()) {
      auto& group = groups_.back();
      const auto& last = group.cues.back();
      auto before = without_tags(bytes_.substr(last.begin, last.end - last.begin));
      const bool is_open = last.is_whole && !ends_sentence(before) && !before.ends_with("]") && !before.ends_with("♪");
      const bool follows = cue.starts - last.stops <= kPause && cue.starts >= last.starts;
      const bool goes_on = !begins_speech(text) && !text.starts_with("[") && !text.starts_with("♪");
      if (is_open && follows && goes_on && group.cues.size() < kMostCues) {
        group.cues.push_back(cue);
        return;
      }
    }
    groups_.push_back({.cues = {cue}});
  }

  static std::string without_tags(std::string_view text) {
    std::string plain;
    for (std::size_t at = 0; at < text.size();) {
      const auto length = text[at] == '<' ? markup_length(text.substr(at)) : 0;
      plain += text.substr(at, length > 0 ? 0 : 1);
      at += std::max<std::size_t>(length, 1);
    }
    return plain;
  }

  void add_texts(CueGroup& group) const {
    std::vector<InlineToken> tokens;
    for (const auto& cue : group.cues) {
      if (&cue != &group.cues.front()) {
        tokens.push_back({.kind = TokenKind::kAlone, .bytes = std::string(kCueEnd)});
        tokens.push_back({.kind = TokenKind::kSpace, .bytes = " ", .original = " "});
      }
      add_tokens(cue, tokens, group.times);
    }
    add_inline_text(tokens, {.escape = is_webvtt_ ? escape_html : nullptr}, group.parts);
  }

  /// Whether a text begins with a time inside of a cue, such as <00:01.500>.
  [[nodiscard]] bool has_time(std::string_view text) const {
    return is_webvtt_ && text.size() > 1 && text[0] == '<' && text[1] >= '0' && text[1] <= '9';
  }

  /// The length of a tag, a time inside of a text (WebVTT) or a position ({\an8}) at the beginning of a text; or 0.
  [[nodiscard]] std::size_t tag_length(std::string_view text) const {
    if (text.starts_with("{\\")) {
      return text.find('}') + 1;
    }
    if (!text.starts_with('<') || text.find('>') == std::string_view::npos) {
      return 0;
    }
    return has_time(text) ? text.find('>') + 1 : markup_length(text);
  }

  void add_tokens(const Cue& cue, std::vector<InlineToken>& tokens, std::vector<std::string>& times) const {
    const auto text = bytes_.substr(0, cue.end);
    auto begin = cue.begin;
    const auto end_run = [&](std::size_t end) {
      DecodedString run(bytes_, begin);
      run.add(bytes_.substr(begin, end - begin), end);
      const auto decoded = is_webvtt_ ? decode_references(bytes_, begin, end) : std::move(run);
      add_string_tokens(decoded, 0, decoded.text().size(), tokens);
    };
    for (auto at = cue.begin; at < cue.end;) {
      const auto length = tag_length(text.substr(at));
      if (length == 0) {
        ++at;
        continue;
      }
      end_run(at);
      if (has_time(text.substr(at))) {
        times.emplace_back(text.substr(at, length));
      }
      auto token = tag_token(text.substr(at, length));
      token.name = token.name.substr(0, token.name.find('.'));  // <c.yellow> ... </c>
      token.kind = token.kind == TokenKind::kBlock ? TokenKind::kAlone : token.kind;
      tokens.push_back(std::move(token));
      at += length;
      begin = at;
    }
    end_run(cue.end);
  }

  const DocumentInput& input_;
  std::string_view bytes_;
  bool is_webvtt_;
  std::vector<CueGroup> groups_;
};

}  // namespace

std::unique_ptr<Document> read_srt(DocumentInput input) {
  auto groups = SubtitleReader(input, /*is_webvtt=*/false).read();
  return std::make_unique<SubtitleDocument>(std::move(input.bytes), std::move(groups));
}

std::unique_ptr<Document> read_webvtt(DocumentInput input) {
  auto groups = SubtitleReader(input, /*is_webvtt=*/true).read();
  return std::make_unique<SubtitleDocument>(std::move(input.bytes), std::move(groups));
}

}  // namespace translate::tools
