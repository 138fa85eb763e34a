#include "translate/text/sentencepiece_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <limits>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

#include "translate/core/error.h"
#include "translate/text/id_rewriting.h"
#include "translate/text/independent_words.h"
#include "translate/text/long_lines.h"
#include "translate/text/tokenizer.h"

namespace translate {

namespace {

constexpr std::string_view kSpaceMark = "\xE2\x96\x81";  // U+2581: a space inside pieces

/// SentencePiece draws from a generator that each thread seeds once, at its first draw, from one global seed. A fresh
/// thread behind a lock therefore makes the draw a function of the seed; no state has to be saved.
template <typename Draw>
void draw_in_fresh_thread(std::uint64_t seed, const Draw& draw) {
  static std::mutex mutex;
  auto folded = static_cast<unsigned int>(seed ^ (seed >> 32U));
  if (folded == std::numeric_limits<unsigned int>::max()) folded = 0;  // SentencePiece takes this one for "not set"
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
  if (error) std::rethrow_exception(error);
}

}  // namespace

SentencePieceModel::SentencePieceModel(std::string serialized, const std::string& origin)
    : serialized_(std::move(serialized)) {
  if (const auto fault = parse()) throw DataError(fmt::format("{}: {}", origin, *fault));
}

std::optional<std::string> SentencePieceModel::parse() {
  // An empty string is a valid protocol buffer, and the processor takes it for a model without pieces.
  if (serialized_.empty()) return "it is empty";
  const auto status = processor_.LoadFromSerializedProto(serialized_);
  if (!status.ok()) {
    return fmt::format("not a SentencePiece model ({}), nor a tokenizer's JSON, which begins with a brace",
                       status.message());
  }
  special_ = {processor_.unk_id(), processor_.bos_id(), processor_.eos_id(), processor_.pad_id()};
  const std::array<std::pair<const char*, std::int64_t>, 4> ids{
      {{"unk", special_.unk}, {"bos", special_.sos}, {"eos", special_.eos}, {"pad", special_.pad}}};
  std::set<std::int64_t> distinct;
  for (const auto& [name, id] : ids) {
    if (id < 0 || id >= processor_.GetPieceSize()) {
      return fmt::format("the model has no {0} piece; train it with an id for it, e.g. spm_train --{0}_id=3", name);
    }
    if (!distinct.insert(id).second)
      return fmt::format("its {} piece has the id {} of another special piece", name, id);
  }
  std::array<int, 256> bytes{};
  for (std::size_t byte = 0; byte < bytes.size(); ++byte) {
    bytes[byte] = processor_.PieceToId(fmt::format("<0x{:02X}>", byte));
  }
  if (std::all_of(bytes.begin(), bytes.end(), [&](int id) { return processor_.IsByte(id); })) byte_ids_ = bytes;

  std::vector<std::string> pieces;
  const auto probe = processor_.Encode("a", &pieces);
  if (!probe.ok()) return fmt::format("it cannot encode ({})", probe.message());
  if (words_are_independent(serialized_)) words_ = std::make_unique<WordCache>();
  adds_dummy_prefix_ = !pieces.empty() && (pieces.front().starts_with(kSpaceMark) || pieces.front() == "<0xE2>");
  return std::nullopt;
}

std::vector<int> SentencePieceModel::ids_of_bytes(std::string_view bytes) const {
  std::vector<int> ids;
  for (const char byte : bytes) ids.push_back(byte_ids_->at(static_cast<unsigned char>(byte)));
  return ids;
}

std::string SentencePieceModel::stand_in_for_space_mark(std::string_view text) const {
  return first_free_character([&](std::string_view candidate) {
    if (text.find(candidate) != std::string_view::npos) return true;
    for (int id = 0; id < processor_.GetPieceSize(); ++id) {
      if (processor_.IdToPiece(id).find(candidate) != std::string::npos) return true;
    }
    return false;
  });
}

template <typename Segment>
std::vector<std::int64_t> SentencePieceModel::encode_with(std::string_view text, const Segment& segment) const {
  if (text.size() <= kSegmentedAtOnce) return encode_chunk(text, segment);
  std::vector<std::int64_t> ids;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = chunk_end(text, begin, kSegmentedAtOnce);
    const auto chunk = encode_chunk(text.substr(begin, end - begin), segment);
    ids.insert(ids.end(), chunk.begin(), chunk.end());
    // The space that the model puts in front of each chunk stands for the one at which the text is cut.
    begin = end < text.size() && text[end] == ' ' && adds_dummy_prefix_ ? end + 1 : end;
  }
  return ids;
}

template <typename Segment>
std::vector<std::int64_t> SentencePieceModel::encode_chunk(std::string_view text, const Segment& segment) const {
  std::vector<int> ids;
  const auto segment_checked = [&](std::string_view safe_text) {
    const auto status = segment(safe_text, &ids);
    if (!status.ok()) throw DataError(fmt::format("SentencePiece cannot encode \"{}\": {}", text, status.message()));
  };
  if (!byte_ids_) {
    segment_checked(text);
    return {ids.begin(), ids.end()};
  }
  std::vector<IdRewrite> rewrites{{ids_of_bytes(kSpaceMark), ids_of_bytes(" ")}};
  if (text.find(kSpaceMark) == std::string_view::npos) {
    segment_checked(text);
  } else {
    const std::string stand_in = stand_in_for_space_mark(text);
    rewrites.push_back({ids_of_bytes(stand_in), ids_of_bytes(kSpaceMark)});
    segment_checked(replace_all(text, kSpaceMark, stand_in));
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
  return encode_with(
      text, [this](std::string_view safe_text, std::vector<int>* ids) { return processor_.Encode(safe_text, ids); });
}

std::vector<std::vector<std::int64_t>> SentencePieceModel::encode_sampled(std::span<const std::string_view> texts,
                                                                          const SampleOptions& options,
                                                                          std::uint64_t seed) const {
  const auto segment = [&](std::string_view safe_text, std::vector<int>* ids) {
    auto status =
        processor_.SampleEncode(safe_text, static_cast<int>(options.nbest), static_cast<float>(options.alpha), ids);
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
    for (const std::string_view text : texts) drawn.push_back(encode_with(text, segment));
  });
  return drawn;
}

std::string SentencePieceModel::decode(std::span<const std::int64_t> ids) const {
  std::vector<int> kept;
  kept.reserve(ids.size());
  for (const std::int64_t id : ids) {
    if (id != special_.sos && id != special_.eos && id != special_.pad) kept.push_back(static_cast<int>(id));
  }
  std::string text;
  const auto status = processor_.Decode(kept, &text);
  if (!status.ok())
    throw DataError(fmt::format("SentencePiece cannot decode {} ids: {}", kept.size(), status.message()));
  // SentencePiece takes the dummy prefix off a first piece, but not where it is spelt in bytes.
  const bool spelt_prefix =
      adds_dummy_prefix_ && byte_ids_ && !kept.empty() && kept.front() == byte_ids_->at(' ') && text.starts_with(' ');
  return spelt_prefix ? text.substr(1) : text;
}

const std::string& SentencePieceModel::piece(std::int64_t id) const {
  return processor_.IdToPiece(static_cast<int>(id));
}

}  // namespace translate
