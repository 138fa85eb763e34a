// align_words: the quality and the speed of word alignments (docs/alignment.md), by this project's aligner and by
// fast_align's model.
//
// align_words synthetic FILE...: translates the lines of the files into a synthetic language, whose links are known,
// and prints the alignment error rate. align_words tags SOURCE TARGET: reads parallel lines of HTML, aligns their
// words, and prints how well the words between the tags of one side are found by the words between the same tags of the
// other side.

#include <fmt/format.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "alignment/aligner_training.h"
#include "alignment/fast_align_model.h"
#include "alignment/symmetrization.h"
#include "alignment/tagged_text.h"
#include "core/threads.h"
#include "corpora/corpus_reader.h"
#include "support/synthetic_bitext.h"

namespace {

using translate::Alignment;
using translate::benchmark::FastAlignModel;
using translate::benchmark::IdSentence;
using translate::benchmark::TaggedLine;
using translate::testing::AlignmentErrors;
using translate::testing::GoldPair;

using SentencePairs = std::vector<std::pair<IdSentence, IdSentence>>;
using Align = std::function<Alignment(const IdSentence&, const IdSentence&)>;

struct Settings {
  std::vector<std::string> files;
  std::string model = "hmm";
  std::size_t pairs = 0;
  int threads = 0;
  bool hard = false;
  translate::AlignerOptions options;
};

class Stopwatch {
 public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

double peak_mib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024.0;
}

/// Words as ids, in the order in which they occur first.
class Ids {
 public:
  [[nodiscard]] IdSentence of(const std::vector<std::string>& words) {
    IdSentence sentence;
    for (const auto& word : words) {
      sentence.push_back(ids_.emplace(word, static_cast<std::int32_t>(ids_.size())).first->second);
    }
    return sentence;
  }
  [[nodiscard]] std::int32_t size() const { return static_cast<std::int32_t>(ids_.size()); }

 private:
  std::unordered_map<std::string, std::int32_t> ids_;
};

Align train_hmm(const SentencePairs& pairs, const Settings& settings) {
  const Stopwatch watch;
  auto aligner = translate::train_aligner(
      pairs.size(),
      [&](std::size_t i) { return translate::IdPair{.source = pairs[i].first, .target = pairs[i].second}; },
      settings.options,
      [&](const translate::AlignerProgress& progress) {
        fmt::print("{} {}: {:.4f} and {:.4f} bits a word, {:.1f} s\n", progress.stage, progress.iteration,
                   progress.forward_entropy, progress.backward_entropy, watch.seconds());
      });
  return [aligner](const IdSentence& source, const IdSentence& target) { return aligner.align(source, target); };
}

Align train_fast_align(SentencePairs pairs) {
  std::erase_if(pairs, [](const auto& pair) { return pair.first.empty() || pair.second.empty(); });
  const FastAlignModel forward(pairs);
  for (auto& [source, target] : pairs) {
    std::swap(source, target);
  }
  const FastAlignModel backward(pairs);
  return [forward, backward](const IdSentence& source, const IdSentence& target) {
    if (source.empty() || target.empty()) {
      return Alignment();
    }
    return translate::grow_diag_final_and(forward.align(source, target), backward.align(target, source));
  };
}

/// Trains on the pairs and aligns them; prints how long that takes.
std::vector<Alignment> align_all(const SentencePairs& pairs, const Settings& settings) {
  const Stopwatch watch;
  const Align align = settings.model == "hmm" ? train_hmm(pairs, settings) : train_fast_align(pairs);
  const double trained = watch.seconds();
  std::vector<Alignment> alignments(pairs.size());
  translate::parallel_ranges(std::ssize(pairs), 1024, [&](std::int64_t begin, std::int64_t end) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      alignments[i] = align(pairs[i].first, pairs[i].second);
    }
  });
  fmt::print("{}: trained in {:.1f} s, aligned in {:.1f} s; peak memory with the text {:.0f} MiB\n", settings.model,
             trained, watch.seconds() - trained, peak_mib());
  return alignments;
}

/// Twice to three times as much of everything that makes words hard to align.
translate::testing::SyntheticLanguage hard_language() {
  translate::testing::SyntheticLanguage language;
  language.phrase_share = 0.25;
  language.postponed_share = 0.4;
  language.dropped_share = 0.1;
  language.inserted_chance = 0.12;
  language.replaced_chance = 0.06;
  language.moved_chance = 0.6;
  return language;
}

/// The first `pairs` lines of the files in the synthetic language. If there are fewer, they begin again, with rare
/// words of their own each time, so that the vocabulary grows as that of a real text.
std::vector<GoldPair> synthetic_pairs(const Settings& settings) {
  Ids ids;
  std::vector<IdSentence> sentences;
  for (const auto& file : settings.files) {
    for (const auto& line : translate::read_lines(file)) {
      std::istringstream words(line);
      sentences.push_back(ids.of({std::istream_iterator<std::string>(words), {}}));
    }
  }
  auto language = settings.hard ? hard_language() : translate::testing::SyntheticLanguage();
  language.words = std::max(ids.size(), 100);
  const auto count = settings.pairs == 0 ? sentences.size() : settings.pairs;
  constexpr std::int32_t kFrequent = 5000;
  std::vector<GoldPair> pairs;
  for (std::size_t i = 0; i < count && !sentences.empty(); ++i) {
    auto sentence = sentences[i % sentences.size()];
    for (auto& word : sentence) {
      word += word < kFrequent ? 0 : ids.size() * static_cast<std::int32_t>(i / sentences.size());
    }
    pairs.push_back(translate_synthetically(sentence, language, i));
  }
  return pairs;
}

