// ---- The kinds of attention, in words ------------------------------------------------------------------------------

const MEAN = "mean";  // in place of the number of a head
const headName = (head) => (head === MEAN ? "mean over the heads" : `head ${head}`);

function probability(sentence, row) {
  const value = sentence.probabilities?.[row];
  return value === undefined ? "" : ` (probability ${value.toFixed(2)})`;
}

/** The three attentions: whose pieces are the rows (queries) and the columns (keys), and how to say what happened. */
const KINDS = {
  cross: {
    name: "Cross", title: "Cross attention", rows: "generated", cols: "source",
    queries: (sentence) => sentence.output_pieces, keys: (sentence) => sentence.source_pieces,
    did: (sentence, row) => [
      "Generating ", bold(shown(sentence.output_pieces[row])), probability(sentence, row), ", attended to ",
    ],
    about: [
      "In cross attention the decoder reads the source. Each row is one step of the decoder, which generated the subword "
        + "on the left. The colours show which subwords of the source it attended to in that step.",
      "In a trained model, a strong cell often links a word and its translation. A path from the upper left to the "
        + "lower right means that both languages use the same word order; a jump means that they differ there.",
    ],
  },
  encoder: {
    name: "Encoder", title: "Encoder self-attention", rows: "reads", cols: "attends to",
    queries: (sentence) => sentence.source_pieces, keys: (sentence) => sentence.source_pieces,
    did: (sentence, row) => ["Reading ", bold(shown(sentence.source_pieces[row])), ", attended to "],
    about: [
      "Here the source sentence attends to itself. Each row is one subword of the source; the colours show from which "
        + "subwords of the same sentence it takes information, which the next layer then finds in its place.",
      "Every subword may attend to every other one, before and after it, so the whole square is filled. Heads often "
        + "specialise: in the subword itself (the diagonal), its neighbours, or the end of the sentence.",
    ],
  },
  decoder: {
    name: "Decoder", title: "Decoder self-attention", rows: "reads", cols: "attends to",
    queries: (sentence) => sentence.decoder_input, keys: (sentence) => sentence.decoder_input,
    masked: (row, col) => col > row,
    did: (sentence, row, masked) => [
      "Reading ", bold(shown(sentence.decoder_input[row])), " to generate ", bold(shown(sentence.output_pieces[row])),
      masked ? ", may not attend to " : ", attended to ",
    ],
    about: [
      "Here the translation attends to itself. Each row is one subword that the decoder has read before it generates "
        + "the next one: first the start of the sentence, then each subword that it has generated.",
      "The map is a triangle because the decoder generates from left to right: later subwords do not exist yet. In "
        + "training, where the whole translation is known, a mask hides them.",
    ],
  },
};
