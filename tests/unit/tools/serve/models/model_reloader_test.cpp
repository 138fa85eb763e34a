// Models that are replaced while requests are under way: ModelRegistry, ModelReloader, and the service over them.
#include "serve/models/model_reloader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <map>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "serve/translation_service.h"
#include "support/error_of.h"
#include "unit/tools/serve/models/stand_in_models.h"

namespace translate::tools {
namespace {

using ::testing::ElementsAre;
using testing::error_of;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using Json = nlohmann::json;

/// Two models in files of which a test decides what they are.
class ModelReloaderTest : public ::testing::Test {
 protected:
  ModelReloaderTest() {
    names_ = {"en-fr/1", "fr-de/1"};
    directions_ = {{"en", "fr", ""}, {"fr", "de", ""}};
    start();
  }
  ~ModelReloaderTest() override {
    for (auto& [name, translator] : translators_) {
      translator.open();
    }
  }

  void start() {
    const auto load = [this](std::size_t index, const std::optional<FileStamps>& known) {
      ++loads_;
      if (names_[index] == "broken") {
        throw DataError("the file is damaged");
      }
      const FileStamps stamps = {{names_[index], {}}};
      return known == stamps ? std::nullopt
                             : std::optional(LoadedServedModel{
                                   .model = stand_in(names_[index], {directions_[index]}, translators_[names_[index]]),
                                   .text = names_[index],
                                   .stamps = stamps});
    };
    reloader_.emplace(load, 2, Pivoting::kOn);
    service_.emplace(ServiceOptions(), reloader_->models());
  }

  /// Reloads the models and waits until that has ended.
  void reload() {
    reloader_->request_reload();
    reloader_->look_after();
    ASSERT_TRUE(comes_true([&] { return !reloader_->is_reloading(); }));
  }

  [[nodiscard]] HttpAnswer translate(const std::string& text, const std::string& target = "fr") {
    const Json body = {{"q", text}, {"source", "en"}, {"target", target}};
    return service_->answer(
        {.method = "POST", .path = "/translate", .content_type = "application/json", .body = body.dump()});
  }
  [[nodiscard]] std::string current(std::size_t index) {
    return reloader_->models().current()->models()[index]->facts().name;
  }
  [[nodiscard]] std::string metrics() {
    return service_->answer({.method = "GET", .path = "/metrics", .content_type = "", .body = ""}).body;
  }

