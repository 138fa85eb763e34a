// ---- A translation, step by step -----------------------------------------------------------------------------------

const LIKELIEST = 8;  // subwords that a step names

/** The numbers of a tensor: single precision, the least significant byte first. */
function floatsOf(text) {
  const view = new DataView(bytesOf(text).buffer);
  return Float32Array.from({ length: view.byteLength / 4 }, (_, index) => view.getFloat32(4 * index, true));
}

/** The model of a page, from the page's data (LearnPage in learn_page.cpp): tokenizers, Transformer, greedy search. */
class TranslationModel {
  constructor(data) {
    this.source = makeTokenizer(data.tokenizers.source);
    this.target = data.tokenizers.target ? makeTokenizer(data.tokenizers.target) : this.source;
    const tensors = Object.fromEntries(Object.entries(data.weights)
      .map(([name, { shape, values }]) => [name, new Tensor(shape, floatsOf(values))]));
    this.model = new Transformer(data.model, new Parameters(tensors, data.tied), {
      source_pad: this.source.special.pad, target_pad: this.target.special.pad, target_sos: this.target.special.sos,
    });
    const { unk, sos, pad } = this.target.special;
    this.forbidden = new Set([unk, sos, pad, ...data.control_subwords]);  // what a search never generates
    this.limits = data.limits;
    this.tag = data.language_tag;
  }

  /** The encoder's input: sos (unless the model has none there), the subwords of the text, eos. */
  encoderInput(text) {
    const { sos, eos } = this.source.special;
    const tagged = this.tag && !this.source.tag(text) ? `${this.tag} ${text}` : text;
    const ids = this.source.encode(tagged);
    const own = this.source.tag(tagged) ? 1 : 0;
    const most = this.limits.max_source_length;
    if (ids.length - own > most) throw new Error(`${ids.length - own} subwords; the model reads ${most} at most`);
    return { ids: [...(this.limits.source_sos ? [sos] : []), ...ids, eos], subwords: ids.length - own };
  }

  /** The probabilities of the next subword, given its logits; some subwords are never generated. */
  probabilities(logits, temperature) {
    const left = Float64Array.from(logits, (logit, id) => (this.forbidden.has(id) ? -Infinity : logit / temperature));
    return softmaxRow(left);
  }

  /**
   * Greedy search without a cache: each step reads the whole target so far, and its last row predicts the next subword.
   * Yields each step: { read, generated, likeliest: [{ id, logit, probability }] }. Returns whether it reached the
   * limit.
   */
  *steps(encoderInput, changes) {
    const context = new ExecutionContext(changes);
    const memory = this.model.encode(encoderInput.ids, context);
    const { sos, eos } = this.target.special;
    const byRatio = Math.ceil(this.limits.max_length_ratio * encoderInput.subwords) + 10;
    const limit = Math.min(this.limits.max_length, byRatio);
    const ids = [sos];
    while (ids.length <= limit) {
      const features = this.model.decode(memory, ids, context);  // (1, t, d_model)
      const last = new Tensor([1, 1, features.size(-1)], features.rows().at(-1));
      const logits = this.model.project(last, context).data;
      const step = { read: ids.at(-1), ...this.next(logits, changes.outputTemperature) };
      yield step;
      if (step.generated === eos) return false;
      ids.push(step.generated);
    }
    return true;
  }

  next(logits, temperature) {
    const probabilities = this.probabilities(logits, temperature);
    const order = [...probabilities.keys()].filter((id) => !this.forbidden.has(id));
    order.sort((a, b) => logits[b] - logits[a] || a - b);  // the first one of several that are as likely as each other
    const likeliest = order.slice(0, LIKELIEST).map((id) => ({ id, logit: logits[id], probability: probabilities[id] }));
    return { generated: likeliest[0].id, likeliest };
  }

  /** All stages of a pass over the encoder's input and a whole decoder input: [{ name, value }] in their order. */
  observe(encoderInput, decoderInput, changes) {
    const stages = [];
    const context = new ExecutionContext(changes, (name, value) => stages.push({ name, value }));
    const memory = this.model.encode(encoderInput.ids, context);
    this.model.project(this.model.decode(memory, decoderInput, context), context);
    return stages;
  }

  /** The likeliest subword by the residual stream after each decoder layer, as if the layers after it were left out. */
  lens(stages, position, temperature) {
    const last = `.residual_connections.2.${this.model.decoder.norm ? "output" : "norm"}`;
    const stream = stages.filter(({ name }) => name.startsWith("decoder.layers.") && name.endsWith(last));
    return stream.map(({ value }) => {
      const row = new Tensor([1, 1, value.size(-1)], value.rows()[position]);
      const logits = this.model.projection_layer.forward(this.model.decoder.normalised(row)).data;
      return this.next(logits, temperature).likeliest[0];
    });
  }
}
