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

TomlValue ToToml(const std::vector<std::string>& value) {
  TomlValue list{TomlValue::Kind::kArray, {}, {}};
  for (const std::string& word : value) list.items.push_back(ToToml(word));
  return list;
}

TomlValue ToToml(const std::vector<double>& value) {
  TomlValue list{TomlValue::Kind::kArray, {}, {}};
  for (double v : value) list.items.push_back(ToToml(v));
  return list;
}

TomlValue ToToml(const std::vector<std::size_t>& value) {
  TomlValue list{TomlValue::Kind::kArray, {}, {}};
  for (std::size_t v : value) list.items.push_back(ToToml(v));
  return list;
}

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

Complaint FromToml(const TomlValue& from, double& value) {
  std::string_view text = from.text;
  if (text.starts_with('+')) text.remove_prefix(1);
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  const bool number = from.kind == TomlValue::Kind::kNumber && error == std::errc() && stop == end;
  return number ? "" : "a number";
}

Complaint FromToml(const TomlValue& from, bool& value) {
  value = from.text == "true";
  return from.kind == TomlValue::Kind::kBool ? "" : "true or false";
}

Complaint FromToml(const TomlValue& from, std::string& value) {
  value = from.text;
  return from.kind == TomlValue::Kind::kString ? "" : "a \"string\"";
}

Complaint FromToml(const TomlValue& from, char& value) {
  if (from.kind != TomlValue::Kind::kString || from.text.size() > 1) return "one character or \"\"";
  value = from.text.empty() ? 0 : from.text[0];
  return "";
}

Complaint FromToml(const TomlValue& from, std::vector<std::string>& value) {
  value.resize(from.items.size());
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (!FromToml(from.items[i], value[i]).empty()) return "a list of \"strings\"";
  }
  return from.kind == TomlValue::Kind::kArray ? "" : "a list of \"strings\"";
}

Complaint FromToml(const TomlValue& from, std::vector<double>& value) {
  value.resize(from.items.size());
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (!FromToml(from.items[i], value[i]).empty()) return "a list of numbers";
  }
  return from.kind == TomlValue::Kind::kArray ? "" : "a list of numbers";
}

Complaint FromToml(const TomlValue& from, std::vector<std::size_t>& value) {
  value.resize(from.items.size());
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (!FromToml(from.items[i], value[i]).empty()) return "a list of whole numbers";
  }
  return from.kind == TomlValue::Kind::kArray ? "" : "a list of whole numbers";
}

Complaint FromToml(const TomlValue& from, Vector& value) {
  std::vector<double> list;
  const Complaint complaint = FromToml(from, list);
  value = Eigen::Map<const Vector>(list.data(), static_cast<Eigen::Index>(list.size()));
  return complaint;
}

Complaint FromToml(const TomlValue& from, Matrix& value) {
  constexpr std::string_view kRight = "a list of rows, lists of equally many numbers";
  if (from.kind != TomlValue::Kind::kArray) return Complaint(kRight);
  const auto rows = static_cast<Eigen::Index>(from.items.size());
  value.resize(rows, rows == 0 ? 0 : static_cast<Eigen::Index>(from.items[0].items.size()));
  for (Eigen::Index i = 0; i < rows; ++i) {
    std::vector<double> row;
    if (!FromToml(from.items[static_cast<std::size_t>(i)], row).empty() ||
        static_cast<Eigen::Index>(row.size()) != value.cols()) {
      return Complaint(kRight);
    }
    std::copy(row.begin(), row.end(), value.row(i).begin());
  }
  return "";
}

}  // namespace gpode::internal
