// Readers of the golden files, which hold inputs and expected values of small random models,
// computed by an independent implementation. tests/golden/README.md lists their keys.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "gpode/gp.h"
#include "gpode/npz.h"

namespace gpode::golden {

// Returns all files case_*.npz in the folder GPODE_GOLDEN_DIR, by default tests/golden.
inline std::vector<std::filesystem::path> Files() {
  const char* asked = std::getenv("GPODE_GOLDEN_DIR");
  std::vector<std::filesystem::path> files;
  for (const auto& entry :
       std::filesystem::directory_iterator(asked ? asked : GPODE_GOLDEN_DEFAULT)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("case_") && name.ends_with(".npz")) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

inline Matrix AsMatrix(const Array& a) {
  return Eigen::Map<const Matrix>(a.values.data(), static_cast<Eigen::Index>(a.shape.at(0)),
                                  static_cast<Eigen::Index>(a.shape.at(1)));
}

// Returns an array (n, rows, cols) as n matrices.
inline std::vector<Matrix> AsMatrices(const Array& a) {
  std::vector<Matrix> matrices;
  const std::size_t size = a.shape.at(1) * a.shape.at(2);
  for (std::size_t i = 0; i < a.shape[0]; ++i) {
    matrices.push_back(Eigen::Map<const Matrix>(a.values.data() + i * size,
                                                static_cast<Eigen::Index>(a.shape[1]),
                                                static_cast<Eigen::Index>(a.shape[2])));
  }
  return matrices;
}

inline GpParameters Parameters(const Archive& c) {
  const Array& variance = c.at("variance");
  return {.inducing_locations = AsMatrix(c.at("Z")),
          .inducing_mean = AsMatrix(c.at("q_mean")),
          .inducing_chol = AsMatrices(c.at("q_chol")),
          .lengthscales = AsMatrix(c.at("lengthscale")),
          .variances = Eigen::Map<const Vector>(variance.values.data(),
                                                static_cast<Eigen::Index>(variance.size()))};
}

inline GpNormals Noise(const Archive& c) {
  return {.eps_omega = c.at("eps_omega").values,
          .w_cos = c.at("w_cos").values,
          .w_sin = c.at("w_sin").values,
          .eps_u = c.at("eps_u").values};
}

inline std::size_t Features(const Archive& c) { return c.at("w_cos").shape.at(1); }

}  // namespace gpode::golden
