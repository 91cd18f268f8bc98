// The parts of the Python module gpode._gpode, and conversions that they share.
//
// The module exposes the library's public functions with NumPy arrays in place of matrices.
// Everything that is Python's own (data frames, labels, plots, the estimator) is written in Python,
// in python/gpode.
//
// Thread safety: functions that compute release the interpreter's lock. Objects of the module do
// not change after they were made, so that any Python thread may use them.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "gpode/matrix.h"
#include "gpode/posterior.h"
#include "gpode/training.h"

namespace gpode::python {

namespace py = pybind11;

// Arrays as the functions of the module take them: contiguous numbers of double precision.
using InArray = py::array_t<double, py::array::c_style | py::array::forcecast>;

// These functions return a read-only array that shares the memory of existing numbers. `owner` is the
// Python object that keeps these numbers alive.
py::array ViewOf(const double* data, std::vector<py::ssize_t> shape, const py::object& owner);
py::array ViewOf(const Matrix& matrix, const py::object& owner);
py::array ViewOf(const std::vector<double>& values, const py::object& owner);
py::array ViewOf(const MatrixStack& stack, const py::object& owner);

// Returns an array that takes over the memory of the matrix.
py::array ToArray(Matrix matrix);
py::array ToArray(std::vector<double> values);

// Returns a copy of an array. `name` is the array's name in messages about a wrong shape.
std::vector<double> ToNumbers(const InArray& array, const char* name);
Matrix ToMatrix(const InArray& array, const char* name);

// A trained model with the functions that predict, which are made when they are first needed.
class PyModel {
 public:
  explicit PyModel(TrainedModel trained) : trained_(std::move(trained)) {}

  const TrainedModel& trained() const { return trained_; }
  const Model& model() const { return trained_.model; }
  // If `raw` is true, bands are not widened.
  std::shared_ptr<const Posterior> posterior(bool raw = false) const;

 private:
  TrainedModel trained_;
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const Posterior> posterior_, raw_;
};

// Add the classes and functions of one part to the module.
void AddData(py::module_& module);
void AddOptions(py::module_& module);
void AddModel(py::module_& module);
void AddForecast(py::module_& module);
void AddField(py::module_& module);
void AddTraining(py::module_& module);
void AddReport(py::module_& module);
void AddDynamics(py::module_& module);
void AddEquations(py::module_& module);

}  // namespace gpode::python
