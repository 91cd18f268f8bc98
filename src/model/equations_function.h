// Known equations with unknown parts (field/equation_system.h) as an unknown function.
//
// The latent variables are one item: a variable for each learnt parameter, which is standard normal
// a priori and which the parameter's prior maps to the parameter, then the latent variables of a
// Gaussian process (process_function.h) for each unknown function. Hyperparameters are the units of
// the equations (field/equation_field.h), which the start sets and training does not change, and
// those of the processes. The text of the equations is FitOptions::equations.
//
// The field is not linear in the latent variables. Around latent variables z0, parameters p0 and
// values g0 of the unknown functions u at their arguments a0,
//   f = f0 + (df/dz_p) (z_p - z_p0) + sum over u of (df/dg_u) (g_u(a0) - g_u0).
// The derivatives are those at z0. Only g_u, which is linear in its latent variables, depends on
// the hyperparameters. Such a linearisation whitens the coordinates of samplers
// (train/whitening.h).
#pragma once

#include <memory>

#include "gpode/unknown_function.h"

namespace gpode {

std::unique_ptr<UnknownFunction> MakeEquationsFunction(const FunctionSetting& setting);

}  // namespace gpode
