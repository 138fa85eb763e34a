// ---- Tokenizers: text to ids of subwords and back, as the program does it ------------------------------------------

const SPACE_MARK = "▁";  // U+2581, which SentencePiece writes for a space
const SUBWORD_KINDS = { normal: 1, control: 3, byte: 6 };  // by their numbers in SentencePiece's file
const UNKNOWN_PENALTY = 10;  // an unknown character costs this much more than the least likely subword

/** Base64 to bytes. */
function bytesOf(text) {
  const characters = atob(text);
  return Uint8Array.from({ length: characters.length }, (_, index) => characters.charCodeAt(index));
}

const utf8 = (text) => new TextEncoder().encode(text);
const fromUtf8 = (bytes) => new TextDecoder("utf-8", { ignoreBOM: true }).decode(Uint8Array.from(bytes));

/** SentencePiece's rules of normalisation: a double array (a trie in one array of numbers), then the replacements. */
class CharacterMap {
  constructor(bytes) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const size = view.getUint32(0, true);
    this.units = Uint32Array.from({ length: size / 4 }, (_, index) => view.getUint32(4 + 4 * index, true));
    this.replacements = bytes.subarray(4 + size);
  }

  /** The longest rule for the bytes from `position`: { length, replacement }, or null. */
  longest(bytes, position) {
    const offset = (unit) => (unit >>> 10) << ((unit & 0x200) >>> 6);
    let found = null;
    let node = offset(this.units[0]);
    for (let at = position; at < bytes.length; at++) {
      node ^= bytes[at];
      const unit = this.units[node];
      if (((unit & 0x800000ff) >>> 0) !== bytes[at]) break;
      node ^= offset(unit);
      if ((unit >>> 8) & 1) {
        const begin = this.units[node] & 0x7fffffff;
        const end = this.replacements.indexOf(0, begin);
        found = { length: at + 1 - position, replacement: this.replacements.subarray(begin, end) };
      }
    }
    return found;
  }
}

/** Byte-pair encoding (Sennrich et al. 2016): neighbours are joined in the order in which training learned to. */
function mergePairs(characters, scoreOf) {
  const symbols = [...characters];
  for (;;) {
    let best = -1;
    let bestScore = -Infinity;
    for (let i = 0; i + 1 < symbols.length; i++) {
      const score = scoreOf(symbols[i] + symbols[i + 1]) ?? -Infinity;
      if (score > bestScore) [best, bestScore] = [i, score];
    }
    if (best < 0) return symbols;
    symbols.splice(best, 2, symbols[best] + symbols[best + 1]);
  }
}

/** The likeliest segmentation (Viterbi; Kudo 2018): the sum of the subwords' log-probabilities is largest. */
function likeliestSegmentation(characters, scoreOf, longest, unknownScore) {
  const best = [{ score: 0, from: -1 }];
  for (let begin = 0; begin < characters.length; begin++) {
    let subword = "";
    for (let end = begin + 1; end <= Math.min(begin + longest, characters.length); end++) {
      subword += characters[end - 1];
      const own = scoreOf(subword) ?? (end === begin + 1 ? unknownScore : undefined);
      if (own === undefined) continue;
      const score = Math.fround(best[begin].score + Math.fround(own));
      if (!best[end] || score > best[end].score) best[end] = { score, from: begin };
    }
  }
  const subwords = [];
  for (let end = characters.length; end > 0; end = best[end].from) {
    subwords.unshift(characters.slice(best[end].from, end).join(""));
  }
  return subwords;
}

/** A SentencePiece model. `data`: see LearnPage in learn_page.cpp. */
class SentencePieceTokenizer {
  constructor(data) {
    this.data = data;
    this.special = data.special;
    this.ids = new Map();  // of the subwords that text can have
    this.reserved = new Map();
    const idsOf = (id) => (data.kinds[id] === SUBWORD_KINDS.normal ? this.ids : this.reserved);
    data.subwords.forEach((subword, id) => idsOf(id).set(subword, id));
    this.vocabulary = data.vocabulary ? new Map(data.vocabulary.map((subword, id) => [subword, id])) : null;
    this.rules = data.character_map ? new CharacterMap(bytesOf(data.character_map)) : null;
    this.longest = Math.max(1, ...[...this.ids.keys()].map((subword) => [...subword].length));
    const scores = data.scores.filter((_, id) => data.kinds[id] === SUBWORD_KINDS.normal);
    this.unknownScore = scores.reduce((least, score) => Math.min(least, score), Infinity) - UNKNOWN_PENALTY;
  }

  /** The text by the rules of the model, with marks for its spaces. */
  normalized(text) {
    const bytes = utf8(text);
    const result = [];
    const { adds_dummy_prefix: addsPrefix, removes_extra_spaces: removesSpaces, escapes_spaces: escapes } = this.data;
    for (let at = 0; at < bytes.length;) {
      const rule = this.rules?.longest(bytes, at);
      if (rule) {
        result.push(...rule.replacement);
        at += rule.length;
        continue;
      }
      do result.push(bytes[at++]); while ((bytes[at] & 0xc0) === 0x80);  // the bytes of one character
    }
    let normal = fromUtf8(result);
    if (removesSpaces) normal = normal.replace(/^ +| +$/g, "").replace(/ {2,}/g, " ");
    if (normal === "") return "";
    if (addsPrefix) normal = ` ${normal}`;
    if (!escapes) return normal;
    normal = normal.replaceAll(" ", SPACE_MARK);
    return removesSpaces ? normal.replace(/▁+$/u, "") : normal;  // also marks that end the text itself
  }

