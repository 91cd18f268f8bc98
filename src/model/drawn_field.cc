#include "model/drawn_field.h"

#include "gpode/error.h"
#include "gpode/mlp.h"

namespace gpode {

GpParameters DrawnGp(const Model& model, std::size_t row) {
  const double* at = model.draws.field.row(static_cast<Eigen::Index>(row)).data();
  GpParameters gp = model.gp;
  const auto take = [&](auto& to) {
    std::copy_n(at, to.size(), to.data());
    at += to.size();
  };
  take(gp.inducing_mean);
  take(gp.lengthscales);
  take(gp.variances);
  for (Matrix& chol : gp.inducing_chol) chol.setZero();
  return gp;
}

std::unique_ptr<Field> MeanOf(const SparseGp& gp) {
  auto mean = std::make_unique<GpDraw>(gp, 1);
  mean->Set(gp, ZeroGpNormals(gp));
  return std::make_unique<FunctionField>(std::move(mean));
}

std::unique_ptr<Field> NetworkOf(const Model& model, std::span<const double> weights) {
  auto network = std::make_unique<Mlp>(model.dim(), model.options.neural.hidden);
  network->SetParameters(weights);
  return std::make_unique<FunctionField>(std::move(network));
}

std::unique_ptr<Field> DrawnField(const Model& model, std::size_t row) {
  GPODE_CHECK(row < model.draws.count());
  if (IsNetwork(model.options.model)) {
    return NetworkOf(model, {model.draws.field.row(static_cast<Eigen::Index>(row)).data(),
                             static_cast<std::size_t>(model.draws.field.cols())});
  }
  SparseGp gp(GetKernel(model.options.kernel), model.options.jitter);
  if (const FactorStatus status = gp.Set(DrawnGp(model, row)); status != FactorStatus::kOk) {
    ThrowInput("DrawnField", "draws", Message(status));
  }
  return MeanOf(gp);
}

}  // namespace gpode
