#include "segments/seen_words.h"

#include <unicode/normalizer2.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstring>

#include "core/error.h"
#include "core/utf8.h"
#include "segments/characters.h"
#include "segments/term_index.h"
#include "text/word_characters.h"

namespace translate {

static_assert(std::endian::native == std::endian::little, "files of words are little endian");

namespace {

constexpr std::string_view kMagic = "WORDS001";
constexpr std::uint32_t kMostHashFunctions = 16;
constexpr std::size_t kBitsAWord = 16;
constexpr std::size_t kMostBytes = std::size_t{1} << 20U;

/// Calls take(word) for each word of a text, and take_unspaced(run) for each run with letters of scripts that do not
/// separate words by spaces.
template <typename Take, typename TakeUnspaced>
void each_run(std::string_view text, const Take& take, const TakeUnspaced& take_unspaced) {
  std::size_t begin = 0;
  bool has_letter = false;
  bool is_spaced = true;
  const auto end_word = [&](std::size_t end) {
    if (has_letter && is_spaced) {
      take(text.substr(begin, end - begin));
    } else if (has_letter) {
      take_unspaced(text.substr(begin, end - begin));
    }
    has_letter = false;
    is_spaced = true;
  };
  for (std::size_t place = 0; place < text.size();) {
    const auto next = next_character(text, place);
    const auto first = static_cast<unsigned char>(text[place]);
    const auto character = first < 0x80 ? char32_t{first} : decode_utf8(text.substr(place, next - place)).front();
    if (!is_word_character(character) || character == U'_') {
      end_word(place);
      begin = next;
    } else if (is_letter(character)) {
      has_letter = true;
      is_spaced = is_spaced && is_of_spaced_word(character);
    }
    place = next;
  }
  end_word(text.size());
}

/// Calls take(word) for each word of a text.
template <typename Take>
void each_word(std::string_view text, const Take& take) {
  each_run(text, take, [](std::string_view) {});
}

/// Returns a word as others are compared with it: by Unicode's NFKC_Casefold.
std::string comparable(std::string_view word) {
  if (is_ascii(word)) {
    return ascii_lower(word);
  }
  UErrorCode status = U_ZERO_ERROR;
  const auto* const rules = icu::Normalizer2::getNFKCCasefoldInstance(status);
  if (U_FAILURE(status) != 0) {
    return std::string(word);
  }
  std::string result;
  icu::StringByteSink<std::string> sink(&result);
  rules->normalizeUTF8(0, icu::StringPiece(word.data(), static_cast<int32_t>(word.size())), sink, nullptr, status);
  return U_FAILURE(status) != 0 ? std::string(word) : result;
}

/// FNV-1a of 64 bits, whose bits the last step of MurmurHash3 then mixes, because FNV's high bits are weak for short
/// texts. The result is stored in files, and must stay the same.
std::uint64_t hash_of(std::string_view word) {
  std::uint64_t hash = 0xCBF29CE484222325U;
  for (const char c : comparable(word)) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3U;
  }
  hash = (hash ^ (hash >> 33U)) * 0xFF51AFD7ED558CCDU;
  hash = (hash ^ (hash >> 33U)) * 0xC4CEB9FE1A85EC53U;
  return hash ^ (hash >> 33U);
}

/// The bit that one of the hash functions sets for a word: the two halves of one hash give them all (Kirsch and
/// Mitzenmacher 2006, "Less hashing, same performance").
std::size_t bit_of(std::uint64_t hash, std::uint32_t function, std::size_t bits) {
  const std::uint64_t first = hash & 0xFFFFFFFFU;
  const std::uint64_t step = (hash >> 32U) | 1U;
  return static_cast<std::size_t>((first + function * step) % bits);
}

}  // namespace

std::vector<std::uint64_t> word_hashes(std::string_view text) {
  std::vector<std::uint64_t> hashes;
  each_word(text, [&](std::string_view word) { hashes.push_back(hash_of(word)); });
  return hashes;
}

std::vector<std::uint64_t> word_or_character_hashes(std::string_view text) {
  std::vector<std::uint64_t> hashes;
  const auto take = [&](std::string_view word) { hashes.push_back(hash_of(word)); };
  each_run(text, take, [&](std::string_view run) {
    for (std::size_t place = 0; place < run.size();) {
      const auto next = next_character(run, place);
      take(run.substr(place, next - place));
      place = next;
    }
  });
  return hashes;
}

SeenWords::SeenWords(const std::unordered_set<std::uint64_t>& hashes) {
  const auto words = std::max<std::size_t>(hashes.size(), 1);
  bits_.resize(std::min(kMostBytes, (words * kBitsAWord + 7) / 8));
  // The number of hash functions with the fewest errors (Bloom 1970): bits / words x ln 2.
  const auto best = std::lround(std::log(2.0) * 8.0 * static_cast<double>(bits_.size()) / static_cast<double>(words));
  hash_functions_ = std::clamp<std::uint32_t>(static_cast<std::uint32_t>(best), 1, kMostHashFunctions);
  std::ranges::for_each(hashes, [this](std::uint64_t hash) { add(hash); });
}

SeenWords SeenWords::from_serialized(std::string_view bytes) {
  SeenWords words;
  const auto head = kMagic.size() + sizeof(words.hash_functions_);
  if (!bytes.starts_with(kMagic) || bytes.size() <= head) {
    throw DataError("no file of words, or one of another version");
  }
  std::memcpy(&words.hash_functions_, bytes.data() + kMagic.size(), sizeof(words.hash_functions_));
  words.bits_ = bytes.substr(head);
  if (words.hash_functions_ < 1 || words.hash_functions_ > kMostHashFunctions || words.bits_.size() > kMostBytes) {
    throw DataError("a damaged file of words");
  }
  return words;
}

std::string SeenWords::serialized() const {
  std::string bytes(kMagic);
  bytes.append(reinterpret_cast<const char*>(&hash_functions_), sizeof(hash_functions_));
  return bytes + bits_;
}

std::vector<std::string> SeenWords::unseen(std::string_view text) const {
  std::vector<std::string> words;
  each_word(text, [&](std::string_view word) {
    if (!has(hash_of(word))) {
      words.emplace_back(word);
    }
  });
  return words;
}

bool SeenWords::has(std::uint64_t hash) const {
  for (std::uint32_t function = 0; function < hash_functions_; ++function) {
    const auto bit = bit_of(hash, function, 8 * bits_.size());
    if (((static_cast<unsigned char>(bits_[bit / 8]) >> (bit % 8)) & 1U) == 0) {
      return false;
    }
  }
  return true;
}

void SeenWords::add(std::uint64_t hash) {
  for (std::uint32_t function = 0; function < hash_functions_; ++function) {
    const auto bit = bit_of(hash, function, 8 * bits_.size());
    bits_[bit / 8] = static_cast<char>(static_cast<unsigned char>(bits_[bit / 8]) | (1U << (bit % 8)));
  }
}

}  // namespace translate
