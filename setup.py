"""Builds the compiled part of the Python package with CMake.

Environment variables: GPODE_BUILD_DIR names a configured build folder to use instead of a new one, GPODE_CMAKE_ARGS
holds further arguments for CMake, such as -DGPODE_TOOLS=OFF (without report pages; needs neither cairo nor CLI11).
"""
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = pathlib.Path(__file__).parent.resolve()


def version():
    return re.search(r"project\(gpode VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)


class CMakeBuild(build_ext):
    def build_extension(self, ext):
        given = os.environ.get("GPODE_BUILD_DIR")
        folder = pathlib.Path(given or self.build_temp).resolve()
        if not given:
            generator = ["-G", "Ninja"] if shutil.which("ninja") else []
            subprocess.run(["cmake", "-S", str(ROOT), "-B", str(folder), *generator, "-DCMAKE_BUILD_TYPE=Release",
                            "-DGPODE_PYTHON=ON", "-DGPODE_TESTS=OFF", "-DGPODE_BENCH=OFF",
                            f"-DPython3_EXECUTABLE={sys.executable}",
                            *shlex.split(os.environ.get("GPODE_CMAKE_ARGS", ""))], check=True)
        subprocess.run(["cmake", "--build", str(folder), "--target", "gpode_python", "--parallel"], check=True)
        target = pathlib.Path(self.get_ext_fullpath(ext.name))
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(next((folder / "python").glob("_gpode*.so")), target)


setup(version=version(), ext_modules=[Extension("gpode._gpode", sources=[])], cmdclass={"build_ext": CMakeBuild})
