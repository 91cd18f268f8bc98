#include "model/check_shapes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gpode/error.h"

namespace gpode {
namespace {

std::span<const double> Values(const auto& m) {
  return {m.data(), static_cast<std::size_t>(m.size())};
}

}  // namespace

std::string ShapeText(const std::vector<std::size_t>& shape) {
  return fmt::format("({})", fmt::join(shape, ", "));
}

void CheckMatrix(std::string_view where, std::string_view name, const Matrix& m, std::size_t rows,
                 std::size_t columns) {
  if (m.rows() != static_cast<Eigen::Index>(rows) ||
      m.cols() != static_cast<Eigen::Index>(columns)) {
    ThrowInput(where, name,
               fmt::format("is ({}, {}), must be ({}, {})", m.rows(), m.cols(), rows, columns));
  }
  CheckFinite(where, name, Values(m));
}

void CheckVector(std::string_view where, std::string_view name, const Vector& v, std::size_t size) {
  CheckSize(where, name, static_cast<std::size_t>(v.size()), size);
  CheckFinite(where, name, Values(v));
}

void CheckMap(std::string_view where, const ObservationMap& map, const Coordinates& coordinates,
              std::size_t channels) {
  const std::size_t dim = map.dim();
  CheckAtLeast(where, "the number of states", static_cast<std::ptrdiff_t>(dim), 1);
  CheckMatrix(where, "map/matrix", map.matrix, channels, dim);
  CheckVector(where, "map/offset", map.offset, channels);
  CheckVector(where, "state_scale", coordinates.state_scale, dim);
  CheckPositive(where, "state_scale", Values(coordinates.state_scale));
  CheckVector(where, "state_offset", coordinates.state_offset, dim);
  CheckPositive(where, "time_scale", coordinates.time_scale);
  CheckVector(where, "input_offset", coordinates.input_offset, coordinates.inputs());
  CheckPositive(where, "input_scale", Values(coordinates.input_scale));
}

void CheckNoisePieces(std::string_view where, std::span<const std::size_t> counts,
                      std::span<const double> start_times, std::span<const double> end_times) {
  constexpr std::size_t kMost = 1'000'000;
  if (counts.empty()) return;
  CheckSize(where, "noise_pieces", counts.size(), start_times.size());
  CheckSize(where, "end_times", end_times.size(), start_times.size());
  for (std::size_t n = 0; n < counts.size(); ++n) {
    if (counts[n] < 1 || counts[n] > kMost || !(end_times[n] > start_times[n])) {
      ThrowInput(where, "noise_pieces", "has a trajectory that cannot be cut into pieces");
    }
  }
}

}  // namespace gpode
