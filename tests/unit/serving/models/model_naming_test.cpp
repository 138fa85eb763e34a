#include "serving/models/model_naming.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "support/error_of.h"

namespace translate {
namespace {

using ::testing::AllOf;
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

TEST(NamedDirections, TheOnlySideGetsAnotherCode) {
  const std::vector<Direction> one = {{"source", "target", ""}};
  EXPECT_EQ(named_directions(one, {}, "m"), one);
  EXPECT_EQ(named_directions(one, {"en", "fr"}, "m"), (std::vector<Direction>{{"en", "fr", ""}}));
  const std::vector<Direction> tagged = {{"source", "fr", ">>fr<<"}, {"source", "es", ">>es<<"}};
  EXPECT_EQ(named_directions(tagged, {"en", ""}, "m"),
            (std::vector<Direction>{{"en", "fr", ">>fr<<"}, {"en", "es", ">>es<<"}}));
}

TEST(NamedDirections, OfSeveralTheGivenOneIsChosen) {
  const std::vector<Direction> tagged = {{"en", "fr", ">>fr<<"}, {"en", "es", ">>es<<"}, {"fr", "en", ">>en<<"}};
  EXPECT_EQ(named_directions(tagged, {"en", "es"}, "m"), (std::vector<Direction>{{"en", "es", ">>es<<"}}));
  EXPECT_EQ(named_directions(tagged, {"fr", ""}, "m"), (std::vector<Direction>{{"fr", "en", ">>en<<"}}));
  EXPECT_THAT(error_of<ConfigError>([&] {
                (void)named_directions(tagged, {"", "de"}, "m");
              }),
              AllOf(HasSubstr("m does not translate to de"), HasSubstr("from en to fr, es; from fr to en")));
}

}  // namespace
}  // namespace translate
