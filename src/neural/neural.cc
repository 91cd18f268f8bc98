#include "gpode/neural.h"

#include "neural/neural_fit.h"

namespace gpode {

Vector NeuralModel::MeanNoise() const { return noise_variance.colwise().mean().transpose(); }

NeuralModel FitNeural(const Dataset& data, const NeuralOptions& options,
                      const Dataset& validation) {
  const NeuralStart start = StartNeural(data, options);
  NeuralModel model = WithoutDraws(data, options, start.data);
  switch (options.inference) {
    case NeuralInference::kLeastSquares:
      FitLeastSquares(start, validation, model);
      break;
    case NeuralInference::kMeanField:
      FitMeanField(start, validation, model);
      break;
    case NeuralInference::kNuts:
      FitNuts(start, model);
      break;
  }
  return model;
}

}  // namespace gpode
