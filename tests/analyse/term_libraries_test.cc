// Tests of the libraries of candidate terms for readable equations.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "gpode/error.h"
#include "gpode/explain.h"

namespace gpode {
namespace {

std::string MessageOf(const std::string& text) {
  try {
    WrittenTerms(text, "terms.txt", {"x1", "heat in"});
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(TermLibrariesTest, WrittenTermsAreEvaluatedAtStatesAndInputs) {
  const TermLibrary library =
      WrittenTerms("# two variables\nx1\n\nsin(x1) - 1  # a sum\nx1^2*\"heat in\"/(1 + x1)\n",
                   "terms.txt", {"x1", "heat in"});
  ASSERT_EQ(library.names,
            (std::vector<std::string>{"x1", "(sin(x1) - 1)", "x1^2*\"heat in\"/(1 + x1)"}));
  Matrix variables(2, 2);
  variables << 0.5, 2, 3, -1;
  const Matrix values = library.evaluate(variables);
  for (Eigen::Index i = 0; i < 2; ++i) {
    const double x = variables(i, 0), heat = variables(i, 1);
    EXPECT_DOUBLE_EQ(values(i, 0), x);
    EXPECT_DOUBLE_EQ(values(i, 1), std::sin(x) - 1);
    EXPECT_DOUBLE_EQ(values(i, 2), x * x * heat / (1 + x));
  }
}

TEST(TermLibrariesTest, WrittenTermsHaveLatex) {
  const TermLibrary library = WrittenTerms("x12^2*sin(x1)\nx1^(1/2)", "t", {"x1", "x12"});
  EXPECT_EQ(library.latex[0], "x_{12}^{2}\\, \\sin(x_{1})");
  EXPECT_EQ(library.latex[1], "x_{1}^{1/2}");
}

TEST(TermLibrariesTest, BadTermsNameTheirLine) {
  EXPECT_EQ(MessageOf("x1\ngp(x1)"),
            "terms.txt:2: term 'gp(x1)' must have numbers, functions and x1, heat in only");
  EXPECT_EQ(MessageOf("x1*t"),
            "terms.txt:1: term 'x1*t' must have numbers, functions and x1, heat "
            "in only");
  EXPECT_EQ(MessageOf("x1\nx1"), "terms.txt:2: term 'x1' is there twice");
  EXPECT_EQ(MessageOf("# nothing\n"), "terms.txt has no terms, must have some");
  EXPECT_TRUE(MessageOf("x1\nx1 +").starts_with("terms.txt:2: "));
  EXPECT_TRUE(MessageOf("speed").starts_with("terms.txt:1: 'speed' is not known"));
}

}  // namespace
}  // namespace gpode
