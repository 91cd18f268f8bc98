// Checks of arrays, used for models and for the start of training. Each throws an InputError that
// names the place (`where`) and the array (`name`).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gpode/coordinates.h"
#include "gpode/observation.h"

namespace gpode {

// Returns the shape as text, such as "(3, 4)".
std::string ShapeText(const std::vector<std::size_t>& shape);

// These functions throw unless the matrix or vector has this size and all its values are finite.
void CheckMatrix(std::string_view where, std::string_view name, const Matrix& m, std::size_t rows,
                 std::size_t columns);
void CheckVector(std::string_view where, std::string_view name, const Vector& v, std::size_t size);

// Throws unless the map leads from states with these coordinates to this number of channels.
void CheckMap(std::string_view where, const ObservationMap& map, const Coordinates& coordinates,
              std::size_t channels);

// Throws unless `counts` is empty or has a possible number of pieces (data/noise_pieces.h) for each
// trajectory.
void CheckNoisePieces(std::string_view where, std::span<const std::size_t> counts,
                      std::span<const double> start_times, std::span<const double> end_times);

}  // namespace gpode
