#pragma once

#include <string>
#include <utility>
#include <vector>

namespace translate {

/// A request of a client, without the sockets.
struct HttpRequest {
  std::string method;        ///< "GET", "POST", ...
  std::string path;          ///< "/translate"; decoded, without the query
  std::string content_type;  ///< as sent: "application/json; charset=utf-8"
  std::string body;
  std::vector<std::pair<std::string, std::string>> query = {};  ///< behind the question mark; decoded
  std::string host = {};                                        ///< the Host: "localhost:5000"; empty if there is none
  std::string origin = {};      ///< the Origin, by which browsers name the site whose page sends the request
  std::string fetch_site = {};  ///< the Sec-Fetch-Site of browsers: "cross-site", "same-origin", ...
  bool overload = false;        ///< the server is fully occupied: there is no time for anything that takes long
};

/// The answer to it.
struct HttpAnswer {
  int status = 200;
  std::string content_type;
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers =
      {};  ///< besides Content-Type, Content-Length and Connection
};

}  // namespace translate
