# Makes packages of what is installed, with CPack: a Debian package and an archive. script/package runs it.
set(CPACK_PACKAGE_NAME gpode)
set(CPACK_PACKAGE_VENDOR "gpode")
set(CPACK_PACKAGE_CONTACT "gpode developers <gpode@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_GENERATOR "DEB;TGZ")
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGE_FILE_NAME gpode-${PROJECT_VERSION}-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
# The shared libraries that the program needs are found by dpkg-shlibdeps. Plots need a font; programs that use the library need
# the headers of others.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS fonts-dejavu-core)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "libeigen3-dev, libfmt-dev, zlib1g-dev, librandom123-dev, cmake, g++")
include(CPack)
