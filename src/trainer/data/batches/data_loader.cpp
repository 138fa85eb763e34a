#include "data/batches/data_loader.h"

#include <ATen/ATen.h>
#include <torch/data/dataloader.h>
#include <torch/data/datasets/map.h>
#include <torch/data/transforms/collate.h>
#include <torch/data/worker_exception.h>
#include <torch/serialize/archive.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "core/error.h"
#include "core/random_numbers.h"
#include "data/batches/bilingual_dataset.h"
#include "data/batches/epoch_pairs.h"

namespace translate::trainer {

BatchSampler::BatchSampler(std::shared_ptr<const EpochPlan> plan, std::shared_ptr<const std::vector<BatchShare>> shares)
    : plan_(std::move(plan)), shares_(std::move(shares)) {}

void BatchSampler::reset(std::optional<std::size_t> /*new_size*/) { next_ = 0; }

std::optional<std::vector<std::size_t>> BatchSampler::next(std::size_t /*batch_size*/) {
  if (next_ >= shares_->size()) {
    return std::nullopt;
  }
  const auto pairs = (*plan_)[(*shares_)[next_++].batch];
  return std::vector<std::size_t>(pairs.begin(), pairs.end());
}

void BatchSampler::save(torch::serialize::OutputArchive& archive) const {
  archive.write("next", at::scalar_tensor(static_cast<std::int64_t>(next_), at::kLong), /*is_buffer=*/true);
}

void BatchSampler::load(torch::serialize::InputArchive& archive) {
  at::Tensor next;
  archive.read("next", next, /*is_buffer=*/true);
  next_ = static_cast<std::size_t>(next.item<std::int64_t>());
}

namespace {

/// Adapts collate() to torch::data.
class Collate : public torch::data::transforms::Collation<Batch, std::vector<Example>> {
 public:
  explicit Collate(const LoaderOptions& options) : pinned_(options.pinned), pad_to_(options.batch.pad_to) {}
  Batch apply_batch(std::vector<Example> examples) override {
    const auto batch = collate(examples, pad_to_);
    return pinned_ ? batch.pinned() : batch;
  }

 private:
  bool pinned_;
  std::int64_t pad_to_;
};

using CollatedDataset = torch::data::datasets::MapDataset<BilingualDataset, Collate>;
using Loader = torch::data::StatelessDataLoader<CollatedDataset, BatchSampler>;

CollatedDataset make_dataset(std::shared_ptr<const EncodedCorpus> corpus, const TokenizerPair& tokenizers,
                             const LoaderOptions& options, std::uint64_t epoch) {
  return BilingualDataset(std::move(corpus), tokenizers, resampling_of_epoch(options, epoch),
                          modification_of_epoch(options, epoch), options.links, options.predictions)
      .map(Collate(options));
}

/// Returns the size of batches to plan, which leaves room for pairs that modifiers make longer.
BatchOptions planned_batch(const std::shared_ptr<const EncodedCorpus>& corpus, const TokenizerPair& tokenizers,
                           const LoaderOptions& options, std::uint64_t epoch) {
  auto batch = options.batch;
  auto modification = modification_of_epoch(options, epoch);
  if (!modification || batch.batch_sentences > 0) {
    return batch;
  }
  constexpr double kRoomForExpected = 1.5;  // so that most batches, not half of them, have room for all their changes
  const auto effect =
      modification_effect(corpus, tokenizers, resampling_of_epoch(options, epoch), *std::move(modification));
  const double room = 1.0 + kRoomForExpected * std::max(effect.growth, 0.0);
  batch.batch_tokens =
      std::max<std::int64_t>(static_cast<std::int64_t>(static_cast<double>(batch.batch_tokens) / room), 1);
  return batch;
}

}  // namespace

std::optional<PairModification> modification_of_epoch(const LoaderOptions& options, std::uint64_t epoch) {
  if (!options.modifiers.are_on()) {
    return std::nullopt;
  }
  return PairModification{.options = options.modifiers,
                          .languages = options.languages,
                          .seed = options.seed,
                          .epoch = epoch,
                          .max_length = options.max_length,
                          .batch_tokens = options.batch.batch_sentences > 0 ? 0 : options.batch.batch_tokens,
                          .links = options.modifier_links};
}

std::optional<Resampling> resampling_of_epoch(const LoaderOptions& options, std::uint64_t epoch) {
  if (!options.sampling.source && !options.sampling.target) {
    return std::nullopt;
  }
  return Resampling{
      .options = options.sampling, .seed = options.seed, .epoch = epoch, .max_length = options.max_length};
}

namespace {

std::vector<LanguageCodes> languages_of_files(const DataOptions& data) {
  std::vector<LanguageCodes> languages;
  for (const auto& files : data.train) {
    languages.push_back(language_codes(data, files));
  }
  return languages;
}

}  // namespace

LoaderOptions training_loader_options(const Config& config, const c10::Device& device) {
  const auto& training = config.training;
  if (training.batch_tokens.is_auto()) {
    throw ConfigError("training.batch_tokens: a number is needed here, not \"auto\", which only a training resolves");
  }
  return {.batch = {training.batch_tokens.tokens, training.batch_sentences, training.pad_to},
          .mixture = mixture_options(config.data),
          .sampling = config.tokenizer.sampling,
          .modifiers = config.data.modifiers,
          .languages = languages_of_files(config.data),
          .max_length = config.data.max_length,
          .seed = config.training.seed,
          .pinned = !device.is_cpu(),
          .batches_per_step = training.accumulation_steps};
}

LoaderOptions validation_loader_options(const Config& config, const c10::Device& device) {
  LoaderOptions options = training_loader_options(config, device);
  options.mixture = {};
  options.sampling = {};
  options.modifiers = {};
  options.batches_per_step = 0;
  return options;
}

class EpochLoader::Impl {
 public:
  Impl(std::shared_ptr<const EncodedCorpus> corpus, const TokenizerPair& tokenizers, const LoaderOptions& options,
       std::uint64_t epoch, std::size_t first_batch)
      : plan_(std::make_shared<const EpochPlan>(plan_epoch(epoch_pairs(*corpus, options.mixture, options.seed, epoch),
                                                           planned_batch(corpus, tokenizers, options, epoch),
                                                           options.seed, epoch))),
        first_batch_(first_batch),
        batches_per_step_(options.batches_per_step > 0 ? static_cast<std::size_t>(options.batches_per_step)
                                                       : std::max<std::size_t>(plan_->size(), 1)),
        shares_(std::make_shared<const std::vector<BatchShare>>(
            share_of_epoch(first_batch, plan_->size(), batches_per_step_, options.process))),
        seed_(options.seed),
        epoch_(epoch),
        // One worker keeps the order and is far faster than training; it prefetches up to max_jobs batches.
        loader_(make_dataset(std::move(corpus), tokenizers, options, epoch), BatchSampler(plan_, shares_),
                torch::data::DataLoaderOptions().workers(1).max_jobs(4).enforce_ordering(true)),
        current_(loader_.begin()) {}

