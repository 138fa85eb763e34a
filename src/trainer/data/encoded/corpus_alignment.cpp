#include "data/encoded/corpus_alignment.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "alignment/aligner_training.h"
#include "config/json.h"
#include "core/error.h"
#include "core/file.h"
#include "core/logging.h"
#include "core/stop_signal.h"
#include "core/terminal.h"
#include "core/threads.h"
#include "data/encoded/file_making.h"

namespace translate::trainer {

namespace {

/// Changes with the aligner, so that links of an older one are made again.
constexpr int kAlignerVersion = 1;

std::string describe_links(const EncodedCorpus& corpus) {
  return Json{{"aligner", kAlignerVersion},
              {"pairs", corpus.made_from()},
              {"subwords", {corpus.statistics().source_subwords, corpus.statistics().target_subwords}}}
      .dump();
}

void stop_on_signal() {
  if (const auto signal = stop_signal()) {
    throw StoppedBySignal(*signal);
  }
}

WordAligner train_on(const EncodedCorpus& corpus) {
  PairSubwords subwords;
  const auto pair = [&](std::size_t index) -> IdPair {
    constexpr std::size_t kPairsBetweenChecks = 4096;
    if (index % kPairsBetweenChecks == 0) {
      stop_on_signal();
    }
    subwords = corpus.unchecked_subwords(index);
    return {.source = subwords.source, .target = subwords.target};
  };
  const auto report = [](const AlignerProgress& done) {
    stop_on_signal();
    log_info(fmt::format("alignment: {}, iteration {}: {:.3f} bits for each target subword, {:.3f} for each source one",
                         done.stage, done.iteration, done.forward_entropy, done.backward_entropy));
  };
  auto aligner = train_aligner(corpus.size(), pair, {}, report);
  corpus.check_unchanged();
  return aligner;
}

/// Aligns pairs [begin, begin + count), on all threads.
std::vector<Alignment> align_pairs(const EncodedCorpus& corpus, const WordAligner& aligner, std::size_t begin,
                                   std::size_t count) {
  constexpr std::int64_t kPairsAtATime = 64;
  std::vector<Alignment> alignments(count);
  parallel_ranges(static_cast<std::int64_t>(count), kPairsAtATime, [&](std::int64_t from, std::int64_t to) {
    for (auto i = static_cast<std::size_t>(from); std::cmp_less(i, to); ++i) {
      const auto subwords = corpus.unchecked_subwords(begin + i);
      alignments[i] = aligner.align(subwords.source, subwords.target);
    }
  });
  return alignments;
}

/// Shows the share that is done on a terminal.
void show_share(std::size_t done, std::size_t all) {
  if (progress_is_visible()) {
    show_progress({.label = "aligning training pairs",
                   .share = static_cast<double>(done) / static_cast<double>(std::max<std::size_t>(all, 1)),
                   .fields = {}});
  }
}

void align_corpus(const EncodedCorpus& corpus, const std::filesystem::path& file) {
  constexpr std::size_t kPairsABlock = std::size_t{1} << 14U;
  const StopSignals stop_signals;
  log_info(fmt::format("alignment: training a word aligner on the {} training pairs", corpus.size()));
  const auto aligner = train_on(corpus);
  LinksWriter writer;
  std::uint64_t links = 0;
  for (std::size_t begin = 0; begin < corpus.size(); begin += kPairsABlock) {
    stop_on_signal();
    for (const auto& alignment : align_pairs(corpus, aligner, begin, std::min(kPairsABlock, corpus.size() - begin))) {
      links += alignment.size();
      writer.append(alignment);
    }
    show_share(std::min(begin + kPairsABlock, corpus.size()), corpus.size());
  }
  show_progress("");
  corpus.check_unchanged();
  writer.write(file, describe_links(corpus));
  log_info(
      fmt::format("alignment: {} links between the subwords of {} pairs, in {}", links, corpus.size(), file.string()));
}

}  // namespace

std::shared_ptr<const CorpusLinks> get_or_align_corpus(const EncodedCorpus& corpus, const std::filesystem::path& file,
                                                       const std::filesystem::path& scratch) {
  return get_or_make(
      file, scratch, "alignment: using the links",
      [&](const std::filesystem::path& place) {
        return open_links(place, corpus.size(), describe_links(corpus), "the training pairs are aligned again");
      },
      [&](const std::filesystem::path& place) {
        align_corpus(corpus, place);
        return std::make_shared<const CorpusLinks>(place, corpus.size());
      });
}

}  // namespace translate::trainer
