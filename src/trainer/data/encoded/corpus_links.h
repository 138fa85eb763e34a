#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "data/encoded/pair_records.h"
#include "text/alignment_point.h"

namespace translate::trainer {

/// Gathers the links between the subwords of each pair of an encoded corpus, and writes the file that CorpusLinks
/// reads, in memory as PairRecordsWriter does.
class LinksWriter {
 public:
  /// Appends the links of the next pair, by the positions of subwords without sos and eos. Those beyond position 65,535
  /// are left out.
  void append(const Alignment& links);

  /// Writes the file, which is complete or absent. `made_from`: a description of the inputs. Throws RuntimeError.
  void write(const std::filesystem::path& path, const std::string& made_from) const;

 private:
  PairRecordsWriter records_;
};

/// The links between the subwords of the pairs of an encoded corpus, in a file (see PairRecords).
class CorpusLinks {
 public:
  /// Opens a file of the links of so many pairs. Throws RuntimeError as PairRecords does.
  CorpusLinks(const std::filesystem::path& path, std::size_t pairs);
  explicit CorpusLinks(PairRecords records);

  /// Returns the links of a pair. Throws RuntimeError if the file has changed.
  [[nodiscard]] Alignment links(std::size_t pair) const;

  /// The number of links of all pairs.
  [[nodiscard]] std::uint64_t size() const { return records_.size(); }

  /// The description of the file's inputs, as given to LinksWriter::write.
  [[nodiscard]] const std::string& made_from() const { return records_.made_from(); }

 private:
  PairRecords records_;
};

/// Returns the links in a file; null if it is missing, damaged, or was made from something else than `made_from`, which
/// is logged. `again` says what happens then: "the training pairs are aligned again".
[[nodiscard]] std::shared_ptr<const CorpusLinks> open_links(const std::filesystem::path& file, std::size_t pairs,
                                                            const std::string& made_from, std::string_view again);

}  // namespace translate::trainer
