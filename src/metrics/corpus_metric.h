#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace translate {

/// The sacreBLEU release whose definitions of BLEU, chrF and TER are implemented here and which made the golden files
/// of the tests; signatures end with it.
inline constexpr std::string_view kSacrebleuVersion = "2.6.0";

/// Throws DataError unless there is at least one list of references, each list has a reference for every hypothesis,
/// and there is at least one hypothesis; `metric` is the name in messages.
void check_corpus(std::string_view metric, std::span<const std::string> hypotheses,
                  std::span<const std::vector<std::string>> references);

/// Throws DataError: comparing a hypothesis and a reference with this many `unit` ("words") takes too much memory or
/// time.
[[noreturn]] void throw_too_long_to_compare(std::size_t hypothesis, std::size_t reference, std::string_view unit);

/// The references of a corpus: one list or several, each with a reference for every sentence.
using References = std::span<const std::vector<std::string>>;

/// The references of one sentence, at least one.
using SentenceReferences = std::span<const std::string>;

/// A measure of translations whose score of a corpus is a function of counts that are summed over its sentences, so
/// that the score of any selection of sentences costs only a sum.
class CorpusMetric {
 public:
  CorpusMetric() = default;
  virtual ~CorpusMetric() = default;
  CorpusMetric(const CorpusMetric&) = delete;
  CorpusMetric& operator=(const CorpusMetric&) = delete;

  /// The number of counts.
  [[nodiscard]] virtual std::size_t size() const = 0;

  /// The counts of one sentence, `size()` of them.
  [[nodiscard]] virtual std::vector<double> count(std::string_view hypothesis, SentenceReferences references) const = 0;

  /// The score of a corpus with these sums of counts, in percent.
  [[nodiscard]] virtual double score(std::span<const double> sums) const = 0;

  /// The score of a single sentence with these counts; the same function, unless a metric overrides it.
  [[nodiscard]] virtual double sentence_score(std::span<const double> counts) const { return score(counts); }

  /// False for error rates.
  [[nodiscard]] virtual bool higher_is_better() const = 0;

  /// The settings needed to reproduce the score, after the number of references in a signature: "case:mixed|...".
  [[nodiscard]] virtual std::string settings() const = 0;
};

/// "nrefs:N|", `test` ("bs:1000|seed:1|", or nothing) and the settings, in the order of sacreBLEU's signatures.
[[nodiscard]] std::string signature(const CorpusMetric& metric, std::size_t references, std::string_view test = "");

/// The counts of every sentence of a corpus.
class SentenceCounts {
 public:
  /// Counts sentence by sentence. Throws DataError, with `name`, if a list of references does not have one for each
  /// hypothesis, or there are none; and with the line, too, if the metric cannot count a sentence.
  SentenceCounts(const CorpusMetric& metric, std::string_view name, std::span<const std::string> hypotheses,
                 References references);

  [[nodiscard]] std::size_t sentences() const { return columns_ == 0 ? 0 : values_.size() / columns_; }
  [[nodiscard]] std::size_t columns() const { return columns_; }

  /// The counts of one sentence.
  [[nodiscard]] std::span<const double> row(std::size_t sentence) const {
    return std::span(values_).subspan(sentence * columns_, columns_);
  }

  /// The sums over all sentences.
  [[nodiscard]] std::vector<double> sums() const;

  /// The sums over the given sentences; a sentence that is given twice counts twice.
  template <typename Index>
  [[nodiscard]] std::vector<double> sums_of(std::span<const Index> chosen) const {
    std::vector<double> sums(columns_, 0.0);
    for (const Index sentence : chosen) {
      const double* counts = values_.data() + static_cast<std::size_t>(sentence) * columns_;
      for (std::size_t i = 0; i < columns_; ++i) {
        sums[i] += counts[i];
      }
    }
    return sums;
  }

 private:
  std::size_t columns_;
  std::vector<double> values_;
};

}  // namespace translate
