#include "text/sentencepiece_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <exception>
#include <limits>
#include <mutex>
#include <new>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include "core/error.h"
#include "core/foreign_text.h"
#include "core/utf8.h"
#include "text/normalization.h"
#include "text/sentencepiece_file.h"
#include "text/tokenizer.h"

namespace translate {

namespace {

constexpr std::string_view kSpaceMark = "\xE2\x96\x81";  // U+2581, which SentencePiece treats as a space
constexpr std::size_t kLongestWord = 32;                 // bytes; longer ones are rarely repeated
constexpr std::size_t kWordsAShard = 2000;               // then the shard is cleared: frequent words soon return

}  // namespace

bool WordCache::takes(std::string_view text) {
  constexpr auto kNone = std::string_view::npos;
  return !text.empty() && text.front() != ' ' && text.back() != ' ' && text.find("  ") == kNone &&
         text.find(kSpaceMark) == kNone;
}

void WordCache::append_word(std::string_view word, const Encode& encode, std::vector<std::int64_t>& ids) {
  if (word.size() > kLongestWord) {
    const auto subwords = encode(word);
    ids.insert(ids.end(), subwords.begin(), subwords.end());
    return;
  }
  constexpr int kHighBits = 16;  // the map uses the low bits of the same hash
  Shard& shard = shards_[(Hash()(word) >> (std::numeric_limits<std::size_t>::digits - kHighBits)) % shards_.size()];
  {
    const std::lock_guard lock(shard.mutex);
    if (const auto known = shard.words.find(word); known != shard.words.end()) {
      ids.insert(ids.end(), known->second.begin(), known->second.end());
      return;
    }
  }
  const auto subwords = encode(word);
  ids.insert(ids.end(), subwords.begin(), subwords.end());
  std::vector<std::int32_t> kept;
  kept.reserve(subwords.size());
  for (const std::int64_t id : subwords) {
    kept.push_back(static_cast<std::int32_t>(id));
  }
  const std::lock_guard lock(shard.mutex);
  if (shard.words.size() >= kWordsAShard) {
    shard.words.clear();
  }
  shard.words.emplace(word, std::move(kept));
}

std::vector<std::int64_t> WordCache::encode(std::string_view text, const Encode& encode) {
  std::vector<std::int64_t> ids;
  ids.reserve(text.size() / 3);
  while (!text.empty()) {
    const auto end = std::min(text.find(' '), text.size());
    append_word(text.substr(0, end), encode, ids);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return ids;
}

namespace {

/// True if a space follows the first character.
bool holds_later_space(std::string_view subword) {
  const auto last = subword.rfind(kSpaceMark);
  return last != std::string_view::npos && last > 0;
}

/// True for the characters of a symbol that the normaliser finds within a word and leaves as it is.
bool is_printable_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c > ' ' && c <= '~'; });
}

bool is_of_one_word(const SentencePieceSubword& subword) {
  const bool may_reach_further = subword.kind == SubwordKind::kUserDefined && !is_printable_ascii(subword.text);
  return !may_reach_further && subword.kind != SubwordKind::kByte && subword.text.find(' ') == std::string_view::npos &&
         !holds_later_space(subword.text);
}

bool normalises_word_by_word(const SentencePieceFile& file) {
  constexpr std::array<std::string_view, 6> kKnown{"nmt_nfkc", "nfkc", "nmt_nfkc_cf", "nfkc_cf", "nfc", "identity"};
  auto rules = file.normalization;
  if (rules.ends_with(kWithoutIgnorable)) {
    rules.remove_suffix(kWithoutIgnorable.size());
  }
  return std::ranges::find(kKnown, rules) != kKnown.end() && file.adds_dummy_prefix && file.escapes_spaces &&
         (file.removes_extra_spaces || rules == "identity");
}

}  // namespace

bool words_are_independent(const SentencePieceFile& file) {
  if (file.segmentation != SegmentationKind::kBpe || file.space_is_suffix || !normalises_word_by_word(file)) {
    return false;
  }
  // Without a subword for it, an unknown space would form one subword with unknown characters of the word before it.
  const bool has_space =
      std::ranges::find(file.subwords, kSpaceMark, &SentencePieceSubword::text) != file.subwords.end();
  return has_space && std::ranges::all_of(file.subwords, is_of_one_word);
}

