#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <functional>
#include <thread>
#include <vector>

#include "processes/collectives/process_group.h"

namespace translate {

/// A socket that listens at a free port of the loopback address.
inline int listening_socket(int& port) {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  EXPECT_EQ(::bind(socket, reinterpret_cast<const sockaddr*>(&address), size), 0);
  EXPECT_EQ(::listen(socket, SOMAXCONN), 0);
  EXPECT_EQ(::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size), 0);
  port = ntohs(address.sin_port);
  return socket;
}

/// The places of `size` processes on this machine, which find each other at a free port.
inline std::vector<trainer::ProcessPlace> places_here(int size) {
  int port = 0;
  const int socket = listening_socket(port);
  std::vector<trainer::ProcessPlace> places;
  for (int rank = 0; rank < size; ++rank) {
    trainer::ProcessPlace place;
    place.rank = rank;
    place.size = size;
    place.local_rank = rank;
    place.local_size = size;
    place.store_port = port;
    place.launcher = "a test";
    places.push_back(place);
  }
  places.front().store_socket = socket;
  return places;
}

/// Calls work(rank) in a thread for each rank, as if each were a process, and returns when all have ended. Gloo uses
/// the loopback interface. LibTorch's flight recorder is off: it adds to its map of groups without a lock
/// (FlightRecorder::recordWithResetEnabled), so it crashes where several groups of one process start at once.
inline void in_threads(int size, const std::function<void(int rank)>& work) {
  ::setenv("GLOO_SOCKET_IFNAME", "lo", /*replace=*/1);
  ::setenv("TORCH_FR_BUFFER_SIZE", "0", /*replace=*/1);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < size; ++rank) {
    threads.emplace_back([&, rank] {
      try {
        work(rank);
      } catch (const std::exception& error) {
        ADD_FAILURE() << "rank " << rank << ": " << error.what();
      }
    });
  }
  for (auto& thread : threads) {
    thread.join();
  }
}

/// Calls work(group) in the processes of a group of `size`, which are threads of this one.
inline void in_group(int size, const std::function<void(trainer::ProcessGroup& group)>& work) {
  const auto places = places_here(size);
  in_threads(size, [&](int rank) {
    trainer::ProcessGroup group(places[static_cast<std::size_t>(rank)], trainer::ProcessLimits{});
    work(group);
  });
}

}  // namespace translate
