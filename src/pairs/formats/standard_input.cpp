#include "pairs/formats/standard_input.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string>
#include <string_view>

#include "core/error.h"
#include "core/file_descriptor.h"
#include "core/output_file.h"
#include "core/utf8.h"
#include "pairs/formats/packed_reader.h"

namespace translate {

namespace fs = std::filesystem;

namespace {

void copy_to(const fs::path& file) {
  OutputFile output(file);
  std::array<char, 1 << 16> buffer{};
  while (true) {
    const auto got = ::read(STDIN_FILENO, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got < 0) {
      throw_read_error("cannot read stdin", errno);
    }
    if (got == 0) {
      break;
    }
    output.write({buffer.data(), static_cast<std::size_t>(got)});
  }
  output.finish();
}

std::string_view suffix_for(std::string_view text) {
  const auto byte_order_mark = text.starts_with("\xEF\xBB\xBF") ? 3 : 0;
  const auto begin = text.find_first_not_of(" \t\r\n", byte_order_mark);
  if (begin == std::string_view::npos) {
    throw DataError("stdin: it has no text");
  }
  if (text[begin] == '{') {
    return ".jsonl";
  }
  if (text[begin] != '<') {
    return ".tsv";
  }
  return text.find("<xliff", begin) != std::string_view::npos ? ".xliff" : ".tmx";
}

fs::path copied_stdin(const fs::path& folder) {
  const auto copy = folder / "copy";
  copy_to(copy);
  std::string head;
  {
    const auto reader = open_text(copy);
    constexpr std::size_t kHead = 4096;  // has the root of a document
    for (auto bytes = reader->read(); !bytes.empty() && head.size() < kHead; bytes = reader->read()) {
      head += bytes;
    }
  }
  auto named = folder / ("stdin" + std::string(suffix_for(head)));
  fs::rename(copy, named);
  return named;
}

}  // namespace

std::vector<fs::path> with_standard_input(std::vector<fs::path> paths, std::optional<TemporaryFolder>& folder) {
  constexpr const char* kStandardInput = "-";
  const auto given = std::ranges::find(paths, kStandardInput);
  if (given == paths.end()) {
    return paths;
  }
  if (std::ranges::count(paths, kStandardInput) > 1) {
    throw ConfigError("stdin (-) can be given once");
  }
  folder.emplace();
  *given = copied_stdin(folder->path());
  return paths;
}

}  // namespace translate
