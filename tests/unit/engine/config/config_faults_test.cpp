#include <gtest/gtest.h>

#include <string>

#include "config/value_reading.h"
#include "core/error.h"

namespace translate {
namespace {

std::string text_of(const ConfigFaults& faults) {
  try {
    faults.throw_all();
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

TEST(ConfigFaultsTest, NoneThrowsNothing) {
  ConfigFaults faults;
  faults.gather("model.d_model", [] {});
  EXPECT_EQ(text_of(faults), "");
  EXPECT_FALSE(faults.hide({.key = "model.d_model", .message = "odd", .others = {}}));
}

TEST(ConfigFaultsTest, OneStandsAloneSeveralHaveAHeading) {
  ConfigFaults faults;
  faults.gather("model.d_model", [] { throw ConfigError("one"); });
  EXPECT_EQ(text_of(faults), "one");
  faults.gather("data.train", [] { throw ConfigError("two\nthree"); });
  EXPECT_EQ(text_of(faults), "3 errors in the configuration:\none\ntwo\nthree");
}

TEST(ConfigFaultsTest, OtherErrorsAreNotGathered) {
  ConfigFaults faults;
  EXPECT_THROW(faults.gather("model", [] { throw RuntimeError("disk"); }), RuntimeError);
}

TEST(ConfigFaultsTest, WhatFollowsFromUnknownValuesIsHidden) {
  ConfigFaults faults;
  faults.add_unknown("model.d_model");
  EXPECT_TRUE(faults.hide({.key = "model.num_heads", .message = "", .others = {"model.d_model"}}));
  EXPECT_TRUE(faults.hide({.key = "model.d_model", .message = "", .others = {}}));
  EXPECT_FALSE(faults.hide({.key = "model.num_heads", .message = "", .others = {}}));
  EXPECT_FALSE(faults.hide({.key = "model", .message = "", .others = {"model.num_layers"}}));  // an object, not a key
  faults.add_unknown("training");
  EXPECT_TRUE(faults.hide({.key = "training.patience", .message = "", .others = {}}));
}

}  // namespace
}  // namespace translate
