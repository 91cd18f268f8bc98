// gpode: learns unknown ordinary differential equations from data, with uncertainty.
//
// This header includes all public ones. docs/design.md says how they fit together.
//
//   Model model = Fit(ReadCsv("data.csv"), {.seed = 1});
//   Forecast forecast = ForecastTrajectory(model, 0, times);
#pragma once

#include "gpode/analysis.h"           // the dynamics of a learnt model
#include "gpode/calendar.h"           // dates that times stand for
#include "gpode/chain_diagnostics.h"  // diagnostics of a sampler's chains
#include "gpode/compare.h"            // differences of fields, pushed forecasts
#include "gpode/compare_models.h"     // comparison and choice of models by held-back data
#include "gpode/condition.h"          // conditioning on new data
#include "gpode/coordinates.h"        // conversion between the user's units and the model's
#include "gpode/data_files.h"         // data sets from files, tables into files
#include "gpode/dataset.h"            // trajectories of observations
#include "gpode/design.h"             // where to measure next
#include "gpode/error.h"              // errors and checks
#include "gpode/explain.h"            // readable equations of a learnt model
#include "gpode/field.h"              // vector fields
#include "gpode/fit_input.h"          // preparation of data and options
#include "gpode/fit_options.h"        // options of models and training
#include "gpode/fit_quality.h"        // remarks on data, quality of a fit
#include "gpode/fixed_points.h"       // fixed points of a field
#include "gpode/forecast.h"           // forecasts
#include "gpode/function.h"           // functions, and the fields that they make
#include "gpode/gp.h"                 // draws from a Gaussian process
#include "gpode/gradient_check.h"     // comparison of gradients with finite differences
#include "gpode/held_field.h"         // fields with constant inputs
#include "gpode/held_inputs.h"        // values at which the inputs of a field are held
#include "gpode/holdout.h"            // comparison of forecasts with held-back data
#include "gpode/importance.h"         // importance weights and their diagnostic
#include "gpode/input_signal.h"       // inputs that drive a field
#include "gpode/inputs.h"             // measured inputs and the clock
#include "gpode/kernel.h"             // covariance functions
#include "gpode/latent.h"             // the latent variables of a model
#include "gpode/likelihood.h"         // distributions of observations
#include "gpode/limit_cycles.h"       // limit cycles and attractors of a field
#include "gpode/link.h"               // links of positive channels
#include "gpode/lyapunov.h"           // Lyapunov exponents of a field
#include "gpode/matrix.h"             // matrices and vectors
#include "gpode/mlp.h"                // neural networks
#include "gpode/model.h"              // a learnt model
#include "gpode/model_file.h"         // saving and loading models
#include "gpode/npz.h"                // NumPy files
#include "gpode/nuts.h"               // the No-U-Turn sampler
#include "gpode/observation.h"        // maps from states to channels
#include "gpode/ode.h"                // integration and its adjoint
#include "gpode/options.h"            // options as text
#include "gpode/parallel.h"           // parallel loops
#include "gpode/parameters.h"         // named blocks of one flat vector
#include "gpode/pit.h"                // calibration of forecasts
#include "gpode/posterior.h"          // predictions of a learnt model
#include "gpode/posterior_family.h"   // families of posteriors
#include "gpode/random.h"             // random numbers
#include "gpode/ranks.h"              // processes that share a training run
#include "gpode/scores.h"             // scores of forecasts
#include "gpode/simulate.h"           // data simulated from known systems
#include "gpode/stepper.h"            // interface of integration methods
#include "gpode/summary.h"            // names and facts of a model
#include "gpode/systems.h"            // systems with known equations
#include "gpode/training.h"           // learning a field from data
#include "gpode/unknown_function.h"   // unknown functions: processes and networks
#include "gpode/version.h"            // the version of the library
#include "gpode/widening.h"           // widening of bands that are too narrow
