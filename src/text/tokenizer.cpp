#include "translate/text/tokenizer.h"

#include <fmt/format.h>
#include <sentencepiece_processor.h>

#include <algorithm>
#include <array>
#include <exception>
#include <limits>
#include <mutex>
#include <optional>
#include <set>
#include <stdexcept>
#include <thread>
#include <utility>

#include "translate/core/error.h"
#include "translate/core/file.h"
#include "translate/text/id_rewriting.h"

namespace translate {

namespace {

using sentencepiece::SentencePieceProcessor;

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

/// The loaded model and what it takes to keep bytes, spaces and U+2581 apart.
///
/// Two kinds of text are ambiguous in SentencePiece. U+2581 in the text itself looks like a space once normalised:
/// before encoding it is replaced by a character that neither the text nor the vocabulary holds, which thus falls back
/// to bytes, and those bytes are replaced by the ones of U+2581. And a space that is not in the vocabulary (in `word`
/// models) is spelt by the bytes of U+2581: these are replaced by the byte of a space.
struct Tokenizer::Model {
  SentencePieceProcessor processor;
  std::string serialized;
  SpecialTokens special;
  std::optional<std::array<int, 256>> byte_ids;  // set for models with byte fallback
  bool adds_dummy_prefix = false;  // a space is put before the text, so that its first word looks like others

  explicit Model(std::string bytes) : serialized(std::move(bytes)) {}

  /// Fills everything from `serialized`; what is wrong with the model, if anything.
  [[nodiscard]] std::optional<std::string> parse();

  [[nodiscard]] std::vector<int> ids_of_bytes(std::string_view bytes) const;

  /// A character that is in no piece and not in `text`.
  [[nodiscard]] std::string stand_in_for_space_mark(std::string_view text) const;

  /// Calls `segment(text, &ids)` on the text made safe, and rewrites its ids.
  template <typename Segment>
  [[nodiscard]] std::vector<std::int64_t> encode(std::string_view text, const Segment& segment) const;

