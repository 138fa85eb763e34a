#include "data/encoded/corpus_encoding.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <span>
#include <unordered_set>
#include <utility>

#include "config/enum_names.h"
#include "config/json.h"
#include "core/counted.h"
#include "core/error.h"
#include "core/file.h"
#include "core/logging.h"
#include "core/stop_signal.h"
#include "core/terminal.h"
#include "core/threads.h"
#include "core/utf8.h"
#include "data/encoded/corpus_file.h"
#include "data/encoded/file_making.h"
#include "languages/language_tags.h"
#include "segments/seen_words.h"
#include "text/tokenizer.h"

namespace translate::trainer {

namespace {

constexpr double kSecondsADrawing = 0.5;
constexpr double kSecondsAReport = 60.0;

}  // namespace

EncodingProgress::EncodingProgress(std::string name, std::uint64_t total)
    : name_(std::move(name)), total_(total), next_drawing_(kSecondsADrawing), next_report_(kSecondsAReport) {}

EncodingProgress::~EncodingProgress() { show_progress(""); }

double EncodingProgress::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

ProgressLine EncodingProgress::line() const {
  const double now = seconds();
  const double share = std::min(1.0, static_cast<double>(done_) / static_cast<double>(std::max(total_, done_)));
  const double rate = static_cast<double>(done_) / now;
  const double left = now * (1.0 - share) / share;
  return {.label = fmt::format("encoding {} pairs", name_),
          .share = share,
          .fields = {{fmt::format("{:.0f} pairs/s", rate), fmt::format("{}/s", brief_count(rate))},
                     {format_duration(left) + " left", format_clock(left) + " left"}}};
}

void EncodingProgress::add(std::uint64_t pairs) {
  done_ += pairs;
  const double now = seconds();
  if (now >= next_drawing_) {
    if (progress_is_visible()) {
      show_progress(line());
    }
    next_drawing_ = seconds() + kSecondsADrawing;
  }
  if (now >= next_report_) {
    constexpr std::size_t kReportWidth = 120;
    log_info("data: " + fit(line(), kReportWidth));
    next_report_ = seconds() + kSecondsAReport;
  }
}

void EncodingProgress::finish(const std::filesystem::path& file) const {
  show_progress("");
  const double time = seconds();
  log_info(fmt::format("data: encoded {} {} pairs in {} ({:.0f} pairs/s, {}) into {} ({:.1f} MiB)", done_, name_,
                       format_duration(time), static_cast<double>(done_) / std::max(time, 1e-3),
                       counted(kernel_threads(), "thread"), file.string(),
                       static_cast<double>(std::filesystem::file_size(file)) / (1024.0 * 1024.0)));
}

namespace {

constexpr std::size_t kPairsABlock = std::size_t{1} << 14U;
constexpr std::size_t kBytesABlock = std::size_t{1} << 22U;

/// Some pairs, and the subwords of each.
struct Block {
  std::vector<TextPair> pairs;
  std::vector<std::vector<std::int32_t>> source;
  std::vector<std::vector<std::int32_t>> target;
  std::vector<std::vector<std::uint64_t>> words;  ///< hashes of those of each source, if they are kept
};

/// Reads the next pairs, their sources with the tags of their corpora.
Block read_block(SelectedPairs& reader, std::span<const CorpusFiles> files) {
  Block block;
  std::size_t bytes = 0;
  for (TextPair pair; block.pairs.size() < kPairsABlock && bytes < kBytesABlock && reader.next(pair);) {
    bytes += pair.source.size() + pair.target.size();
    pair.source = with_language_tag(files[pair.origin.corpus].target_language, std::move(pair.source));
    block.pairs.push_back(std::move(pair));
  }
  return block;
}

/// True if a side exceeds the allowed subwords, judged by its bytes, or the allowed bytes.
bool is_surely_too_long(const EncodingTask& task, const TextPair& pair) {
  const auto most = task.limits ? std::optional(most_bytes(task.limits->max_length)) : task.max_bytes;
  return most && std::max(pair.source.size(), pair.target.size()) > *most;
}

void encode_block(Block& block, const EncodingTask& task) {
  constexpr std::int64_t kPairsAtATime = 250;
  const std::size_t size = block.pairs.size();
  block.source.resize(size);
  block.target.resize(size);
  block.words.resize(size);
  parallel_ranges(static_cast<std::int64_t>(size), kPairsAtATime, [&](std::int64_t begin, std::int64_t end) {
    for (auto i = static_cast<std::size_t>(begin); std::cmp_less(i, end); ++i) {
      if (is_surely_too_long(task, block.pairs[i])) {
        continue;
      }
      block.source[i] = compact_ids(task.tokenizers.source.encode(block.pairs[i].source));
      block.target[i] = compact_ids(task.tokenizers.target.encode(block.pairs[i].target));
      if (task.source_words) {
        block.words[i] = word_hashes(block.pairs[i].source);
      }
    }
  });
}

/// The subwords of a source without the tag of its corpus.
std::size_t untagged_length(const EncodingTask& task, const PairOrigin& origin, std::size_t subwords) {
  const bool has_tag = !task.files[origin.corpus].target_language.empty() && subwords > 0;
  return has_tag ? subwords - 1 : subwords;
}

/// Returns the counter for the reason to leave out a pair, or nullptr.
LeftOut* reason_to_leave_out(const LengthLimits& limits, std::size_t source, std::size_t target,
                             CorpusStatistics& statistics) {
  const auto [shorter, longer] = std::minmax(source, target);
  if (shorter == 0) {
    return &statistics.empty;
  }
  if (std::cmp_greater(longer, limits.max_length)) {
    return &statistics.too_long;
  }
  const bool uneven = limits.max_length_ratio > 0 &&
                      static_cast<double>(longer) > limits.max_length_ratio * static_cast<double>(shorter);
  return uneven ? &statistics.uneven : nullptr;
}

/// Writes the pairs that are not left out, and adds their words.
void write_block(const Block& block, const EncodingTask& task, CorpusWriter& writer,
                 std::unordered_set<std::uint64_t>& words) {
  for (std::size_t i = 0; i < block.pairs.size(); ++i) {
    const TextPair& pair = block.pairs[i];
    LeftOut* reason = nullptr;
    if (is_surely_too_long(task, pair)) {
      reason = &writer.statistics().too_long;
    } else if (task.limits) {
      const auto source = untagged_length(task, pair.origin, block.source[i].size());
      reason = reason_to_leave_out(*task.limits, source, block.target[i].size(), writer.statistics());
    }
    if (reason != nullptr) {
      reason->add(pair.origin);
      continue;
    }
    writer.append({.origin = pair.origin,
                   .source = block.source[i],
                   .target = block.target[i],
                   .source_text = pair.source,
                   .target_text = pair.target});
    words.insert(block.words[i].begin(), block.words[i].end());
  }
}

CorpusFormat format_of(const EncodingTask& task) {
  constexpr std::int64_t kNarrowIds = 1 << 16;
  return {.wide_ids = std::max(task.tokenizers.source.vocab_size(), task.tokenizers.target.vocab_size()) > kNarrowIds,
          .source_text = task.source_text,
          .target_text = task.target_text};
}

Json describe_tokenizer(const Tokenizer& tokenizer) {
  return {tokenizer.serialized().size(), crc32(tokenizer.serialized())};
}

/// Describes the differences between two descriptions in words.
std::string differences(const std::string& left, const std::string& right) {
  const Json wanted = parse_json(right);
  Json old;
  try {
    old = parse_json(left);
  } catch (const JsonError&) {
    old = Json();  // then all points differ
  }
  std::vector<std::string> names;
  for (const auto& [name, value] : wanted.items()) {
    if (!old.is_object() || !old.contains(name) || old.at(name) != value) {
      names.push_back(name);
    }
  }
  for (const auto& [name, value] : old.items()) {
    if (old.is_object() && !wanted.contains(name)) {
      names.push_back(name);
    }
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

CorpusLimits limits_of(const EncodingTask& task) {
  return {.source_vocabulary = task.tokenizers.source.vocab_size(),
          .target_vocabulary = task.tokenizers.target.vocab_size(),
          .corpora = task.files.size(),
          .format = format_of(task)};
}

/// Returns the pairs in the file, or nothing if it is missing, damaged, or made from other inputs.
std::shared_ptr<const EncodedCorpus> open_current(const EncodingTask& task, const std::filesystem::path& file) {
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) {
    return nullptr;
  }
  try {
    const std::string wanted = describe_task(task);
    const std::string made_from = corpus_made_from(file);
    if (made_from == wanted) {
      return std::make_shared<const EncodedCorpus>(file, limits_of(task));
    }
    log_info(fmt::format("data: {} was made from other {}", file.string(), differences(made_from, wanted)));
  } catch (const RuntimeError& error) {
    log_warning(fmt::format("data: {}; the {} pairs are encoded again", error.what(), task.name));
  }
  return nullptr;
}

}  // namespace

std::string describe_task(const EncodingTask& task) {
  Json json = {{"text", task.text}, {"part", task.name}};
  if (task.share.fraction > 0) {
    json["fraction"] = {task.share.fraction, task.share.seed};
  }
  json["source_tokenizer"] = describe_tokenizer(task.tokenizers.source);
  json["target_tokenizer"] = describe_tokenizer(task.tokenizers.target);
  if (task.limits) {
    json["max_length"] = task.limits->max_length;
    json["max_length_ratio"] = task.limits->max_length_ratio;
  } else if (task.max_bytes) {
    json["max_bytes"] = *task.max_bytes;
  }
  json["sampled_sides"] = {task.source_text, task.target_text};
  if (std::ranges::any_of(task.files, [](const CorpusFiles& files) { return !files.target_language.empty(); })) {
    for (const CorpusFiles& files : task.files) {
      json["target_languages"].push_back(files.target_language);
    }
  }
  if (has_markup(task.files)) {
    for (const CorpusFiles& files : task.files) {
      json["markup"].push_back(to_string(files.markup));
    }
  }
  return json.dump();
}

void encode_corpus(const EncodingTask& task, const std::filesystem::path& file) {
  const StopSignals stop_signals;
  CorpusWriter writer(file, format_of(task));
  SelectedPairs reader(task.files, task.selection, task.share);
  log_info(fmt::format("data: encoding the {} pairs into {}", task.name, file.string()));
  EncodingProgress progress(task.name, task.pairs);
  const auto read = [&] { return read_block(reader, task.files); };
  // Reads one block while the previous one is encoded, or afterwards if no thread can be started.
  constexpr auto kHow = std::launch::async | std::launch::deferred;
  auto next = std::async(kHow, read);
  std::unordered_set<std::uint64_t> words;
  for (Block block = next.get(); !block.pairs.empty(); block = next.get()) {
    next = std::async(kHow, read);
    encode_block(block, task);
    write_block(block, task, writer, words);
    if (const auto signal = stop_signal()) {
      throw StoppedBySignal(*signal);
    }
    progress.add(block.pairs.size());
  }
  writer.statistics().blank = reader.blank();
  if (task.source_words) {
    writer.set_source_words(SeenWords(words).serialized());
  }
  writer.finish(describe_task(task));
  progress.finish(file);
}

std::shared_ptr<const EncodedCorpus> get_or_encode_corpus(const EncodingTask& task, const std::filesystem::path& file,
                                                          const std::filesystem::path& scratch) {
  return get_or_make(
      file, scratch, fmt::format("data: using the encoded {} pairs", task.name),
      [&](const std::filesystem::path& place) { return open_current(task, place); },
      [&](const std::filesystem::path& place) {
        encode_corpus(task, place);
        return std::make_shared<const EncodedCorpus>(place, limits_of(task));
      });
}

}  // namespace translate::trainer