  std::optional<Batch> next() {
    if (finished_) {
      return std::nullopt;
    }
    try {
      if (std::exchange(started_, true)) {
        ++current_;
      }
      if (current_ == loader_.end()) {
        finished_ = true;
        return std::nullopt;
      }
      const auto& share = (*shares_)[returned_++];
      Batch batch = std::move(*current_);
      batch.random_key = mix_seeds({seed_, epoch_, share.batch});
      return part_of(share, batch);
    } catch (const torch::data::WorkerException& error) {
      finished_ = true;
      std::rethrow_exception(error.original_exception);
    }
  }

  std::optional<std::vector<Batch>> next_step() {
    const auto end = position() + batches_per_step_;  // of the last step, this may lie behind the end of the epoch
    std::vector<Batch> batches;
    while (returned_ < shares_->size() && (*shares_)[returned_].batch < end) {
      auto batch = next();
      if (!batch) {  // after an error
        return std::nullopt;
      }
      batches.push_back(*std::move(batch));
    }
    return batches.empty() ? std::nullopt : std::optional(std::move(batches));
  }

  [[nodiscard]] std::size_t batches() const { return plan_->size(); }
  [[nodiscard]] std::size_t position() const {
    if (returned_ == shares_->size()) {
      return plan_->size();
    }
    const auto since_first = (*shares_)[returned_].batch - first_batch_;
    return first_batch_ + since_first / batches_per_step_ * batches_per_step_;
  }
  [[nodiscard]] double padding() const { return plan_->padding_share(); }

 private:
  static Batch part_of(const BatchShare& share, const Batch& batch) {
    const auto [begin, end] = sentences_of(share, batch);
    return batch.slice(begin, end);
  }

  std::shared_ptr<const EpochPlan> plan_;
  std::size_t first_batch_;
  std::size_t batches_per_step_;
  std::shared_ptr<const std::vector<BatchShare>> shares_;
  std::size_t returned_ = 0;  ///< results of next() so far
  std::uint64_t seed_;
  std::uint64_t epoch_;
  Loader loader_;
  torch::data::Iterator<Batch> current_;
  bool started_ = false;
  bool finished_ = false;
};

EpochLoader::EpochLoader(std::shared_ptr<const EncodedCorpus> corpus, const TokenizerPair& tokenizers,
                         const LoaderOptions& options, std::uint64_t epoch, std::size_t first_batch)
    : impl_(std::make_unique<Impl>(std::move(corpus), tokenizers, options, epoch, first_batch)) {}
EpochLoader::~EpochLoader() = default;
EpochLoader::EpochLoader(EpochLoader&&) noexcept = default;
EpochLoader& EpochLoader::operator=(EpochLoader&&) noexcept = default;

std::optional<Batch> EpochLoader::next() { return impl_->next(); }
std::optional<std::vector<Batch>> EpochLoader::next_step() { return impl_->next_step(); }
std::size_t EpochLoader::batches() const { return impl_->batches(); }
std::size_t EpochLoader::position() const { return impl_->position(); }
double EpochLoader::padding() const { return impl_->padding(); }

}  // namespace translate::trainer
