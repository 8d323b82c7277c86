# Install rules: the headers, both libraries, the command, brunt-fill, brunt.pc for pkg-config and bruntConfig.cmake for find_package.
# Every path in the installed files is relative to the prefix, so the tree may be moved.
include(CMakePackageConfigHelpers)

# ---- what the static library needs, as full paths or bare names ----------------------------------------------------------
# Follows targets down to files, so that a new dependency in CMakeLists.txt needs no change here.
function(brunt_flatten_libraries out)
  set(result)
  foreach(item ${ARGN})
    if(item STREQUAL "Threads::Threads")
      list(APPEND result pthread)
    elseif(TARGET ${item})
      get_target_property(type ${item} TYPE)
      if(NOT type STREQUAL "INTERFACE_LIBRARY")
        foreach(property IMPORTED_LOCATION IMPORTED_LOCATION_RELEASE IMPORTED_LOCATION_NOCONFIG)
          get_target_property(location ${item} ${property})
          if(location)
            list(APPEND result ${location})
            break()
          endif()
        endforeach()
      endif()
      get_target_property(below ${item} INTERFACE_LINK_LIBRARIES)
      if(below)
        brunt_flatten_libraries(deeper ${below})
        list(APPEND result ${deeper})
      endif()
    elseif(NOT item MATCHES "^[$-]")
      list(APPEND result ${item})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES result)
  set(${out} ${result} PARENT_SCOPE)
endfunction()
brunt_flatten_libraries(BRUNT_PRIVATE_FILES brunt_dependencies)

# Names for the linker (cholmod, yaml, ...) and the folders it does not search by itself.
set(BRUNT_PRIVATE_NAMES)
set(BRUNT_PRIVATE_FOLDERS)
foreach(file ${BRUNT_PRIVATE_FILES})
  if(IS_ABSOLUTE ${file})
    get_filename_component(folder ${file} DIRECTORY)
    get_filename_component(name ${file} NAME)
    string(REGEX REPLACE "^lib(.*)\\.(so|a|dylib)[.0-9]*$" "\\1" name ${name})
    list(FIND CMAKE_C_IMPLICIT_LINK_DIRECTORIES ${folder} searched)
    if(searched EQUAL -1)
      list(APPEND BRUNT_PRIVATE_FOLDERS ${folder})
    endif()
  else()
    set(name ${file})
  endif()
  list(APPEND BRUNT_PRIVATE_NAMES ${name})
endforeach()
list(REMOVE_DUPLICATES BRUNT_PRIVATE_NAMES)
list(REMOVE_DUPLICATES BRUNT_PRIVATE_FOLDERS)

# ---- files -----------------------------------------------------------------------------------------------------------------
install(FILES ${CMAKE_SOURCE_DIR}/include/brunt/brunt.h ${CMAKE_SOURCE_DIR}/include/brunt/study.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/brunt)
install(TARGETS brunt_static brunt_shared ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET brunt)
  install(TARGETS brunt RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
if(TARGET brunt-fill)
  install(TARGETS brunt-fill RUNTIME DESTINATION ${BRUNT_LIBEXEC})
endif()
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/brunt)

# ---- pkg-config: --static adds what the static library needs ------------------------------------------------------------------
set(BRUNT_PC_PRIVATE)
foreach(folder ${BRUNT_PRIVATE_FOLDERS})
  string(APPEND BRUNT_PC_PRIVATE " -L${folder}")
endforeach()
foreach(name ${BRUNT_PRIVATE_NAMES})
  string(APPEND BRUNT_PC_PRIVATE " -l${name}")
endforeach()
string(STRIP "${BRUNT_PC_PRIVATE}" BRUNT_PC_PRIVATE)
file(RELATIVE_PATH BRUNT_PC_PREFIX /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
string(REGEX REPLACE "/$" "" BRUNT_PC_PREFIX ${BRUNT_PC_PREFIX})
configure_file(${CMAKE_CURRENT_LIST_DIR}/brunt.pc.in ${CMAKE_BINARY_DIR}/install/brunt.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/install/brunt.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# ---- find_package(brunt): brunt::brunt is the shared library, brunt::static the other -------------------------------------------
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/bruntConfig.cmake.in
                              ${CMAKE_BINARY_DIR}/install/bruntConfig.cmake
                              INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/brunt
                              PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/install/bruntConfigVersion.cmake VERSION ${PROJECT_VERSION}
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/install/bruntConfig.cmake ${CMAKE_BINARY_DIR}/install/bruntConfigVersion.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/brunt)
