#include "serve/models/model_naming.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "support/error_of.h"

namespace translate::tools {
namespace {

using testing::error_of;
using ::testing::HasSubstr;

std::vector<std::string> parts(const std::string& text) {
  const auto [name, languages] = read_named_model(text);
  return {languages.source, languages.target, name};
}

TEST(ReadNamedModel, CodesStandBeforeTheName) {
  using Parts = std::vector<std::string>;
  EXPECT_EQ(parts("runs/fr-de/best"), (Parts{"", "", "runs/fr-de/best"}));
  EXPECT_EQ(parts("fr:de=runs/fr-de/best"), (Parts{"fr", "de", "runs/fr-de/best"}));
  EXPECT_EQ(parts("pt-BR:zh_Hant=x=y:z"), (Parts{"pt-BR", "zh_Hant", "x=y:z"}));
  EXPECT_EQ(parts("fr:=a"), (Parts{"fr", "", "a"}));
  EXPECT_EQ(parts(":de=a"), (Parts{"", "de", "a"}));
  for (const std::string name : {"average:5", "a=b", "a=b:c", "./fr:de=x", "runs/a:b=c", "fr:de"}) {
    EXPECT_EQ(parts(name), (Parts{"", "", name}));
  }
  for (const std::string missing : {"", "fr:de="}) {
    EXPECT_THAT(error_of<ConfigError>([&] { (void)read_named_model(missing); }), HasSubstr("the name of the model is"));
  }
}

TEST(NamedDirections, OneThatTheModelDoesNotHaveIsRefused) {
  const std::vector<Direction> tagged = {{"en", "fr", ">>fr<<"}, {"en", "es", ">>es<<"}, {"fr", "en", ">>en<<"}};
  const NamedSides both = {.source = true, .target = true};
  EXPECT_EQ(named_directions(tagged, both, {"en", "es"}, "m"), (std::vector<Direction>{{"en", "es", ">>es<<"}}));
  const auto refused = [&](const LanguageCodes& given) {
    return error_of<ConfigError>([&] { (void)named_directions(tagged, both, given, "m"); });
  };
  EXPECT_EQ(refused({"fr", "de"}),
            "m does not translate from fr to de: it translates from en to fr, es; from fr to en");
  EXPECT_THAT(refused({"en", "en"}), HasSubstr("m does not translate from en to en"));
  EXPECT_THAT(refused({"", "de"}), HasSubstr("m does not translate to de:"));
  EXPECT_THAT(refused({"de", ""}), HasSubstr("m does not translate from de:"));
}

}  // namespace
}  // namespace translate::tools
