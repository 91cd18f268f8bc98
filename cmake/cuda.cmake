# Compiles the engine of the GPU with nvcc. Without nvcc, GPODE_CUDA is turned off. CUDA's runtime is
# linked statically, so that the program also runs where there is neither GPU nor driver.
set(GPODE_CUDA_ARCHITECTURE sm_90 CACHE STRING "-arch of nvcc")
find_program(GPODE_NVCC nvcc HINTS $ENV{CUDA_HOME}/bin $ENV{CUDA_PATH}/bin /usr/local/cuda/bin)
if(GPODE_NVCC)
  get_filename_component(cuda_root ${GPODE_NVCC} REALPATH)
  get_filename_component(cuda_root ${cuda_root}/../.. ABSOLUTE)
  find_path(GPODE_CUDA_INCLUDE cuda_runtime.h HINTS ${cuda_root}/include ${cuda_root}/targets/x86_64-linux/include)
  find_library(GPODE_CUDART cudart_static
               HINTS ${cuda_root}/lib64 ${cuda_root}/targets/x86_64-linux/lib ${cuda_root}/lib)
endif()
if(NOT GPODE_NVCC OR NOT GPODE_CUDA_INCLUDE OR NOT GPODE_CUDART)
  message(STATUS "nvcc not found: training on a GPU is left out")
  set(GPODE_CUDA OFF)
  return()
endif()

# Adds the engine to a library: one object for each number of states.
function(gpode_add_cuda library)
  foreach(states RANGE 1 6)
    set(object ${CMAKE_CURRENT_BINARY_DIR}/cuda_engine_${states}.o)
    add_custom_command(
      OUTPUT ${object}
      COMMAND ${GPODE_NVCC} -c ${CMAKE_CURRENT_SOURCE_DIR}/device/cuda_engine.cu -o ${object}
              -DGPODE_DEVICE_STATES=${states} -std=c++20 -O3 -arch=${GPODE_CUDA_ARCHITECTURE} -lineinfo
              --expt-relaxed-constexpr -Xcompiler=-fPIC,-ffp-contract=off
              -I${CMAKE_CURRENT_SOURCE_DIR} -I${PROJECT_SOURCE_DIR}/include -I${GPODE_RANDOM123_DIR}
              -MD -MF ${object}.d
      DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/device/cuda_engine.cu
      DEPFILE ${object}.d COMMENT "Compiling the GPU's kernels for ${states} states" VERBATIM)
    target_sources(${library} PRIVATE ${object})
    set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
  endforeach()
  set_property(SOURCE device/cuda_devices.cc device/no_cuda.cc APPEND PROPERTY COMPILE_DEFINITIONS GPODE_CUDA)
  set_property(SOURCE device/cuda_devices.cc device/no_cuda.cc PROPERTY SKIP_PRECOMPILE_HEADERS ON)
  set_property(SOURCE device/cuda_devices.cc APPEND PROPERTY COMPILE_OPTIONS -isystem${GPODE_CUDA_INCLUDE})
  target_link_libraries(${library} PRIVATE ${GPODE_CUDART} ${CMAKE_DL_LIBS} rt)
endfunction()
