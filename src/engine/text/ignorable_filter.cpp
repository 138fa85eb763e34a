#include "text/ignorable_filter.h"

#include <algorithm>
#include <mutex>
#include <string>
#include <utility>

#include "core/utf8.h"
#include "text/normalization.h"
#include "text/sentencepiece_file.h"

namespace translate {

namespace {

/// A SentencePiece model that gets texts without default-ignorable characters.
class IgnorableFilter final : public TokenizerModel {
 public:
  IgnorableFilter(std::shared_ptr<const TokenizerModel> model, std::u32string joiners)
      : model_(std::move(model)), joiners_(std::move(joiners)) {}

  [[nodiscard]] const std::string& serialized() const override {
    std::call_once(once_, [this] { serialized_ = removing_ignorable(model_->serialized()); });
    return serialized_;
  }

  [[nodiscard]] std::vector<std::int64_t> encode(std::string_view text) const override {
    return is_ascii(text) ? model_->encode(text) : model_->encode(filtered(text));
  }

  [[nodiscard]] std::vector<std::vector<std::int64_t>> encode_sampled(std::span<const std::string_view> texts,
                                                                      const SampleOptions& options,
                                                                      std::uint64_t seed) const override {
    std::vector<std::string> kept;
    for (const auto text : texts) {
      kept.push_back(filtered(text));
    }
    return model_->encode_sampled(std::vector<std::string_view>(kept.begin(), kept.end()), options, seed);
  }

  [[nodiscard]] std::string decode(std::span<const std::int64_t> ids) const override { return model_->decode(ids); }
  [[nodiscard]] const std::string& subword(std::int64_t id) const override { return model_->subword(id); }
  [[nodiscard]] std::int64_t vocab_size() const override { return model_->vocab_size(); }
  [[nodiscard]] std::optional<std::int64_t> find(std::string_view subword) const override {
    return model_->find(subword);
  }
  [[nodiscard]] const SpecialTokens& special_tokens() const override { return model_->special_tokens(); }
  [[nodiscard]] bool is_word_level() const override { return false; }

 private:
  [[nodiscard]] std::string filtered(std::string_view text) const {
    std::u32string kept;
    for (const char32_t character : decode_utf8(text)) {
      const bool stays = !is_default_ignorable(character) || (joiners_.find(character) != std::u32string::npos &&
                                                              !kept.empty() && needs_joiner(kept.back()));
      if (stays) {
        kept += character;
      }
    }
    const bool is_nothing = std::ranges::all_of(kept, [](char32_t c) { return c == U' '; });
    return is_nothing ? "" : encode_utf8(kept);
  }

  std::shared_ptr<const TokenizerModel> model_;
  std::u32string joiners_;
  mutable std::once_flag once_;
  mutable std::string serialized_;
};

}  // namespace

std::shared_ptr<const TokenizerModel> filtering_ignorable(std::shared_ptr<const TokenizerModel> model) {
  if (model->is_word_level()) {
    return model;
  }
  const auto file = parse_sentencepiece_file(model->serialized());
  if (!file || file->normalization.ends_with(kWithoutIgnorable)) {
    return model;
  }
  auto joiners = joiners_in(*file);
  return std::make_shared<IgnorableFilter>(std::move(model), std::move(joiners));
}

}  // namespace translate
