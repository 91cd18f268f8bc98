// One function drawn from q(f): value, Jacobian and pullback. See gp.h for the formulas.
#include <algorithm>
#include <cmath>

#include "field/gp_sums.h"
#include "gpode/error.h"
#include "gpode/gp.h"
#include "simd/simd.h"

namespace gpode {
namespace {

constexpr std::size_t kMostInputs = 512;
// The number of points that are evaluated together. The features of one output and the records of
// so few points stay in the first-level cache.
constexpr std::size_t kTile = 8;

// The offsets of the parts of one point's record. O, I, M are the numbers of outputs, inputs and
// inducing points; `stride` is M rounded up. phi and psi start on cache lines.
struct RecordLayout {
  std::size_t prior = 0;    // (O)          Fourier part
  std::size_t prior_slope;  // (O, I)       its Jacobian
  std::size_t update;       // (O)          kernel part
  std::size_t slope;        // (O, I)       Jacobian of the sum of both parts
  std::size_t phi;          // (O, stride)  profile of the kernel at each inducing point (kernel.h)
  std::size_t psi;          // (O, stride)  -2 times the slope of the profile
  std::size_t size;

  // If psi equals phi (Kernel::slope_is_value), both share one block.
  RecordLayout(std::size_t in, std::size_t out, std::size_t stride, bool slope_is_value)
      : prior_slope(prior + out),
        update(prior_slope + out * in),
        slope(update + out),
        phi(RoundUp(slope + out * in, 8)),
        psi(slope_is_value ? phi : phi + out * stride),
        size(psi + out * stride) {}
};

// Adds c * a to `to`.
void AddScaled(std::size_t n, double c, const double* __restrict a, double* __restrict to) {
  for (std::size_t i = 0; i < n; ++i) to[i] += c * a[i];
}

// Adds c * a * b, entry by entry, to `to`.
void AddProducts(std::size_t n, double c, const double* __restrict a, const double* __restrict b,
                 double* __restrict to) {
  for (std::size_t i = 0; i < n; ++i) to[i] += c * a[i] * b[i];
}

}  // namespace

struct GpDraw::Tables {
  std::size_t stride;
  RecordLayout record;
  SumsLayout sums;
  AlignedVector<double> features;       // see simd::FourierTable
  AlignedVector<float> features_float;  // used instead of `features` if precision is float
  std::vector<double> radius, angle;    // (O, F)
  AlignedVector<double> largest, locations, inverse_squares, weights;
  simd::FourierTable<double> fourier;
  simd::FourierTable<float> fourier_float;
  simd::UpdateTable update;

  Tables(std::size_t in, std::size_t out, std::size_t m, std::size_t f, FeaturePrecision precision,
         bool slope_is_value)
      : stride(RoundUp(m, simd::UpdateTable::kPad)),
        record(in, out, stride, slope_is_value),
        sums(in, out, stride),
        radius(out * f),
        angle(out * f),
        largest(out * in),
        locations(in * stride),
        inverse_squares(out * in),
        weights(out * stride) {
    if (precision == FeaturePrecision::kDouble) {
      Shape(in, out, f, features, fourier);
    } else {
      Shape(in, out, f, features_float, fourier_float);
    }
    update = {out, in, stride, locations.data(), inverse_squares.data(), weights.data()};
  }

  template <typename Real>
  void Shape(std::size_t in, std::size_t out, std::size_t f, AlignedVector<Real>& memory,
             simd::FourierTable<Real>& table) {
    constexpr std::size_t kBlock = simd::FourierTable<Real>::kBlock;
    const std::size_t blocks = RoundUp(f, kBlock) / kBlock;
    memory.assign(out * blocks * (in + 2) * kBlock, Real(0));
    table = {out, in, blocks, memory.data(), largest.data()};
  }

  template <typename Real>
  void Fill(const SparseGp& gp, const GpNormals& normals, AlignedVector<Real>& memory,
            const simd::FourierTable<Real>& table) {
    const std::size_t dim = table.inputs, count = radius.size() / table.outputs;
    for (std::size_t d = 0; d < table.outputs; ++d) {
      const Hyperparameters& hyper = gp.Hyper(d);
      const double scale = std::sqrt(hyper.variance / static_cast<double>(count));
      double* most = largest.data() + d * dim;
      std::fill_n(most, dim, 0.0);
      for (std::size_t i = 0; i < count; ++i) {
        const std::size_t feature = d * count + i;
        for (std::size_t k = 0; k < dim; ++k) {
          const double omega = normals.eps_omega[feature * dim + k] / hyper.lengthscales[k];
          most[k] = std::max(most[k], std::fabs(omega));
          Feature(memory, table, d, i, k) = static_cast<Real>(omega);
        }
        Feature(memory, table, d, i, dim) = static_cast<Real>(scale * radius[feature]);
        Feature(memory, table, d, i, dim + 1) = static_cast<Real>(-angle[feature]);
      }
    }
  }

