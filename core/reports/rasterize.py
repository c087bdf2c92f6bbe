"""From an SVG picture to PNG, offline and without a browser."""

from __future__ import annotations

import io


def rasterized(svg: str, scale: float = 1.0) -> bytes:
    """Return an SVG picture as PNG, hardly compressed."""
    import vl_convert

    picture: bytes = vl_convert.svg_to_png(svg, scale=scale)
    return picture


def png(svg: str, scale: float = 1.0) -> bytes:
    """Return an SVG picture as a small PNG without transparency."""
    from PIL import Image

    file = io.BytesIO()
    Image.open(io.BytesIO(rasterized(svg, scale))).convert("RGB").save(file, "PNG")
    return file.getvalue()
