#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/stable_file.h"
#include "text/alignment_point.h"

namespace translate::trainer {

/// Gathers the links between the subwords of each pair of an encoded corpus, and writes the file that CorpusLinks
/// reads. Takes 4 bytes for each link and 8 for each pair, and twice that while it writes.
class LinksWriter {
 public:
  /// Appends the links of the next pair, by the positions of subwords without sos and eos. Those beyond position 65,535
  /// are left out.
  void append(const Alignment& links);

  /// Writes the file, which is complete or absent. `made_from`: a description of the inputs. Throws RuntimeError.
  void write(const std::filesystem::path& path, const std::string& made_from) const;

 private:
  std::vector<std::uint64_t> ends_;  ///< for each pair, the number of links of it and of those before it
  std::string links_;                ///< as they stand in the file
};

/// The links between the subwords of the pairs of an encoded corpus, in a file. Any number of threads may read. A file
/// that changes while it is open gives an error (StableFile).
class CorpusLinks {
 public:
  /// Opens a file and reads all of it once. Throws RuntimeError, naming the file, if it is damaged or does not have the
  /// links of so many pairs.
  CorpusLinks(const std::filesystem::path& path, std::size_t pairs);

  /// Returns the links of a pair. Throws RuntimeError if the file has changed.
  [[nodiscard]] Alignment links(std::size_t pair) const;

  /// The number of links of all pairs.
  [[nodiscard]] std::uint64_t size() const { return links_; }

  /// The description of the file's inputs, as given to LinksWriter::write.
  [[nodiscard]] const std::string& made_from() const { return made_from_; }

 private:
  void read_header(std::size_t pairs);

  StableFile file_;
  std::uint64_t links_ = 0;
  std::uint64_t ends_at_ = 0;   ///< offset of the ends
  std::uint64_t links_at_ = 0;  ///< offset of the links
  std::string made_from_;
};

/// Returns the links in a file; null if it is missing, damaged, or was made from something else than `made_from`, which
/// is logged. `again` says what happens then: "the training pairs are aligned again".
[[nodiscard]] std::shared_ptr<const CorpusLinks> open_links(const std::filesystem::path& file, std::size_t pairs,
                                                            const std::string& made_from, std::string_view again);

}  // namespace translate::trainer
