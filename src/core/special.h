// Special functions for the distributions of counts.
//
//   Digamma(x)               d log Gamma(x) / dx
//   UpperGamma(a, x)         Q(a, x) = int_x^inf t^(a-1) e^-t dt / Gamma(a)
//   IncompleteBeta(a, b, x)  I_x(a, b) = int_0^x t^(a-1) (1-t)^(b-1) dt / B(a, b)
//
// They follow W. H. Press et al. (2007), Numerical recipes, sections 6.2 and 6.4: a series or a
// continued fraction, whichever converges. Relative errors are about 1e-13.
//
// Thread safety: any thread may call these functions; they share no state.
//
//   double at_most_three = UpperGamma(4, rate);  // of a Poisson distribution
#pragma once

namespace gpode {

double Digamma(double x);                             // x > 0
double UpperGamma(double a, double x);                // a > 0, x >= 0
double IncompleteBeta(double a, double b, double x);  // a, b > 0, 0 <= x <= 1
double LogGamma(double x);  // x > 0; thread-safe, whereas std::lgamma writes a global variable

}  // namespace gpode
