#include "translate/model/attention_frame.h"

namespace translate {

std::vector<SentenceGroup> groups_of(const AttentionPattern& pattern) {
  const auto& queries = *pattern.queries;
  const auto& keys = *pattern.keys;
  std::vector<SentenceGroup> groups;
  for (std::int64_t begin = 0; begin < queries.sentences();) {
    auto end = begin + 1;
    while (end < queries.sentences() && queries.offset(end) - queries.offset(begin) < kChunkRows) {
      ++end;
    }
    groups.push_back({.begin = begin,
                      .end = end,
                      .queries = {queries.offset(begin), queries.offset(end)},
                      .keys = {keys.offset(begin), keys.offset(end)}});
    begin = end;
  }
  return groups;
}

AttentionShape AttentionFrame::shape(std::int64_t sentence) const {
  return {.queries = settings.pattern.queries->length(sentence),
          .keys = settings.pattern.keys->length(sentence),
          .heads = settings.heads,
          .head_width = width / settings.heads,
          .causal = settings.pattern.causal};
}

AttentionInput AttentionFrame::input(std::int64_t sentence) const {
  const float* keys = key_value + settings.pattern.keys->offset(sentence) * 2 * width;
  return {.query = {query + settings.pattern.queries->offset(sentence) * width, width},
          .key = {keys, 2 * width},
          .value = {keys + width, 2 * width}};
}

AttentionDropout AttentionFrame::dropout(std::int64_t sentence) const {
  // As (batch, heads, T, S) of the padded batch is counted.
  const auto to_query = settings.pattern.keys->padded_length();
  const auto to_head = settings.pattern.queries->padded_length() * to_query;
  return {
      .mask = settings.weights, .first = sentence * settings.heads * to_head, .to_query = to_query, .to_head = to_head};
}

}  // namespace translate
