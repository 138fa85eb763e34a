#include "data/encoded/corpus_encoding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <future>

#include "core/error.h"
#include "core/file.h"
#include "core/file_lock.h"
#include "core/utf8.h"
#include "segments/seen_words.h"
#include "support/temporary_folder.h"
#include "support/thread_count.h"
#include "text/tokenizer.h"
#include "text/tokenizer_training.h"
#include "unit/engine/corpora/gzip_file.h"
#include "unit/engine/text/sample_text.h"

namespace translate::trainer {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::size_t kPairs = 2000;

class CorpusEncoding : public TemporaryFolderTest {
 protected:
  CorpusEncoding() : source_(sample_sentences(kPairs, 1)), target_(sample_sentences(kPairs, 2)) { write(); }

  void write() const {
    const auto bytes_of = [](const std::vector<std::string>& lines) {
      std::string bytes;
      for (const std::string& line : lines) {
        bytes += line + "\n";
      }
      return bytes;
    };
    write_text(folder_ / "a.en", bytes_of(source_));
    write_text(folder_ / "a.fr", bytes_of(target_));
  }

  [[nodiscard]] EncodingTask task() const {
    return {.name = "training",
            .files = {{folder_ / "a.en", folder_ / "a.fr"}},
            .selection = Selection::kTraining,
            .share = {},
            .tokenizers = tokenizers_,
            .limits = LengthLimits{},
            .source_text = false,
            .target_text = true,
            .pairs = kPairs,
            .text = "some text"};
  }

  /// What is logged while the corpus is got.
  std::string get(const EncodingTask& task, const std::filesystem::path& scratch = {}) {
    ::testing::internal::CaptureStderr();
    corpus_ = get_or_encode_corpus(task, file_, scratch);
    return ::testing::internal::GetCapturedStderr();
  }

