// ---- Tensors: numbers with a shape, and the operations that the modules need ---------------------------------------
// Numbers are kept in single precision, as LibTorch keeps them; sums are added up in double precision.

class Tensor {
  /** `shape`: the lengths of the dimensions; `data`: the numbers row by row (zeros if none are given). */
  constructor(shape, data = new Float32Array(shape.reduce((count, length) => count * length, 1))) {
    this.shape = shape;
    this.data = data;
  }

  /** The length of a dimension; negative ones count from the last. */
  size(dimension) {
    return this.shape.at(dimension);
  }

  /** The same numbers in another shape. */
  view(shape) {
    return new Tensor(shape, this.data);
  }

  /** A tensor of the same shape with `change(value, index)` of every number. */
  map(change) {
    return new Tensor(this.shape, this.data.map(change));
  }

  /** The rows along the last dimension, as views: an array of Float32Array. */
  rows() {
    const width = this.size(-1);
    const count = this.data.length / width;
    return Array.from({ length: count }, (_, row) => this.data.subarray(row * width, (row + 1) * width));
  }

  /** The last two dimensions at `index` of the ones before them, as an array of rows. */
  matrix(index = 0) {
    const count = this.size(-2);
    return this.rows().slice(index * count, (index + 1) * count);
  }
}

/** a + b, number by number. b may lack leading dimensions: it is then repeated. */
function add(a, b) {
  const length = b.data.length;
  return a.map((value, index) => value + b.data[index % length]);
}

function dot(a, b) {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
}

/** x W^T + b: (..., in) -> (..., out). `weight`: (out, in), `bias`: (out) or null. */
function linear(x, weight, bias) {
  const columns = weight.rows();
  const result = new Tensor([...x.shape.slice(0, -1), columns.length]);
  x.rows().forEach((row, index) => columns.forEach((column, out) => {
    result.data[index * columns.length + out] = dot(row, column) + (bias ? bias.data[out] : 0);
  }));
  return result;
}

/** a b^T over the last two dimensions: (..., n, k) and (..., m, k) -> (..., n, m). */
function multiplyTransposed(a, b) {
  const [n, m] = [a.size(-2), b.size(-2)];
  const result = new Tensor([...a.shape.slice(0, -1), m]);
  const rows = b.rows();
  a.rows().forEach((row, index) => {
    const first = Math.floor(index / n) * m;  // of the matrix of b that belongs to this row
    for (let j = 0; j < m; j++) result.data[index * m + j] = dot(row, rows[first + j]);
  });
  return result;
}

/** a b over the last two dimensions: (..., n, k) and (..., k, m) -> (..., n, m). */
function multiply(a, b) {
  return multiplyTransposed(a, transpose(b, -2, -1));
}

/** Two dimensions exchanged; a copy. */
function transpose(x, first, second) {
  const rank = x.shape.length;
  const order = [...x.shape.keys()];
  const [a, b] = [first, second].map((dimension) => (dimension + rank) % rank);
  [order[a], order[b]] = [b, a];
  const result = new Tensor(order.map((dimension) => x.shape[dimension]));
  const strides = order.map((dimension) => x.shape.slice(dimension + 1).reduce((count, length) => count * length, 1));
  const position = new Array(rank).fill(0);
  for (let i = 0; i < result.data.length; i++) {
    result.data[i] = x.data[position.reduce((sum, at, dimension) => sum + at * strides[dimension], 0)];
    for (let dimension = rank - 1; dimension >= 0 && ++position[dimension] === result.shape[dimension]; dimension--) {
      position[dimension] = 0;
    }
  }
  return result;
}

/** exp(x) / sum(exp(x)) of one row; zeros where every number is -infinity. */
function softmaxRow(row) {
  const largest = row.reduce((most, value) => Math.max(most, value), -Infinity);
  if (largest === -Infinity) return row.map(() => 0);
  const powers = Array.from(row, (value) => Math.exp(value - largest));
  const sum = powers.reduce((total, value) => total + value, 0);
  return row.map((_, index) => powers[index] / sum);
}

/** The softmax over the last dimension. */
function softmax(x) {
  const result = new Tensor(x.shape);
  const width = x.size(-1);
  x.rows().forEach((row, index) => result.data.set(softmaxRow(row), index * width));
  return result;
}
