#include "translate/text/sequence_ids.h"

namespace translate {

std::vector<std::int64_t> encoder_input_ids(std::span<const std::int32_t> pieces, const SpecialTokens& special) {
  std::vector<std::int64_t> ids = decoder_input_ids(pieces, special);
  ids.push_back(special.eos);
  return ids;
}

std::vector<std::int64_t> encoder_input_ids(const Tokenizer& tokenizer, std::string_view text) {
  return encoder_input_ids(compact_ids(tokenizer.encode(text)), tokenizer.special_tokens());
}

std::vector<std::int64_t> decoder_input_ids(std::span<const std::int32_t> pieces, const SpecialTokens& special) {
  std::vector<std::int64_t> ids;
  ids.reserve(pieces.size() + 2);
  ids.push_back(special.sos);
  ids.insert(ids.end(), pieces.begin(), pieces.end());
  return ids;
}

std::vector<std::int64_t> label_ids(std::span<const std::int32_t> pieces, const SpecialTokens& special) {
  std::vector<std::int64_t> ids;
  ids.reserve(pieces.size() + 1);
  ids.insert(ids.end(), pieces.begin(), pieces.end());
  ids.push_back(special.eos);
  return ids;
}

std::vector<std::int32_t> compact_ids(std::span<const std::int64_t> ids) {
  std::vector<std::int32_t> compact;
  compact.reserve(ids.size());
  for (const std::int64_t id : ids) compact.push_back(static_cast<std::int32_t>(id));
  return compact;
}

}  // namespace translate