  /** Normalised text in subwords; unknown characters are subwords of their own. */
  segments(normal) {
    const scoreOf = (subword) => (this.ids.has(subword) ? this.data.scores[this.ids.get(subword)] : undefined);
    const characters = [...normal];
    switch (this.data.segmentation) {
      case "bpe": return mergePairs(characters, scoreOf);
      case "unigram": return likeliestSegmentation(characters, scoreOf, this.longest, this.unknownScore);
      case "word": return normal.split(/(?=▁)/u);
      case "char": return characters;
      default: throw new Error(`a tokenizer of the kind "${this.data.segmentation}" is not known to this page`);
    }
  }

  /** The tag of a language at the head of a text (">>fra<<"), if it is a subword; otherwise "". */
  tag(text) {
    const [tag] = /^>>.*?<</.exec(text) ?? [""];
    const known = this.vocabulary ? this.vocabulary.has(tag) : this.ids.has(tag) || this.reserved.has(tag);
    return known ? tag : "";
  }

  /** The ids of a text, without sos and eos. */
  encode(text) {
    const tag = this.tag(text);
    if (!tag) return this.encodeText(text);
    const id = this.vocabulary?.get(tag) ?? this.ids.get(tag) ?? this.reserved.get(tag);
    return [id, ...this.encodeText(text.slice(tag.length).replace(/^ +/, ""))];
  }

  encodeText(text) {
    if (!this.data.byte_fallback) {
      const ownId = (subword) => this.ids.get(subword) ?? this.special.unk;
      const idOf = this.vocabulary ? (subword) => this.idByVocabulary(subword) : ownId;
      return this.joinedUnknown(this.segments(this.normalized(text))).map(idOf);
    }
    // A mark in the text itself must not be taken for a space: another character stands for it meanwhile.
    const standIn = this.freeCharacter(text);
    const subwords = this.segments(this.normalized(text.replaceAll(SPACE_MARK, standIn)));
    return subwords.flatMap((subword) => {
      if (this.ids.has(subword)) return [this.ids.get(subword)];
      const bytes = utf8(subword.replaceAll(SPACE_MARK, " ").replaceAll(standIn, SPACE_MARK));
      return Array.from(bytes, (byte) => this.byteId(byte));
    });
  }

  /** Unknown characters that follow each other are one unknown subword. */
  joinedUnknown(subwords) {
    const isKnown = (subword) => this.ids.has(subword);
    return subwords.filter((subword, index) => isKnown(subword) || index === 0 || isKnown(subwords[index - 1]));
  }

  idByVocabulary(subword) {
    const { unk, sos, eos, pad } = this.special;
    const id = this.ids.has(subword) ? this.vocabulary.get(subword) ?? unk : unk;
    return [sos, eos, pad].includes(id) ? unk : id;
  }

  byteId(byte) {
    return this.reserved.get(`<0x${byte.toString(16).toUpperCase().padStart(2, "0")}>`);
  }

  freeCharacter(text) {
    const isTaken = (character) => [text, ...this.data.subwords].some((taken) => taken.includes(character));
    let code = 0xf0000;
    while (isTaken(String.fromCodePoint(code))) code++;
    return String.fromCodePoint(code);
  }

  subword(id) {
    return (this.data.vocabulary ?? this.data.subwords)[id];
  }

  /** The text of ids; sos, eos and pad are skipped. */
  decode(ids) {
    const { unk, sos, eos, pad } = this.special;
    const bytes = [];
    for (const id of ids) {
      if (id === sos || id === eos || id === pad) continue;
      const kind = this.vocabulary ? SUBWORD_KINDS.normal : this.data.kinds[id];
      const subword = id === unk ? " ⁇ " : this.subword(id).replaceAll(SPACE_MARK, " ");
      if (kind === SUBWORD_KINDS.byte) bytes.push(Number.parseInt(subword.slice(3, 5), 16));
      else if (kind !== SUBWORD_KINDS.control) bytes.push(...utf8(subword));
    }
    const text = fromUtf8(bytes);
    if (this.vocabulary) return text.trim();
    const { removes_extra_spaces: removesSpaces, adds_dummy_prefix: addsPrefix } = this.data;
    return text.replace(removesSpaces ? /^ +/ : addsPrefix ? /^ / : "", "");
  }
}

/** Whole words: text is split at spaces, and between words and other characters. */
class WordLevelTokenizer {
  constructor(data) {
    this.data = data;
    this.special = data.special;
    const special = new Set(data.special_ids);
    this.isSpecial = (id) => special.has(id);
    this.ids = new Map(data.subwords.map((subword, id) => [subword, id]).filter(([, id]) => !special.has(id)));
    const letters = "\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\u200c\\u200d";
    this.pattern = data.splits_punctuation
      ? new RegExp(`[${letters}]+|[^${letters}\\p{White_Space}]+`, "gu") : /\P{White_Space}+/gu;
  }

  /** The tag of a language at the head of a text, if it is a subword; otherwise "". */
  tag(text) {
    const [tag] = /^>>.*?<</.exec(text) ?? [""];
    return tag && this.data.subwords.includes(tag) ? tag : "";
  }

  encode(text) {
    const tag = this.tag(text);
    const words = text.slice(tag.length).match(this.pattern) ?? [];
    const ids = words.map((word) => this.ids.get(word) ?? this.special.unk);
    return tag ? [this.data.subwords.indexOf(tag), ...ids] : ids;
  }

  subword(id) {
    return this.data.subwords[id];
  }

  decode(ids) {
    return ids.filter((id) => !this.isSpecial(id)).map((id) => this.subword(id)).join(" ");
  }
}

/** The tokenizer of one language. */
function makeTokenizer(data) {
  return data.kind === "word-level" ? new WordLevelTokenizer(data) : new SentencePieceTokenizer(data);
}
