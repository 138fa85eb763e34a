// ---- The stages in words -------------------------------------------------------------------------------------------

const ATTENTION_STAGES = {
  query: "w_q of the positions that attend, split into heads: what each position looks for.",
  key: "w_k of the positions that can be attended to, split into heads: by what each position is found.",
  value: "w_v of the positions that can be attended to, split into heads: what each position hands on.",
  scores: "query · key, for each pair of positions.",
  scaled: "The scores divided by √d_k and by the temperature of the attention.",
  masked: "The scaled scores, with −∞ where the mask forbids to attend. These cells are empty.",
  weights: "The softmax of each row: the attention weights, which sum to 1.",
  heads: "For each position, the sum of the values, weighted by its attention weights.",
  joined: "The heads side by side again.",
  output: "w_o of the joined heads: the sub-layer's output.",
};

const STAGE_TEXTS = [
  [/^(src|tgt)_embed$/, () => "The row of each subword in the embedding table, times √d_model where the model scales "
    + "embeddings."],
  [/_pos\.positions$/, () => "The position vectors, which are added to the embeddings."],
  [/_pos\.output$/, () => "Embedding and position together: the beginning of the residual stream."],
  [/^src_mask$/, () => "Which source positions may be attended to: 1 = yes. A hidden subword has 0."],
  [/^tgt_mask$/, () => "Which target positions (columns) each target position (row) may attend to: 1 = yes. The causal "
    + "mask is a triangle: each position sees itself and earlier ones."],
  [/attention_block\.(\w+)$/, ([, stage]) => ATTENTION_STAGES[stage]],
  [/feed_forward_block\.inner$/, () => "linear_1 and the activation: d_ff numbers for each position."],
  [/feed_forward_block\.output$/, () => "linear_2 of these: the sub-layer's output."],
  [/residual_connections\.\d\.norm$/, (_, isPre) => (isPre
    ? "The residual stream, normalised for the sub-layer that follows."
    : "The sum, normalised: the residual stream after the sub-layer.")],
  [/residual_connections\.\d\.sum$/, () => "The residual stream plus the sub-layer's output."],
  [/residual_connections\.\d\.output$/, () => "The residual stream plus the sub-layer's output: the stream after it."],
  [/^encoder\.output$/, () => "The encoder's output, from which each decoder layer computes keys and values."],
  [/^decoder\.output$/, () => "The decoder's output, which the projection reads."],
  [/^projection_layer$/, () => "The logits: a number for each subword of the vocabulary. Row t predicts the subword "
    + "after position t."],
];

/** What a stage is, in words. */
function stageText(name, isPre) {
  for (const [pattern, text] of STAGE_TEXTS) {
    const match = pattern.exec(name);
    if (match) return text(match, isPre);
  }
  return "";
}

/** The part of the model that a stage belongs to. */
function stageGroup(name) {
  const layer = /^(encoder|decoder)\.layers\.(\d+)\./.exec(name);
  if (layer) return `${layer[1][0].toUpperCase()}${layer[1].slice(1)}, layer ${layer[2]}`;
  if (name.startsWith("src")) return "Source embeddings";
  if (name.startsWith("tgt")) return "Target embeddings";
  return name.startsWith("encoder") ? "Encoder" : name.startsWith("decoder") ? "Decoder" : "Projection";
}

/** The sub-layers of a layer, in their order. */
const SUBLAYERS = {
  encoder: [["self-attention", "self_attention_block"], ["feed-forward", "feed_forward_block"]],
  decoder: [["self-attention", "self_attention_block"], ["cross attention", "cross_attention_block"],
    ["feed-forward", "feed_forward_block"]],
};
