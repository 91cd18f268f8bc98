// The layout of the raw sums that Pullback of a draw of a Gaussian process adds to (gpode/gp.h).
// The gradient of a draw (gp_draw_gradient.h) has the same sums.
#pragma once

#include <cstddef>

namespace gpode {

constexpr std::size_t RoundUp(std::size_t n, std::size_t multiple) {
  return (n + multiple - 1) / multiple * multiple;
}

// The offsets of the raw sums for O outputs, I inputs and M inducing points; `stride` is M rounded
// up. They are sums over points x with the cotangent g of the value; nu below includes the factor
// variance_d.
struct SumsLayout {
  std::size_t weights = 0;  // (O, stride)  sum of g_d phi_dm: the cotangent of nu_dm
  std::size_t locations;    // (I, stride)  the cotangent of Z, transposed, through the kernel part
  std::size_t squares;      // (O, I)       sum of g_d nu_dm psi_dm (x_k - z_mk)^2, also over m
  std::size_t prior_slope;  // (O, I)       sum of g_d x_k prior_slope_dk
  std::size_t prior;        // (O)          sum of g_d prior_d
  std::size_t size;

  SumsLayout(std::size_t in, std::size_t out, std::size_t stride)
      : locations(weights + out * stride),
        squares(locations + in * stride),
        prior_slope(squares + out * in),
        prior(prior_slope + out * in),
        size(RoundUp(prior + out, 8)) {}
};

}  // namespace gpode
