{
  "targets": [
    {
      "target_name": "sensor_readout",
      "sources": ["src/addon.cpp", "src/readout.cpp"],
      "defines": ["NAPI_VERSION=8"],
      "cflags": ["-O3", "-Wno-maybe-uninitialized", "-Wall", "-Wextra", "-fvisibility=hidden"],
      # Frames are the same to the last bit on every machine: no product is rounded together with its sum, no root is estimated.
      "cflags_cc": ["-std=c++17", "-ffp-contract=off", "-fno-math-errno"],
      "xcode_settings": {
        "CLANG_CXX_LANGUAGE_STANDARD": "c++17",
        "GCC_OPTIMIZATION_LEVEL": "3",
        "OTHER_CPLUSPLUSFLAGS": ["-ffp-contract=off", "-fno-math-errno"]
      },
      "msvs_settings": { "VCCLCompilerTool": { "AdditionalOptions": ["/std:c++17", "/O2", "/fp:precise"] } }
    }
  ]
}
