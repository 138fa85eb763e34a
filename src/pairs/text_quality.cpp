#include "pairs/text_quality.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "pairs/text_cleaning.h"

namespace translate {

namespace {

constexpr std::uint64_t kFirstPairs = 20'000;

/// The first pairs of a source.
class FirstPairs : public PairSource {
 public:
  explicit FirstPairs(std::unique_ptr<PairSource> all) : all_(std::move(all)) {}

  bool next(SentencePair& pair) override { return read_++ < kFirstPairs && all_->next(pair); }

  [[nodiscard]] std::string place() const override { return all_->place(); }

 private:
  std::unique_ptr<PairSource> all_;
  std::uint64_t read_ = 0;
};

}  // namespace

TextQuality quality_of(const OpenPairs& open, const LanguageCheck& languages) {
  const auto open_first = [&open] {
    auto sources = open();
    for (auto& source : sources) {
      source = std::make_unique<FirstPairs>(std::move(source));
    }
    return sources;
  };
  const auto counts = clean_pairs(open_first, {.languages = languages}, [](const SentencePair&) {});
  const auto pairs = counts.read - counts.dropped[static_cast<std::size_t>(DropReason::kRepeated)];
  return {.pairs = pairs,
          .noise = pairs == 0 ? 1.0 : static_cast<double>(pairs - counts.kept) / static_cast<double>(pairs)};
}

std::vector<std::size_t> better_texts(std::span<const TextQuality> texts) {
  constexpr double kNoisy = 0.1;
  constexpr double kBetter = 0.25;
  constexpr std::uint64_t kEnoughPairs = 1000;
  std::vector<std::size_t> better;
  if (texts.empty()) {
    return better;
  }
  const auto worst = std::ranges::max(texts, {}, &TextQuality::noise).noise;
  if (worst < kNoisy) {
    return better;
  }
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (texts[i].noise <= kBetter * worst && texts[i].pairs >= kEnoughPairs) {
      better.push_back(i);
    }
  }
  return better;
}

}  // namespace translate
