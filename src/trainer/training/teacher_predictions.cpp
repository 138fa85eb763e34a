#include "training/teacher_predictions.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "config/json.h"
#include "core/counted.h"
#include "core/error.h"
#include "core/logging.h"
#include "core/stop_signal.h"
#include "core/terminal.h"
#include "data/batches/bilingual_dataset.h"
#include "data/encoded/file_making.h"
#include "decoding/model_source.h"
#include "training/teacher.h"

namespace translate::trainer {

namespace {

constexpr std::int64_t kLabelsOfABatch = 4096;    // with padding
constexpr std::size_t kPairsAtATime = 16 * 1024;  // that are sorted by length

/// The pairs of a batch, by their numbers in the corpus.
using PairNumbers = std::vector<std::size_t>;

/// Divides pairs [begin, end) into batches of similar lengths.
std::vector<PairNumbers> batches_of(const EncodedCorpus& corpus, std::size_t begin, std::size_t end) {
  struct Pair {
    std::size_t target;
    std::size_t source;
    std::size_t number;
    auto operator<=>(const Pair&) const = default;
  };
  std::vector<Pair> pairs;
  for (auto number = begin; number < end; ++number) {
    const auto subwords = corpus.unchecked_subwords(number);
    pairs.push_back({.target = subwords.target.size(), .source = subwords.source.size(), .number = number});
  }
  std::ranges::sort(pairs);
  std::vector<PairNumbers> batches;
  for (const auto& pair : pairs) {
    const auto length = static_cast<std::int64_t>(std::max(pair.target, pair.source) + 1);
    if (batches.empty() || (std::ssize(batches.back()) + 1) * length > kLabelsOfABatch) {
      batches.emplace_back();
    }
    batches.back().push_back(pair.number);
  }
  return batches;
}

constexpr const char* kTeacher = "teacher";

/// Describes one of the files. `teacher`: its ModelSource::title(), as a folder may be renamed, and "latest" changes.
Json describe_part(const EncodedCorpus& corpus, std::size_t begin, const std::string& teacher) {
  return {{kTeacher, teacher},
          {"pairs", corpus.made_from()},
          {"subwords", {corpus.statistics().source_subwords, corpus.statistics().target_subwords}},
          {"begin", begin}};
}

bool are_of_same_pairs(Json found, Json wanted) {
  found.erase(kTeacher);
  wanted.erase(kTeacher);
  return found == wanted;
}

/// A teacher at work on a corpus.
class PredictingTeacher {
 public:
  PredictingTeacher(Teacher teacher, std::shared_ptr<const EncodedCorpus> corpus, const TokenizerPair& tokenizers)
      : teacher_(std::move(teacher)), corpus_(std::move(corpus)), dataset_(corpus_, tokenizers) {}

  /// Returns the predictions for the pairs [begin, end), after which come the others of the corpus. Progress is logged.
  PredictionsWriter predict(std::size_t begin, std::size_t end) {
    PredictionsWriter writer;
    while (begin < end) {
      const auto next = std::min(begin + kPairsAtATime, end);
      for (const auto& one : predict_together(begin, next)) {
        writer.append(one);
      }
      log_progress(begin, next);
      begin = next;
    }
    return writer;
  }

 private:
  std::vector<std::vector<Prediction>> predict_together(std::size_t begin, std::size_t end) {
    std::vector<std::vector<Prediction>> predictions(end - begin);
    for (const auto& numbers : batches_of(*corpus_, begin, end)) {
      if (const auto signal = stop_signal()) {
        throw StoppedBySignal(*signal);
      }
      auto of_batch = teacher_.predict(collate(dataset_.get_batch(numbers)));
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        predictions[numbers[i] - begin] = std::move(of_batch[i]);
      }
    }
    return predictions;
  }

  void log_progress(std::size_t begin, std::size_t end) {
    predicted_ += end - begin;
    if (end == corpus_->size()) {
      return;
    }
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - began_;
    const auto left = taken.count() * static_cast<double>(corpus_->size() - end) / static_cast<double>(predicted_);
    log_info(fmt::format("distillation: the teacher has predicted {} of {} pairs, {} left",
                         with_commas(static_cast<std::int64_t>(end)),
                         with_commas(static_cast<std::int64_t>(corpus_->size())), format_duration(left)));
  }

  Teacher teacher_;
  std::shared_ptr<const EncodedCorpus> corpus_;
  BilingualDataset dataset_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  std::size_t predicted_ = 0;  // pairs, since then
};

}  // namespace

std::shared_ptr<const CorpusPredictions> teacher_predictions(const std::shared_ptr<const EncodedCorpus>& corpus,
                                                             const TokenizerPair& tokenizers, const Config& config,
                                                             const c10::Device& device, const PredictionPlace& place) {
  if (config.training.teacher.empty()) {
    return nullptr;
  }
  const auto teacher_of = [&] { return teacher_source(config.training, Verify::kSizes).title(); };
  // A run that has begun keeps its predictions, though its teacher may be gone.
  const auto title = place.is_resumed ? std::string() : teacher_of();
  const auto fits = [&](const std::string& found, const PredictionsPart& part) {
    const auto wanted = describe_part(*corpus, part.begin, title);
    return place.is_resumed ? are_of_same_pairs(parse_json(found), wanted) : parse_json(found) == wanted;
  };
  const auto open = [&](const std::filesystem::path& folder) {
    return CorpusPredictions::open(predictions_parts(folder, corpus->size()), fits);
  };
  const auto make = [&](const std::filesystem::path& folder) {
    const StopSignals stop_signals;
    make_folder(folder);
    const auto described = [&, teacher = teacher_of()](const PredictionsPart& part) {
      return describe_part(*corpus, part.begin, teacher).dump();
    };
    const auto missing = missing_predictions(  // what another teacher has predicted is not mixed with the rest
        predictions_parts(folder, corpus->size()),
        [&](const std::string& found, const PredictionsPart& part) { return found == described(part); });
    auto done = corpus->size();
    for (const auto& part : missing) {
      done -= part.end - part.begin;
    }
    log_info(fmt::format("distillation: {} predicts the labels of the {} training pairs{}", config.training.teacher,
                         corpus->size(), done == 0 ? "" : fmt::format("; {} are done", done)));
    PredictingTeacher teacher(Teacher(config, tokenizers, device), corpus, tokenizers);
    for (const auto& part : missing) {
      const auto predictions = teacher.predict(part.begin, part.end);
      corpus->check_unchanged();
      predictions.write(part.file, described(part));
    }
    auto made = open(folder);
    if (!made) {
      throw RuntimeError(fmt::format("{}: changed while it was written", folder.string()));
    }
    log_info(fmt::format("distillation: {} predictions in {}", made->size(), folder.string()));
    return made;
  };
  constexpr const char* kName = "predictions";
  return get_or_make(place.run_dir / "corpus" / kName,
                     place.scratch.empty() ? std::filesystem::path() : place.scratch / kName,
                     "distillation: using the teacher's predictions", open, make);
}

}  // namespace translate::trainer
