// The learnt vector field: its mean, its deviation, and functions drawn from it.
#include "gpode/error.h"
#include "gpode/held_field.h"
#include "insight.h"

namespace gpode::python {
namespace {

using Values = std::map<std::string, double>;

// Returns the rows of an array of states (n, D) or of one state (D).
Matrix StatesOf(const InArray& points, std::size_t dim) {
  const bool one = points.ndim() == 1;
  if (points.ndim() > 2 || points.ndim() == 0 ||
      points.shape(points.ndim() - 1) != static_cast<py::ssize_t>(dim)) {
    std::string shape;
    for (py::ssize_t i = 0; i < points.ndim(); ++i) {
      shape += (i > 0 ? ", " : "") + std::to_string(points.shape(i));
    }
    const std::string states = std::to_string(dim);
    throw InputError("field: points has shape (" + shape + "), must have (n, " + states + ") or (" +
                     states + ")");
  }
  const py::ssize_t rows = one ? 1 : points.shape(0);
  return Eigen::Map<const Matrix>(points.data(), rows, static_cast<py::ssize_t>(dim));
}

// Returns an array like `values` (n, D), or (D) if the points were one state.
py::array Like(const InArray& points, Matrix values) {
  py::array array = ToArray(std::move(values));
  return points.ndim() == 1 ? py::array(array[py::int_(0)]) : array;
}

// A field whose inputs, if it has some, are held.
class PyField {
 public:
  PyField(PosteriorField field, Vector inputs)
      : field_(std::move(field)), held_(field_, std::move(inputs)) {}
  PyField(const PyField&) = delete;
  PyField& operator=(const PyField&) = delete;

  std::size_t dim() const { return field_.dim(); }
  const Field& field() const { return held_; }

 private:
  PosteriorField field_;
  HeldField held_;
};

py::array FieldValues(const PyField& field, const InArray& points) {
  const Matrix states = StatesOf(points, field.dim());
  Matrix values;
  {
    const py::gil_scoped_release release;
    values = Evaluate(field.field(), states);
  }
  return Like(points, std::move(values));
}

// Returns the Jacobians (n, D, D), or (D, D) of one state.
py::array FieldJacobians(const PyField& field, const InArray& points) {
  const Matrix states = StatesOf(points, field.dim());
  const auto dim = static_cast<py::ssize_t>(field.dim());
  Matrix all(states.rows(), dim * dim);
  {
    const py::gil_scoped_release release;
    for (Eigen::Index i = 0; i < states.rows(); ++i) {
      const Vector x = states.row(i);
      field.field().Jacobian({0, std::span(x.data(), field.dim()), {}},
                             {all.row(i).data(), static_cast<std::size_t>(dim * dim)});
    }
  }
  const py::ssize_t rows = states.rows();
  py::array array = ToArray(std::move(all));
  return points.ndim() == 1 ? array.reshape({dim, dim}) : array.reshape({rows, dim, dim});
}

}  // namespace

void AddField(py::module_& module) {
  py::class_<PyField>(module, "Field")
      .def_property_readonly("dim", &PyField::dim)
      .def("values", &FieldValues)
      .def("jacobians", &FieldJacobians);
  module.def(
      "mean_field",
      [](const PyModel& model, const Values& at) {
        const Vector inputs = InputsOf(HoldInputs(model, at, "mean_field")).value_or(Vector());
        const py::gil_scoped_release release;
        return std::make_unique<PyField>(model.posterior()->MeanField(), inputs);
      },
      py::arg("model"), py::arg("at") = Values{});
  module.def(
      "draw_field",
      [](const PyModel& model, std::uint64_t seed, std::uint64_t i, const Values& at) {
        const Vector inputs = InputsOf(HoldInputs(model, at, "draw_field")).value_or(Vector());
        const py::gil_scoped_release release;
        return std::make_unique<PyField>(model.posterior()->DrawField(seed, i), inputs);
      },
      py::arg("model"), py::arg("seed"), py::arg("i"), py::arg("at") = Values{});
  module.def(
      "field_moments",
      [](const PyModel& model, const InArray& points, const Values& at) {
        const Matrix states = StatesOf(points, model.model().dim());
        const Vector inputs = InputsOf(HoldInputs(model, at, "field")).value_or(Vector());
        Matrix mean, deviation;
        {
          const py::gil_scoped_release release;
          const std::shared_ptr<const Posterior> posterior = model.posterior();
          const Matrix row = inputs.transpose();
          mean = posterior->FieldMean(states, inputs.size() > 0 ? row : Matrix());
          deviation =
              posterior->FieldVariance(states, inputs.size() > 0 ? row : Matrix()).cwiseSqrt();
        }
        return py::make_tuple(Like(points, std::move(mean)), Like(points, std::move(deviation)));
      },
      py::arg("model"), py::arg("points"), py::arg("at") = Values{});
}

}  // namespace gpode::python
