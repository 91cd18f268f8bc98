#include "options/option_values.h"

#include <algorithm>

namespace gpode::internal {

std::vector<Word<Method>> WordsOf(Method) {
  std::vector<Word<Method>> words;
  for (const std::string& name : MethodNames()) {
    const Method method = MethodFromName(name);
    words.emplace_back(Name(method), method);
  }
  return words;
}

TomlValue ToToml(double value) { return {TomlValue::Kind::kNumber, fmt::format("{}", value), {}}; }

TomlValue ToToml(bool value) { return {TomlValue::Kind::kBool, value ? "true" : "false", {}}; }

TomlValue ToToml(const std::string& value) { return {TomlValue::Kind::kString, value, {}}; }

TomlValue ToToml(char value) { return ToToml(value == 0 ? "" : std::string(1, value)); }

namespace {

template <typename T>
TomlValue ListToToml(const std::vector<T>& items) {
  TomlValue list{TomlValue::Kind::kArray, {}, {}};
  for (const T& item : items) list.items.push_back(ToToml(item));
  return list;
}

// Sets `items` from a list. `accepted` is the requirement to return if the value is not such a
// list.
template <typename T>
Requirement ListFromToml(const TomlValue& from, std::vector<T>& items, std::string_view accepted) {
  if (from.kind != TomlValue::Kind::kArray) return Requirement(accepted);
  items.resize(from.items.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (!FromToml(from.items[i], items[i]).empty()) return Requirement(accepted);
  }
  return "";
}

}  // namespace

TomlValue ToToml(const std::vector<std::string>& value) { return ListToToml(value); }

TomlValue ToToml(const std::vector<double>& value) { return ListToToml(value); }

TomlValue ToToml(const std::vector<std::size_t>& value) { return ListToToml(value); }

TomlValue ToToml(const Vector& value) {
  return ToToml(std::vector<double>(value.begin(), value.end()));
}

TomlValue ToToml(const Matrix& value) {
  TomlValue rows{TomlValue::Kind::kArray, {}, {}};
  for (const auto& row : value.rowwise()) {
    rows.items.push_back(ToToml(std::vector<double>(row.begin(), row.end())));
  }
  return rows;
}

Requirement FromToml(const TomlValue& from, double& value) {
  std::string_view text = from.text;
  if (text.starts_with('+')) text.remove_prefix(1);
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  const bool number = from.kind == TomlValue::Kind::kNumber && error == std::errc() && stop == end;
  return number ? "" : "a number";
}

Requirement FromToml(const TomlValue& from, bool& value) {
  value = from.text == "true";
  return from.kind == TomlValue::Kind::kBool ? "" : "true or false";
}

Requirement FromToml(const TomlValue& from, std::string& value) {
  value = from.text;
  return from.kind == TomlValue::Kind::kString ? "" : "a \"string\"";
}

Requirement FromToml(const TomlValue& from, char& value) {
  if (from.kind != TomlValue::Kind::kString || from.text.size() > 1) return "one character or \"\"";
  value = from.text.empty() ? 0 : from.text[0];
  return "";
}

Requirement FromToml(const TomlValue& from, std::vector<std::string>& value) {
  return ListFromToml(from, value, "a list of \"strings\"");
}

Requirement FromToml(const TomlValue& from, std::vector<double>& value) {
  return ListFromToml(from, value, "a list of numbers");
}

Requirement FromToml(const TomlValue& from, std::vector<std::size_t>& value) {
  return ListFromToml(from, value, "a list of whole numbers");
}

Requirement FromToml(const TomlValue& from, Vector& value) {
  std::vector<double> list;
  const Requirement requirement = FromToml(from, list);
  value = Eigen::Map<const Vector>(list.data(), static_cast<Eigen::Index>(list.size()));
  return requirement;
}

Requirement FromToml(const TomlValue& from, Matrix& value) {
  constexpr std::string_view kRight = "a list of rows, lists of equally many numbers";
  if (from.kind != TomlValue::Kind::kArray) return Requirement(kRight);
  const auto rows = static_cast<Eigen::Index>(from.items.size());
  value.resize(rows, rows == 0 ? 0 : static_cast<Eigen::Index>(from.items[0].items.size()));
  for (Eigen::Index i = 0; i < rows; ++i) {
    std::vector<double> row;
    if (!FromToml(from.items[static_cast<std::size_t>(i)], row).empty() ||
        static_cast<Eigen::Index>(row.size()) != value.cols()) {
      return Requirement(kRight);
    }
    std::copy(row.begin(), row.end(), value.row(i).begin());
  }
  return "";
}

}  // namespace gpode::internal
