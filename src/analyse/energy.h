// The energy of a field that has one.
//
// A field of positions q and momenta p, which are the first and the second half of the states, is
// Hamiltonian with a linear loss if
//
//   dq/dt = dH/dp,   dp/dt = -dH/dq - c p,
//
// for a function H and a number c. That is so if the matrix of the derivatives of (-dp/dt - c p,
// dq/dt) is symmetric everywhere. If c = 0, H is conserved along every solution. For two states this
// includes all fields whose divergence is a constant, -c. Differences of H are integrals of the field
// along a line.
//
// Thread safety: any thread may call these functions; they share no state that changes.
//
//   if (const auto loss = HamiltonianLoss(field, states)) EnergyDifference(field, *loss, from, to);
#pragma once

#include <optional>

#include "gpode/field.h"

namespace gpode {

// Returns the c of a Hamiltonian field with a loss, 0 without a loss, and nothing if the field is not
// of that form at one of the states (n, D).
std::optional<double> HamiltonianLoss(const Field& field, const Matrix& states);

// Returns H(to) - H(from).
double EnergyDifference(const Field& field, double loss, const Vector& from, const Vector& to);

}  // namespace gpode
