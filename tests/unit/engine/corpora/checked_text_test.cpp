#include "corpora/checked_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <set>
#include <span>

#include "core/error.h"
#include "core/file.h"
#include "support/temporary_folder.h"
#include "unit/engine/corpora/gzip_file.h"

namespace translate {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class TextRecordFile : public TemporaryFolderTest {
 protected:
  TextRecordFile() {
    write_text(files_.source, "one\n\nthree\n");
    write_text(files_.target, "un\ndeux\ntrois\n");
    age();
  }

  /// Makes the texts older than what is too young to be relied on.
  void age(int seconds = 100) const {
    for (const auto& file : {files_.source, files_.target}) {
      std::filesystem::last_write_time(file,
                                       std::filesystem::file_time_type::clock::now() - std::chrono::seconds(seconds));
    }
  }

  /// Checks as a new start of the program does.
  CheckedText check() const {
    TextRecord record(record_);
    CheckedText text = record.check(std::span(&files_, 1));
    record.save();
    return text;
  }

  std::filesystem::path record_ = folder_ / "run" / "text.json";
  CorpusFiles files_{folder_ / "a.en", folder_ / "a.fr"};
};

TEST_F(TextRecordFile, CountsLinesAndBlankPairs) {
  const CheckedText text = check();
  EXPECT_EQ(text.lines(), 3U);
  EXPECT_EQ(text.blank(), 1U);
  ASSERT_EQ(text.corpora.size(), 1U);
  EXPECT_EQ(text.corpora[0].source.size, 11U);
  EXPECT_EQ(text.corpora[0].source.path, files_.source);
}

TEST_F(TextRecordFile, ReadsNothingWhereSizeAndTimeAreThoseOfBefore) {
  const CheckedText text = check();
  const auto time = std::filesystem::last_write_time(files_.source);
  write_text(files_.source, "\xFFne\n\nthree\n");  // would be an error
  std::filesystem::last_write_time(files_.source, time);
  EXPECT_EQ(check().fingerprint(), text.fingerprint());
}

TEST_F(TextRecordFile, KnowsTheSameContentAtAnotherTime) {
  const CheckedText text = check();
  age(50);
  const CheckedText again = check();
  EXPECT_EQ(again.fingerprint(), text.fingerprint());
  EXPECT_EQ(again.lines(), 3U);
  EXPECT_EQ(again.blank(), 1U);
  EXPECT_NE(again.corpora[0].source.modified, text.corpora[0].source.modified);
}

TEST_F(TextRecordFile, KnowsTheSameContentAtAnotherPath) {
  const CheckedText text = check();
  for (auto* file : {&files_.source, &files_.target}) {
    const auto moved = folder_ / ("moved-" + file->filename().string());
    std::filesystem::rename(*file, moved);
    *file = moved;
  }
  const CheckedText again = check();
  EXPECT_EQ(again.fingerprint(), text.fingerprint());
  EXPECT_EQ(again.lines(), 3U);
  EXPECT_EQ(again.blank(), 1U);
  EXPECT_EQ(again.corpora[0].source.path, files_.source);
}

TEST_F(TextRecordFile, DoesNotRelyOnATimeThatIsYoung) {
  age(0);
  EXPECT_EQ(check().corpora[0].source.modified, 0);
  const auto time = std::filesystem::last_write_time(files_.source);
  write_text(files_.source, "two\n\nthree\n");
  std::filesystem::last_write_time(files_.source, time);
  const std::string changed = check().fingerprint();
  write_text(files_.source, "one\n\nthree\n");
  EXPECT_NE(check().fingerprint(), changed);
}

TEST_F(TextRecordFile, FindsEveryChange) {
  std::set<std::string> fingerprints{check().fingerprint()};
  write_text(files_.source, "one\n\nthrEe\n");
  fingerprints.insert(check().fingerprint());
  write_text(files_.target, "un\ndeux\ntrois \n");
  fingerprints.insert(check().fingerprint());
  std::swap(files_.source, files_.target);
  fingerprints.insert(check().fingerprint());
  EXPECT_EQ(fingerprints.size(), 4U);
}

TEST_F(TextRecordFile, ForgetsNothingOfOtherTexts) {
  check();
  const CorpusFiles first = files_;
  files_ = {folder_ / "b.en", folder_ / "b.fr"};
  write_text(files_.source, "x\n");
  write_text(files_.target, "y\n");
  check();
  const auto time = std::filesystem::last_write_time(first.source);
  write_text(first.source, "\xFFne\n\nthree\n");
  std::filesystem::last_write_time(first.source, time);
  files_ = first;
  EXPECT_EQ(check().lines(), 3U);
}

TEST_F(TextRecordFile, IsMadeAnewWhereItIsDamaged) {
  const std::string fingerprint = check().fingerprint();
  for (const char* content : {"", "{", "{\"checked\": 5}", "{\"checked\": [{}]}", "[]"}) {
    write_text(record_, content);
    EXPECT_EQ(check().fingerprint(), fingerprint) << content;
  }
}

TEST_F(TextRecordFile, IsNotReliedOnWhereItTellsOfMoreLinesThanTheFilesHaveBytes) {
  check();
  const std::string right = read_file(record_);
  for (const std::string wrong : {"\"lines\": 1000000000000", "\"lines\": -1", "\"lines\": 1e999", "\"lines\": 0"}) {
    write_text(record_, std::string(right).replace(right.find("\"lines\": 3"), 10, wrong));
    EXPECT_EQ(check().lines(), 3U) << wrong;
  }
}

TEST_F(TextRecordFile, SaysWhatIsWrong) {
  const auto error = [&] {
    try {
      (void)check();
    } catch (const DataError& wrong) {
      return std::string(wrong.what());
    }
    return std::string("no error");
  };
  write_text(files_.target, "un\n");
  EXPECT_THAT(error(), AllOf(HasSubstr("a.en has 3 lines"), HasSubstr("a.fr has 1")));
  std::filesystem::remove(files_.target);
  EXPECT_THAT(error(), AllOf(HasSubstr("a.fr"), HasSubstr("No such file")));
  files_.target = folder_;
  EXPECT_THAT(error(), HasSubstr("Is a directory"));
  files_.target = "/dev/null";
  EXPECT_THAT(error(), AllOf(HasSubstr("/dev/null"), HasSubstr("read more than once")));
}

}  // namespace
}  // namespace translate
