// Checks of shapes and values that models and starts of training share. All of them throw an
// InputError that names the place and the array.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gpode/coordinates.h"
#include "gpode/observation.h"

namespace gpode {

// Returns the shape as text, such as "(3, 4)".
std::string ShapeText(const std::vector<std::size_t>& shape);

// Require a finite matrix or vector of this size.
void CheckMatrix(std::string_view where, std::string_view name, const Matrix& m, std::size_t rows,
                 std::size_t columns);
void CheckVector(std::string_view where, std::string_view name, const Vector& v, std::size_t size);

// Requires a map from the states of these coordinates to this number of channels.
void CheckMap(std::string_view where, const ObservationMap& map, const Coordinates& coordinates,
              std::size_t channels);

}  // namespace gpode
