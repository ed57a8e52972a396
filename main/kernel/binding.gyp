{
  "targets": [
    {
      "target_name": "moment_kernel",
      "sources": ["src/addon.cpp", "src/moments.cpp"],
      "defines": ["NAPI_VERSION=8"],
      # GCC takes the undefined operand inside its own AVX-512 intrinsics for a mistake (its bug 105593).
      "cflags": ["-O3", "-Wno-maybe-uninitialized", "-Wall", "-Wextra", "-Wno-psabi", "-fvisibility=hidden"],
      # Results are the same to the last bit on every machine: no product is rounded together with its sum.
      "cflags_cc": ["-std=c++17", "-ffp-contract=off"],
      "xcode_settings": {
        "CLANG_CXX_LANGUAGE_STANDARD": "c++17",
        "GCC_OPTIMIZATION_LEVEL": "3",
        "OTHER_CPLUSPLUSFLAGS": ["-ffp-contract=off"]
      },
      "msvs_settings": { "VCCLCompilerTool": { "AdditionalOptions": ["/std:c++17", "/O2", "/fp:precise"] } }
    }
  ]
}
