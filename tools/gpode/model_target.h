// The model file that a fit writes: locked against other fits, and replaced only by a run that has
// ended well.
//
// The checkpoints of a run are written to the model file itself if there is no model yet, or if the
// run is resumed from it. If there is a model already, the checkpoints of a new run go to the file
// MODEL.partial instead, and so do those of a run that is resumed from that file. When the run has
// ended well, the old model becomes MODEL~ and the new one takes its place. Sidecars (sidecar.h) go
// with their models.
//
// While a ModelTarget exists, there is an empty, locked file MODEL.lock. A killed process may leave
// that file behind; it then is not locked, and the next fit removes it.
//
// Thread safety: calls to one object must not overlap.
//
//   ModelTarget target("vdp.gpode", /*resume=*/false);
//   target.WriteSidecar(text);
//   target.Write(bytes);                   // both as often as needed
//   std::string backup = target.Finish(/*keep_backup=*/true);
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace gpode::tool {

class ModelTarget {
 public:
  // Throws an InputError if another fit writes the model, or if one of the files cannot be written.
  ModelTarget(std::string model, bool resume);
  ~ModelTarget() { Unlock(); }
  ModelTarget(const ModelTarget&) = delete;
  ModelTarget& operator=(const ModelTarget&) = delete;

  // Returns the file of the checkpoints: the model file, or MODEL.partial.
  const std::string& working() const { return working_; }
  // Returns true if the checkpoints are in MODEL.partial, so that the model is replaced at the end.
  bool IsReplacement() const { return working_ != model_; }

  // These functions write the file of the checkpoints, and write or remove its sidecar.
  void Write(std::span<const std::byte> bytes) const;
  void WriteSidecar(const std::string& text) const;
  void RemoveSidecar() const;

  // Makes the last checkpoint the model. Returns the name of the file that has the old model; empty
  // if there was none, if both are the same, or if keep_backup is false.
  std::string Finish(bool keep_backup);
  // Removes the checkpoints of a run that has failed, if they are not in the model file itself.
  void Discard() const;

  // Lets other fits write the model. The destructor calls this.
  void Unlock();

 private:
  void Lock();
  void ChooseWorking(bool resume);

  std::string model_, working_, lock_;
  int descriptor_ = -1;
};

}  // namespace gpode::tool
