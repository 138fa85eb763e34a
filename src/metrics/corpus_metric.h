#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
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
class SummedMetric {
 public:
  SummedMetric() = default;
  virtual ~SummedMetric() = default;
  SummedMetric(const SummedMetric&) = delete;
  SummedMetric& operator=(const SummedMetric&) = delete;

  /// The score of a corpus with these sums of counts: in percent, unless the metric has a scale of its own.
  [[nodiscard]] virtual double score(std::span<const double> sums) const = 0;

  /// The score of a single sentence with these counts; the same function, unless a metric overrides it.
  [[nodiscard]] virtual double sentence_score(std::span<const double> counts) const { return score(counts); }

  /// False for error rates.
  [[nodiscard]] virtual bool higher_is_better() const = 0;

  /// The settings needed to reproduce the score, after the number of references in a signature: "case:mixed|...".
  [[nodiscard]] virtual std::string settings() const = 0;
};

/// A metric that counts by itself, sentence by sentence.
class CorpusMetric : public SummedMetric {
 public:
  /// The number of counts.
  [[nodiscard]] virtual std::size_t size() const = 0;

  /// The counts of one sentence, `size()` of them.
  [[nodiscard]] virtual std::vector<double> count(std::string_view hypothesis, SentenceReferences references) const = 0;
};

/// "nrefs:N|", `test` ("bs:1000|seed:1|", or nothing) and the settings, in the order of sacreBLEU's signatures.
[[nodiscard]] std::string signature(const SummedMetric& metric, std::size_t references, std::string_view test = "");

/// The counts of every sentence of a corpus.
class SentenceCounts {
 public:
  /// Counts sentence by sentence. Throws DataError, with `name`, if a list of references does not have one for each
  /// hypothesis, or there are none; and with the line, too, if the metric cannot count a sentence.
  SentenceCounts(const CorpusMetric& metric, std::string_view name, std::span<const std::string> hypotheses,
                 References references);

  /// Takes counts that were made elsewhere: `columns` of each sentence, one sentence after the other.
  SentenceCounts(std::size_t columns, std::vector<double> values) : columns_(columns), values_(std::move(values)) {}

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
    std::size_t begin = 0;
    for (; columns_ - begin >= 8; begin += 8) {
      add_columns<8>(chosen, begin, sums);
    }
    for (; columns_ - begin >= 2; begin += 2) {
      add_columns<2>(chosen, begin, sums);
    }
    for (; begin < columns_; ++begin) {
      add_columns<1>(chosen, begin, sums);
    }
    return sums;
  }

 private:
  /// Sums some columns at a time, in registers, which takes a fraction of the time: resampling does little else.
  template <std::size_t kWidth, typename Index>
  void add_columns(std::span<const Index> chosen, std::size_t begin, std::vector<double>& sums) const {
    std::array<double, kWidth> added{};
    for (const Index sentence : chosen) {
      const double* counts = values_.data() + static_cast<std::size_t>(sentence) * columns_ + begin;
      for (std::size_t i = 0; i < kWidth; ++i) {
        added[i] += counts[i];
      }
    }
    std::copy(added.begin(), added.end(), sums.begin() + static_cast<std::ptrdiff_t>(begin));
  }

  std::size_t columns_;
  std::vector<double> values_;
};

}  // namespace translate
