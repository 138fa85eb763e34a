#include "data/encoded/word_links.h"

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "config/json.h"
#include "core/counted.h"
#include "core/error.h"
#include "core/file.h"
#include "core/logging.h"
#include "corpora/corpus_reader.h"
#include "data/encoded/file_making.h"
#include "text/alignment_text.h"
#include "text/word_subwords.h"

namespace translate::trainer {

namespace {

/// For each subword of a side of a pair its word; nothing if the tokenizer does not encode each word by itself.
using Words = std::optional<std::vector<std::int64_t>>;

Words words_of(const EncodedCorpus& corpus, const Tokenizer& tokenizer, Side side, std::size_t pair) {
  const auto compact = corpus.subwords(side, pair);
  const std::vector<std::int64_t> subwords(compact.begin(), compact.end());
  return words_of_subwords(tokenizer, corpus.text(side, pair), subwords);
}

std::size_t word_count(const std::vector<std::int64_t>& words) {
  return words.empty() ? 0 : static_cast<std::size_t>(words.back()) + 1;
}

}  // namespace

Alignment word_links(const EncodedCorpus& corpus, const TokenizerPair& tokenizers, std::size_t pair,
                     const Alignment& subword_links) {
  const auto source = words_of(corpus, tokenizers.source, Side::kSource, pair);
  const auto target = words_of(corpus, tokenizers.target, Side::kTarget, pair);
  Alignment links;
  if (!source || !target) {
    return links;
  }
  for (const auto& link : subword_links) {
    if (link.source < std::ssize(*source) && link.target < std::ssize(*target)) {
      links.push_back({.source = (*source)[static_cast<std::size_t>(link.source)],
                       .target = (*target)[static_cast<std::size_t>(link.target)]});
    }
  }
  sort_alignment(links);
  return links;
}

namespace {

std::string describe(const GivenLinks& given) {
  Json json = {{"pairs", given.corpus.made_from()}};
  for (const auto& files : given.files) {
    json["alignments"].push_back(crc32_of_file(files.alignment));
  }
  return json.dump();
}

/// Returns the links in a file; null if it is missing, damaged, or made from others.
std::shared_ptr<const CorpusLinks> open_links(const GivenLinks& given, const std::filesystem::path& file) {
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) {
    return nullptr;
  }
  try {
    auto links = std::make_shared<const CorpusLinks>(file, given.corpus.size());
    if (links->made_from() == describe(given)) {
      return links;
    }
    log_info(fmt::format("alignment: {} was made from other pairs or links", file.string()));
  } catch (const RuntimeError& error) {
    log_warning(fmt::format("alignment: {}; the given links are converted again", error.what()));
  }
  return nullptr;
}

/// Converts the links of the pairs of corpora, which come in the order of their lines.
class LinksConversion {
 public:
  explicit LinksConversion(const GivenLinks& given) : given_(given) {}

  void write(const std::filesystem::path& file) {
    for (std::size_t pair = 0; pair < given_.corpus.size(); ++pair) {
      const auto origin = given_.corpus.origin(pair);
      while (!lines_ || corpus_ < origin.corpus) {
        next_corpus();
      }
      writer_.append(converted(pair, line_of(origin)));
    }
    while (corpus_ + 1 < given_.files.size()) {
      next_corpus();
    }
    check_end();
    writer_.write(file, describe(given_));
    if (unlinked_ > 0) {
      log_warning(
          fmt::format("alignment: {} got no links, because the tokenizers do not encode each of their words by itself",
                      counted(unlinked_, "training pair")));
    }
    log_info(fmt::format("alignment: the given links of {}, in {}", counted(given_.corpus.size(), "training pair"),
                         file.string()));
  }

 private:
  [[nodiscard]] const CorpusFiles& files() const { return given_.files[corpus_]; }

  void next_corpus() {
    if (lines_) {
      check_end();
      ++corpus_;
    }
    lines_.emplace(files().alignment);
  }

  /// Returns the line with the links of a pair.
  const std::string& line_of(const PairOrigin& origin) {
    while (lines_->lines() < origin.line) {
      if (!lines_->next(line_)) {
        throw DataError(fmt::format("{} has {}, and {} more: expected the links of each pair in a line of their own",
                                    files().alignment.string(), counted(lines_->lines(), "line"),
                                    files().source.string()));
      }
    }
    return line_;
  }

  /// Checks that the file of links has as many lines as the text.
  void check_end() {
    while (lines_->next(line_)) {
    }
    LineReader text(files().source, LineCheck::kNone);
    for (std::string line; text.next(line);) {
    }
    if (text.lines() != lines_->lines()) {
      throw DataError(fmt::format("{} has {}, and {} has {}: expected the links of each pair in a line of their own",
                                  files().alignment.string(), counted(lines_->lines(), "line"), files().source.string(),
                                  text.lines()));
    }
  }

  Alignment converted(std::size_t pair, const std::string& line) {
    const auto place = fmt::format("{}:{}", files().alignment.string(), lines_->lines());
    const auto links = parse_alignment_line(line, place);
    const auto source = words_of(given_.corpus, given_.tokenizers.source, Side::kSource, pair);
    const auto target = words_of(given_.corpus, given_.tokenizers.target, Side::kTarget, pair);
    Alignment result;
    if (!source || !target) {
      ++unlinked_;
      return result;
    }
    const std::size_t tags = files().target_language.empty() ? 0 : 1;
    check_alignment(links, word_count(*source) - std::min(tags, word_count(*source)), word_count(*target), place);
    for (const auto& link : links) {
      for (std::int64_t from = 0; from < std::ssize(*source); ++from) {
        for (std::int64_t to = 0; to < std::ssize(*target); ++to) {
          if ((*source)[static_cast<std::size_t>(from)] == link.source + static_cast<std::int64_t>(tags) &&
              (*target)[static_cast<std::size_t>(to)] == link.target) {
            result.push_back({.source = from, .target = to});
          }
        }
      }
    }
    sort_alignment(result);
    return result;
  }

  const GivenLinks& given_;
  std::size_t corpus_ = 0;
  std::optional<LineReader> lines_;
  std::string line_;
  LinksWriter writer_;
  std::size_t unlinked_ = 0;
};

}  // namespace

std::shared_ptr<const CorpusLinks> get_or_convert_links(const GivenLinks& given, const std::filesystem::path& file,
                                                        const std::filesystem::path& scratch) {
  return get_or_make(
      file, scratch, "alignment: using the given links",
      [&](const std::filesystem::path& place) { return open_links(given, place); },
      [&](const std::filesystem::path& place) {
        LinksConversion(given).write(place);
        return std::make_shared<const CorpusLinks>(place, given.corpus.size());
      });
}

}  // namespace translate::trainer
