# Sets the warnings with which every target of the project is built.
function(gpode_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor
                                           -Woverloaded-virtual -Wcast-align)
  if(GPODE_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
endfunction()
