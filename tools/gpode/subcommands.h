// One function per subcommand; each takes the arguments after its name and returns the exit code.
#pragma once

namespace gpode::tool {

int Learn(int argc, char** argv);
int Portrait(int argc, char** argv);

}  // namespace gpode::tool
