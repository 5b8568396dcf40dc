"""Model files: text to dicts to models, and back. Owns no schema; the methods' models are it."""

from pliant.core.store import model_hash
from pliant.files.edits import edits_of, load_edits
from pliant.files.imported import Imported, LeftOutItem
from pliant.files.importer import import_drawing, import_file
from pliant.files.parse import MODEL_BYTES
from pliant.files.parts.cutting_list import CuttingList, parts_of, write_parts
from pliant.files.reader import load, load_any, model_of
from pliant.files.results import SavedResult, result_data
from pliant.files.schemas import schema
from pliant.files.writer import save

__all__ = [
    "MODEL_BYTES",
    "CuttingList",
    "Imported",
    "LeftOutItem",
    "SavedResult",
    "edits_of",
    "import_drawing",
    "import_file",
    "load",
    "load_any",
    "load_edits",
    "model_hash",
    "model_of",
    "parts_of",
    "result_data",
    "save",
    "schema",
    "write_parts",
]
