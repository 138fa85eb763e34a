#include "serve/http/listening.h"

#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

#include "core/error.h"
#include "core/logging.h"

namespace translate::tools {

namespace {

constexpr int kBacklog = 1024;            // connections that the system holds until they are accepted
constexpr std::size_t kOtherFiles = 200;  // maximum number of open files of a process in addition to its connections
constexpr std::size_t kLeastFiles = 16;   // of connections and of models that are loaded again

bool set_option(int socket, int level, int name, int value) {
  return ::setsockopt(socket, level, name, &value, sizeof value) == 0;
}

/// Returns a socket that listens there; none, with the reason in errno, if that is impossible. Without SO_REUSEPORT:
/// two servers would share a port, and each get half of the requests.
FileDescriptor listen_at(const addrinfo& place) {
  FileDescriptor socket(::socket(place.ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  const int number = socket.number();
  const bool listens = number >= 0 && set_option(number, SOL_SOCKET, SO_REUSEADDR, 1) &&
                       (place.ai_family != AF_INET6 || set_option(number, IPPROTO_IPV6, IPV6_V6ONLY, 0)) &&
                       ::bind(number, place.ai_addr, place.ai_addrlen) == 0 && ::listen(number, kBacklog) == 0;
  return listens ? std::move(socket) : FileDescriptor();
}

}  // namespace

FileDescriptor listen_at(const std::string& host, int port) {
  addrinfo wanted = {};
  wanted.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &wanted, &found) != 0) {
    throw RuntimeError(fmt::format("cannot listen on {} port {}: there is no such address", host, port));
  }
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> places(found, &::freeaddrinfo);
  for (const auto* place = found; place != nullptr; place = place->ai_next) {
    if (auto socket = listen_at(*place); socket.number() >= 0) {
      return socket;
    }
  }
  const auto* const reason = errno == EADDRINUSE
                                 ? "another program listens there; take another port (--port), or 0 for any free one"
                                 : std::strerror(errno);
  throw RuntimeError(fmt::format("cannot listen on {} port {}: {}", host, port, reason));
}

int port_of(const FileDescriptor& socket) {
  sockaddr_in6 address = {};  // the port of an IPv4 address is at the same place
  socklen_t size = sizeof address;
  return ::getsockname(socket.number(), reinterpret_cast<sockaddr*>(&address), &size) == 0 ? ntohs(address.sin6_port)
                                                                                           : -1;
}

std::size_t allow_files(std::size_t connections, int newest) {
  rlimit limit = {};
  const auto wanted = static_cast<rlim_t>(connections + kOtherFiles);
  (void)::getrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_cur < wanted) {
    limit.rlim_cur = std::min(wanted, limit.rlim_max);
    (void)::setrlimit(RLIMIT_NOFILE, &limit);  // any process may raise its limit up to rlim_max
  }
  if (limit.rlim_cur >= wanted) {
    return connections;
  }
  const auto open = static_cast<std::size_t>(newest) + 1;
  if (limit.rlim_cur < open + kLeastFiles) {
    throw RuntimeError(fmt::format(
        "the system allows {} open files (ulimit -n), too few for a server: expected at least {}, and {} for {} "
        "connections",
        limit.rlim_cur, open + kLeastFiles, wanted, connections));
  }
  const auto most = (limit.rlim_cur - open) * 3 / 4;  // some are for connections to be turned away, and for models
  if (most < connections) {
    log_warning(fmt::format(
        "the system allows {} open files (ulimit -n), too few for {} connections; the server holds at most {}",
        limit.rlim_cur, connections, most));
  }
  return most;
}

}  // namespace translate::tools