namespace {

/// SentencePiece draws from a generator that each thread seeds once, at its first draw, from one global seed. A new
/// thread, started under a lock, therefore makes the draw a function of the seed; no state has to be saved.
template <typename Draw>
void draw_in_fresh_thread(std::uint64_t seed, const Draw& draw) {
  static std::mutex mutex;
  auto folded = static_cast<unsigned int>(seed ^ (seed >> 32U));
  if (folded == std::numeric_limits<unsigned int>::max()) {
    folded = 0;  // SentencePiece treats this value as "not set"
  }
  std::exception_ptr error;
  const std::lock_guard lock(mutex);
  sentencepiece::SetRandomGeneratorSeed(folded);
  std::thread thread([&] {
    try {
      draw();
    } catch (...) {
      error = std::current_exception();
    }
  });
  thread.join();
  if (error) {
    std::rethrow_exception(error);
  }
}

constexpr std::size_t kLongestReason = 300;  // SentencePiece's messages quote the subwords of a file

/// Has SentencePiece load a model; returns the reason if it cannot. For some models, such as one with a subword that
/// begins with a NUL character, it throws an exception in place of returning a status.
std::optional<std::string> load_processor(sentencepiece::SentencePieceProcessor& processor,
                                          const std::string& serialized) {
  try {
    const auto status = processor.LoadFromSerializedProto(serialized);
    return status.ok() ? std::nullopt : std::optional(shown(status.message(), kLongestReason));
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    return shown(error.what(), kLongestReason);
  }
}

bool begins_with_space(const std::vector<std::string>& subwords) {
  return subwords.front().starts_with(kSpaceMark) || subwords.front() == "<0xE2>";
}

bool ends_in_space(const std::vector<std::string>& subwords) {
  return subwords.back().ends_with(kSpaceMark) || subwords.back() == "<0x81>";
}

}  // namespace

SentencePieceModel::SentencePieceModel(std::string serialized, const std::string& origin)
    : serialized_(std::move(serialized)) {
  if (const auto fault = parse(origin)) {
    throw DataError(fmt::format("{}: {}", origin, *fault));
  }
}

std::optional<std::string> SentencePieceModel::parse(const std::string& origin) {
  // An empty string is a valid protocol buffer, which the processor would accept as a model without subwords.
  if (serialized_.empty()) {
    return "it is empty";
  }
  if (const auto reason = load_processor(processor_, serialized_)) {
    return fmt::format("not a SentencePiece model ({}), nor a tokenizer's JSON, which begins with a brace", *reason);
  }
  const auto file = parse_sentencepiece_file(serialized_);
  if (!file) {
    return "not a SentencePiece model";
  }
  if (file->vocabulary) {
    vocabulary_.emplace(read_attached_vocabulary(*file->vocabulary), origin);
    special_ = vocabulary_->special_tokens();
  } else if (auto fault = read_own_ids()) {
    return fault;
  }
  std::vector<std::string> subwords;
  const auto probe = processor_.Encode("a", &subwords);
  if (!probe.ok()) {
    return fmt::format("it cannot encode ({})", probe.message());
  }
  if (words_are_independent(*file)) {
    words_ = std::make_unique<WordCache>();
  }
  space_is_suffix_ = file->space_is_suffix;
  removes_ignorable_ = file->normalization.ends_with(kWithoutIgnorable);
  adds_dummy_space_ = !subwords.empty() && (space_is_suffix_ ? ends_in_space(subwords) : begins_with_space(subwords));
  return std::nullopt;
}

std::optional<std::string> SentencePieceModel::read_own_ids() {
  special_ = {processor_.unk_id(), processor_.bos_id(), processor_.eos_id(), processor_.pad_id()};
  const std::array<std::pair<const char*, std::int64_t>, 4> ids{
      {{"unk", special_.unk}, {"bos", special_.sos}, {"eos", special_.eos}, {"pad", special_.pad}}};
  std::set<std::int64_t> distinct;
  for (const auto& [name, id] : ids) {
    if (id < 0 || id >= processor_.GetPieceSize()) {
      return fmt::format("the model has no {0} subword; train it with an id for it, e.g. spm_train --{0}_id=3", name);
    }
    if (!distinct.insert(id).second) {
      return fmt::format("its {} subword has the id {} of another special subword", name, id);
    }
  }
  std::array<int, 256> bytes{};
  for (std::size_t byte = 0; byte < bytes.size(); ++byte) {
    bytes[byte] = processor_.PieceToId(fmt::format("<0x{:02X}>", byte));
  }
  if (std::all_of(bytes.begin(), bytes.end(), [&](int id) { return processor_.IsByte(id); })) {
    byte_ids_ = bytes;
  }
  return std::nullopt;
}