void print(const char* what, const AlignmentErrors& errors) {
  fmt::print("{} {:.2f} %, precision {:.2f} %, recall {:.2f} %\n", what, 100.0 * errors.rate(),
             100.0 * errors.precision(), 100.0 * errors.recall());
}

void measure_synthetic(const Settings& settings) {
  auto gold = synthetic_pairs(settings);
  SentencePairs pairs;
  std::size_t words = 0;
  for (auto& pair : gold) {
    words += pair.source.size();
    pairs.emplace_back(std::move(pair.source), std::move(pair.target));
  }
  fmt::print("{} pairs, {:.1f} source words a pair\n", pairs.size(),
             static_cast<double>(words) / static_cast<double>(std::max<std::size_t>(pairs.size(), 1)));
  const auto alignments = align_all(pairs, settings);
  AlignmentErrors errors;
  for (std::size_t i = 0; i < gold.size(); ++i) {
    errors.add(alignments[i], gold[i].gold);
  }
  print("AER", errors);
}

/// How well the words of a span are found by those of the same span of the other side.
struct SpanErrors {
  AlignmentErrors words;   ///< all words that they are linked to
  AlignmentErrors ranges;  ///< all words from the first of these to the last, as tags are carried over

  /// Counts a span: its positions in the sentence that it is known in, and in the other one.
  void add(const std::vector<std::int32_t>& from, const std::vector<std::int32_t>& to, const Alignment& links);
};

void add_words(const std::set<std::int32_t>& found, const std::vector<std::int32_t>& gold, AlignmentErrors& errors) {
  errors.found += found.size();
  errors.gold += gold.size();
  errors.correct += static_cast<std::size_t>(
      std::ranges::count_if(found, [&](auto word) { return std::ranges::binary_search(gold, word); }));
}

void SpanErrors::add(const std::vector<std::int32_t>& from, const std::vector<std::int32_t>& to,
                     const Alignment& links) {
  std::set<std::int32_t> found;
  for (const auto& [source, target] : links) {
    if (std::ranges::binary_search(from, source)) {
      found.insert(target);
    }
  }
  add_words(found, to, words);
  for (auto word = found.empty() ? 0 : *found.begin(), end = found.empty() ? 0 : *found.rbegin(); word < end; ++word) {
    found.insert(word);
  }
  add_words(found, to, ranges);
}

Alignment transposed(const Alignment& links) {
  Alignment result;
  for (const auto& [source, target] : links) {
    result.push_back({.source = target, .target = source});
  }
  return result;
}

void measure_tags(const Settings& settings) {
  const auto source_lines = translate::read_lines(settings.files.at(0));
  const auto target_lines = translate::read_lines(settings.files.at(1));
  const auto count = std::min(source_lines.size(), target_lines.size());
  Ids source_ids;
  Ids target_ids;
  std::vector<std::pair<TaggedLine, TaggedLine>> tagged;
  SentencePairs pairs;
  for (std::size_t i = 0; i < count; ++i) {
    tagged.emplace_back(translate::benchmark::parse_tagged_line(source_lines[i]),
                        translate::benchmark::parse_tagged_line(target_lines[i]));
    pairs.emplace_back(source_ids.of(tagged.back().first.words), target_ids.of(tagged.back().second.words));
  }
  const auto alignments = align_all(pairs, settings);
  SpanErrors errors;
  std::size_t spans = 0;
  for (std::size_t i = 0; i < count; ++i) {
    for (const auto& [tag, source] : tagged[i].first.spans) {
      const auto target = tagged[i].second.spans.find(tag);
      if (target != tagged[i].second.spans.end()) {
        ++spans;
        errors.add(source, target->second, alignments[i]);
        errors.add(target->second, source, transposed(alignments[i]));
      }
    }
  }
  fmt::print("{} pairs, {} spans\n", count, spans);
  print("error by words", errors.words);
  print("error by ranges", errors.ranges);
}

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  CLI::App app("The quality and the speed of word alignments.");
  app.require_subcommand(1);
  app.add_option("--model", settings.model, "the aligner")->check(CLI::IsMember({"hmm", "fast_align"}));
  app.add_option("--threads", settings.threads, "0: one for each processor");
  app.add_option("--model-1-iterations", settings.options.model_1_iterations);
  app.add_option("--hmm-iterations", settings.options.hmm_iterations);
  app.add_option("--partners", settings.options.partners_per_word);
  app.add_option("--prior", settings.options.lexical_prior);
  app.add_option("--null-probability", settings.options.null_probability);
  app.add_option("--uniform-share", settings.options.uniform_share);
  auto* synthetic = app.add_subcommand("synthetic", "the alignment error rate for a synthetic language");
  synthetic->add_option("files", settings.files, "text, one sentence a line, words apart")->required();
  synthetic->add_option("--pairs", settings.pairs, "0: as many as there are lines");
  synthetic->add_flag("--hard", settings.hard, "a language that is harder to align");
  auto* tags = app.add_subcommand("tags", "the error in finding tagged words");
  tags->add_option("files", settings.files, "parallel lines of HTML")->required()->expected(2);
  CLI11_PARSE(app, argc, argv);
  try {
    translate::set_kernel_threads(settings.threads);
    synthetic->parsed() ? measure_synthetic(settings) : measure_tags(settings);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
  return 0;
}