  // Returns part `row` of feature i of output d: the frequencies 0 .. I-1, then the amplitude, then
  // the phase.
  template <typename Real>
  static Real& Feature(AlignedVector<Real>& memory, const simd::FourierTable<Real>& table,
                       std::size_t d, std::size_t i, std::size_t row) {
    constexpr std::size_t kBlock = simd::FourierTable<Real>::kBlock;
    const std::size_t block = d * table.blocks + i / kBlock;
    return memory[(block * (table.inputs + 2) + row) * kBlock + i % kBlock];
  }
};

GpDraw::GpDraw(const SparseGp& gp, std::size_t features, FeaturePrecision precision)
    : kernel_(&gp.kernel()),
      inputs_(gp.inputs()),
      outputs_(gp.outputs()),
      inducing_(gp.inducing()),
      features_(features),
      precision_(precision),
      white_(outputs_, inducing_),
      nu_(outputs_, inducing_),
      prior_at_z_(inducing_, outputs_ + outputs_ * inputs_),
      white_prior_(outputs_, inducing_) {
  CheckAtLeast("GpDraw", "features", static_cast<std::ptrdiff_t>(features), 1);
  CheckAtLeast("GpDraw", "the number of inputs", static_cast<std::ptrdiff_t>(inputs_), 1);
  if (inputs_ > kMostInputs) ThrowInput("GpDraw", "the number of inputs", "must be at most 512");
  tables_ = std::make_unique<Tables>(inputs_, outputs_, inducing_, features_, precision_,
                                     kernel_->slope_is_value());
}

GpDraw::~GpDraw() = default;
GpDraw::GpDraw(GpDraw&&) noexcept = default;
GpDraw& GpDraw::operator=(GpDraw&&) noexcept = default;

std::size_t GpDraw::parameter_count() const { return tables_->sums.size; }
std::size_t GpDraw::record_size() const { return tables_->record.size; }

void GpDraw::CheckShapes(const SparseGp& gp, const GpNormals& normals) const {
  CheckSize("GpDraw::Set", "gp's inputs", gp.inputs(), inputs_);
  CheckSize("GpDraw::Set", "gp's outputs", gp.outputs(), outputs_);
  CheckSize("GpDraw::Set", "gp's inducing points", gp.inducing(), inducing_);
  CheckSize("GpDraw::Set", "normals.eps_omega", normals.eps_omega.size(),
            outputs_ * features_ * inputs_);
  CheckSize("GpDraw::Set", "normals.w_cos", normals.w_cos.size(), outputs_ * features_);
  CheckSize("GpDraw::Set", "normals.w_sin", normals.w_sin.size(), outputs_ * features_);
  if (kernel_ != &gp.kernel()) ThrowInput("GpDraw::Set", "gp's kernel", "is not the constructor's");
}

// Draws v_d = mean_d + chol_d eps_u_d.
void GpDraw::Set(const SparseGp& gp, const GpNormals& normals) {
  CheckShapes(gp, normals);
  CheckSize("GpDraw::Set", "normals.eps_u", normals.eps_u.size(), outputs_ * inducing_);
  const GpParameters& p = gp.parameters();
  if (!p.has_inducing_values()) {
    ThrowInput("GpDraw::Set", "gp", "has no inducing_mean: give the whitened inducing values");
  }
  for (std::size_t d = 0; d < outputs_; ++d) {
    const Eigen::Map<const Vector> eps(normals.eps_u.data() + d * inducing_,
                                       static_cast<Eigen::Index>(inducing_));
    auto white = white_.row(d).transpose();
    white = p.inducing_mean.row(d).transpose();
    for (Eigen::Index i = 0; i < white.size(); ++i) {
      for (Eigen::Index j = 0; j <= i; ++j) white[i] += p.inducing_chol[d](i, j) * eps[j];
    }
  }
  Set(gp, {white_.data(), outputs_ * inducing_}, normals);
}

void GpDraw::Set(const SparseGp& gp, std::span<const double> white, const GpNormals& normals) {
  CheckShapes(gp, normals);
  CheckSize("GpDraw::Set", "white", white.size(), outputs_ * inducing_);
  SetFeatures(gp, normals);
  SetPriorAtInducing(gp);
  SetUpdate(gp, white);
}

void GpDraw::SetWhite(const SparseGp& gp, std::span<const double> white) {
  CheckSize("GpDraw::SetWhite", "white", white.size(), outputs_ * inducing_);
  SetUpdate(gp, white);
}

// Stores each pair of weights as a radius and an angle: w_cos cos(p) + w_sin sin(p) =
// radius cos(p - angle), whose right-hand side takes one product less.
void GpDraw::SetFeatures(const SparseGp& gp, const GpNormals& normals) {
  Tables& t = *tables_;
  simd::Polar(normals.w_cos, normals.w_sin, t.radius, t.angle);
  if (precision_ == FeaturePrecision::kDouble) {
    t.Fill(gp, normals, t.features, t.fourier);
  } else {
    t.Fill(gp, normals, t.features_float, t.fourier_float);
  }
}

// Computes what the kernel update needs apart from v: L_d^-1 prior_d(Z) and all tables but one.
void GpDraw::SetPriorAtInducing(const SparseGp& gp) {
  const GpParameters& p = gp.parameters();
  Prior(inducing_, p.inducing_locations.data(), prior_at_z_.data(), prior_at_z_.data() + outputs_,
        static_cast<std::size_t>(prior_at_z_.cols()));
  for (std::size_t d = 0; d < outputs_; ++d) {
    const auto lower = gp.Factor(d).triangularView<Eigen::Lower>();
    auto white_prior = white_prior_.row(d).transpose();
    white_prior = prior_at_z_.col(d);
    lower.solveInPlace(white_prior);
  }
  Tables& t = *tables_;
  for (std::size_t d = 0; d < outputs_; ++d) {
    const Hyperparameters& hyper = gp.Hyper(d);
    for (std::size_t k = 0; k < inputs_; ++k) {
      t.inverse_squares[d * inputs_ + k] = 1.0 / (hyper.lengthscales[k] * hyper.lengthscales[k]);
    }
  }
  for (std::size_t k = 0; k < inputs_; ++k) {
    for (std::size_t m = 0; m < inducing_; ++m) {
      t.locations[k * t.stride + m] = p.inducing_locations(m, k);
    }
  }
}

// Computes nu_d = L_d^-T (v_d - L_d^-1 prior_d(Z)) and the table of weights.
void GpDraw::SetUpdate(const SparseGp& gp, std::span<const double> white) {
  Tables& t = *tables_;
  for (std::size_t d = 0; d < outputs_; ++d) {
    auto nu = nu_.row(d).transpose();
    nu = Eigen::Map<const Vector>(white.data() + d * inducing_,
                                  static_cast<Eigen::Index>(inducing_));
    nu -= white_prior_.row(d).transpose();
    gp.Factor(d).transpose().triangularView<Eigen::Upper>().solveInPlace(nu);
    for (std::size_t m = 0; m < inducing_; ++m) {
      t.weights[d * t.stride + m] = gp.Hyper(d).variance * nu_(d, m);
    }
  }
}

void GpDraw::Prior(std::size_t n, const double* x, double* value, double* jacobian,
                   std::size_t stride) const {
  if (precision_ == FeaturePrecision::kDouble) {
    simd::Active().fourier_double(tables_->fourier, n, x, value, jacobian, stride);
  } else {
    simd::Active().fourier_float(tables_->fourier_float, n, x, value, jacobian, stride);
  }
}

void GpDraw::Value(std::span<const double> x, std::span<double> f,
                   std::span<double> scratch) const {
  const Tables& t = *tables_;
  const RecordLayout& at = t.record;
  const simd::Loops& loops = simd::Active();
  const std::size_t n = x.size() / inputs_;
  Prior(n, x.data(), f.data(), nullptr, outputs_);
  for (std::size_t p = 0; p < n; ++p) {
    double* record = scratch.data() + p * at.size;
    const std::span<double> phi(record + at.phi, outputs_ * t.stride);
    loops.distances(t.update, x.data() + p * inputs_, phi.data());
    kernel_->Profile(phi, phi, {});
    loops.update_value(t.update, phi.data(), record + at.update);
    for (std::size_t d = 0; d < outputs_; ++d) f[p * outputs_ + d] += record[at.update + d];
  }
}

void GpDraw::Record(std::span<const double> x, std::span<double> f,
                    std::span<double> record) const {
  const Tables& t = *tables_;
  const RecordLayout& at = t.record;
  const std::size_t n = x.size() / inputs_;
  for (std::size_t start = 0; start < n; start += kTile) {
    const std::size_t count = std::min(kTile, n - start);
    double* first = record.data() + start * at.size;
    Prior(count, x.data() + start * inputs_, first + at.prior, first + at.prior_slope, at.size);
    for (std::size_t p = start; p < start + count; ++p) {
      RecordUpdate(x.data() + p * inputs_, record.data() + p * at.size, f.data() + p * outputs_);
    }
  }
}

// Computes the kernel part of a record whose Fourier part has been computed, and the value f.
void GpDraw::RecordUpdate(const double* x, double* r, double* f) const {
  const Tables& t = *tables_;
  const RecordLayout& at = t.record;
  const simd::Loops& loops = simd::Active();
  const std::span<double> phi(r + at.phi, outputs_ * t.stride);
  const std::span<double> psi(r + at.psi, at.psi == at.phi ? 0 : outputs_ * t.stride);
  loops.distances(t.update, x, phi.data());
  kernel_->Profile(phi, phi, psi);
  loops.update_jacobian(t.update, x, phi.data(), r + at.psi, r + at.update, r + at.slope);
  for (std::size_t i = 0; i < outputs_ * inputs_; ++i) r[at.slope + i] += r[at.prior_slope + i];
  for (std::size_t d = 0; d < outputs_; ++d) f[d] = r[at.prior + d] + r[at.update + d];
}

void GpDraw::Pullback(std::span<const double> x, std::span<const double> record,
                      std::span<const double> g, std::span<double> bx,
                      std::span<double> bparameters) const {
  const Tables& t = *tables_;
  const RecordLayout& at = t.record;
  double* sums = bparameters.data();
  for (std::size_t p = 0; p < x.size() / inputs_; ++p) {
    const double* point = x.data() + p * inputs_;
    const double* cotangent = g.data() + p * outputs_;
    const double* r = record.data() + p * at.size;
    for (std::size_t d = 0; d < outputs_; ++d) {
      const double c = cotangent[d];
      sums[t.sums.prior + d] += c * r[at.prior + d];
      AddScaled(inputs_, c, r + at.slope + d * inputs_, bx.data() + p * inputs_);
      AddProducts(inputs_, c, point, r + at.prior_slope + d * inputs_,
                  sums + t.sums.prior_slope + d * inputs_);
    }
    simd::Active().update_pullback(t.update, point, r + at.phi, r + at.psi, cotangent,
                                   sums + t.sums.weights, sums + t.sums.locations,
                                   sums + t.sums.squares);
  }
}

void GpDraw::Jacobian(std::span<const double> x, std::span<double> jacobian) const {
  const RecordLayout& at = tables_->record;
  const std::size_t size = outputs_ * inputs_;
  AlignedVector<double> f(outputs_), record(at.size);
  for (std::size_t p = 0; p < x.size() / inputs_; ++p) {
    Record(x.subspan(p * inputs_, inputs_), f, record);
    std::copy_n(record.begin() + at.slope, size, jacobian.begin() + p * size);
  }
}

void GpDraw::PullbackToGp(const SparseGp& gp, const GpNormals& normals,
                          std::span<const double> bparameters, GpGradient& gradient) const {
  for (std::size_t row = 0; row < gp.hyper_rows(); ++row) {
    PullbackRowToGp(gp, normals, bparameters, row, gradient);
  }
}

void GpDraw::PullbackRowToGp(const SparseGp& gp, const GpNormals& normals,
                             std::span<const double> bparameters, std::size_t row,
                             GpGradient& gradient) const {
  const auto m = static_cast<Eigen::Index>(inducing_);
  Matrix& bwhite = gradient.white;
  PullbackRow(gp, bparameters, row, gradient,
              {bwhite.data(), static_cast<std::size_t>(bwhite.size())});
  GpParameters& b = gradient.parameters;
  for (std::size_t d = 0; d < outputs_; ++d) {
    if (gp.HyperRow(d) != row) continue;
    b.inducing_mean.row(d) += bwhite.row(d);
    const Eigen::Map<const Vector> eps(normals.eps_u.data() + d * inducing_, m);
    for (Eigen::Index i = 0; i < m; ++i) {
      b.inducing_chol[d].row(i).head(i + 1) += bwhite(d, i) * eps.head(i + 1).transpose();
    }
  }
}

void GpDraw::PullbackRow(const SparseGp& gp, std::span<const double> bparameters, std::size_t row,
                         GpGradient& gradient, std::span<double> bwhite) const {
  const Tables& t = *tables_;
  CheckSize("GpDraw::PullbackRow", "bparameters", bparameters.size(), t.sums.size);
  CheckSize("GpDraw::PullbackRow", "bwhite", bwhite.size(), outputs_ * inducing_);
  for (std::size_t d = 0; d < outputs_; ++d) {
    if (gp.HyperRow(d) != row) continue;
    PullbackOutput(gp, bparameters.data(), d, gradient);
    std::copy_n(gradient.rows[row].white.data(), inducing_, bwhite.data() + d * inducing_);
  }
  if (row != 0) return;
  for (std::size_t k = 0; k < inputs_; ++k) {
    gradient.rows[0].locations.col(static_cast<Eigen::Index>(k)) += Eigen::Map<const Vector>(
        bparameters.data() + t.sums.locations + k * t.stride, static_cast<Eigen::Index>(inducing_));
  }
}

void GpDraw::PullbackToWhite(const SparseGp& gp, std::span<const double> bparameters,
                             std::span<double> bwhite) const {
  const Tables& t = *tables_;
  CheckSize("GpDraw::PullbackToWhite", "bparameters", bparameters.size(), t.sums.size);
  CheckSize("GpDraw::PullbackToWhite", "bwhite", bwhite.size(), outputs_ * inducing_);
  for (std::size_t d = 0; d < outputs_; ++d) {
    PullWeights(gp, bparameters.data(), d,
                {bwhite.data() + d * inducing_, static_cast<Eigen::Index>(inducing_)});
  }
}

// Sets bwhite (M) to the cotangent of v_d. The weights of the table are variance_d nu_d.
void GpDraw::PullWeights(const SparseGp& gp, const double* sums, std::size_t d,
                         Eigen::Map<Vector> bwhite) const {
  const Eigen::Map<const Vector> bweights(sums + tables_->sums.weights + d * tables_->stride,
                                          bwhite.size());
  bwhite = gp.Hyper(d).variance * bweights;
  gp.Factor(d).triangularView<Eigen::Lower>().solveInPlace(bwhite);
}

// Adds the cotangents of output d. That of v_d is left in the workspace gradient.rows[row].white.
void GpDraw::PullbackOutput(const SparseGp& gp, const double* sums, std::size_t d,
                            GpGradient& gradient) const {
  const Tables& t = *tables_;
  const Hyperparameters& hyper = gp.Hyper(d);
  const std::size_t row = gp.HyperRow(d);
  const Matrix& z = gp.parameters().inducing_locations;
  const auto m = static_cast<Eigen::Index>(inducing_);
  GpParameters& b = gradient.parameters;
  GpGradient::Row& r = gradient.rows[row];
  const Eigen::Map<const Vector> bweights(sums + t.sums.weights + d * t.stride, m);
  b.variances[row] += bweights.dot(nu_.row(d).transpose());
  Vector& bwhite = r.white;
  PullWeights(gp, sums, d, {bwhite.data(), m});
  Vector& bprior = r.prior;  // the cotangent of prior_d(Z)
  bprior = -bwhite;
  gp.Factor(d).transpose().triangularView<Eigen::Upper>().solveInPlace(bprior);
  for (Eigen::Index i = 0; i < m; ++i) {
    r.factor.row(i).head(i + 1) -=
        nu_(d, i) * bwhite.head(i + 1).transpose() + bprior[i] * white_prior_.row(d).head(i + 1);
  }
  const double bvariance_prior = sums[t.sums.prior + d] + bprior.dot(prior_at_z_.col(d));
  b.variances[row] += bvariance_prior / (2.0 * hyper.variance);
  for (std::size_t k = 0; k < inputs_; ++k) {
    const std::size_t dk = d * inputs_ + k;
    const double l = hyper.lengthscales[k];
    const auto slope_at_z = prior_at_z_.col(outputs_ + dk);
    r.locations.col(k) += bprior.cwiseProduct(slope_at_z);
    const double at_z = bprior.cwiseProduct(slope_at_z).dot(z.col(k));
    b.lengthscales(row, k) +=
        sums[t.sums.squares + dk] / (l * l * l) - (sums[t.sums.prior_slope + dk] + at_z) / l;
  }
}

}  // namespace gpode
