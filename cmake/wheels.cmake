# oneMKL and oneTBB come as PyPI packages: found beside the Python that runs the build, wherever pip put them.
execute_process(
  COMMAND ${Python_EXECUTABLE} ${CMAKE_SOURCE_DIR}/cmake/find_wheels.py
  OUTPUT_VARIABLE WHEEL_LINES OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
string(REPLACE "\n" ";" WHEEL_LINES "${WHEEL_LINES}")
foreach(LINE ${WHEEL_LINES})
  string(REGEX MATCH "^([A-Z_0-9]+)=(.*)$" _ "${LINE}")
  set(${CMAKE_MATCH_1} "${CMAKE_MATCH_2}")
endforeach()
set(MKL_LIBRARIES ${MKL_LP64} ${MKL_THREAD} ${MKL_CORE})
get_filename_component(TBB_FOLDER ${TBB_LIBRARY} DIRECTORY)
