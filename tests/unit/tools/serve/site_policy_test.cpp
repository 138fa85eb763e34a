#include "serve/site_policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "serve/http/http_messages.h"

namespace translate::tools {
namespace {

using ::testing::HasSubstr;

HttpRequest request(const std::string& host, const std::string& origin = "", const std::string& fetch_site = "") {
  return {.method = "POST",
          .path = "/translate",
          .content_type = "",
          .body = "",
          .host = host,
          .origin = origin,
          .fetch_site = fetch_site};
}

SitePolicy policy_of(const std::string& listening, std::vector<std::string> hosts = {},
                     std::vector<std::string> origins = {}) {
  return SitePolicy({.listening = listening, .hosts = std::move(hosts), .origins = std::move(origins)});
}

/// 0 if the request is allowed.
int refusal(const SitePolicy& policy, const HttpRequest& request) {
  try {
    policy.check(request);
    return 0;
  } catch (const RequestError& error) {
    return error.status();
  }
}

TEST(SitePolicy, HostsAreThoseThatCannotBeAnotherSites) {
  const auto policy = policy_of("127.0.0.1");
  for (const auto* host : {"localhost", "LocalHost:80", "localhost.", "127.0.0.1:5000", "127.9.9.9", "[::1]:5000",
                           "[::1]", "[::ffff:127.0.0.1]", ""}) {
    EXPECT_EQ(refusal(policy, request(host)), 0) << host;
  }
  for (const auto* host : {"evil.example", "localhost.evil.example", "192.0.2.1", "0.0.0.0", "[2001:db8::1]",
                           "127.0.0.1.evil", "1270.0.1", "xlocalhost"}) {
    EXPECT_EQ(refusal(policy, request(host)), 403) << host;
  }
  for (const auto* host : {"a b", "a/b", "user@localhost", "localhost:x", "[::1", "[::1]x", "[localhost]", "::1", ":",
                           ":80", "localhost:80:80", "a\"b"}) {
    EXPECT_EQ(refusal(policy, request(host)), 400) << host;
  }
}

TEST(SitePolicy, TheListeningAddressIsOneOfThem) {
  const auto one = policy_of("192.0.2.1");
  EXPECT_EQ(refusal(one, request("192.0.2.1:80")), 0);
  EXPECT_EQ(refusal(one, request("192.0.2.2")), 403);
  EXPECT_EQ(refusal(policy_of("Translate.lan"), request("translate.LAN:5000")), 0);
  EXPECT_EQ(refusal(policy_of("::1"), request("[0:0::1]")), 0);
  for (const auto* all : {"0.0.0.0", "::", "0:0::0"}) {
    const auto policy = policy_of(all);
    EXPECT_EQ(refusal(policy, request("192.0.2.2")), 0) << all;
    EXPECT_EQ(refusal(policy, request("[2001:db8::1]:5000")), 0) << all;
    EXPECT_EQ(refusal(policy, request("evil.example")), 403) << all;
  }
}

TEST(SitePolicy, AnAllowedHostIsOneWithItsOriginWhateverThePort) {
  const auto policy = policy_of("127.0.0.1", {"Translate.example.org", "2001:db8::1"});
  EXPECT_EQ(refusal(policy, request("translate.example.org:8443", "https://translate.example.org")), 0);
  EXPECT_EQ(refusal(policy, request("127.0.0.1:5000", "https://translate.example.org:8443")), 0);  // behind a proxy
  EXPECT_EQ(refusal(policy, request("[2001:db8::1]")), 0);
  EXPECT_EQ(refusal(policy, request("other.example.org")), 403);
  EXPECT_EQ(refusal(policy, request("translate.example.org", "https://other.example.org")), 403);
}

TEST(SitePolicy, RequestsOfOtherSitesAreRefused) {
  const auto policy = policy_of("127.0.0.1");
  for (const auto& [host, origin] : {std::pair{"localhost:5000", "http://localhost:5000"},
                                     {"127.0.0.1", "http://127.0.0.1"},
                                     {"localhost", "https://localhost:443"},
                                     {"[::1]:5000", "http://[::1]:5000"}}) {
    EXPECT_EQ(refusal(policy, request(host, origin)), 0) << origin;
  }
  for (const auto* origin :
       {"http://localhost:3000", "http://127.0.0.1:5000", "https://evil.example", "null", "file://",
        "http://localhost:5000.evil.example", "localhost:5000", "http://localhost:5000/x"}) {
    EXPECT_EQ(refusal(policy, request("localhost:5000", origin)), 403) << origin;
  }
  EXPECT_EQ(refusal(policy, request("localhost", "", "cross-site")), 403);
  EXPECT_EQ(refusal(policy, request("localhost", "", "same-site")), 403);
  EXPECT_EQ(refusal(policy, request("localhost", "", "same-origin")), 0);
  EXPECT_EQ(refusal(policy, request("localhost", "", "none")), 0);
  for (const auto* method : {"GET", "HEAD", "OPTIONS"}) {  // which do nothing: a link of another site
    auto link = request("localhost", "https://evil.example", "cross-site");
    link.method = method;
    EXPECT_EQ(refusal(policy, link), 0) << method;
  }
}

TEST(SitePolicy, RefusalsNameTheOption) {
  const auto policy = policy_of("127.0.0.1");
  const auto message = [&](const HttpRequest& request) {
    try {
      policy.check(request);
    } catch (const RequestError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(message(request("evil.example:80")), HasSubstr("--allow-host evil.example"));
  EXPECT_THAT(message(request("localhost", "https://evil.example")), HasSubstr("--cors https://evil.example"));
  EXPECT_THAT(message(request("localhost", "null")), HasSubstr("--cors '*'"));
  EXPECT_LT(message(request("localhost", "https://" + std::string(9000, 'a'))).size(), 800U);
}

TEST(SitePolicy, AllowedOriginsAreToldToBrowsers) {
  const auto some = policy_of("127.0.0.1", {}, {"https://a.example", "http://localhost:3000"});
  EXPECT_EQ(refusal(some, request("localhost", "http://localhost:3000")), 0);
  EXPECT_EQ(refusal(some, request("localhost", "http://a.example")), 403);
  EXPECT_EQ(refusal(some, request("evil.example", "https://a.example")), 403);
  EXPECT_EQ(some.allowed_origin(request("localhost", "https://a.example")), "https://a.example");
  EXPECT_EQ(some.allowed_origin(request("localhost", "https://b.example")), "");
  EXPECT_EQ(some.allowed_origin(request("localhost")), "");
  EXPECT_TRUE(some.depends_on_origin());
  const auto all = policy_of("127.0.0.1", {}, {"*"});
  for (const auto* origin : {"null", "https://b.example", ""}) {
    EXPECT_EQ(refusal(all, request("localhost", origin, "cross-site")), 0);
    EXPECT_EQ(all.allowed_origin(request("localhost", origin)), "*");
  }
  EXPECT_FALSE(all.depends_on_origin());
}

TEST(SitePolicy, FormsOfTheOptions) {
  for (const auto* text : {"*", "https://example.org", "http://localhost:3000", "http://[::1]:80"}) {
    EXPECT_TRUE(is_origin(text)) << text;
  }
  for (const auto* text : {"", "example.org", "https://", "https://example.org/", "ftp://example.org", "null",
                           "https://a b", "https://a:b", "**"}) {
    EXPECT_FALSE(is_origin(text)) << text;
  }
  for (const auto* text : {"example.org", "localhost", "192.0.2.1", "::1", "a-b_c.d"}) {
    EXPECT_TRUE(is_host(text)) << text;
  }
  for (const auto* text : {"", "*", "https://example.org", "example.org:80", "[::1]", "a b", "a/b", "a:1", "1:2"}) {
    EXPECT_FALSE(is_host(text)) << text;
  }
}

}  // namespace
}  // namespace translate::tools