  std::vector<std::string> names_;
  std::vector<Direction> directions_;
  std::map<std::string, GatedTranslator> translators_;
  int loads_ = 0;
  std::optional<ModelReloader> reloader_;
  std::optional<TranslationService> service_;
};

TEST_F(ModelReloaderTest, OnlyAModelWhoseFilesHaveChangedIsReplaced) {
  names_[0] = "en-fr/2";
  const auto kept = reloader_->models().current()->models()[1];
  reload();
  EXPECT_EQ(loads_, 4);
  EXPECT_EQ(current(0), "en-fr/2");
  EXPECT_EQ(reloader_->models().current()->models()[1], kept);
  EXPECT_EQ(translate("a").status, 200);
  EXPECT_THAT(translators_["en-fr/1"].calls(), IsEmpty());
  EXPECT_THAT(translators_["en-fr/2"].calls(), SizeIs(1));
  EXPECT_THAT(metrics(), HasSubstr("translate_reloads_total{outcome=\"loaded\"} 1\n"));
}

TEST_F(ModelReloaderTest, RequestsUnderWayAreFinishedByTheOldModel) {
  auto& old = translators_["en-fr/1"];
  old.close();
  auto direct = std::async(std::launch::async, [&] { return translate("a"); });
  ASSERT_TRUE(comes_true([&] { return old.calls().size() == 1; }));
  auto pivoted = std::async(std::launch::async, [&] { return translate("b", "de"); });
  ASSERT_TRUE(comes_true([&] { return reloader_->models().counts().queue.waiting == 1; }));
  names_ = {"en-fr/2", "fr-de/2"};
  reload();
  EXPECT_EQ(translate("c").status, 200);  // does not wait for the old ones
  reloader_->look_after();
  EXPECT_EQ(reloader_->models().counts().queue.lines, 2U);  // the old model is there and counts
  EXPECT_EQ(reloader_->models().counts().queue.under_way, 1U);
  old.open();
  EXPECT_EQ(Json::parse(direct.get().body)["translatedText"], "<a>");
  EXPECT_EQ(Json::parse(pivoted.get().body)["translatedText"], "<<b>>");
  EXPECT_EQ(old.calls(), (std::vector<GatedTranslator::Lines>{{"a"}, {"b"}}));
  EXPECT_THAT(translators_["fr-de/1"].calls(), SizeIs(1));
  EXPECT_THAT(translators_["fr-de/2"].calls(), IsEmpty());
}

TEST_F(ModelReloaderTest, AReplacedModelIsFreedWhenItsLastRequestHasEnded) {
  (void)translate("a");
  auto& registry = reloader_->models();
  auto request = registry.current();  // as a request under way
  const std::weak_ptr<ServedModel> old = request->models()[0];
  registry.replace(0, stand_in("en-fr/2", {directions_[0]}, translators_["en-fr/2"]));
  EXPECT_THAT(registry.destroy_unused(), IsEmpty());
  request = nullptr;
  EXPECT_FALSE(old.expired());  // only the thread that looks after the models takes the time for it
  EXPECT_THAT(registry.destroy_unused(), ElementsAre("en-fr/1"));
  EXPECT_TRUE(old.expired());
  EXPECT_EQ(registry.counts().queue.lines, 1U);  // still counted
  EXPECT_EQ(registry.counts().bytes.front(), (std::pair<std::string, std::int64_t>("en-fr/2", 7000)));
}

TEST_F(ModelReloaderTest, AModelThatCannotBeLoadedLeavesTheOldOne) {
  names_ = {"broken", "fr-de/2"};
  reload();
  EXPECT_EQ(current(0), "en-fr/1");
  EXPECT_EQ(current(1), "fr-de/2");  // the others are replaced
  EXPECT_EQ(translate("a", "de").status, 200);
  EXPECT_THAT(metrics(), HasSubstr("translate_reloads_total{outcome=\"failed\"} 1\n"));
  names_[0] = "en-fr/1";
  reload();
  EXPECT_THAT(metrics(), HasSubstr("translate_reloads_total{outcome=\"loaded\"} 1\n"));
}

TEST_F(ModelReloaderTest, ADirectionThatAnotherModelHasLeavesTheOldOne) {
  names_[1] = "en-fr/2";
  directions_[1] = directions_[0];
  reload();
  EXPECT_EQ(current(1), "fr-de/1");
  EXPECT_THAT(error_of<ConfigError>([&] { start(); }), HasSubstr("two models translate from en to fr"));
}

TEST_F(ModelReloaderTest, AReloadChangesTheLanguages) {
  names_[1] = "fr-es/1";
  directions_[1] = {"fr", "es", ""};
  EXPECT_EQ(translate("a", "es").status, 400);
  reload();
  EXPECT_EQ(translate("a", "es").status, 200);
  EXPECT_EQ(translate("a", "de").status, 400);
}

TEST_F(ModelReloaderTest, StoppingConcernsReplacedModelsToo) {
  auto& old = translators_["en-fr/1"];
  old.close();
  auto request = std::async(std::launch::async, [&] { return translate("a"); });
  ASSERT_TRUE(comes_true([&] { return old.calls().size() == 1; }));
  names_[0] = "en-fr/2";
  reload();
  auto& registry = reloader_->models();
  EXPECT_FALSE(registry.wait_until_idle(RequestQueue::Clock::now() + std::chrono::milliseconds(20)));
  registry.stop();
  EXPECT_EQ(request.get().status, 503);
  EXPECT_EQ(translate("a").status, 503);
  old.open();
  EXPECT_TRUE(registry.wait_until_idle(RequestQueue::Clock::now() + std::chrono::minutes(2)));
}

}  // namespace
}  // namespace translate::tools
