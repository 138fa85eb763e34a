#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/tokenizer.h"

namespace translate {

/// What a shortlist has to know of a model's vocabularies.
struct ListedVocabularies {
  std::int64_t source = 0;     ///< subwords; a padding at the end, which imported models of Marian have, is not counted
  std::int64_t target = 0;     ///< the same
  std::int64_t eos = 0;        ///< of the target
  bool are_one = false;        ///< subwords of the source may be copied
  std::uint32_t checksum = 0;  ///< CRC-32 of all subwords in their order
};

[[nodiscard]] ListedVocabularies listed_vocabularies(const TokenizerPair& tokenizers);

/// A lexical shortlist: for each source subword the target subwords that may translate it. A translation consists of
/// those of its source's subwords alone, and of the most frequent ones, so that a step computes a few hundred logits
/// in place of all (Jean et al. 2015, "On Using Very Large Target Vocabulary for Neural Machine Translation", section
/// 3.3; in Marian: Junczys-Dowmunt et al. 2018, "Marian: Cost-effective High-Quality Neural Machine Translation in
/// C++").
///
/// Its file is that of Bergamot and Firefox, `lex.50.50.enfr.s2t.bin`: numbers of 64 bits, little-endian (a magic one,
/// a checksum, the number of frequent subwords, the most of a list, the number of offsets, the number of ids), the
/// offsets of the source subwords' lists, one more than there are, and the ids of target subwords, of 32 bits. Of the
/// most of a list, which no reader needs, the upper half is the checksum of the vocabularies that it was learnt for, in
/// files of ours; in others it is 0.
class Shortlist {
 public:
  /// Reads the bytes of a file. Throws CheckpointError, calling it `name`, if it is truncated or damaged, or was made
  /// for other vocabularies.
  Shortlist(std::string_view file, const std::string& name, const ListedVocabularies& vocabularies);

  /// Returns the subwords that a translation of a source may have, rising: the frequent ones, those of the source's
  /// lists, the source's own if both languages have one vocabulary, eos, and `others`, which are target subwords.
  [[nodiscard]] std::vector<std::int64_t> subwords_for(std::span<const std::int64_t> source,
                                                       std::span<const std::int64_t> others = {}) const;

 private:
  ListedVocabularies vocabularies_;
  std::int64_t frequent_ = 0;
  std::vector<std::size_t> begins_;  ///< of each source subword in ids_, and the end
  std::vector<std::uint32_t> ids_;
};

/// Reads a file, which may be packed by gzip; null for an empty path. Throws CheckpointError as the constructor does,
/// and what read_unpacked throws.
[[nodiscard]] std::shared_ptr<const Shortlist> read_shortlist(const std::filesystem::path& path,
                                                              const TokenizerPair& tokenizers);

/// Returns the bytes of a file that has these lists, one for each source subword. `most`: of the ids in a list, for
/// readers of the file. `vocabularies`: the checksum of those that it is for; 0: any of the same size can use it.
[[nodiscard]] std::string shortlist_file(const std::vector<std::vector<std::uint32_t>>& lists, std::uint32_t most,
                                         std::uint32_t vocabularies = 0);

}  // namespace translate