  void check_id(std::int64_t id) const;
};

std::optional<std::string> Tokenizer::Model::parse() {
  // An empty string is a valid protocol buffer, and the processor takes it for a model without pieces.
  if (serialized.empty()) return "it is empty";
  const auto status = processor.LoadFromSerializedProto(serialized);
  if (!status.ok()) return fmt::format("not a SentencePiece model ({})", status.message());
  special = {processor.unk_id(), processor.bos_id(), processor.eos_id(), processor.pad_id()};
  const std::array<std::pair<const char*, std::int64_t>, 4> ids{
      {{"unk", special.unk}, {"bos", special.sos}, {"eos", special.eos}, {"pad", special.pad}}};
  std::set<std::int64_t> distinct;
  for (const auto& [name, id] : ids) {
    if (id < 0 || id >= processor.GetPieceSize()) {
      return fmt::format("the model has no {0} piece; train it with an id for it, e.g. spm_train --{0}_id=3", name);
    }
    if (!distinct.insert(id).second)
      return fmt::format("its {} piece has the id {} of another special piece", name, id);
  }
  std::array<int, 256> bytes{};
  for (std::size_t byte = 0; byte < bytes.size(); ++byte) {
    bytes[byte] = processor.PieceToId(fmt::format("<0x{:02X}>", byte));
  }
  if (std::all_of(bytes.begin(), bytes.end(), [&](int id) { return processor.IsByte(id); })) byte_ids = bytes;

  std::vector<std::string> pieces;
  const auto probe = processor.Encode("a", &pieces);
  if (!probe.ok()) return fmt::format("it cannot encode ({})", probe.message());
  adds_dummy_prefix = !pieces.empty() && (pieces.front().starts_with(kSpaceMark) || pieces.front() == "<0xE2>");
  return std::nullopt;
}

std::vector<int> Tokenizer::Model::ids_of_bytes(std::string_view bytes) const {
  std::vector<int> ids;
  for (const char byte : bytes) ids.push_back(byte_ids->at(static_cast<unsigned char>(byte)));
  return ids;
}

std::string Tokenizer::Model::stand_in_for_space_mark(std::string_view text) const {
  return first_free_character([&](std::string_view candidate) {
    if (text.find(candidate) != std::string_view::npos) return true;
    for (int id = 0; id < processor.GetPieceSize(); ++id) {
      if (processor.IdToPiece(id).find(candidate) != std::string::npos) return true;
    }
    return false;
  });
}

template <typename Segment>
std::vector<std::int64_t> Tokenizer::Model::encode(std::string_view text, const Segment& segment) const {
  std::vector<int> ids;
  const auto segment_checked = [&](std::string_view safe_text) {
    const auto status = segment(safe_text, &ids);
    if (!status.ok()) throw DataError(fmt::format("SentencePiece cannot encode \"{}\": {}", text, status.message()));
  };
  if (!byte_ids) {
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

void Tokenizer::Model::check_id(std::int64_t id) const {
  if (id < 0 || id >= processor.GetPieceSize()) {
    throw std::out_of_range(fmt::format("piece id {} is outside 0..{}", id, processor.GetPieceSize() - 1));
  }
}

Tokenizer::Tokenizer(std::shared_ptr<const Model> model) : model_(std::move(model)) {}

Tokenizer Tokenizer::load(const std::filesystem::path& path) {
  std::shared_ptr<Model> model;
  try {
    model = std::make_shared<Model>(read_file(path));
  } catch (const RuntimeError& error) {
    throw DataError(fmt::format("tokenizer model: {}", error.what()));
  }
  if (const auto fault = model->parse()) throw DataError(fmt::format("{}: {}", path.string(), *fault));
  return Tokenizer(std::move(model));
}

Tokenizer Tokenizer::from_serialized(std::string bytes, const std::string& origin) {
  auto model = std::make_shared<Model>(std::move(bytes));
  if (const auto fault = model->parse()) throw CheckpointError(fmt::format("{}: {}", origin, *fault));
  return Tokenizer(std::move(model));
}

const std::string& Tokenizer::serialized() const { return model_->serialized; }

std::vector<std::int64_t> Tokenizer::encode(std::string_view text) const {
  return model_->encode(text, [this](std::string_view safe_text, std::vector<int>* ids) {
    return model_->processor.Encode(safe_text, ids);
  });
}

std::vector<std::int64_t> Tokenizer::encode_sampled(std::string_view text, const SampleOptions& options,
                                                    std::uint64_t seed) const {
  return std::move(encode_sampled(std::span(&text, 1), options, seed).front());
}

std::vector<std::vector<std::int64_t>> Tokenizer::encode_sampled(std::span<const std::string_view> texts,
                                                                 const SampleOptions& options,
                                                                 std::uint64_t seed) const {
  const auto segment = [&](std::string_view safe_text, std::vector<int>* ids) {
    auto status = model_->processor.SampleEncode(safe_text, static_cast<int>(options.nbest),
                                                 static_cast<float>(options.alpha), ids);
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
    for (const std::string_view text : texts) drawn.push_back(model_->encode(text, segment));
  });
  return drawn;
}

std::vector<std::string> Tokenizer::encode_to_pieces(std::string_view text) const {
  std::vector<std::string> pieces;
  for (const std::int64_t id : encode(text)) pieces.push_back(piece(id));
  return pieces;
}

std::string Tokenizer::decode(std::span<const std::int64_t> ids) const {
  std::vector<int> kept;
  kept.reserve(ids.size());
  for (const std::int64_t id : ids) {
    model_->check_id(id);
    if (id != special_tokens().sos && id != special_tokens().eos && id != special_tokens().pad) {
      kept.push_back(static_cast<int>(id));
    }
  }
  std::string text;
  const auto status = model_->processor.Decode(kept, &text);
  if (!status.ok())
    throw DataError(fmt::format("SentencePiece cannot decode {} ids: {}", kept.size(), status.message()));
  // SentencePiece takes the dummy prefix off a first piece, but not where it is spelt in bytes.
  const bool spelt_prefix = model_->adds_dummy_prefix && model_->byte_ids && !kept.empty() &&
                            kept.front() == model_->byte_ids->at(' ') && text.starts_with(' ');
  return spelt_prefix ? text.substr(1) : text;
}

const std::string& Tokenizer::piece(std::int64_t id) const {
  model_->check_id(id);
  return model_->processor.IdToPiece(static_cast<int>(id));
}

std::int64_t Tokenizer::vocab_size() const { return model_->processor.GetPieceSize(); }

const SpecialTokens& Tokenizer::special_tokens() const { return model_->special; }

}  // namespace translate
