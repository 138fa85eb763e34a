#pragma once

#include <string>
#include <utility>
#include <vector>

namespace translate {

/// What a client asked, without the sockets.
struct HttpRequest {
  std::string method;        ///< "GET", "POST", ...
  std::string path;          ///< "/translate"; decoded, without the query
  std::string content_type;  ///< as sent: "application/json; charset=utf-8"
  std::string body;
  std::vector<std::pair<std::string, std::string>> fields = {};  ///< of a multipart/form-data body, which has no `body`
  std::vector<std::pair<std::string, std::string>> query = {};   ///< behind the question mark; decoded
  bool overload = false;  ///< more connections are open than there are threads for: no time for what takes long
};

/// What it is answered.
struct HttpAnswer {
  int status = 200;
  std::string content_type;
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers = {};  ///< besides Content-Type and Content-Length
};

}  // namespace translate
