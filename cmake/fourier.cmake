# Fourier transforms: by oneMKL's DFTI, or by ducc's templates
# (aten/kernels/cpu/fourier/line_transform_loops.cpp), which are compiled for each instruction set.
# Before loops.cmake.
set(fft_default dfti)
if(NOT TORCH_NP_MKL)
  set(fft_default ducc)
endif()
set(TORCH_NP_FFT ${fft_default} CACHE STRING "Library of Fourier transforms: dfti (oneMKL) or ducc (the sources of PyPI's ducc0)")
set_property(CACHE TORCH_NP_FFT PROPERTY STRINGS dfti ducc)
if(NOT TORCH_NP_FFT MATCHES "^(dfti|ducc)$")
  message(FATAL_ERROR "TORCH_NP_FFT is '${TORCH_NP_FFT}', but must be dfti or ducc")
endif()
if(NOT TORCH_NP_MKL AND TORCH_NP_FFT STREQUAL "dfti")
  message(FATAL_ERROR "TORCH_NP_FFT is dfti, which is oneMKL's, but TORCH_NP_MKL is off")
endif()
if(TORCH_NP_FFT STREQUAL "dfti")
  return()
endif()

# The C++ FFT (BSD-3-Clause) of a Python package, which only its source archive contains. Pip cannot
# unpack an archive without building it.
set(ducc_version 0.42.0)
set(ducc_sha256 4e11c59b53a43355b053aebb2a62ee16eebeed026575f7d216cf09d437ce52ef)
set(TORCH_NP_DUCC_SOURCE "" CACHE PATH "ducc0-${ducc_version}, unpacked; where it is empty, pip downloads it into the build folder")
set(ducc_source ${TORCH_NP_DUCC_SOURCE})
if(NOT ducc_source)
  set(ducc_source ${CMAKE_BINARY_DIR}/ducc0-${ducc_version})
  set(ducc_archive ${ducc_source}.tar.gz)
  if(NOT EXISTS ${ducc_source}/src)
    message(STATUS "Downloading ducc0 ${ducc_version}")
    # Pip queries the archive's build backend for metadata. It is ours too, so it is installed.
    execute_process(
      COMMAND ${Python_EXECUTABLE} -m pip --disable-pip-version-check -q download --no-deps --no-build-isolation
              --no-binary ducc0 --dest ${CMAKE_BINARY_DIR} ducc0==${ducc_version}
      COMMAND_ERROR_IS_FATAL ANY)
    file(SHA256 ${ducc_archive} found)
    if(NOT found STREQUAL ducc_sha256)
      message(FATAL_ERROR "${ducc_archive} has the SHA-256 ${found}, not ${ducc_sha256}")
    endif()
    file(ARCHIVE_EXTRACT INPUT ${ducc_archive} DESTINATION ${CMAKE_BINARY_DIR})
  endif()
endif()
