"""Frames for the width analysis, made by a program that shares nothing with it.

Usage: make-frames.py DIRECTORY. Writes NAME.u16 (little-endian samples, row-major) for each frame, NAME.dark.f64 (mean of
dark frames) beside it, and frames.json with sizes, bits and the closed-form d4sigma along the principal axes in pixels. The angle is that
of the first axis, counter-clockwise as seen on the screen (row 0 at the top).
"""

import json
import math
import sys
from pathlib import Path

import numpy as np

OVERSAMPLING = 4  # point samples per pixel and axis where a profile has a hard edge


def grid(width, height, centre, angle_deg, oversampling=1):
    step = 1.0 / oversampling
    offsets = (np.arange(oversampling) + 0.5) * step - 0.5
    columns = (np.arange(width)[:, None] + offsets[None, :]).ravel()
    rows = (np.arange(height)[:, None] + offsets[None, :]).ravel()
    x, y = np.meshgrid(columns - centre[0], -(rows - centre[1]))
    angle = math.radians(angle_deg)
    return x * math.cos(angle) + y * math.sin(angle), -x * math.sin(angle) + y * math.cos(angle)


def pixels(values, oversampling):
    if oversampling == 1:
        return values
    rows, columns = values.shape
    return values.reshape(rows // oversampling, oversampling, columns // oversampling, oversampling).mean(axis=(1, 3))


def gaussian(u, v, wu, wv):
    return np.exp(-2 * (u / wu) ** 2 - 2 * (v / wv) ** 2), (2 * wu, 2 * wv)


def donut(u, v, w, _unused):
    r2 = (u**2 + v**2) / w**2
    return r2 * np.exp(-2 * r2), (2 * math.sqrt(2) * w, 2 * math.sqrt(2) * w)


def super_gaussian(order):
    # <r²> = w² 2^(-2/p) Γ(4/p) / Γ(2/p) for exp(-2 (r/w)^p), half of it per axis.
    factor = 2 ** (-2 / order) * math.gamma(4 / order) / math.gamma(2 / order)

    def profile(u, v, wu, wv):
        r = np.hypot(u / wu, v / wv)
        return np.exp(-2 * r**order), tuple(4 * w * math.sqrt(factor / 2) for w in (wu, wv))

    return profile


def disc(u, v, wu, wv):
    return (np.hypot(u / wu, v / wv) <= 1).astype(float), (2 * wu, 2 * wv)


def hermite(order, x):
    coefficients = np.zeros(order + 1)
    coefficients[order] = 1
    return np.polynomial.hermite.hermval(x, coefficients)


def hermite_gauss(weights):
    def profile(u, v, wu, wv):
        total = np.zeros_like(u)
        variance = [0.0, 0.0]
        for (m, n), weight in weights.items():
            norm = 2.0 ** (m + n) * math.factorial(m) * math.factorial(n)
            field = hermite(m, math.sqrt(2) * u / wu) * hermite(n, math.sqrt(2) * v / wv)
            total += weight / norm * field**2 * np.exp(-2 * (u / wu) ** 2 - 2 * (v / wv) ** 2)
            variance[0] += weight * (2 * m + 1) * (wu / 2) ** 2
            variance[1] += weight * (2 * n + 1) * (wv / 2) ** 2
        power = sum(weights.values())
        return total, tuple(4 * math.sqrt(value / power) for value in variance)

    return profile


MIXTURE = hermite_gauss({(0, 0): 0.6, (1, 0): 0.25, (0, 1): 0.1, (2, 1): 0.05})

# name, profile, wu, wv, angle, size, centre, bits, shift, peak, offset, read noise, counts of shot noise per count, frames averaged in the dark
FRAMES = [
    ("tilted-ellipse-12", gaussian, 48, 30, 25.0, (640, 480), (301.3, 251.7), 12, 0, 3200, 64, 3.0, 0.39, 20),
    ("tilted-ellipse-12-left-aligned", gaussian, 36, 60, -38.0, (640, 480), (340.2, 222.4), 12, 4, 3300, 170, 3.0, 0.2, 20),
    ("ellipse-8", gaussian, 55, 40, -12.0, (640, 480), (322.9, 240.1), 8, 0, 190, 6.3, 0.8, 0.01, 40),
    ("donut-12", donut, 40, 40, 0.0, (640, 480), (310.5, 245.2), 12, 0, 3000, 64, 3.0, 0.39, 20),
    ("donut-8", donut, 45, 45, 0.0, (640, 480), (318.0, 231.0), 8, 0, 200, 4.6, 0.7, 0.01, 40),
    ("super-gaussian-12", super_gaussian(6), 75, 50, 17.0, (640, 480), (325.4, 236.8), 12, 0, 2600, 100, 4.0, 0.39, 20),
    ("flat-top-16", disc, 60, 60, 0.0, (640, 480), (317.2, 239.5), 16, 0, 50000, 900, 20.0, 0.5, 20),
    ("flat-top-ellipse-10", disc, 70, 45, 30.0, (640, 480), (330.7, 244.9), 10, 0, 800, 20, 1.2, 0.1, 40),
    ("mode-mixture-12", MIXTURE, 34, 38, 8.0, (640, 480), (305.6, 247.3), 12, 0, 3000, 64, 3.0, 0.39, 20),
    ("mode-mixture-1280", MIXTURE, 60, 60, -30.0, (1280, 1024), (655.1, 500.3), 12, 0, 2800, 64, 3.0, 0.39, 20),
]


def main(directory):
    random = np.random.default_rng(20210731)
    described = []
    for name, profile, wu, wv, angle, size, centre, bits, shift, peak, offset, read, shot, darks in FRAMES:
        oversampling = OVERSAMPLING if profile is disc else 1
        u, v = grid(*size, centre, angle, oversampling)
        values, widths = profile(u, v, wu, wv)
        light = pixels(values, oversampling)
        light = light * (peak / light.max())
        full = 2**bits - 1
        noise = random.normal(size=light.shape) * np.sqrt(read**2 + shot * light)
        counts = np.clip(np.rint(light + offset + noise), 0, full).astype("<u2")
        (counts << shift).astype("<u2").tofile(directory / f"{name}.u16")
        dark = np.zeros_like(light)
        for _ in range(darks):
            dark += np.clip(np.rint(offset + read * random.normal(size=light.shape)), 0, full)
        (dark / darks * 2**shift).astype("<f8").tofile(directory / f"{name}.dark.f64")
        described.append(
            {
                "name": name,
                "width_px": size[0],
                "height_px": size[1],
                "bits": bits,
                "shift": shift,
                "centreX_px": centre[0],
                "centreY_px": centre[1],
                "angle_deg": angle,
                "dU_px": widths[0],
                "dV_px": widths[1],
                "darkFrames": darks,
                "darkNoise_counts": math.hypot(read, math.sqrt(1 / 12)),
            }
        )
    (directory / "frames.json").write_text(json.dumps(described))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
