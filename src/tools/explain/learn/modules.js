// ---- The modules of the Transformer, with the names that the PyTorch reference has for them and their parameters ---
// A batch is one sentence: shapes are (1, length, d_model), in attention (1, heads, length, length). S is the length of
// the source, T that of the target. Each module reports its stages by the names of translate-explain.

/** The changes that a user makes to the computation. As they are here, nothing is changed. */
const UNCHANGED = Object.freeze({
  causalMask: true,         // target positions may not attend to later ones
  positions: true,          // positions are added to the embeddings
  attentionTemperature: 1,  // divides the scores before the softmax of every attention
  outputTemperature: 1,     // divides the logits before the softmax over the vocabulary
  hiddenSource: [],         // source positions that nothing may attend to
});

/** What is handed down through the modules: who is told of each stage, and what the user has changed. */
class ExecutionContext {
  constructor(changes = UNCHANGED, observer = null, scope = "") {
    this.changes = changes;
    this.observer = observer;
    this.scope = scope;
  }

  /** The context of a module within this one, whose stages bear its name. */
  within(module) {
    return new ExecutionContext(this.changes, this.observer, `${this.scope}${module}.`);
  }

  /** Reports a stage of this module. */
  observe(stage, value) {
    this.observer?.(this.scope + stage, value);
  }
}

/** The parameters of a model by name. A tied one has the values of another. */
class Parameters {
  constructor(tensors, tied = {}) {
    this.tensors = tensors;
    this.tied = tied;
  }

  has(name) {
    return (this.tied[name] ?? name) in this.tensors;
  }

  get(name) {
    if (!this.has(name)) throw new Error(`the page has no parameter ${name}`);
    return this.tensors[this.tied[name] ?? name];
  }
}

/** The value of `table` for an option of the model. Throws for a value that this page does not know. */
function choice(options, key, table) {
  const value = options[key];
  if (!(value in table)) throw new Error(`model.${key} ${JSON.stringify(value)} is not known to this page`);
  return table[value];
}

class Linear {
  constructor(parameters, name) {
    this.weight = parameters.get(`${name}.weight`);
    this.bias = parameters.has(`${name}.bias`) ? parameters.get(`${name}.bias`) : null;
  }

  forward(x) {
    return linear(x, this.weight, this.bias);
  }
}

/** Ids to vectors: embedding(ids) * sqrt(d_model) (paper, section 3.4). */
class InputEmbeddings {
  /** `zero`: the subword that has the zero vector, or -1. */
  constructor(parameters, name, options, zero = -1) {
    this.embedding = parameters.get(`${name}.embedding.weight`);
    this.factor = options.embedding_scale ? Math.sqrt(options.d_model) : 1;
    this.zero = zero;
  }

  /** L ids -> (1, L, d_model). */
  forward(ids) {
    const width = this.embedding.size(-1);
    const x = new Tensor([1, ids.length, width]);
    ids.forEach((id, position) => {
      if (id === this.zero) return;
      for (let i = 0; i < width; i++) x.data[position * width + i] = this.embedding.data[id * width + i] * this.factor;
    });
    return x;
  }
}

/** The rates of the sinusoids' angles, in single precision as the reference has them. */
function sinusoidRates(options) {
  const width = options.d_model;
  const pairs = width / 2;
  const isPaper = choice(options, "sinusoid_frequencies", { paper: true, tensor2tensor: false });
  const exponent = Math.fround(-Math.log(10000) / (isPaper ? width : Math.max(1, pairs - 1)));
  const rate = (pair) => Math.fround(Math.exp(Math.fround((isPaper ? 2 * pair : pair) * exponent)));
  return Array.from({ length: pairs }, (_, pair) => rate(pair));
}

/** The sinusoidal table, (length, d_model): sine and cosine of position * rate (paper, section 3.5). */
function sinusoidalPositions(length, options) {
  const width = options.d_model;
  const rates = sinusoidRates(options);
  const byTurns = choice(options, "sinusoid_layout", { interleaved: true, halves: false });
  const table = new Tensor([length, width]);
  for (let position = 0; position < length; position++) {
    rates.forEach((rate, pair) => {
      const angle = Math.fround(position * rate);
      table.data[position * width + (byTurns ? 2 * pair : pair)] = Math.sin(angle);
      table.data[position * width + (byTurns ? 2 * pair + 1 : rates.length + pair)] = Math.cos(angle);
    });
  }
  return table;
}

/** x + position vectors. */
class PositionalEncoding {
  constructor(parameters, name, options) {
    const learned = () => (length) => {
      const table = parameters.get(`${name}.embedding.weight`);
      if (length > table.size(0)) throw new Error(`${length} subwords; the model has positions for ${table.size(0)}`);
      return new Tensor([length, table.size(1)], table.data.subarray(0, length * table.size(1)));
    };
    this.positions = choice(options, "positions", {
      sinusoidal: () => (length) => sinusoidalPositions(length, options), learned, none: () => null,
    })();
  }

  /** (1, L, d_model) -> the same shape. */
  forward(x, context) {
    if (!this.positions || !context.changes.positions) return x;
    const rows = this.positions(x.size(1));  // (L, d_model)
    context.observe("positions", rows);
    return add(x, rows);
  }
}

