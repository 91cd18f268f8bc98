// Tests of links: both directions, the option's text, and the transformation of data.
#include "gpode/link.h"

#include <gtest/gtest.h>

#include <cmath>

#include "gpode/error.h"
#include "gpode/gradient_check.h"
#include "support/message_of.h"

namespace gpode {
namespace {

using testing_support::MessageOf;

TEST(LinkTest, BothDirectionsAreInverse) {
  for (Link link : {Link::kIdentity, Link::kLog, Link::kSqrt}) {
    for (const double y : {1e-200, 1e-3, 0.5, 1.0, 40.0, 1e200}) {
      EXPECT_NEAR(FromLink(link, ToLink(link, y)) / y, 1, 1e-12) << NameOf(link) << ' ' << y;
    }
    EXPECT_TRUE(std::isnan(ToLink(link, NAN)));
    EXPECT_TRUE(std::isnan(FromLink(link, NAN)));
  }
}

TEST(LinkTest, SlopesAreDerivatives) {
  for (Link link : {Link::kIdentity, Link::kLog, Link::kSqrt}) {
    for (const double y : {0.3, 1.0, 40.0}) {
      const GradientCheck check = CheckGradient(
          [&](std::span<const double> at) { return ToLink(link, at[0]); }, std::vector<double>{y},
          std::vector<double>{LinkSlope(link, y)}, {.initial_step = 0.02});
      EXPECT_TRUE(check.ok(1e-8)) << NameOf(link) << " at " << y << ": " << check.message;
    }
  }
}

// A draw that runs away far below or above must stay a finite value that the link accepts.
TEST(LinkTest, AnyFiniteValueIsAccepted) {
  for (const double value : {-1e300, -1000.0, -1.0, 0.0, 3.0, 1000.0}) {
    for (Link link : {Link::kLog, Link::kSqrt}) {
      EXPECT_TRUE(IsAccepted(link, FromLink(link, value))) << NameOf(link) << ' ' << value;
      EXPECT_TRUE(std::isfinite(FromLink(link, value))) << NameOf(link) << ' ' << value;
    }
  }
  EXPECT_FALSE(IsAccepted(Link::kLog, 0));
  EXPECT_TRUE(IsAccepted(Link::kSqrt, 0));
  EXPECT_FALSE(IsAccepted(Link::kSqrt, -1e-9));
  EXPECT_TRUE(IsAccepted(Link::kIdentity, -1));
}

TEST(LinkTest, TextNamesChannels) {
  const std::vector<std::string> channels = {"hare", "lynx"};
  const auto resolved = [&](const char* text) { return ResolvePositive(text, channels); };
  EXPECT_EQ(resolved("none"), "none");
  EXPECT_EQ(resolved("all"), "log,log");
  EXPECT_EQ(resolved("sqrt"), "sqrt,sqrt");
  EXPECT_EQ(resolved("lynx"), "none,log");
  EXPECT_EQ(resolved("lynx=sqrt,hare"), "log,sqrt");
  EXPECT_EQ(resolved("hare=none"), "none");
  for (const char* text : {"log,sqrt", "none,log", "sqrt,sqrt"}) EXPECT_EQ(resolved(text), text);
  // A channel with the name of a link is that channel.
  EXPECT_EQ(ResolvePositive("log", {"log", "x"}), "log,none");
  EXPECT_EQ(ResolvePositive("a,b", {"x", "a,b"}), "none,log");
  for (const char* text : {"fox", "hare=exp", "fox=log", "", "hare,", "log,log,log"}) {
    const std::string message = MessageOf([&] { resolved(text); });
    EXPECT_NE(message.find("must name channels of the data (hare, lynx)"), std::string::npos)
        << text << ": " << message;
  }
}

TEST(LinkTest, DataAreTransformedAndBack) {
  Dataset data{.channels = {"a", "b", "c"}, .trajectories = {{.times = {0, 1}}}};
  data.trajectories[0].values = Matrix{{1, 4, -2}, {NAN, 0, 3}};
  const std::vector<Link> links = {Link::kLog, Link::kSqrt, Link::kIdentity};
  const Matrix there = ToLinkScale(data, links).trajectories[0].values;
  EXPECT_EQ(there(0, 0), 0);
  EXPECT_EQ(there(0, 1), 2);
  EXPECT_EQ(there(0, 2), -2);
  EXPECT_TRUE(std::isnan(there(1, 0)));
  const Matrix back = FromLinkScale(there, links);
  EXPECT_EQ(back.row(0), data.trajectories[0].values.row(0));
  EXPECT_TRUE(std::isnan(back(1, 0)));
  EXPECT_EQ(ToLinkScale(data, {}).trajectories[0].values(0, 1), 4);
  data.trajectories[0].values(1, 0) = 0;
  EXPECT_EQ(MessageOf([&] { ToLinkScale(data, links); }),
            "Fit: channel 'a' is 0 at time 1, must be more than zero for --positive with the link "
            "log; a=sqrt takes zeros");
}

}  // namespace
}  // namespace gpode
