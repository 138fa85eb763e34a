#pragma once

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <exception>
#include <map>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <utility>
#include <vector>

#include "processes/collectives/process_group.h"
#include "support/simulated_device/machine.h"

namespace translate {

/// What the stand-ins of all processes share.
struct Wires {
  std::mutex mutex;
  std::map<int, std::map<int, at::Tensor>> given;  ///< by operation and rank: tensors on the CPU
  std::multiset<int> connected;                    ///< ranks, also in the following
  std::multiset<int> synchronized;
  std::multiset<int> aborted;
  std::atomic<bool> never_connects = false;
  std::atomic<bool> is_cut = false;  ///< operations fail
};

/// An operation that is finished when all processes have started it.
class StandInWork : public c10d::Work {
 public:
  StandInWork(Wires& wires, int number, int rank, int size, c10d::OpType type, const at::Tensor& input,
              at::Tensor output)
      : Work(rank, type), wires_(wires), number_(number), size_(size), output_(std::move(output)) {
    const std::scoped_lock lock(wires_.mutex);
    wires_.given[number_][rank] = input.cpu();
  }

  bool isCompleted() override {
    const std::scoped_lock lock(wires_.mutex);
    const auto& given = wires_.given[number_];
    if (wires_.is_cut) {
      exception_ = std::make_exception_ptr(std::runtime_error("the wire is cut\nat its end"));
      return true;
    }
    if (!done_ && std::cmp_equal(given.size(), size_)) {
      output_.copy_(result(given));
      done_ = true;
    }
    return done_;
  }
  std::exception_ptr exception() const override { return exception_; }
  void synchronize() override {
    const std::scoped_lock lock(wires_.mutex);
    wires_.synchronized.insert(rank_);
  }

 private:
  [[nodiscard]] at::Tensor result(const std::map<int, at::Tensor>& given) const {
    std::vector<at::Tensor> parts;
    for (const auto& [rank, tensor] : given) {
      parts.push_back(opType_ == c10d::OpType::ALLTOALL_BASE ? tensor.chunk(size_)[static_cast<std::size_t>(rank_)]
                                                             : tensor);
    }
    switch (opType_) {
      case c10d::OpType::ALLREDUCE:
        return at::stack(parts).sum(/*dim=*/0);
      case c10d::OpType::BROADCAST:
        return parts.front();
      default:
        return at::cat(parts);
    }
  }

  Wires& wires_;
  int number_;
  int size_;
  at::Tensor output_;
  bool done_ = false;
};

/// A backend of c10d that connects simulated devices in the place of NCCL. The processes are threads of this one.
class StandIn : public c10d::Backend {
 public:
  StandIn(Wires& wires, int rank, int size) : Backend(rank, size), wires_(wires) {}

  const std::string getBackendName() const override { return "stand-in"; }
  c10::intrusive_ptr<c10d::Work> allreduce(std::vector<at::Tensor>& tensors,
                                           const c10d::AllreduceOptions& /*options*/) override {
    return start(c10d::OpType::ALLREDUCE, tensors.front(), tensors.front());
  }
  c10::intrusive_ptr<c10d::Work> broadcast(std::vector<at::Tensor>& tensors,
                                           const c10d::BroadcastOptions& /*options*/) override {
    return start(c10d::OpType::BROADCAST, tensors.front(), tensors.front());
  }
  c10::intrusive_ptr<c10d::Work> _allgather_base(at::Tensor& output, at::Tensor& input,
                                                 const c10d::AllgatherOptions& /*options*/) override {
    return start(c10d::OpType::_ALLGATHER_BASE, input, output);
  }
  c10::intrusive_ptr<c10d::Work> alltoall_base(at::Tensor& output, at::Tensor& input, std::vector<int64_t>& sizes_out,
                                               std::vector<int64_t>& sizes_in,
                                               const c10d::AllToAllOptions& /*options*/) override {
    EXPECT_TRUE(sizes_out.empty() && sizes_in.empty()) << "the parts have equal sizes";
    return start(c10d::OpType::ALLTOALL_BASE, input, output);
  }
  void eagerConnectSingleDevice(at::Device device) override {
    EXPECT_EQ(device.index(), getRank());
    EXPECT_EQ(simulated::current_device(), getRank());
    while (wires_.never_connects) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    const std::scoped_lock lock(wires_.mutex);
    wires_.connected.insert(getRank());
  }
  void abort() override {
    const std::scoped_lock lock(wires_.mutex);
    wires_.aborted.insert(getRank());
  }

 private:
  c10::intrusive_ptr<c10d::Work> start(c10d::OpType type, const at::Tensor& input, const at::Tensor& output) {
    return c10::make_intrusive<StandInWork>(wires_, started_++, getRank(), getSize(), type, input, output);
  }

  Wires& wires_;
  int started_ = 0;
};

/// Makes the stand-in of each process. `wires` must outlive it.
inline trainer::ProcessGroup::BackendMaker stand_in_on(Wires& wires) {
  return [&wires](const c10::intrusive_ptr<c10d::Store>& store, int rank, int size) {
    store->set("rank", std::to_string(rank));  // the store is the backend's own
    return c10::make_intrusive<StandIn>(wires, rank, size);
  };
}

}  // namespace translate
