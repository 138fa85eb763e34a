#include "translate/data/corpus.h"

#include <fmt/format.h>

#include <utility>

#include "translate/data/line_reader.h"
#include "translate/data/pair_reader.h"

namespace translate {

std::vector<std::string> read_lines(const std::filesystem::path& path) {
  LineReader reader(path);
  std::vector<std::string> lines;
  for (std::string line; reader.next(line);) lines.push_back(std::move(line));
  return lines;
}

ParallelCorpus read_parallel_corpus(std::span<const CorpusFiles> files) {
  SelectedPairs pairs(files, Selection::kAll);
  return read_pairs(pairs);
}

std::string describe_origin(const PairOrigin& origin, std::span<const CorpusFiles> files) {
  return fmt::format("{}:{}", files[origin.corpus].source.string(), origin.line);
}

void LeftOut::add(const PairOrigin& origin) {
  if (count++ == 0) first = origin;
}

}  // namespace translate
