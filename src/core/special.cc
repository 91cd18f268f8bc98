#include "core/special.h"

#include <cmath>
#include <limits>

namespace gpode {
namespace {

constexpr double kPrecision = 1e-15, kTiny = 1e-300;
constexpr int kMostTerms = 100000;

// Returns P(a, x) = 1 - Q(a, x) by its series.
double LowerBySeries(double a, double x) {
  double term = 1 / a, sum = term;
  for (int n = 1; n < kMostTerms; ++n) {
    term *= x / (a + n);
    sum += term;
    if (std::fabs(term) < kPrecision * std::fabs(sum)) break;
  }
  return sum * std::exp(a * std::log(x) - x - LogGamma(a));
}

// Returns Q(a, x) by its continued fraction, with the modified Lentz method.
double UpperByFraction(double a, double x) {
  double b = x + 1 - a, c = 1 / kTiny, d = 1 / b, h = d;
  for (int i = 1; i < kMostTerms; ++i) {
    const double an = -i * (i - a);
    b += 2;
    d = an * d + b;
    if (std::fabs(d) < kTiny) d = kTiny;
    c = b + an / c;
    if (std::fabs(c) < kTiny) c = kTiny;
    d = 1 / d;
    h *= d * c;
    if (std::fabs(d * c - 1) < kPrecision) break;
  }
  return h * std::exp(a * std::log(x) - x - LogGamma(a));
}

// Returns the continued fraction of the incomplete beta function, with the modified Lentz method.
double BetaFraction(double a, double b, double x) {
  const auto away = [](double v) { return std::fabs(v) < kTiny ? kTiny : v; };
  double c = 1, d = 1 / away(1 - (a + b) * x / (a + 1)), h = d;
  for (int m = 1; m < kMostTerms; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / away(1 + even * d);
    c = away(1 + even / c);
    h *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / away(1 + odd * d);
    c = away(1 + odd / c);
    h *= d * c;
    if (std::fabs(d * c - 1) < kPrecision) break;
  }
  return h;
}

}  // namespace

double LogGamma(double x) {
  int sign = 0;
  return lgamma_r(x, &sign);
}

// The recurrence raises x above 10, where the asymptotic series is accurate.
double Digamma(double x) {
  double shift = 0;
  for (; x < 10; ++x) shift -= 1 / x;
  const double y = 1 / (x * x);
  return shift + std::log(x) - 0.5 / x -
         y * (1.0 / 12 - y * (1.0 / 120 - y * (1.0 / 252 - y * (1.0 / 240 - y / 132))));
}

double UpperGamma(double a, double x) {
  if (!(x > 0)) return 1;
  return x < a + 1 ? 1 - LowerBySeries(a, x) : UpperByFraction(a, x);
}

double IncompleteBeta(double a, double b, double x) {
  if (!(x > 0)) return 0;
  if (!(x < 1)) return 1;
  const double front =
      std::exp(LogGamma(a + b) - LogGamma(a) - LogGamma(b) + a * std::log(x) + b * std::log1p(-x));
  if (x < (a + 1) / (a + b + 2)) return front * BetaFraction(a, b, x) / a;
  return 1 - front * BetaFraction(b, a, 1 - x) / b;
}

}  // namespace gpode