/** alpha * (x - mean) / deviation + bias, over the last dimension (Ba et al. 2016); RMSNorm has no mean and no bias. */
class LayerNormalization {
  constructor(parameters, name, options) {
    this.alpha = parameters.get(`${name}.alpha`).data;
    this.isCentred = choice(options, "layer_norm", { torch: true, reference: true, rms: false });
    this.bias = this.isCentred ? parameters.get(`${name}.bias`).data : new Float32Array(this.alpha.length);
    const epsilon = options.layer_norm_epsilon;
    const biased = (squares, width) => Math.sqrt(squares / width + epsilon);      // epsilon inside the root
    this.deviation = choice(options, "layer_norm", {
      torch: biased,
      reference: (squares, width) => Math.sqrt(squares / (width - 1)) + epsilon,  // unbiased, epsilon outside
      rms: biased,
    });
  }

  forward(x) {
    const width = x.size(-1);
    const result = new Tensor(x.shape);
    x.rows().forEach((row, index) => {
      const mean = this.isCentred ? row.reduce((sum, value) => sum + value, 0) / width : 0;
      const squares = row.reduce((sum, value) => sum + (value - mean) ** 2, 0);
      const deviation = this.deviation(squares, width);
      row.forEach((value, i) => {
        result.data[index * width + i] = (this.alpha[i] * (value - mean)) / deviation + this.bias[i];
      });
    });
    return result;
  }
}

/** The error function: 2 / sqrt(pi) e^(-x^2) times the sum of 2^n x^(2n+1) / (1 * 3 * 5 ... (2n+1)) over n from 0. */
function erf(x) {
  if (Math.abs(x) > 6) return Math.sign(x);
  let term = x;
  let sum = x;
  for (let n = 1; Math.abs(term) > 1e-12 * Math.abs(sum); n++) {
    term *= (2 * x * x) / (2 * n + 1);
    sum += term;
  }
  return (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x) * sum;
}

const ACTIVATIONS = {
  relu: (x) => Math.max(0, x),
  gelu: (x) => 0.5 * x * (1 + erf(x / Math.SQRT2)),
  swish: (x) => x / (1 + Math.exp(-x)),
};

/** linear_2(activation(linear_1(x))) (paper, section 3.3). */
class FeedForwardBlock {
  constructor(parameters, name, options) {
    this.linear_1 = new Linear(parameters, `${name}.linear_1`);
    this.linear_2 = new Linear(parameters, `${name}.linear_2`);
    this.activation = choice(options, "activation", ACTIVATIONS);
  }

  forward(x, context) {
    const inner = this.linear_1.forward(x).map(this.activation);  // (1, L, d_ff)
    context.observe("inner", inner);
    const output = this.linear_2.forward(inner);  // (1, L, d_model)
    context.observe("output", output);
    return output;
  }
}

/** softmax(query key^T / sqrt(d_k)) (paper, equation 1), with -infinity where the mask is 0. */
function attentionWeights(query, key, mask, context) {
  const scores = multiplyTransposed(query, key);  // (1, heads, T, S)
  context.observe("scores", scores);
  const scale = 1 / (Math.sqrt(query.size(-1)) * context.changes.attentionTemperature);
  const scaled = scores.map((value) => value * scale);
  context.observe("scaled", scaled);
  const length = mask.data.length;  // (1, 1, T or 1, S): the same for each head
  const perHead = scaled.size(-1) * scaled.size(-2);
  const masked = scaled.map((value, index) => (mask.data[(index % perHead) % length] ? value : -Infinity));
  context.observe("masked", masked);
  const weights = softmax(masked);
  context.observe("weights", weights);
  return weights;
}

class MultiHeadAttentionBlock {
  constructor(parameters, name, options) {
    this.num_heads = options.num_heads;
    this.w_q = new Linear(parameters, `${name}.w_q`);
    this.w_k = new Linear(parameters, `${name}.w_k`);
    this.w_v = new Linear(parameters, `${name}.w_v`);
    this.w_o = new Linear(parameters, `${name}.w_o`);
  }

  splitHeads(x) {
    // (1, L, d_model) -> (1, L, heads, d_k) -> (1, heads, L, d_k)
    return transpose(x.view([1, x.size(1), this.num_heads, x.size(2) / this.num_heads]), 1, 2);
  }

  joinHeads(x) {
    // (1, heads, L, d_k) -> (1, L, heads, d_k) -> (1, L, d_model)
    return transpose(x, 1, 2).view([1, x.size(2), x.size(1) * x.size(3)]);
  }

  /** query: (1, T, d_model), key and value: (1, S, d_model), mask: (1, 1, T or 1, S) -> (1, T, d_model). */
  forward(query, key, value, mask, context) {
    const q = this.splitHeads(this.w_q.forward(query));
    const k = this.splitHeads(this.w_k.forward(key));
    const v = this.splitHeads(this.w_v.forward(value));
    context.observe("query", q);
    context.observe("key", k);
    context.observe("value", v);
    const heads = multiply(attentionWeights(q, k, mask, context), v);  // (1, heads, T, d_k)
    context.observe("heads", heads);
    const joined = this.joinHeads(heads);
    context.observe("joined", joined);
    const output = this.w_o.forward(joined);
    context.observe("output", output);
    return output;
  }
}

/** A sub-layer with its residual connection. Pre-norm: x + sublayer(norm(x)); post-norm: norm(x + sublayer(x)). */
class ResidualConnection {
  constructor(parameters, around, index, options) {
    this.name = `residual_connections.${index}`;
    this.norm = new LayerNormalization(parameters, `${around}.${this.name}.norm`, options);
    this.isPre = choice(options, "norm", { pre: true, post: false });
  }

  forward(x, sublayer, context) {
    const stages = context.within(this.name);
    const observed = (stage, value) => {
      stages.observe(stage, value);
      return value;
    };
    if (this.isPre) return observed("output", add(x, sublayer(observed("norm", this.norm.forward(x)))));
    return observed("norm", this.norm.forward(observed("sum", add(x, sublayer(x)))));
  }
}
