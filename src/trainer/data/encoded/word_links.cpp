#include "data/encoded/word_links.h"

#include <fmt/format.h>

#include <algorithm>
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

/// Returns the subwords [first, second) of a word.
std::pair<std::int64_t, std::int64_t> subwords_of(const std::vector<std::int64_t>& words, std::int64_t word) {
  const auto found = std::ranges::equal_range(words, word);  // the words of subwords never fall
  return {found.begin() - words.begin(), found.end() - words.begin()};
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

/// Converts the links of the pairs of corpora, which come in the order of their lines.
class LinksConversion {
 public:
  explicit LinksConversion(const GivenLinks& given) : given_(given) {}

  void write(const std::filesystem::path& file, const std::string& made_from) {
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
    writer_.write(file, made_from);
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
    const auto expected = given_.text.corpora[corpus_].lines;
    if (expected != lines_->lines()) {
      throw DataError(fmt::format("{} has {}, and {} has {}: expected the links of each pair in a line of their own",
                                  files().alignment.string(), counted(lines_->lines(), "line"), files().source.string(),
                                  expected));
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
      const auto from = subwords_of(*source, link.source + static_cast<std::int64_t>(tags));
      const auto to = subwords_of(*target, link.target);
      for (auto i = from.first; i < from.second; ++i) {
        for (auto j = to.first; j < to.second; ++j) {
          result.push_back({.source = i, .target = j});
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
  const auto made_from = describe(given);
  return get_or_make(
      file, scratch, "alignment: using the given links",
      [&](const std::filesystem::path& place) {
        return open_links(place, given.corpus.size(), made_from, "the given links are converted again");
      },
      [&](const std::filesystem::path& place) {
        LinksConversion(given).write(place, made_from);
        return std::make_shared<const CorpusLinks>(place, given.corpus.size());
      });
}

}  // namespace translate::trainer
