#include "gpode/model.h"
#include "train/trainer.h"

namespace gpode {

Model Fit(const Dataset& data, const FitOptions& options,
          const std::function<bool(const Progress&)>& report) {
  constexpr std::size_t kReportEvery = 100;
  Trainer trainer(data, options);
  while (!trainer.done()) {
    const Progress progress = trainer.Step();
    if (!report || (progress.step % kReportEvery != 0 && !trainer.done())) continue;
    if (!report(progress)) break;
  }
  return trainer.Snapshot();
}

}  // namespace gpode
