#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#include <random>
#include <span>
#include <vector>

#include "core/random_numbers.h"
#include "decoding/scheduling/sentence_batch.h"
#include "decoding/search/search.h"
#include "inference/decoding_session.h"

namespace translate::testing {

using Ids = std::vector<std::int64_t>;

inline constexpr SpecialTokens kSpecial{};  // unk 0, sos 1, eos 2, pad 3

/// What a FakeModel is like.
struct FakeTraits {
  std::int64_t vocabulary = 7;
  double spread = 2.0;                                                ///< of the logits
  bool can_join = false;                                              ///< see DecodingSession
  bool side_by_side = false;                                          ///< see InferenceModel
  std::int64_t most_rows = std::numeric_limits<std::int64_t>::max();  ///< beyond, memory does not suffice
  std::int64_t poison = -1;                                           ///< a step with this source subword fails
  bool aligns_input = false;                                          ///< see NextSubword::is_of_input
};

/// The logits after `generated` for `source`: any numbers, but always the same.
inline std::vector<float> fake_logits(const FakeTraits& traits, const Ids& source, const Ids& generated) {
  std::uint64_t key = mix_seeds({source.size()});
  for (const auto id : source) {
    key = mix_seeds({key, static_cast<std::uint64_t>(id)});
  }
  for (const auto id : generated) {
    key = mix_seeds({key, 1000 + static_cast<std::uint64_t>(id)});
  }
  std::mt19937_64 random(key);
  std::vector<float> logits;
  for (std::int64_t subword = 0; subword < traits.vocabulary; ++subword) {
    const double unit = static_cast<double>(random() >> 11U) * 0x1p-53;
    logits.push_back(static_cast<float>(traits.spread * (2.0 * unit - 1.0)));
  }
  return logits;
}

/// A model without weights: what it gives depends on the source and on all that was generated.
class FakeModel : public InferenceModel {
 public:
  explicit FakeModel(const FakeTraits& traits) : traits_(traits) {}

  [[nodiscard]] std::unique_ptr<DecodingSession> start() const override;
  [[nodiscard]] bool runs_side_by_side() const override { return traits_.side_by_side; }
  [[nodiscard]] std::int64_t vocabulary() const override { return traits_.vocabulary; }
  [[nodiscard]] std::int64_t weight_bytes() const override { return 0; }

  mutable std::atomic<std::int64_t> widest = 0;  ///< rows of a session at most
  mutable std::atomic<std::int64_t> steps = 0;   ///< of all sessions
  mutable std::atomic<std::int64_t> row_steps = 0;
  mutable std::atomic<std::int64_t> joined = 0;  ///< sentences added while others were under way

 private:
  FakeTraits traits_;
};

class FakeSession : public DecodingSession {
 public:
  FakeSession(const FakeModel& model, const FakeTraits& traits) : model_(model), traits_(traits) {}

  [[nodiscard]] std::int64_t rows() const override { return std::ssize(rows_); }
  [[nodiscard]] bool can_join() const override { return traits_.can_join; }

  void add(IdSpans sources, IdSpans shortlists) override {
    if (!rows_.empty() && !traits_.can_join) {
      throw std::logic_error("nobody may join");
    }
    if (!rows_.empty()) {
      model_.joined += std::ssize(sources);
    }
    for (std::size_t i = 0; i < sources.size(); ++i) {
      const auto list = shortlists.empty() ? std::span<const std::int64_t>() : shortlists[i];
      rows_.push_back({Ids(sources[i].begin(), sources[i].end()), {}, Ids(list.begin(), list.end())});
    }
    check_memory();
  }

  void step(std::span<const std::int64_t> subwords, const Reader& read) override {
    if (std::ssize(subwords) != rows() || rows_.empty()) {
      throw std::logic_error("a piece for each row, please");
    }
    ++model_.steps;
    model_.row_steps += rows();
    for (const auto& row : rows_) {
      if (std::ranges::count(row.source, traits_.poison) > 0) {
        throw std::runtime_error("poison");
      }
    }
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      rows_[row].generated.push_back(subwords[row]);
    }
    for (std::size_t i = rows_.size(); i-- > 0;) {  // any order will do
      auto logits = fake_logits(traits_, rows_[i].source, rows_[i].generated);
      const auto predicting = attention_of(rows_[i], rows_[i].generated.size());
      const auto aligning = traits_.aligns_input ? attention_of(rows_[i], rows_[i].generated.size() - 1) : predicting;
      read(static_cast<std::int64_t>(i), {.logits = SubwordLogits(logits).listed(rows_[i].shortlist),
                                          .attention = aligning,
                                          .predicting = predicting,
                                          .is_of_input = traits_.aligns_input});
    }
  }

  void give_attention(bool wanted) override { gives_attention_ = wanted; }

  void select(std::span<const std::int64_t> parents) override {
    std::vector<Row> selected;
    for (const auto parent : parents) {
      selected.push_back(rows_.at(static_cast<std::size_t>(parent)));
    }
    rows_ = std::move(selected);
    check_memory();
  }

 private:
  struct Row {
    Ids source;
    Ids generated;
    Ids shortlist;
  };

  /// The attention that belongs to the generated subword with this number, from 1: to sos, and to one of the others.
  [[nodiscard]] std::vector<float> attention_of(const Row& row, std::size_t number) const {
    std::vector<float> attention;
    if (gives_attention_) {
      attention.assign(row.source.size(), 0.1F);
      attention.front() = 2.0F;
      attention[number % row.source.size()] = 1.0F;
    }
    return attention;
  }

  void check_memory() const {
    if (rows() > traits_.most_rows) {
      throw std::bad_alloc();
    }
    auto widest = model_.widest.load();
    while (widest < rows() && !model_.widest.compare_exchange_weak(widest, rows())) {
    }
  }

  const FakeModel& model_;
  FakeTraits traits_;
  bool gives_attention_ = false;
  std::vector<Row> rows_;
};

inline std::unique_ptr<DecodingSession> FakeModel::start() const {
  return std::make_unique<FakeSession>(*this, traits_);
}

/// Options of a search that is `beam_size` wide and gives as many translations.
inline SearchOptions search_options(std::int64_t beam_size) {
  SearchOptions options;
  options.target = kSpecial;
  options.decoding.beam_size = beam_size;
  options.decoding.n_best = beam_size;
  return options;
}

inline Sentence fake_sentence(const Ids& words, std::int64_t max_length) {
  Sentence sentence;
  sentence.encoder_input = {kSpecial.sos};
  sentence.encoder_input.insert(sentence.encoder_input.end(), words.begin(), words.end());
  sentence.encoder_input.push_back(kSpecial.eos);
  sentence.max_length = max_length;
  return sentence;
}

/// Decodes one sentence alone.
inline std::vector<Hypothesis> decode_alone(const InferenceModel& model, const SearchOptions& options,
                                            Sentence sentence) {
  SentenceBatch batch(model, options);
  for (batch.add({&sentence}); !batch.is_empty();) {
    batch.step([](Sentence&) {});
  }
  return sentence.hypotheses;
}

/// log softmax over what is not -inf.
inline std::vector<double> log_softmax(const std::vector<float>& logits) {
  double sum = 0.0;
  for (const float logit : logits) {
    sum += std::exp(static_cast<double>(logit));
  }
  std::vector<double> result;
  for (const float logit : logits) {
    result.push_back(static_cast<double>(logit) - std::log(sum));
  }
  return result;
}

}  // namespace translate::testing
