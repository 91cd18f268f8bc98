// The methods' coefficients; tests/ode/order_test.cc holds each to its order.
//
//   Bogacki, Shampine: A 3(2) pair of Runge-Kutta formulas, Appl. Math. Lett. 2 (1989)
//   Dormand, Prince: A family of embedded Runge-Kutta formulae, J. Comput. Appl. Math. 6 (1980);
//     dense output by Shampine, in Hairer, Norsett, Wanner, section II.6
//   Tsitouras: Runge-Kutta pairs of order 5(4) satisfying only the first column simplifying
//     assumption, Comput. Math. Appl. 62 (2011)
//   DOP853: Hairer, Norsett, Wanner: Solving Ordinary Differential Equations I (1993), section II.5
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "gpode/error.h"
#include "ode/tableau.h"

namespace gpode {
namespace {

// clang-format off
constexpr double kEulerC[] = {0};
constexpr double kEulerB[] = {1};
constexpr double kEulerDense[] = {1};

constexpr double kMidpointC[] = {0, 0.5};
constexpr double kMidpointA[] = {0.5};
constexpr double kMidpointB[] = {0, 1};
constexpr double kMidpointDense[] = {
    1, -1,
    0, 1,
};

constexpr double kRungeKutta4C[] = {0, 0.5, 0.5, 1};
constexpr double kRungeKutta4A[] = {
    0.5,
    0, 0.5,
    0, 0, 1,
};
constexpr double kRungeKutta4B[] = {1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0};
constexpr double kRungeKutta4Dense[] = {
    1, -1.5, 2.0 / 3.0,
    0, 1, -2.0 / 3.0,
    0, 1, -2.0 / 3.0,
    0, -0.5, 2.0 / 3.0,
};

constexpr double kBogackiShampineC[] = {0, 0.5, 0.75, 1};
constexpr double kBogackiShampineA[] = {
    0.5,
    0, 0.75,
    2.0 / 9.0, 1.0 / 3.0, 4.0 / 9.0,
};
constexpr double kBogackiShampineB[] = {2.0 / 9.0, 1.0 / 3.0, 4.0 / 9.0, 0};
constexpr double kBogackiShampineError[] = {5.0 / 72.0, -1.0 / 12.0, -1.0 / 9.0, 1.0 / 8.0};
constexpr double kBogackiShampineDense[] = {
    1, -4.0 / 3.0, 5.0 / 9.0,
    0, 1, -2.0 / 3.0,
    0, 4.0 / 3.0, -8.0 / 9.0,
    0, -1, 1,
};

constexpr double kDormandPrinceC[] = {0, 0.2, 0.3, 0.8, 8.0 / 9.0, 1, 1};
constexpr double kDormandPrinceA[] = {
    1.0 / 5.0,
    3.0 / 40.0, 9.0 / 40.0,
    44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0,
    19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0,
    9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0,
    35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0,
};
constexpr double kDormandPrinceB[] = {
    35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0, 0.0
};
constexpr double kDormandPrinceError[] = {
    71.0 / 57600.0, 0.0, -71.0 / 16695.0, 71.0 / 1920.0, -17253.0 / 339200.0, 22.0 / 525.0,
    -1.0 / 40.0,
};
constexpr double kDormandPrinceDense[] = {
    1.0, -2.8535800653862835, 3.0717434641059005, -1.1270175653862835,
    0, 0, 0, 0,
    0, 4.023133379230305, -6.249321565289, 2.675424484351598,
    0, -3.7324019615885042, 10.068970589843675, -5.685526961588504,
    0, 2.5548038301849423, -6.399112377351017, 3.5219323679207912,
    0, -1.3744241142186024, 3.272657752246729, -1.7672812570757455,
    0, 1.3824689317781436, -3.764937863556287, 2.382468931778144,
};

constexpr double kTsitourasC[] = {0, 0.161, 0.327, 0.9, 0.9800255409045097, 1, 1};
constexpr double kTsitourasA[] = {
    0.161,
    -0.008480655492356989, 0.335480655492357,
    2.8971530571054935, -6.359448489975075, 4.3622954328695815,
    5.325864828439257, -11.748883564062828, 7.4955393428898365, -0.09249506636175525,
    5.86145544294642, -12.92096931784711, 8.159367898576159, -0.071584973281401,
        -0.028269050394068383,
    0.09646076681806523, 0.01, 0.4798896504144996, 1.379008574103742, -3.290069515436081,
        2.324710524099774,
};
constexpr double kTsitourasB[] = {
    0.09646076681806523, 0.01, 0.4798896504144996, 1.379008574103742, -3.290069515436081,
    2.324710524099774, 0
};
constexpr double kTsitourasError[] = {
    -0.001780011052225777, -0.0008164344596567469, 0.007880878010261995, -0.1447110071732629,
    0.5823571654525552, -0.45808210592918697, 0.015151515151515152
};
constexpr double kTsitourasDense[] = {
    1.0, -2.763706197274826, 2.9132554618219126, -1.0530884977290216,
    0, 0.13169999999999998, -0.2234, 0.1017,
    0, 3.9302962368947516, -5.941033872131505, 2.490627285651253,
    0, -12.411077166933676, 30.33818863028232, -16.548102889244902,
    0, 37.50931341651104, -88.1789048947664, 47.37952196281928,
    0, -27.896526289197286, 65.09189467479366, -34.87065786149661,
    0, 1.5, -4.0, 2.5,
};

constexpr double kDop853C[] = {
    0, 0.05260015195876773, 0.0789002279381516, 0.1183503419072274, 0.2816496580927726, 1.0 / 3.0,
    0.25, 4.0 / 13.0, 127.0 / 195.0, 0.6, 6.0 / 7.0, 1, 1, 0.1, 0.2, 7.0 / 9.0
};
constexpr double kDop853A[] = {
    0.05260015195876773,
    0.0197250569845379, 0.0591751709536137,
    0.02958758547680685, 0, 0.08876275643042054,
    0.2413651341592667, 0, -0.8845494793282861, 0.924834003261792,
    0.037037037037037035, 0, 0, 0.17082860872947386, 0.12546768756682242,
    0.037109375, 0, 0, 0.17025221101954405, 0.06021653898045596, -0.017578125,
    0.03709200011850479, 0, 0, 0.17038392571223998, 0.10726203044637328, -0.015319437748624402,
        0.008273789163814023,
    0.6241109587160757, 0, 0, -3.3608926294469414, -0.868219346841726, 27.59209969944671,
        20.154067550477894, -43.48988418106996,
    0.47766253643826434, 0, 0, -2.4881146199716677, -0.590290826836843, 21.230051448181193,
        15.279233632882423, -33.28821096898486, -0.020331201708508627,
    -0.9371424300859873, 0, 0, 5.186372428844064, 1.0914373489967295, -8.149787010746927,
        -18.52006565999696, 22.739487099350505, 2.4936055526796523, -3.0467644718982196,
    2.273310147516538, 0, 0, -10.53449546673725, -2.0008720582248625, -17.9589318631188,
        27.94888452941996, -2.8589982771350235, -8.87285693353063, 12.360567175794303,
        0.6433927460157636,
    0.054293734116568765, 0, 0, 0, 0, 4.450312892752409, 1.8915178993145003, -5.801203960010585,
        0.3111643669578199, -0.1521609496625161, 0.20136540080403034, 0.04471061572777259,
    0.056167502283047954, 0, 0, 0, 0, 0, 0.25350021021662483, -0.2462390374708025,
        -0.12419142326381637, 0.15329179827876568, 0.00820105229563469, 0.007567897660545699,
        -0.008298,
    0.03183464816350214, 0, 0, 0, 0, 0.028300909672366776, 0.053541988307438566,
        -0.05492374857139099, 0, 0, -0.00010834732869724932, 0.0003825710908356584,
        -0.00034046500868740456, 0.1413124436746325,
    -0.42889630158379194, 0, 0, 0, 0, -4.697621415361164, 7.683421196062599, 4.06898981839711,
        0.3567271874552811, 0, 0, 0, -0.0013990241651590145, 2.9475147891527724,
        -9.15095847217987,
};
constexpr double kDop853B[] = {
    0.054293734116568765, 0, 0, 0, 0, 4.450312892752409, 1.8915178993145003, -5.801203960010585,
    0.3111643669578199, -0.1521609496625161, 0.20136540080403034, 0.04471061572777259
};
constexpr double kDop853Error5[] = {
    0.01312004499419488, 0, 0, 0, 0, -1.2251564463762044, -0.4957589496572502,
    1.6643771824549864, -0.35032884874997366, 0.3341791187130175, 0.08192320648511571,
    -0.022355307863886294
};
constexpr double kDop853Error3[] = {
    -0.18980075407240762, 0, 0, 0, 0, 4.450312892752409, 1.8915178993145003, -5.801203960010585,
    -0.4226823213237919, -0.1521609496625161, 0.20136540080403034, 0.02265179219836082
};
constexpr double kDop853Dense[] = {
    1.0, -10.266057073759308, 48.161850968566455, -114.93304874997833, 147.46446875669767,
        -97.06685363011368, 25.69393346270375,
    0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0,
    0, 13.917653631776606, -154.78787266663718, 522.921908960822, -456.2591884020879,
        -75.5319373213575, 154.18974869023643,
    0, 2.605603751993609, -21.62282238462651, 2.5351820289667772, 292.25417465990404,
        -505.40999933296894, 231.5293791760455,
    0, -15.018944223519686, 160.09447708973047, -474.3071826037643, 135.96036916173836,
        545.1091945264187, -357.6391179106141,
    0, 3.050527683318488, -38.54396729189063, 174.47140009219885, -337.05134702387716,
        291.7898750908326, -93.40532418362432,
    0, -1.3278744327655212, 16.661770430049543, -74.44027814126304, 140.75210016191608,
        -119.2562021040512, 37.45832313645163,
    0, 2.844533632672879, -36.558295489910115, 170.69007169147514, -345.9748485480496,
        313.299553623578, -104.0996495089623,
    0, 0.7657106259527865, -9.906995535619368, 46.8029919188744, -96.5198694669957,
        88.74316650017616, -29.8402934266605,
    0, -1.0889903364513334, 14.097013042320002, -66.68230591294363, 137.96299063474373,
        -127.82216401767991, 43.53345659001114,
    0, 18.148505520854727, -127.63310949253875, 357.3419516129657, -500.7031507909224,
        349.17035710882897, -96.32455395918828,
    0, -9.194632392478356, 93.3567459327894, -282.6272618704363, 361.14007718803333,
        -201.85219053352347, 39.17726167561544,
    0, -4.436036387594894, 56.68120539776666, -261.7734290269171, 520.9742236688994,
        -461.1727999101397, 149.72683625798564,
};
// clang-format on

constexpr std::array kTableaus = {
    Tableau{
        .method = Method::kEuler,
        .name = "euler",
        .order = 1,
        .error_power = 2,
        .stages = 1,
        .all_stages = 1,
        .closing = Tableau::kNone,
        .c = kEulerC,
        .a = {},
        .b = kEulerB,
        .error = {},
        .second_error = {},
        .dense = kEulerDense,
        .degree = 1,
    },
    Tableau{
        .method = Method::kMidpoint,
        .name = "midpoint",
        .order = 2,
        .error_power = 3,
        .stages = 2,
        .all_stages = 2,
        .closing = Tableau::kNone,
        .c = kMidpointC,
        .a = kMidpointA,
        .b = kMidpointB,
        .error = {},
        .second_error = {},
        .dense = kMidpointDense,
        .degree = 2,
    },
    Tableau{
        .method = Method::kRungeKutta4,
        .name = "rk4",
        .order = 4,
        .error_power = 5,
        .stages = 4,
        .all_stages = 4,
        .closing = Tableau::kNone,
        .c = kRungeKutta4C,
        .a = kRungeKutta4A,
        .b = kRungeKutta4B,
        .error = {},
        .second_error = {},
        .dense = kRungeKutta4Dense,
        .degree = 3,
    },
    Tableau{
        .method = Method::kBogackiShampine32,
        .name = "bs32",
        .order = 3,
        .error_power = 3,
        .stages = 4,
        .all_stages = 4,
        .closing = 3,
        .c = kBogackiShampineC,
        .a = kBogackiShampineA,
        .b = kBogackiShampineB,
        .error = kBogackiShampineError,
        .second_error = {},
        .dense = kBogackiShampineDense,
        .degree = 3,
    },
    Tableau{
        .method = Method::kDormandPrince54,
        .name = "dopri5",
        .order = 5,
        .error_power = 5,
        .stages = 7,
        .all_stages = 7,
        .closing = 6,
        .c = kDormandPrinceC,
        .a = kDormandPrinceA,
        .b = kDormandPrinceB,
        .error = kDormandPrinceError,
        .second_error = {},
        .dense = kDormandPrinceDense,
        .degree = 4,
    },
    Tableau{
        .method = Method::kTsitouras54,
        .name = "tsit5",
        .order = 5,
        .error_power = 5,
        .stages = 7,
        .all_stages = 7,
        .closing = 6,
        .c = kTsitourasC,
        .a = kTsitourasA,
        .b = kTsitourasB,
        .error = kTsitourasError,
        .second_error = {},
        .dense = kTsitourasDense,
        .degree = 4,
    },
    Tableau{
        .method = Method::kDop853,
        .name = "dop853",
        .order = 8,
        .error_power = 8,
        .stages = 12,
        .all_stages = 16,
        .closing = 12,
        .c = kDop853C,
        .a = kDop853A,
        .b = kDop853B,
        .error = kDop853Error5,
        .second_error = kDop853Error3,
        .dense = kDop853Dense,
        .degree = 7,
    },
};

}  // namespace

double Tableau::DenseWeight(std::size_t stage, double theta) const {
  const double* row = dense.data() + stage * degree;
  double sum = 0;
  for (std::size_t p = degree; p-- > 0;) sum = (sum + row[p]) * theta;
  return sum;
}

std::span<const Tableau> AllTableaus() { return kTableaus; }

const Tableau& GetTableau(Method method) {
  for (const Tableau& tableau : kTableaus) {
    if (tableau.method == method) return tableau;
  }
  ThrowInput("GetTableau", "method", "is unknown");
}

std::string_view Name(Method method) { return GetTableau(method).name; }
int Order(Method method) { return GetTableau(method).order; }
bool HasErrorEstimate(Method method) { return !GetTableau(method).error.empty(); }

std::vector<std::string> MethodNames() {
  std::vector<std::string> names;
  for (const Tableau& tableau : kTableaus) names.emplace_back(tableau.name);
  return names;
}

Method MethodFromName(std::string_view name) {
  for (const Tableau& tableau : kTableaus) {
    if (tableau.name == name) return tableau.method;
  }
  ThrowInput("MethodFromName", "name",
             fmt::format("is '{}', must be one of {}", name, fmt::join(MethodNames(), ", ")));
}

}  // namespace gpode
