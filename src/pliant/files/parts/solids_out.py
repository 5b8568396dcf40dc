"""Closed surfaces as STL and 3MF.

STL is written as text: its other form has seven digits. A 3MF package has fixed dates, so that the
same parts give the same bytes. pliant reads neither.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator, Sequence
from xml.sax.saxutils import escape, quoteattr

import numpy as np

from pliant.files.parts.part_names import text_of
from pliant.files.parts.solids import Mesh

CONTENT_TYPES = """<?xml version="1.0" encoding="UTF-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
<Default Extension="model" ContentType="application/vnd.ms-package.3dmanufacturing-3dmodel+xml"/>
</Types>
"""
RELATIONSHIPS = """<?xml version="1.0" encoding="UTF-8"?>
<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
<Relationship Target="/3D/3dmodel.model" Id="rel0" \
Type="http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel"/>
</Relationships>
"""
MODEL = """<?xml version="1.0" encoding="UTF-8"?>
<model unit="millimeter" xml:lang="en-US" \
xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02">
"""


def stl_text(meshes: Sequence[Mesh]) -> str:
    """One solid a part, one after the other."""
    return "".join(line for mesh in meshes for line in _solid(mesh))


def _solid(mesh: Mesh) -> Iterator[str]:
    name = " ".join(text_of(mesh.name).split()).encode("ascii", "replace").decode()
    yield f"solid {name}\n"
    corners = mesh.points[mesh.triangles]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    lengths = np.linalg.norm(normals, axis=1)[:, None]
    normals = np.divide(normals, lengths, out=np.zeros_like(normals), where=lengths > 0)
    for normal, triangle in zip(normals.tolist(), corners.tolist(), strict=True):
        yield "facet normal {!r} {!r} {!r}\nouter loop\n".format(*normal)
        for corner in triangle:
            yield "vertex {!r} {!r} {!r}\n".format(*corner)
        yield "endloop\nendfacet\n"
    yield f"endsolid {name}\n"


def three_mf_bytes(meshes: Sequence[Mesh], title: str) -> bytes:
    """A package with one object a part, each built once."""
    model = "".join(_model_lines(meshes, title))
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as package:
        for name, text in (
            ("[Content_Types].xml", CONTENT_TYPES),
            ("_rels/.rels", RELATIONSHIPS),
            ("3D/3dmodel.model", model),
        ):
            package.writestr(zipfile.ZipInfo(name), text, zipfile.ZIP_DEFLATED)
    return file.getvalue()


def _model_lines(meshes: Sequence[Mesh], title: str) -> Iterator[str]:
    yield MODEL
    yield f'<metadata name="Title">{escape(text_of(title))}</metadata>\n<resources>\n'
    for number, mesh in enumerate(meshes, 1):
        yield f'<object id="{number}" type="model" name={quoteattr(text_of(mesh.name))}>\n'
        yield "<mesh>\n<vertices>\n"
        for point in mesh.points.tolist():
            yield '<vertex x="{!r}" y="{!r}" z="{!r}"/>\n'.format(*point)
        yield "</vertices>\n<triangles>\n"
        for triangle in mesh.triangles.tolist():
            yield '<triangle v1="{}" v2="{}" v3="{}"/>\n'.format(*triangle)
        yield "</triangles>\n</mesh>\n</object>\n"
    yield "</resources>\n<build>\n"
    yield from (f'<item objectid="{number}"/>\n' for number in range(1, len(meshes) + 1))
    yield "</build>\n</model>\n"
