{
  "targets": [
    {
      "target_name": "genicam",
      "sources": ["src/addon.cpp", "src/camera.cpp", "src/features.cpp", "src/stream.cpp", "src/camera_server.cpp"],
      "defines": ["NAPI_VERSION=8"],
      "cflags": ["-O2", "-Wall", "-Wextra", "-fvisibility=hidden", "<!@(pkg-config --cflags aravis-0.8)"],
      "cflags_cc": ["-std=c++17"],
      "libraries": ["<!@(pkg-config --libs aravis-0.8)"]
    }
  ]
}
