#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "translate/text/special_tokens.h"

namespace translate {

struct SampleOptions;

/// What stands behind a Tokenizer, whose comments say what each function does. Ids that come in lie in the vocabulary.
class TokenizerModel {
 public:
  TokenizerModel() = default;
  TokenizerModel(const TokenizerModel&) = delete;
  TokenizerModel& operator=(const TokenizerModel&) = delete;
  virtual ~TokenizerModel() = default;

  [[nodiscard]] virtual const std::string& serialized() const = 0;
  [[nodiscard]] virtual std::vector<std::int64_t> encode(std::string_view text) const = 0;
  /// Throws ConfigError where the model cannot sample.
  [[nodiscard]] virtual std::vector<std::vector<std::int64_t>> encode_sampled(std::span<const std::string_view> texts,
                                                                              const SampleOptions& options,
                                                                              std::uint64_t seed) const = 0;
  [[nodiscard]] virtual std::string decode(std::span<const std::int64_t> ids) const = 0;
  [[nodiscard]] virtual const std::string& piece(std::int64_t id) const = 0;
  [[nodiscard]] virtual std::int64_t vocab_size() const = 0;
  [[nodiscard]] virtual const SpecialTokens& special_tokens() const = 0;
};

}  // namespace translate