  std::vector<std::string> source_;
  std::vector<std::string> target_;
  TokenizerPair tokenizers_{train_tokenizer(small_tokenizer(TokenizerType::kBpe), {sample_sentences(300, 1)}),
                            train_tokenizer(small_tokenizer(TokenizerType::kBpe, 100), {sample_sentences(300, 2)})};
  std::filesystem::path file_ = folder_ / "corpus" / "training.pairs";
  std::shared_ptr<const EncodedCorpus> corpus_;
};

TEST_F(CorpusEncoding, GivesTheBestSegmentationOfEachPair) {
  get(task());
  ASSERT_EQ(corpus_->size(), kPairs);
  for (std::size_t i = 0; i < kPairs; ++i) {
    ASSERT_EQ(corpus_->subwords(Side::kSource, i), compact_ids(tokenizers_.source.encode(source_[i])));
    ASSERT_EQ(corpus_->subwords(Side::kTarget, i), compact_ids(tokenizers_.target.encode(target_[i])));
    ASSERT_EQ(corpus_->text(Side::kTarget, i), target_[i]);
    ASSERT_EQ(corpus_->origin(i), (PairOrigin{0, static_cast<std::uint32_t>(i + 1)}));
  }
  EXPECT_FALSE(corpus_->has_text(Side::kSource));
}

TEST_F(CorpusEncoding, GivesTheSameFileForAnyNumberOfThreads) {
  std::vector<std::string> files;
  for (const int count : {1, 2, 3}) {
    const testing::ThreadCount threads(count);
    encode_corpus(task(), folder_ / "x");
    files.push_back(read_file(folder_ / "x"));
  }
  EXPECT_TRUE(files[0] == files[1]);
  EXPECT_TRUE(files[0] == files[2]);
}

TEST_F(CorpusEncoding, LeavesOutPairsBeyondTheLimits) {
  source_ = {"le", "le le le le le", "le", "\u200B", " ", "le le"};
  target_ = {"le", "le le", "le le le", "le", "le", "le le le"};
  write();
  EncodingTask limited = task();
  tokenizers_.source = tokenizers_.target =
      train_tokenizer(small_tokenizer(TokenizerType::kWord, 5), {std::vector<std::string>{"le"}});
  limited.tokenizers = tokenizers_;
  limited.limits = LengthLimits{.max_length = 4, .max_length_ratio = 2.5};
  get(limited);
  EXPECT_EQ(corpus_->size(), 2U);
  EXPECT_EQ(corpus_->origin(1).line, 6U);
  EXPECT_EQ(corpus_->statistics().too_long, (LeftOut{.count = 1, .first = {0, 2}}));
  EXPECT_EQ(corpus_->statistics().uneven, (LeftOut{.count = 1, .first = {0, 3}}));
  EXPECT_EQ(corpus_->statistics().empty, (LeftOut{.count = 1, .first = {0, 4}}));
  EXPECT_EQ(corpus_->statistics().blank, (LeftOut{.count = 1, .first = {0, 5}}));

  limited.limits = std::nullopt;
  limited.selection = Selection::kAll;
  get(limited);
  EXPECT_EQ(corpus_->size(), 6U);
  EXPECT_TRUE(corpus_->subwords(Side::kSource, 3).empty());
}

TEST_F(CorpusEncoding, SourcesHaveTheTagsOfTheirCorporaWhichDoNotCountAsLength) {
  const std::vector<std::string> words{"le"};
  tokenizers_.source = train_tokenizer(small_tokenizer(TokenizerType::kWord, 7), {words}, {">>fr<<", ">>de<<"});
  tokenizers_.target = train_tokenizer(small_tokenizer(TokenizerType::kWord, 5), {words});
  source_ = {"le le le le", "le le le le le", "le", "\u200B"};
  target_ = {"le le", "le le le le", "le le", "le"};
  write();
  EncodingTask tagged = task();
  tagged.tokenizers = tokenizers_;
  tagged.limits = LengthLimits{.max_length = 4, .max_length_ratio = 2.0};
  tagged.source_text = true;
  tagged.files.push_back(tagged.files.front());
  tagged.files[0].target_language = "de";
  tagged.files[1].target_language = "fr";
  get(tagged);
  ASSERT_EQ(corpus_->size(), 4U);  // lines 1 and 3 of each
  EXPECT_EQ(corpus_->statistics().too_long, (LeftOut{.count = 2, .first = {0, 2}}));
  EXPECT_EQ(corpus_->statistics().empty, (LeftOut{.count = 2, .first = {0, 4}}));
  EXPECT_EQ(corpus_->subwords(Side::kSource, 1), (std::vector<std::int32_t>{5, 6}));
  EXPECT_EQ(corpus_->subwords(Side::kSource, 3), (std::vector<std::int32_t>{4, 6}));
  EXPECT_EQ(corpus_->text(Side::kSource, 1), ">>de<< le");
  EXPECT_EQ(corpus_->text(Side::kSource, 3), ">>fr<< le");

  std::swap(tagged.files[0].target_language, tagged.files[1].target_language);
  EXPECT_THAT(get(tagged), HasSubstr("made from other target_languages"));
  EXPECT_EQ(corpus_->subwords(Side::kSource, 1), (std::vector<std::int32_t>{4, 6}));
}

TEST_F(CorpusEncoding, ALineOfVeryManyBytesIsTooLongWithoutBeingSegmented) {
  source_ = {"le", "le" + std::string(most_bytes(LengthLimits{}.max_length), ' ') + "le", "le"};
  target_ = {"le", "le", "le"};
  write();
  EncodingTask limited = task();
  limited.pairs = 3;
  get(limited);
  EXPECT_EQ(corpus_->size(), 2U);
  EXPECT_EQ(corpus_->statistics().too_long, (LeftOut{.count = 1, .first = {0, 2}}));

  limited.limits = std::nullopt;  // every line is there
  get(limited);
  EXPECT_EQ(corpus_->size(), 3U);

  limited.max_bytes = most_bytes(LengthLimits{}.max_length);  // as for validation
  EXPECT_THAT(get(limited), HasSubstr("made from other max_bytes"));
  EXPECT_EQ(corpus_->size(), 2U);
  EXPECT_EQ(corpus_->statistics().too_long, (LeftOut{.count = 1, .first = {0, 2}}));
}

TEST_F(CorpusEncoding, KeepsTheWordsOfTheSourcesThatAreNotLeftOut) {
  std::string long_line = "un chien";
  for (std::int64_t i = 0; i < LengthLimits{}.max_length; ++i) {
    long_line += " le";
  }
  source_ = {"Le chat", "", long_line, "la"};
  target_ = {"one", "two", "three", "four"};
  write();
  auto wanted = task();
  get(wanted);
  EXPECT_EQ(corpus_->source_words(), "");
  std::filesystem::remove(file_);
  wanted.source_words = true;
  get(wanted);
  EXPECT_EQ(corpus_->statistics().too_long.count, 1U);
  const auto words = SeenWords::from_serialized(corpus_->source_words());
  EXPECT_THAT(words.unseen("la chat le un chien one"), ::testing::ElementsAre("un", "chien", "one"));
}

TEST_F(CorpusEncoding, IsDoneOnceForTheSameTask) {
  EXPECT_THAT(get(task()), HasSubstr("encoded 2000 training pairs"));
  const auto time = std::filesystem::last_write_time(file_);
  EXPECT_THAT(get(task()), AllOf(HasSubstr("again"), Not(HasSubstr("encoded 2000"))));
  EXPECT_EQ(std::filesystem::last_write_time(file_), time);
  EXPECT_EQ(corpus_->size(), kPairs);
}

TEST_F(CorpusEncoding, IsDoneAnewWhenAnythingChangesAndSaysWhat) {
  const std::vector<std::pair<std::string, void (*)(EncodingTask&)>> changes{
      {"text", [](EncodingTask& task) { task.text = "other text"; }},
      {"source_tokenizer", [](EncodingTask& task) { task.tokenizers.source = task.tokenizers.target; }},
      {"max_length", [](EncodingTask& task) { task.limits->max_length = 20; }},
      {"max_length_ratio", [](EncodingTask& task) { task.limits->max_length_ratio = 3; }},
      {"sampled_sides", [](EncodingTask& task) { task.source_text = true; }},
      {"fraction", [](EncodingTask& task) { task.share = {.pairs = kPairs, .fraction = 0.25, .seed = 1}; }},
  };
  for (const auto& [name, change] : changes) {
    get(task());
    EncodingTask changed = task();
    change(changed);
    EXPECT_THAT(get(changed), AllOf(HasSubstr("made from other " + name + "\n"), HasSubstr("data: encoded"))) << name;
    EXPECT_THAT(get(changed), HasSubstr("again"));
  }
  get(task());
  EncodingTask unlimited = task();
  unlimited.limits = std::nullopt;
  EXPECT_THAT(get(unlimited), HasSubstr("made from other max_length, max_length_ratio\n"));
}

TEST_F(CorpusEncoding, IsDoneAnewWhereTheFileIsCutOrDamagedAndSaysSo) {
  get(task());
  const std::string whole = read_file(file_);
  for (const std::size_t place : {std::size_t{100}, whole.size() / 2, whole.size() - 5}) {
    std::string damaged = whole;
    damaged[place] = static_cast<char>(damaged[place] ^ 1);
    for (const std::string& bytes : {damaged, whole.substr(0, place)}) {
      write_file_synced(file_, bytes);
      EXPECT_THAT(get(task()), AllOf(HasSubstr("warning: data: " + file_.string() + " is damaged"),
                                     HasSubstr("encoded again"), HasSubstr("encoded 2000 training pairs")));
      EXPECT_TRUE(read_file(file_) == whole);
    }
  }
}

TEST_F(CorpusEncoding, GoesToTheScratchFileWhereOneIsGiven) {
  const auto scratch = folder_ / "scratch" / "x.pairs";
  get(task(), scratch);
  EXPECT_TRUE(std::filesystem::exists(scratch));
  EXPECT_FALSE(std::filesystem::exists(file_.parent_path()));
  get(task());
  std::filesystem::remove_all(scratch.parent_path());
  EXPECT_THAT(get(task(), scratch), HasSubstr("again"));
  EXPECT_FALSE(std::filesystem::exists(scratch.parent_path()));
}

TEST_F(CorpusEncoding, LeavesNothingWhereTheTextIsWrong) {
  target_.pop_back();
  write();
  EXPECT_THROW(encode_corpus(task(), folder_ / "x"), DataError);
  target_.back() = "\xFF";
  write();
  EXPECT_THROW(encode_corpus(task(), folder_ / "x"), DataError);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "x"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "x.partial"));
}

TEST_F(CorpusEncoding, WaitsForAnotherProcessThatDoesTheSame) {
  std::filesystem::create_directories(file_.parent_path());
  auto lock = FileLock::try_lock(file_.string() + ".lock");
  ASSERT_TRUE(lock);
  auto waiting = std::async(std::launch::async, [&] { return get_or_encode_corpus(task(), file_); });
  EXPECT_EQ(waiting.wait_for(std::chrono::milliseconds(300)), std::future_status::timeout);
  encode_corpus(task(), file_);
  const auto time = std::filesystem::last_write_time(file_);
  lock.reset();
  EXPECT_EQ(waiting.get()->size(), kPairs);
  EXPECT_EQ(std::filesystem::last_write_time(file_), time);
}

TEST_F(CorpusEncoding, AsksForIdsOfFourBytesOnlyWhereTheVocabularyIsLarge) {
  get(task());
  EXPECT_LT(std::filesystem::file_size(file_),
            kPairs * 24 +
                2 * static_cast<std::uint64_t>(corpus_->statistics().source_subwords +
                                               corpus_->statistics().target_subwords) +
                read_file(folder_ / "a.fr").size() + 4096);
}

}  // namespace
}  // namespace translate::trainer