std::vector<int> SentencePieceModel::ids_of_bytes(std::string_view bytes) const {
  std::vector<int> ids;
  for (const char byte : bytes) {
    ids.push_back(byte_ids_->at(static_cast<unsigned char>(byte)));
  }
  return ids;
}

std::string first_free_character(const std::function<bool(std::string_view)>& is_taken) {
  for (char32_t code_point = 0xF0000; code_point <= 0xFFFFD; ++code_point) {
    const std::string candidate = encode_utf8({&code_point, 1});
    if (!is_taken(candidate)) {
      return candidate;
    }
  }
  throw DataError("text with U+2581 cannot be encoded: text and vocabulary hold every character of U+F0000..U+FFFFD");
}

std::string SentencePieceModel::stand_in_for_space_mark(std::string_view text) const {
  return first_free_character([&](std::string_view candidate) {
    if (text.find(candidate) != std::string_view::npos) {
      return true;
    }
    for (int id = 0; id < processor_.GetPieceSize(); ++id) {
      if (processor_.IdToPiece(id).find(candidate) != std::string::npos) {
        return true;
      }
    }
    return false;
  });
}

namespace {

/// True if nothing of a text is left but spaces once default-ignorable characters are removed.
bool is_all_ignorable(std::string_view text) {
  const auto is_nothing = [](char32_t c) { return is_default_ignorable(c) || c == U' '; };
  constexpr std::size_t kLongest = 4;  // bytes of a character
  const auto head = decode_utf8(text.substr(0, kLongest));
  return (head.empty() || is_nothing(head.front())) && std::ranges::all_of(decode_utf8(text), is_nothing);
}

}  // namespace

template <typename Segment>
std::vector<std::int64_t> SentencePieceModel::encode_with(std::string_view text, const Segment& segment) const {
  // SentencePiece would segment the space that it puts before the text.
  if (removes_ignorable_ && is_all_ignorable(text)) {
    return {};
  }
  if (text.size() <= kSegmentedAtOnce) {
    return encode_chunk(text, segment);
  }
  std::vector<std::int64_t> ids;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = chunk_end(text, begin, kSegmentedAtOnce);
    const auto chunk = encode_chunk(text.substr(begin, end - begin), segment);
    ids.insert(ids.end(), chunk.begin(), chunk.end());
    // The space that the model puts before or behind each chunk replaces the one at which the text is cut.
    begin = end < text.size() && text[end] == ' ' && adds_dummy_space_ ? end + 1 : end;
  }
  return ids;
}

template <typename Segment>
std::vector<std::int64_t> SentencePieceModel::encode_chunk(std::string_view text, const Segment& segment) const {
  const auto segment_checked = [&](std::string_view safe_text, auto& segmentation) {
    const auto status = segment(safe_text, &segmentation);
    if (!status.ok()) {
      throw DataError(fmt::format("SentencePiece cannot encode \"{}\": {}", text, status.message()));
    }
  };
  if (vocabulary_) {
    std::vector<std::string> subwords;
    segment_checked(text, subwords);
    std::vector<std::int64_t> found;
    for (const auto& subword : subwords) {
      found.push_back(vocabulary_->id_of_text(subword));
    }
    return found;
  }
  std::vector<int> ids;
  if (!byte_ids_) {
    segment_checked(text, ids);
    return {ids.begin(), ids.end()};
  }
  std::vector<IdRewrite> rewrites{{ids_of_bytes(kSpaceMark), ids_of_bytes(" ")}};
  if (text.find(kSpaceMark) == std::string_view::npos) {
    segment_checked(text, ids);
  } else {
    const std::string stand_in = stand_in_for_space_mark(text);
    rewrites.push_back({ids_of_bytes(stand_in), ids_of_bytes(kSpaceMark)});
    segment_checked(replace_all(text, kSpaceMark, stand_in), ids);
  }
  return rewrite_ids(ids, rewrites);
}

