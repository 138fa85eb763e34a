// ---- The Transformer: encoder, decoder and the whole model ---------------------------------------------------------

/** One encoder layer: self-attention and feed-forward, each in a residual connection. */
class EncoderBlock {
  constructor(parameters, name, options) {
    this.self_attention_block = new MultiHeadAttentionBlock(parameters, `${name}.self_attention_block`, options);
    this.feed_forward_block = new FeedForwardBlock(parameters, `${name}.feed_forward_block`, options);
    this.residual_connections = [0, 1].map((index) => new ResidualConnection(parameters, name, index, options));
  }

  /** x: (1, S, d_model) -> the same shape. */
  forward(x, mask, context) {
    const attend = (y) => this.self_attention_block.forward(y, y, y, mask, context.within("self_attention_block"));
    const feedForward = (y) => this.feed_forward_block.forward(y, context.within("feed_forward_block"));
    const attended = this.residual_connections[0].forward(x, attend, context);
    return this.residual_connections[1].forward(attended, feedForward, context);
  }
}

/** One decoder layer: masked self-attention, cross attention (keys and values from the encoder) and feed-forward. */
class DecoderBlock {
  constructor(parameters, name, options) {
    this.self_attention_block = new MultiHeadAttentionBlock(parameters, `${name}.self_attention_block`, options);
    this.cross_attention_block = new MultiHeadAttentionBlock(parameters, `${name}.cross_attention_block`, options);
    this.feed_forward_block = new FeedForwardBlock(parameters, `${name}.feed_forward_block`, options);
    this.residual_connections = [0, 1, 2].map((index) => new ResidualConnection(parameters, name, index, options));
  }

  /** x: (1, T, d_model), memory.output: (1, S, d_model), memory.mask: (1, 1, 1, S) -> the shape of x. */
  forward(x, mask, context, memory) {
    const attend = (y) => this.self_attention_block.forward(y, y, y, mask, context.within("self_attention_block"));
    const cross = (y) => this.cross_attention_block.forward(
      y, memory.output, memory.output, memory.mask, context.within("cross_attention_block"));
    const feedForward = (y) => this.feed_forward_block.forward(y, context.within("feed_forward_block"));
    const attended = this.residual_connections[0].forward(x, attend, context);
    const crossed = this.residual_connections[1].forward(attended, cross, context);
    return this.residual_connections[2].forward(crossed, feedForward, context);
  }
}

/** A stack of layers, and with pre-norm a last norm. */
class Stack {
  constructor(layers, parameters, name, options) {
    this.layers = layers;
    this.norm = options.norm === "pre" ? new LayerNormalization(parameters, `${name}.norm`, options) : null;
  }

  forward(x, mask, context, memory) {
    const passed = this.layers.reduce(
      (y, layer, index) => layer.forward(y, mask, context.within(`layers.${index}`), memory), x);
    const output = this.normalised(passed);
    context.observe("output", output);
    return output;
  }

  /** The residual stream as the cross attention, or the projection, reads it. */
  normalised(x) {
    return this.norm ? this.norm.forward(x) : x;
  }
}

class Encoder extends Stack {
  constructor(parameters, options) {
    const layers = Array.from({ length: options.encoder_layers },
      (_, index) => new EncoderBlock(parameters, `encoder.layers.${index}`, options));
    super(layers, parameters, "encoder", options);
  }
}

class Decoder extends Stack {
  constructor(parameters, options) {
    const layers = Array.from({ length: options.decoder_layers },
      (_, index) => new DecoderBlock(parameters, `decoder.layers.${index}`, options));
    super(layers, parameters, "decoder", options);
  }
}

/** A mask, (1, 1, rows, columns): 1 where `mayAttend(row, column)`. */
function maskOf(rows, columns, mayAttend) {
  const mask = new Tensor([1, 1, rows, columns]);
  return mask.map((_, index) => Number(mayAttend(Math.floor(index / columns), index % columns)));
}

class Transformer {
  /** `options`: the object `model` of the configuration; `ids`: source_pad, target_pad, target_sos. */
  constructor(options, parameters, ids) {
    this.options = options;
    this.ids = ids;
    this.encoder = new Encoder(parameters, options);
    this.decoder = new Decoder(parameters, options);
    this.src_embed = new InputEmbeddings(parameters, "src_embed", options);
    this.tgt_embed = new InputEmbeddings(parameters, "tgt_embed", options, options.zero_start ? ids.target_sos : -1);
    this.src_pos = new PositionalEncoding(parameters, "src_pos", options);
    this.tgt_pos = new PositionalEncoding(parameters, "tgt_pos", options);
    this.projection_layer = new Linear(parameters, "projection_layer.proj");
  }

  embedded(side, ids, context) {
    const embeddings = this[`${side}_embed`].forward(ids);
    context.observe(`${side}_embed`, embeddings);
    const stages = context.within(`${side}_pos`);
    const x = this[`${side}_pos`].forward(embeddings, stages);
    stages.observe("output", x);
    return x;
  }

  /** S source ids -> the encoder's output, (1, S, d_model), and the mask of the positions that may be attended to. */
  encode(src, context) {
    const x = this.embedded("src", src, context);
    const hidden = context.changes.hiddenSource;
    const mask = maskOf(1, src.length, (_, key) => src[key] !== this.ids.source_pad && !hidden.includes(key));
    context.observe("src_mask", mask);
    return { output: this.encoder.forward(x, mask, context.within("encoder")), mask };
  }

  /** T target ids, which begin with sos -> (1, T, d_model). */
  decode(memory, tgt, context) {
    const x = this.embedded("tgt", tgt, context);
    const { causalMask } = context.changes;
    const mask = maskOf(tgt.length, tgt.length,
      (query, key) => (key === 0 || tgt[key] !== this.ids.target_pad) && (key <= query || !causalMask));
    context.observe("tgt_mask", mask);
    return this.decoder.forward(x, mask, context.within("decoder"), memory);
  }

  /** (1, T, d_model) -> logits (1, T, V). */
  project(x, context) {
    const logits = this.projection_layer.forward(x);
    context.observe("projection_layer", logits);
    return logits;
  }
}
