#include "model_target.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <utility>
#include <vector>

#include "io/files.h"
#include "output.h"
#include "sidecar.h"

namespace gpode::tool {
namespace {

bool Exists(const std::string& path) {
  std::error_code error;
  return std::filesystem::exists(path, error);
}

// Makes the file `to` a copy of the file `from`, with mode and owner of `like` if it is new. If
// there is no file `from`, there is no file `to` afterwards, either.
void Copy(const std::string& from, const std::string& to, const std::string& like) {
  if (Exists(from)) {
    internal::WriteFile(to, internal::ReadFile(from), like);
  } else {
    unlink(to.c_str());
  }
}

// Returns true if the descriptor is that of the file which has this name now.
bool IsSameFile(int descriptor, const std::string& path) {
  struct stat opened {
  }, named{};
  return fstat(descriptor, &opened) == 0 && stat(path.c_str(), &named) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

}  // namespace

ModelTarget::ModelTarget(std::string model, bool resume) : model_(std::move(model)) {
  Lock();
  try {
    ChooseWorking(resume);
  } catch (...) {
    Unlock();
    throw;
  }
}

void ModelTarget::ChooseWorking(bool resume) {
  const std::string partial = model_ + ".partial", backup = model_ + "~";
  working_ = Exists(partial) || (!resume && Exists(model_)) ? partial : model_;
  if (!IsReplacement()) return;
  for (const std::string& file : {partial, backup}) {
    CheckOutput(file);
    CheckOutput(SidecarPath(file));
  }
}

void ModelTarget::Lock() {
  lock_ = internal::ResolveTarget(model_).string() + ".lock";
  while (true) {
    descriptor_ = open(lock_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (descriptor_ < 0) return;  // writing the model fails later, with a message
    if (flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
      const bool is_taken = errno == EWOULDBLOCK;
      close(std::exchange(descriptor_, -1));
      if (!is_taken) return;  // a file system without locks
      internal::ThrowAt(model_, "is being written by another gpode fit, must be another file");
    }
    // The fit that had the lock before may have removed the file since it was opened.
    if (IsSameFile(descriptor_, lock_)) return;
    close(std::exchange(descriptor_, -1));
  }
}

void ModelTarget::Unlock() {
  if (descriptor_ < 0) return;
  unlink(lock_.c_str());
  close(std::exchange(descriptor_, -1));
}

void ModelTarget::Write(std::span<const std::byte> bytes) const {
  internal::WriteFile(working_, bytes, model_);
}

void ModelTarget::WriteSidecar(const std::string& text) const {
  internal::WriteFile(SidecarPath(working_), std::as_bytes(std::span(text)), model_);
}

void ModelTarget::RemoveSidecar() const { unlink(SidecarPath(working_).c_str()); }

std::string ModelTarget::Finish(bool keep_backup) {
  if (!IsReplacement() || !Exists(working_)) return "";
  std::string backup;
  const std::vector<std::byte> bytes = internal::ReadFile(working_);
  if (keep_backup && Exists(model_) && internal::ReadFile(model_) != bytes) {
    backup = model_ + "~";
    Copy(SidecarPath(model_), SidecarPath(backup), model_);
    Copy(model_, backup, model_);
  }
  // A process that is killed here leaves the whole old or the whole new model in the model file,
  // and the new one also in MODEL.partial, from which --resume finishes the run.
  internal::WriteFile(model_, bytes);
  Copy(SidecarPath(working_), SidecarPath(model_), model_);
  Discard();
  return backup;
}

void ModelTarget::Discard() const {
  if (!IsReplacement()) return;
  RemoveSidecar();
  unlink(working_.c_str());
}

}  // namespace gpode::tool
