#include "gpode/coordinates.h"

#include <gtest/gtest.h>

#include <vector>

namespace gpode {
namespace {

const Coordinates kOdd{.state_scale = Vector{{2, 0.5}},
                       .state_offset = Vector{{1, -3}},
                       .time_scale = 4,
                       .input_scale = Vector{{10}},
                       .input_offset = Vector{{5}}};

TEST(Coordinates, StatesGoBothWays) {
  const Matrix users{{3, -2}, {0, 1}}, models{{1, 2}, {-0.5, 8}};
  EXPECT_EQ(kOdd.ToModel(users), models);
  EXPECT_EQ(kOdd.ToUser(models), users);
  std::vector<double> z(4);
  kOdd.ToModel({users.data(), 4}, z);
  EXPECT_EQ(z, std::vector<double>(models.data(), models.data() + 4));
  EXPECT_EQ(kOdd.DifferencesToModel(Matrix{{2, 0.5}}), (Matrix{{1, 1}}));
}

// A slope of one in the model's coordinates is a slope of state_scale / time_scale in the user's.
TEST(Coordinates, SlopesGoBothWays) {
  EXPECT_EQ(kOdd.SlopesToUser(Matrix{{1, 1}}), (Matrix{{0.5, 0.125}}));
  EXPECT_EQ(kOdd.SlopesToModel(Matrix{{0.5, 0.125}}), (Matrix{{1, 1}}));
  EXPECT_EQ(kOdd.SlopeVariancesToUser(Matrix{{1, 1}}), (Matrix{{0.25, 0.015625}}));
  EXPECT_EQ(kOdd.SlopeUnit(1), 0.125);
}

// The field is linear in the model's coordinates. Its Jacobian in the user's coordinates is
// compared with differences of the field.
TEST(Coordinates, JacobiansAreThoseOfTheUsersField) {
  const Matrix a{{1, 2}, {3, 4}};
  Matrix jacobian = a;
  kOdd.JacobiansToUser({jacobian.data(), 4});
  const auto field = [&](const Matrix& x) {
    return kOdd.SlopesToUser(kOdd.ToModel(x) * a.transpose());
  };
  const Matrix x{{0.3, -0.7}};
  for (Eigen::Index k = 0; k < 2; ++k) {
    Matrix there = x;
    there(0, k) += 1;
    const Matrix slope = field(there) - field(x);
    EXPECT_NEAR(slope(0, 0), jacobian(0, k), 1e-12);
    EXPECT_NEAR(slope(0, 1), jacobian(1, k), 1e-12);
  }
}

TEST(Coordinates, TimesAndInputsGoBothWays) {
  EXPECT_EQ(kOdd.TimeToModel(11, 3), 2);
  EXPECT_EQ(kOdd.TimeToUser(2, 3), 11);
  EXPECT_EQ(kOdd.InputsToModel(Matrix{{15}}), (Matrix{{1}}));
  EXPECT_EQ(kOdd.InputsToUser(Matrix{{1}}), (Matrix{{15}}));
  EXPECT_EQ(kOdd.inputs(), 1u);
}

TEST(Coordinates, TheIdentityChangesNothing) {
  const Matrix x{{3, -2}};
  const Coordinates identity = Coordinates::Identity(2);
  EXPECT_EQ(identity.ToModel(x), x);
  EXPECT_EQ(identity.SlopesToUser(x), x);
  EXPECT_EQ(identity.inputs(), 0u);
}

}  // namespace
}  // namespace gpode
