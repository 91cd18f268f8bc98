# Installs the library and the files that find_package(gpode) needs.
include(CMakePackageConfigHelpers)

install(TARGETS gpode EXPORT gpode-targets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/gpode DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT gpode-targets NAMESPACE gpode:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/gpode)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright)
if(GPODE_TOOLS)
  install(TARGETS gpode_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/gpode-config.cmake.in ${PROJECT_BINARY_DIR}/gpode-config.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/gpode)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/gpode-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/gpode-config.cmake ${PROJECT_BINARY_DIR}/gpode-config-version.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/gpode)
