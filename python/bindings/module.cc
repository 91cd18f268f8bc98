// The Python module gpode._gpode: its parts, its errors, and conversions of arrays.
#include "bindings.h"
#include "gpode/error.h"
#include "gpode/version.h"

namespace gpode::python {

py::array ViewOf(const double* data, std::vector<py::ssize_t> shape, const py::object& owner) {
  py::array_t<double> view(std::move(shape), data, owner);
  view.attr("flags").attr("writeable") = false;
  return view;
}

py::array ViewOf(const Matrix& matrix, const py::object& owner) {
  return ViewOf(matrix.data(), {matrix.rows(), matrix.cols()}, owner);
}

py::array ViewOf(const std::vector<double>& values, const py::object& owner) {
  return ViewOf(values.data(), {static_cast<py::ssize_t>(values.size())}, owner);
}

py::array ViewOf(const MatrixStack& stack, const py::object& owner) {
  return ViewOf(stack.data(), {static_cast<py::ssize_t>(stack.size()), stack.rows(), stack.cols()},
                owner);
}

namespace {

// Returns an array whose memory is that of `values`, which the array keeps.
template <typename Values>
py::array Keep(Values values, std::vector<py::ssize_t> shape) {
  auto kept = std::make_unique<Values>(std::move(values));
  const double* const data = kept->data();
  const py::capsule owner(kept.release(),
                          [](void* memory) { delete static_cast<Values*>(memory); });
  return py::array_t<double>(std::move(shape), data, owner);
}

}  // namespace

py::array ToArray(Matrix matrix) {
  const py::ssize_t rows = matrix.rows(), cols = matrix.cols();
  return Keep(std::move(matrix), {rows, cols});
}

py::array ToArray(std::vector<double> values) {
  const auto size = static_cast<py::ssize_t>(values.size());
  return Keep(std::move(values), {size});
}

std::vector<double> ToNumbers(const InArray& array, const char* name) {
  if (array.ndim() != 1) {
    throw InputError(std::string(name) + " has " + std::to_string(array.ndim()) +
                     " dimensions, must have 1");
  }
  return {array.data(), array.data() + array.size()};
}

Matrix ToMatrix(const InArray& array, const char* name) {
  if (array.ndim() != 2) {
    throw InputError(std::string(name) + " has " + std::to_string(array.ndim()) +
                     " dimensions, must have 2");
  }
  return Eigen::Map<const Matrix>(array.data(), array.shape(0), array.shape(1));
}

std::shared_ptr<const Posterior> PyModel::posterior(bool raw) const {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<const Posterior>& made = raw ? raw_ : posterior_;
  if (!made) {
    Model model = trained_.model;
    if (raw) model.widening = {};
    made = std::make_shared<const Posterior>(std::move(model));
  }
  return made;
}

}  // namespace gpode::python

PYBIND11_MODULE(_gpode, module) {
  using namespace gpode::python;
  module.doc() = "The compiled part of gpode: what the C++ library does, with NumPy arrays.";
  module.attr("__version__") = gpode::Version();
  py::register_exception_translator([](std::exception_ptr error) {
    try {
      if (error) std::rethrow_exception(error);
    } catch (const gpode::InputError& e) {
      PyErr_SetString(PyExc_ValueError, e.what());
    }
  });
  AddData(module);
  AddOptions(module);
  AddModel(module);
  AddForecast(module);
  AddField(module);
  AddTraining(module);
  AddReport(module);
  AddDynamics(module);
  AddEquations(module);
}
