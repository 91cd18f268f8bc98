# The warnings that every target of ours is built with.
function(gpode_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor
                                           -Woverloaded-virtual -Wcast-align)
  if(GPODE_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
endfunction()
