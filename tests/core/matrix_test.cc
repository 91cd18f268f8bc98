#include "gpode/matrix.h"

#include <gtest/gtest.h>

namespace gpode {
namespace {

TEST(MatrixStack, MatricesLieOneAfterTheOther) {
  MatrixStack stack(3, 2, 2);
  for (auto matrix : stack) EXPECT_TRUE(matrix.isZero(0));
  stack[1] = Matrix{{1, 2}, {3, 4}};
  stack[2](0, 1) = 9;
  EXPECT_EQ(stack.size(), 3u);
  EXPECT_EQ(stack.data()[4], 1);
  EXPECT_EQ(stack.data()[7], 4);
  EXPECT_EQ(stack.data()[9], 9);
  double sum = 0;
  for (const auto& matrix : static_cast<const MatrixStack&>(stack)) sum += matrix.sum();
  EXPECT_EQ(sum, 19);
}

TEST(MatrixStack, GrowsByMatricesOfOneShape) {
  MatrixStack stack;
  EXPECT_TRUE(stack.empty());
  stack.push_back(Matrix{{1, 2, 3}});
  stack.push_back(Matrix{{4, 5, 6}});
  EXPECT_EQ(stack.rows(), 1);
  EXPECT_EQ(stack.cols(), 3);
  EXPECT_EQ(stack, (MatrixStack{Matrix{{1, 2, 3}}, Matrix{{4, 5, 6}}}));
  EXPECT_FALSE(stack == (MatrixStack{Matrix{{1, 2, 3}}}));
}

}  // namespace
}  // namespace gpode
