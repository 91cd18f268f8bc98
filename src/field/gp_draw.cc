// One function drawn from q(f): value, Jacobian and pullback. See gp.h for the formulas.
#include <algorithm>
#include <cmath>

#include "gpode/error.h"
#include "gpode/gp.h"
#include "simd/simd.h"

namespace gpode {
namespace {

constexpr std::size_t kMostDimensions = 512;
// Points taken through the features together: one output's features stay in the first-level cache
// for all of them, and so do the points' records.
constexpr std::size_t kTile = 8;

constexpr std::size_t RoundUp(std::size_t n, std::size_t multiple) {
  return (n + multiple - 1) / multiple * multiple;
}

// The parts of one point's record, as offsets; blocks that loops run over start on cache lines.
struct RecordLayout {
  std::size_t prior = 0;    // (D)       Fourier part
  std::size_t prior_slope;  // (D, D)    its Jacobian
  std::size_t update;       // (D)       kernel part
  std::size_t slope;        // (D, D)    Jacobian of the sum
  std::size_t phi;          // (D, stride)
  std::size_t psi;          // (D, stride)
  std::size_t size;

  // Kernels whose slope is the value keep only one of the two.
  RecordLayout(std::size_t d, std::size_t stride, bool slope_is_value)
      : prior_slope(prior + d),
        update(prior_slope + d * d),
        slope(update + d),
        phi(RoundUp(slope + d * d, 8)),
        psi(slope_is_value ? phi : phi + d * stride),
        size(psi + d * stride) {}
};

// The raw sums that Pullback adds to, as offsets.
struct SumsLayout {
  std::size_t weights = 0;  // (D, stride)  g phi, for nu times the variance
  std::size_t locations;    // (D, stride)  for Z, transposed
  std::size_t squares;      // (D, D)       sum of g nu psi delta^2
  std::size_t prior_slope;  // (D, D)       sum of g_d x_k prior_slope_dk
  std::size_t prior;        // (D)          sum of g_d prior_d
  std::size_t size;

  SumsLayout(std::size_t d, std::size_t stride)
      : locations(weights + d * stride),
        squares(locations + d * stride),
        prior_slope(squares + d * d),
        prior(prior_slope + d * d),
        size(RoundUp(prior + d, 8)) {}
};

}  // namespace

struct GpDraw::Tables {
  std::size_t stride;
  RecordLayout record;
  SumsLayout sums;
  AlignedVector<double> features;       // see simd::FourierTable
  AlignedVector<float> features_float;  // one of the two is used
  std::vector<double> radius, angle;    // (D, F)
  AlignedVector<double> largest, locations, inverse_squares, weights;
  simd::FourierTable<double> fourier;
  simd::FourierTable<float> fourier_float;
  simd::UpdateTable update;

  Tables(std::size_t d, std::size_t m, std::size_t f, FeaturePrecision precision,
         bool slope_is_value)
      : stride(RoundUp(m, simd::UpdateTable::kPad)),
        record(d, stride, slope_is_value),
        sums(d, stride),
        radius(d * f),
        angle(d * f),
        largest(d * d),
        locations(d * stride),
        inverse_squares(d * d),
        weights(d * stride) {
    if (precision == FeaturePrecision::kDouble) {
      Shape(d, f, features, fourier);
    } else {
      Shape(d, f, features_float, fourier_float);
    }
    update = {d, d, stride, locations.data(), inverse_squares.data(), weights.data()};
  }

  template <typename Real>
  void Shape(std::size_t d, std::size_t f, AlignedVector<Real>& memory,
             simd::FourierTable<Real>& table) {
    constexpr std::size_t kBlock = simd::FourierTable<Real>::kBlock;
    const std::size_t blocks = RoundUp(f, kBlock) / kBlock;
    memory.assign(d * blocks * (d + 2) * kBlock, Real(0));
    table = {d, d, blocks, memory.data(), largest.data()};
  }

