#include "distillation/written_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <utility>

#include "core/counted.h"
#include "core/error.h"
#include "core/file.h"
#include "core/logging.h"
#include "core/terminal.h"
#include "pairs/pair_writer.h"

namespace translate::trainer {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kBlock = 5'000;  // pairs: what is lost at most if the program is stopped

constexpr const char* kAboutFile = "about.json";
constexpr const char* kPairs = "pairs";  // in about.json, once the corpus is complete

fs::path part_of(const fs::path& folder, std::uint64_t number) {
  return folder / "parts" / fmt::format("{:06}.jsonl", number);
}

std::string as_lines(const std::vector<WrittenPair>& pairs) {
  std::string lines;
  for (const auto& pair : pairs) {
    Json line = {pair.source, pair.target};
    if (pair.score) {
      line.push_back(*pair.score);
    }
    lines += line.dump() + "\n";
  }
  return lines;
}

/// Reads the pairs of a part in their order.
void read_part(const fs::path& path, const std::function<void(WrittenPair pair)>& take) {
  LineReader reader(path);
  for (std::string text; reader.next(text);) {
    const auto line = parse_json(text);
    WrittenPair pair{.source = line.at(0).get<std::string>(), .target = line.at(1).get<std::string>()};
    if (line.size() > 2) {
      pair.score = line.at(2).get<double>();
    }
    take(std::move(pair));
  }
}

/// Returns the score below which a share of the pairs lies; none if nothing is left out.
std::optional<double> lowest_score(const fs::path& folder, std::uint64_t parts, double left_out) {
  if (left_out <= 0.0) {
    return std::nullopt;
  }
  std::vector<double> scores;
  for (std::uint64_t number = 0; number < parts; ++number) {
    read_part(part_of(folder, number), [&](const WrittenPair& pair) {
      if (pair.score) {
        scores.push_back(*pair.score);
      }
    });
  }
  const auto place = static_cast<std::size_t>(std::floor(left_out * static_cast<double>(scores.size())));
  if (scores.empty() || place >= scores.size()) {
    return std::nullopt;
  }
  std::ranges::nth_element(scores, scores.begin() + static_cast<std::ptrdiff_t>(place));
  return scores[place];
}

struct Joined {
  std::uint64_t pairs = 0;
  std::uint64_t left_out = 0;
};

/// Makes the two files of the corpus of its parts.
Joined join_parts(const WrittenTextJob& job, const CorpusFiles& files, std::uint64_t parts) {
  const auto lowest = lowest_score(job.folder, parts, job.left_out);
  Joined joined;
  PairWriter writer(files.source, files.target);
  for (std::uint64_t number = 0; number < parts; ++number) {
    read_part(part_of(job.folder, number), [&](const WrittenPair& pair) {
      if (lowest && pair.score && *pair.score < *lowest) {
        ++joined.left_out;
        return;
      }
      writer.write({.source = pair.source, .target = pair.target});
      ++joined.pairs;
    });
  }
  writer.finish();
  return joined;
}

/// Reads about.json, or writes it if the corpus is new. Throws ConfigError if the corpus is made otherwise than the job
/// says.
Json read_about(const WrittenTextJob& job) {
  const auto file = job.folder / kAboutFile;
  if (!fs::exists(file)) {
    write_file_atomically(file, job.about.dump(2) + "\n");
    return job.about;
  }
  auto found = parse_json(read_file(file));
  auto how = found;
  how.erase(kPairs);
  if (how != job.about) {
    throw ConfigError(
        fmt::format("{}: this text was written in another way than the configuration says now: give another run_dir, "
                    "or remove that folder",
                    job.folder.string()));
  }
  return found;
}

/// The progress of a job, which is logged.
class Progress {
 public:
  Progress(const fs::path& folder, std::uint64_t pairs) : name_(folder.filename().string()), all_(pairs) {}

  /// Logs that `read` pairs are done, `fresh` of which the program has translated itself.
  void log(std::uint64_t read, std::uint64_t fresh) const {
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin_;
    const auto left = static_cast<double>(all_ - std::min(read, all_)) * taken.count() / static_cast<double>(fresh);
    log_info(fmt::format("distillation: {}: {} of {} pairs, {} left", name_,
                         with_commas(static_cast<std::int64_t>(read)), with_commas(static_cast<std::int64_t>(all_)),
                         format_duration(left)));
  }

 private:
  std::string name_;
  std::uint64_t all_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

/// Writes the parts that are missing; returns how many there are.
std::uint64_t write_parts(const WrittenTextJob& job, const BlockWriter& write) {
  const Progress progress(job.folder, count_pairs(job.text));
  SelectedPairs reader(job.text, Selection::kTraining);
  std::uint64_t number = 0;
  std::uint64_t read = 0;
  std::uint64_t fresh = 0;
  for (bool more = true; more;) {
    std::vector<TextPair> block;
    for (TextPair pair; block.size() < kBlock && (more = reader.next(pair));) {
      block.push_back(std::move(pair));
    }
    if (block.empty()) {
      break;
    }
    read += block.size();
    if (const auto part = part_of(job.folder, number); !fs::exists(part)) {
      write_file_atomically(part, as_lines(write(block, number)));
      fresh += block.size();
      progress.log(read, fresh);
    }
    ++number;
  }
  return number;
}

}  // namespace

std::uint64_t count_pairs(std::span<const CorpusFiles> text) {
  PairReader reader(text, LineCheck::kNone);
  std::uint64_t pairs = 0;
  for (TextPair pair; reader.next(pair);) {
    ++pairs;
  }
  return pairs;
}

CorpusFiles write_text(const WrittenTextJob& job, const BlockWriter& write) {
  CorpusFiles files;
  files.source = job.folder / "source.txt";
  files.target = job.folder / "target.txt";
  make_folder(job.folder / "parts");
  auto about = read_about(job);
  if (about.contains(kPairs)) {
    fs::remove_all(job.folder / "parts");
    return files;
  }
  const auto parts = write_parts(job, write);
  const auto joined = join_parts(job, files, parts);
  if (joined.pairs == 0) {
    throw DataError(
        fmt::format("{}: the models have written no pair: all translations are blank or were cut off "
                    "at the length limit, so the teachers have learnt too little: give them more time",
                    job.folder.string()));
  }
  about[kPairs] = joined.pairs;
  write_file_atomically(job.folder / kAboutFile, about.dump(2) + "\n");
  fs::remove_all(job.folder / "parts");
  log_info(fmt::format("distillation: {}: {} written{}", job.folder.filename().string(), counted(joined.pairs, "pair"),
                       joined.left_out > 0
                           ? fmt::format(", {} left out", with_commas(static_cast<std::int64_t>(joined.left_out)))
                           : ""));
  return files;
}

}  // namespace translate::trainer
