// gpode: learns unknown ordinary differential equations from data, with uncertainty.
//
// This header includes all public ones. docs/design.md says how they hang together.
#pragma once

#include "gpode/chain_diagnostics.h"  // whether chains of a sampler agree
#include "gpode/coordinates.h"        // between the units of users and models
#include "gpode/data_files.h"         // data sets from files, tables into files
#include "gpode/dataset.h"            // what was observed
#include "gpode/error.h"              // what happens when something is wrong
#include "gpode/field.h"              // vector fields
#include "gpode/fit_options.h"        // which model is learnt, and how
#include "gpode/fit_quality.h"        // what looks odd in data, how well a model fits
#include "gpode/forecast.h"           // forecasts
#include "gpode/function.h"           // functions, and the fields that they make
#include "gpode/gp.h"                 // draws from a Gaussian process
#include "gpode/gradient_check.h"     // analytic gradients against finite differences
#include "gpode/holdout.h"            // forecasts of held-back data
#include "gpode/input_signal.h"       // inputs that drive a field
#include "gpode/kernel.h"             // covariance functions
#include "gpode/latent.h"             // everything random in a model
#include "gpode/likelihood.h"         // how observations scatter
#include "gpode/matrix.h"             // matrices and vectors
#include "gpode/mlp.h"                // neural networks
#include "gpode/model.h"              // a learnt model
#include "gpode/model_file.h"         // saving and loading models
#include "gpode/npz.h"                // NumPy files
#include "gpode/nuts.h"               // draws from a density
#include "gpode/observation.h"        // what is seen of a state
#include "gpode/ode.h"                // integration and its adjoint
#include "gpode/options.h"            // options as text
#include "gpode/parallel.h"           // threads, same bits for any number
#include "gpode/parameters.h"         // named blocks of one flat vector
#include "gpode/posterior.h"          // predictions of a learnt model
#include "gpode/posterior_family.h"   // how what is random is described
#include "gpode/random.h"             // addressed random numbers
#include "gpode/scores.h"             // how good forecasts are
#include "gpode/simulate.h"           // data simulated from known systems
#include "gpode/stepper.h"            // integration methods of your own
#include "gpode/systems.h"            // systems with known equations
#include "gpode/training.h"           // learning a field from data
#include "gpode/unknown_function.h"   // what a field can be
#include "gpode/version.h"            // the version of the library
#include "gpode/widening.h"           // bands as wide as held-back data ask for