  template <typename Real>
  void Fill(const SparseGp& gp, const GpNormals& noise, AlignedVector<Real>& memory,
            const simd::FourierTable<Real>& table) {
    const std::size_t dim = table.inputs, count = radius.size() / dim;
    for (std::size_t d = 0; d < dim; ++d) {
      const Hyperparameters& hyper = gp.Hyper(d);
      const double scale = std::sqrt(hyper.variance / static_cast<double>(count));
      double* most = largest.data() + d * dim;
      std::fill_n(most, dim, 0.0);
      for (std::size_t i = 0; i < count; ++i) {
        const std::size_t feature = d * count + i;
        for (std::size_t k = 0; k < dim; ++k) {
          const double omega = noise.eps_omega[feature * dim + k] / hyper.lengthscales[k];
          most[k] = std::max(most[k], std::fabs(omega));
          Feature(memory, table, d, i, k) = static_cast<Real>(omega);
        }
        Feature(memory, table, d, i, dim) = static_cast<Real>(scale * radius[feature]);
        Feature(memory, table, d, i, dim + 1) = static_cast<Real>(-angle[feature]);
      }
    }
  }

  // Where feature i of output d keeps its part `row`: frequencies 0 .. D-1, then amplitude, then
  // phase.
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
      dim_(gp.dim()),
      inducing_(gp.inducing()),
      features_(features),
      precision_(precision),
      nu_(dim_, inducing_),
      prior_at_z_(inducing_, dim_ + dim_ * dim_),
      white_prior_(dim_, inducing_) {
  CheckAtLeast("GpDraw", "features", static_cast<std::ptrdiff_t>(features), 1);
  CheckAtLeast("GpDraw", "the number of dimensions", static_cast<std::ptrdiff_t>(dim_), 1);
  if (dim_ > kMostDimensions)
    ThrowInput("GpDraw", "the number of dimensions", "must be at most 512");
  tables_ =
      std::make_unique<Tables>(dim_, inducing_, features_, precision_, kernel_->slope_is_value());
}

GpDraw::~GpDraw() = default;
GpDraw::GpDraw(GpDraw&&) noexcept = default;
GpDraw& GpDraw::operator=(GpDraw&&) noexcept = default;

std::size_t GpDraw::parameter_count() const { return tables_->sums.size; }
std::size_t GpDraw::record_size() const { return tables_->record.size; }

void GpDraw::Set(const SparseGp& gp, const GpNormals& noise) {
  CheckSize("GpDraw::Set", "gp's dimensions", gp.dim(), dim_);
  CheckSize("GpDraw::Set", "gp's inducing points", gp.inducing(), inducing_);
  CheckSize("GpDraw::Set", "noise.eps_omega", noise.eps_omega.size(), dim_ * features_ * dim_);
  CheckSize("GpDraw::Set", "noise.w_cos", noise.w_cos.size(), dim_ * features_);
  CheckSize("GpDraw::Set", "noise.w_sin", noise.w_sin.size(), dim_ * features_);
  CheckSize("GpDraw::Set", "noise.eps_u", noise.eps_u.size(), dim_ * inducing_);
  if (kernel_ != &gp.kernel()) ThrowInput("GpDraw::Set", "gp's kernel", "is not the constructor's");
  SetFeatures(gp, noise);
  SetUpdate(gp, noise);
}

// w_cos cos(p) + w_sin sin(p) = radius cos(p - angle): one product less than with both weights.
void GpDraw::SetFeatures(const SparseGp& gp, const GpNormals& noise) {
  Tables& t = *tables_;
  simd::Polar(noise.w_cos, noise.w_sin, t.radius, t.angle);
  if (precision_ == FeaturePrecision::kDouble) {
    t.Fill(gp, noise, t.features, t.fourier);
  } else {
    t.Fill(gp, noise, t.features_float, t.fourier_float);
  }
}

// nu_d = L_d^-T (mean_d + chol_d eps_u_d - L_d^-1 prior_d(Z)).
void GpDraw::SetUpdate(const SparseGp& gp, const GpNormals& noise) {
  const GpParameters& p = gp.parameters();
  Prior(inducing_, p.inducing_locations.data(), prior_at_z_.data(), prior_at_z_.data() + dim_,
        static_cast<std::size_t>(prior_at_z_.cols()));
  for (std::size_t d = 0; d < dim_; ++d) {
    const auto lower = gp.Factor(d).triangularView<Eigen::Lower>();
    auto white_prior = white_prior_.row(d).transpose();
    white_prior = prior_at_z_.col(d);
    lower.solveInPlace(white_prior);
    const Eigen::Map<const Vector> eps(noise.eps_u.data() + d * inducing_,
                                       static_cast<Eigen::Index>(inducing_));
    auto nu = nu_.row(d).transpose();
    nu = p.inducing_mean.row(d).transpose();
    for (Eigen::Index i = 0; i < nu.size(); ++i) {
      for (Eigen::Index j = 0; j <= i; ++j) nu[i] += p.inducing_chol[d](i, j) * eps[j];
    }
    nu -= white_prior_.row(d).transpose();
    gp.Factor(d).transpose().triangularView<Eigen::Upper>().solveInPlace(nu);
  }
  Tables& t = *tables_;
  for (std::size_t d = 0; d < dim_; ++d) {
    const Hyperparameters& hyper = gp.Hyper(d);
    for (std::size_t m = 0; m < inducing_; ++m) {
      t.weights[d * t.stride + m] = hyper.variance * nu_(d, m);
      t.locations[d * t.stride + m] = p.inducing_locations(m, d);
    }
    for (std::size_t k = 0; k < dim_; ++k) {
      t.inverse_squares[d * dim_ + k] = 1.0 / (hyper.lengthscales[k] * hyper.lengthscales[k]);
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
  const std::size_t n = x.size() / dim_;
  Prior(n, x.data(), f.data(), nullptr, dim_);
  for (std::size_t p = 0; p < n; ++p) {
    double* record = scratch.data() + p * at.size;
    const std::span<double> phi(record + at.phi, dim_ * t.stride);
    loops.distances(t.update, x.data() + p * dim_, phi.data());
    kernel_->Profile(phi, phi, {});
    loops.update_value(t.update, phi.data(), record + at.update);
    for (std::size_t d = 0; d < dim_; ++d) f[p * dim_ + d] += record[at.update + d];
  }
}

void GpDraw::Record(std::span<const double> x, std::span<double> f,
                    std::span<double> record) const {
  const Tables& t = *tables_;
  const RecordLayout& at = t.record;
  const std::size_t n = x.size() / dim_;
  for (std::size_t start = 0; start < n; start += kTile) {
    const std::size_t count = std::min(kTile, n - start);
    double* first = record.data() + start * at.size;
    Prior(count, x.data() + start * dim_, first + at.prior, first + at.prior_slope, at.size);
    for (std::size_t p = start; p < start + count; ++p) {
      RecordUpdate(x.data() + p * dim_, record.data() + p * at.size, f.data() + p * dim_);
    }
  }
}

// Adds the kernel update to a record that has the prior part.
void GpDraw::RecordUpdate(const double* x, double* r, double* f) const {
  const Tables& t = *tables_;
  const RecordLayout& at = t.record;
  const simd::Loops& loops = simd::Active();
  const std::span<double> phi(r + at.phi, dim_ * t.stride);
  const std::span<double> psi(r + at.psi, at.psi == at.phi ? 0 : dim_ * t.stride);
  loops.distances(t.update, x, phi.data());
  kernel_->Profile(phi, phi, psi);
  loops.update_jacobian(t.update, x, phi.data(), r + at.psi, r + at.update, r + at.slope);
  for (std::size_t i = 0; i < dim_ * dim_; ++i) r[at.slope + i] += r[at.prior_slope + i];
  for (std::size_t d = 0; d < dim_; ++d) f[d] = r[at.prior + d] + r[at.update + d];
}

void GpDraw::Pullback(std::span<const double> x, std::span<const double> record,
                      std::span<const double> g, std::span<double> bx,
                      std::span<double> bparameters) const {
  const Tables& t = *tables_;
  const RecordLayout& at = t.record;
  double* sums = bparameters.data();
  for (std::size_t p = 0; p < x.size() / dim_; ++p) {
    const double* point = x.data() + p * dim_;
    const double* cotangent = g.data() + p * dim_;
    const double* r = record.data() + p * at.size;
    for (std::size_t d = 0; d < dim_; ++d) {
      sums[t.sums.prior + d] += cotangent[d] * r[at.prior + d];
      for (std::size_t k = 0; k < dim_; ++k) {
        const std::size_t dk = d * dim_ + k;
        bx[p * dim_ + k] += cotangent[d] * r[at.slope + dk];
        sums[t.sums.prior_slope + dk] += cotangent[d] * point[k] * r[at.prior_slope + dk];
      }
    }
    simd::Active().update_pullback(t.update, point, r + at.phi, r + at.psi, cotangent,
                                   sums + t.sums.weights, sums + t.sums.locations,
                                   sums + t.sums.squares);
  }
}

void GpDraw::Jacobian(std::span<const double> x, std::span<double> jacobian) const {
  const RecordLayout& at = tables_->record;
  AlignedVector<double> f(dim_), record(at.size);
  for (std::size_t p = 0; p < x.size() / dim_; ++p) {
    Record(x.subspan(p * dim_, dim_), f, record);
    std::copy_n(record.begin() + at.slope, dim_ * dim_, jacobian.begin() + p * dim_ * dim_);
  }
}

void GpDraw::PullbackToGp(const SparseGp& gp, const GpNormals& noise,
                          std::span<const double> bparameters, GpGradient& gradient) const {
  for (std::size_t row = 0; row < gp.hyper_rows(); ++row) {
    PullbackRowToGp(gp, noise, bparameters, row, gradient);
  }
}

void GpDraw::PullbackRowToGp(const SparseGp& gp, const GpNormals& noise,
                             std::span<const double> bparameters, std::size_t row,
                             GpGradient& gradient) const {
  const Tables& t = *tables_;
  CheckSize("GpDraw::PullbackToGp", "bparameters", bparameters.size(), t.sums.size);
  for (std::size_t d = 0; d < dim_; ++d) {
    if (gp.HyperRow(d) == row) PullbackOutputToGp(gp, noise, bparameters.data(), d, gradient);
  }
  if (row != 0) return;
  for (std::size_t k = 0; k < dim_; ++k) {
    gradient.rows[0].locations.col(static_cast<Eigen::Index>(k)) += Eigen::Map<const Vector>(
        bparameters.data() + t.sums.locations + k * t.stride, static_cast<Eigen::Index>(inducing_));
  }
}

void GpDraw::PullbackOutputToGp(const SparseGp& gp, const GpNormals& noise, const double* sums,
                                std::size_t d, GpGradient& gradient) const {
  const Tables& t = *tables_;
  const Hyperparameters& hyper = gp.Hyper(d);
  const std::size_t row = gp.HyperRow(d);
  const Matrix& z = gp.parameters().inducing_locations;
  const auto m = static_cast<Eigen::Index>(inducing_);
  GpParameters& b = gradient.parameters;
  GpGradient::Row& r = gradient.rows[row];
  const Eigen::Map<const Vector> bweights(sums + t.sums.weights + d * t.stride, m);
  // weights = variance nu.
  b.variances[row] += bweights.dot(nu_.row(d).transpose());
  Vector& bwhite = r.white;  // cotangent of nu, then of v_d
  bwhite = hyper.variance * bweights;
  gp.Factor(d).triangularView<Eigen::Lower>().solveInPlace(bwhite);
  Vector& bprior = r.prior;  // cotangent of prior_d(Z)
  bprior = -bwhite;
  gp.Factor(d).transpose().triangularView<Eigen::Upper>().solveInPlace(bprior);
  b.inducing_mean.row(d) += bwhite.transpose();
  const Eigen::Map<const Vector> eps(noise.eps_u.data() + d * inducing_, m);
  for (Eigen::Index i = 0; i < m; ++i) {
    b.inducing_chol[d].row(i).head(i + 1) += bwhite[i] * eps.head(i + 1).transpose();
    r.factor.row(i).head(i + 1) -=
        nu_(d, i) * bwhite.head(i + 1).transpose() + bprior[i] * white_prior_.row(d).head(i + 1);
  }
  const double bvariance_prior = sums[t.sums.prior + d] + bprior.dot(prior_at_z_.col(d));
  b.variances[row] += bvariance_prior / (2.0 * hyper.variance);
  for (std::size_t k = 0; k < dim_; ++k) {
    const double l = hyper.lengthscales[k];
    const auto slope_at_z = prior_at_z_.col(dim_ + d * dim_ + k);
    r.locations.col(k) += bprior.cwiseProduct(slope_at_z);
    const double at_z = bprior.cwiseProduct(slope_at_z).dot(z.col(k));
    b.lengthscales(row, k) += sums[t.sums.squares + d * dim_ + k] / (l * l * l) -
                              (sums[t.sums.prior_slope + d * dim_ + k] + at_z) / l;
  }
}

}  // namespace gpode
