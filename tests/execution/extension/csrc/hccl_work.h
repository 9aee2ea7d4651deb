// Communication in flight: Gloo works on host memory, the results go to the device when it is done.
#pragma once

#include <ATen/ATen.h>
#include <torch/csrc/distributed/c10d/Work.hpp>

#include <functional>
#include <utility>
#include <vector>

#include "device.h"

namespace standin {

using Finish = std::function<void()>;

// A collective in flight on the host. When it is done its results go to the device.
class HcclWork final : public c10d::Work {
 public:
  HcclWork(c10d::OpType type, c10::intrusive_ptr<c10d::Work> gloo, std::vector<at::Tensor> results, const Finish& finish)
      : c10d::Work(-1, type),
        gloo_(std::move(gloo)),
        results_(std::move(results)),
        future_(c10::make_intrusive<c10::ivalue::Future>(
            c10::ListType::create(c10::TensorType::get()),
            std::vector<c10::Device>{results_.empty() ? c10::Device(kNpu, current_device()) : results_[0].device()})) {
    gloo_->getFuture()->addCallback([future = future_, results = results_, finish](c10::ivalue::Future& done) {
      if (done.hasError()) {
        future->setError(done.exception_ptr());
        return;
      }
      finish();
      future->markCompleted(c10::IValue(results));
    });
  }

  bool isCompleted() override {
    return future_->completed();
  }
  bool isSuccess() const override {
    return future_->completed() && !future_->hasError();
  }
  bool wait(std::chrono::milliseconds timeout) override {
    gloo_->wait(timeout);
    future_->waitAndThrow();
    return true;
  }
  void synchronize() override {
    wait(kNoTimeout);
  }
  std::vector<at::Tensor> result() override {
    return results_;
  }
  c10::intrusive_ptr<c10::ivalue::Future> getFuture() override {
    return future_;
  }

 private:
  c10::intrusive_ptr<c10d::Work> gloo_;
  std::vector<at::Tensor> results_;
  c10::intrusive_ptr<c10::ivalue::Future> future_;
};

// Point to point: Gloo gives these no future, so the results go to the device when someone waits.
class PointToPointWork final : public c10d::Work {
 public:
  PointToPointWork(c10d::OpType type, c10::intrusive_ptr<c10d::Work> gloo, Finish finish)
      : c10d::Work(-1, type), gloo_(std::move(gloo)), finish_(std::move(finish)) {}

  bool isCompleted() override {
    return gloo_->isCompleted();
  }
  bool wait(std::chrono::milliseconds timeout) override {
    gloo_->wait(timeout);
    if (const auto finish = std::exchange(finish_, nullptr)) {
      finish();
    }
    return true;
  }
  void synchronize() override {
    wait(kNoTimeout);
  }

 private:
  c10::intrusive_ptr<c10d::Work> gloo_;
  Finish finish_;
};

} // namespace standin
