// Common forms of equations, written as text (field/equation_system.h).
//
//   growth           dx_i = x_i gp_i(x)              a state that is zero stays zero
//   second-order     dq_i = v_i, dv_i = gp_i(q, v)   positions are observed, velocities are not
//   hamiltonian      dq_i = dH/dp_i, dp_i = -dH/dq_i
//                                                    the energy H is conserved; q is the first half
//                                                    of the channels, p the second
//   gradient         dx_i = -dV/dx_i                 a potential V falls
//   divergence-free  dx_i = sum_j dA_ij/dx_j         volume is conserved; A_ij = -A_ji
//
// A, H and V are unknown functions. A damping c adds -c v_i or -c p_i.
//
// Thread safety: any thread may call these functions; they share no state that changes.
#pragma once

#include <string>

#include "gpode/dataset.h"
#include "gpode/fit_options.h"

namespace gpode {

// Returns the equations of options.form for the data, or an empty text if the form is "none".
// Throws an InputError if the form does not fit the data or the damping.
std::string FormText(const Dataset& data, const FitOptions& options);

}  // namespace gpode
