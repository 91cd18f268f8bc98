# Does what a user of the package does: install, find_package(gpode), build, run.
# Variables: SOURCE and BUILD are the folders of the project; COMPILER, FLAGS, GENERATOR and VERSION
# are those of its build; TOOLS is true if the command line is installed as well.
set(scratch ${BUILD}/install_test)
set(prefix ${scratch}/moved)
file(REMOVE_RECURSE ${scratch})

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# The package is moved after its installation, because no file in it may depend on where it was
# installed. Nor may a file contain the path of the source tree.
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${scratch}/installed)
file(RENAME ${scratch}/installed ${prefix})
file(GLOB_RECURSE package ${prefix}/*.cmake)
foreach(file ${package})
  file(READ ${file} text)
  string(FIND "${text}" "${SOURCE}" place)
  if(NOT place EQUAL -1)
    message(FATAL_ERROR "${file} contains the path of the source tree")
  endif()
endforeach()

run(${CMAKE_COMMAND} -S ${SOURCE}/examples -B ${scratch}/examples -G ${GENERATOR}
    -DCMAKE_PREFIX_PATH=${prefix} -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_CXX_FLAGS=${FLAGS}
    -DCMAKE_BUILD_TYPE=Release)
run(${CMAKE_COMMAND} --build ${scratch}/examples)
foreach(example fit forecast score save_and_load draw_field integrate gradient)
  run(${scratch}/examples/${example} WORKING_DIRECTORY ${scratch})
endforeach()

if(TOOLS)
  execute_process(COMMAND ${prefix}/bin/gpode --version OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
  if(NOT output MATCHES "^gpode ${VERSION}\nbuilt with ")
    message(FATAL_ERROR "the installed gpode --version says '${output}'")
  endif()
endif()