std::vector<std::int64_t> SentencePieceModel::encode(std::string_view text) const {
  if (words_ && WordCache::takes(text)) {
    return words_->encode(text, [this](std::string_view word) { return encode_whole(word); });
  }
  return encode_whole(text);
}

std::vector<std::int64_t> SentencePieceModel::encode_whole(std::string_view text) const {
  return encode_with(text, [this](std::string_view safe_text, auto* segmentation) {
    return processor_.Encode(safe_text, segmentation);
  });
}

std::vector<std::vector<std::int64_t>> SentencePieceModel::encode_sampled(std::span<const std::string_view> texts,
                                                                          const SampleOptions& options,
                                                                          std::uint64_t seed) const {
  const auto segment = [&](std::string_view safe_text, auto* segmentation) {
    auto status = processor_.SampleEncode(safe_text, static_cast<int>(options.nbest), static_cast<float>(options.alpha),
                                          segmentation);
    if (!status.ok()) {
      throw ConfigError(
          fmt::format("tokenizer.sampling: this model cannot sample segmentations: {} "
                      "(bpe and unigram models can; nbest is 512 at most)",
                      status.message()));
    }
    return status;
  };
  std::vector<std::vector<std::int64_t>> drawn;
  drawn.reserve(texts.size());
  draw_in_fresh_thread(seed, [&] {
    for (const std::string_view text : texts) {
      drawn.push_back(encode_with(text, segment));
    }
  });
  return drawn;
}

std::string SentencePieceModel::decode(std::span<const std::int64_t> ids) const {
  if (vocabulary_) {
    return decode_by_vocabulary(ids);
  }
  std::vector<int> kept;
  kept.reserve(ids.size());
  for (const std::int64_t id : ids) {
    if (id != special_.sos && id != special_.eos && id != special_.pad) {
      kept.push_back(static_cast<int>(id));
    }
  }
  std::string text;
  const auto status = processor_.Decode(kept, &text);
  if (!status.ok()) {
    throw DataError(fmt::format("SentencePiece cannot decode {} ids: {}", kept.size(), status.message()));
  }
  return without_dummy_space(std::move(text), kept);
}

std::string SentencePieceModel::without_dummy_space(std::string text, std::span<const int> ids) const {
  if (!adds_dummy_space_ || ids.empty()) {
    return text;
  }
  if (space_is_suffix_) {  // SentencePiece leaves it
    if (text.ends_with(' ')) {
      text.pop_back();
    }
    return text;
  }
  // SentencePiece removes it from a first subword, but not if it is encoded in bytes.
  const bool is_spelt = byte_ids_ && ids.front() == byte_ids_->at(' ') && text.starts_with(' ');
  return is_spelt ? text.substr(1) : text;
}

/// SentencePiece leaves the space marks in subwords that it does not know.
std::string SentencePieceModel::decode_by_vocabulary(std::span<const std::int64_t> ids) const {
  std::vector<std::string> subwords;
  for (const std::int64_t id : ids) {
    if (id != special_.sos && id != special_.eos && id != special_.pad) {
      subwords.push_back(subword(id));
    }
  }
  std::string text;
  const auto status = processor_.Decode(subwords, &text);
  if (!status.ok()) {
    throw DataError(fmt::format("SentencePiece cannot decode {} subwords: {}", subwords.size(), status.message()));
  }
  text = replace_all(text, kSpaceMark, " ");
  const auto begin = std::min(text.find_first_not_of(' '), text.size());
  return text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
}

const std::string& SentencePieceModel::subword(std::int64_t id) const {
  if (vocabulary_) {
    return vocabulary_->subwords()[static_cast<std::size_t>(id)];
  }
  return processor_.IdToPiece(static_cast<int>(id));
}

std::int64_t SentencePieceModel::vocab_size() const {
  return vocabulary_ ? std::ssize(vocabulary_->subwords()) : processor_.GetPieceSize();
}

std::optional<std::int64_t> SentencePieceModel::find(std::string_view subword) const {
  if (vocabulary_) {
    return vocabulary_->find(subword);
  }
  const int id = processor_.PieceToId(subword);
  return processor_.IsUnknown(id) ? std::nullopt : std::optional<std::int64_t>(id);
}

}  // namespace translate
