"""Fasteners: how pawls on springs comply, snap, jam and stick, exactly, and with what force."""

from pliant.core.result import present

present(
    "pliant.snap.result:SnapResult",
    summary="pliant.snap.report:summary",
    alerts="pliant.snap.report:alerts",
    motion="pliant.snap.drawing:motion",
    plots="pliant.snap.charts:plots",
    to_dict="pliant.snap.report:plain_data",
)
