#include "translate/apps/line_stream.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iostream>

#include "translate/core/error.h"

namespace translate {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

LineReader::LineReader(const std::string& path) : name_(path.empty() ? "stdin" : path), stream_(&std::cin) {
  if (!path.empty()) {
    file_.open(path, std::ios::binary);
    if (std::filesystem::is_directory(path)) {
      throw DataError(fmt::format("{}: is a folder; expected a text file", path));
    }
    if (!file_) {
      throw DataError(fmt::format("{}: cannot be read: {}", path, std::strerror(errno)));
    }
    stream_ = &file_;
  }
}

std::vector<std::string> LineReader::read(std::size_t count) {
  std::vector<std::string> lines;
  std::string line;
  while (lines.size() < count && std::getline(*stream_, line)) {
    if (at_start_ && line.starts_with(kByteOrderMark)) {
      line.erase(0, kByteOrderMark.size());
    }
    at_start_ = false;
    if (line.ends_with('\r')) {
      line.pop_back();
    }
    lines.push_back(line);
  }
  if (stream_->bad()) {
    throw DataError(name_ + ": reading failed");
  }
  return lines;
}

LineWriter::LineWriter(const std::string& path) : name_(path.empty() ? "stdout" : path), stream_(&std::cout) {
  if (!path.empty()) {
    file_.open(path, std::ios::binary | std::ios::trunc);
    if (!file_) {
      throw RuntimeError(fmt::format("{}: cannot be written: {}", path, std::strerror(errno)));
    }
    stream_ = &file_;
  }
}

void LineWriter::write(const std::string& line) { *stream_ << line << '\n'; }

void LineWriter::flush() {
  if (!stream_->flush()) {
    throw RuntimeError(fmt::format("{}: cannot be written: {}", name_, std::strerror(errno)));
  }
}

void print_result(const std::string& text) {
  if (!(std::cout << text << std::flush)) {
    throw RuntimeError(fmt::format("stdout: cannot be written: {}", std::strerror(errno)));
  }
}

}  // namespace translate
