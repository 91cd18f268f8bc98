#include "result_json.h"

#include <cmath>

#include "output.h"

namespace gpode::tool {

void PrintResultJson(const std::string& out, std::span<const Column> columns,
                     nlohmann::ordered_json about) {
  about["file"] = nullptr;
  if (out != "-") about["file"] = out;
  about["rows"] = columns.empty() ? 0 : columns.front().size();
  about["columns"] = nlohmann::ordered_json::array();
  for (const Column& column : columns) about["columns"].push_back(column.name);
  if (out == "-") {
    about["table"] = nlohmann::ordered_json::object();
    for (const Column& column : columns) {
      about["table"][column.name] = column.numbers.empty() ? nlohmann::ordered_json(column.words)
                                                           : nlohmann::ordered_json(column.numbers);
    }
  }
  PrintJson(about.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

void AddLost(const LostDraws& lost, nlohmann::ordered_json* json) {
  (*json)["diverged"] = lost.diverged;
  (*json)["unfinished"] = lost.unfinished;
  if (lost.many) (*json)["warning"] = lost.Warning();
}

}  // namespace gpode::tool
