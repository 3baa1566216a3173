"""Classic3: abstracts of the collections CISI, Cranfield and Medline."""

import re
from pathlib import Path

from nbmf.data.feature_table import FeatureTable
from nbmf.errors import DataError
from nbmf_studies.shan2009.recipes._documents import as_documents

NUMBER = re.compile(r"^\.I (\d+)\s*$", re.MULTILINE)
FIELD = re.compile(r"^\.([TABWXKC])\s*$", re.MULTILINE)
LEAST = 5  # documents that a word is in


def build(*, cisi: Path, cran: Path, med: Path) -> FeatureTable:
    """Build documents by words of titles and abstracts; row groups are the collections."""
    texts, groups = {}, []
    for group, path in (("cisi", cisi), ("cran", cran), ("med", med)):
        collection = read_collection(path)
        texts |= {f"{group} {number}": text for number, text in collection.items()}
        groups += [group] * len(collection)
    return as_documents(texts, groups, LEAST)


def read_collection(path: Path) -> dict[str, str]:
    """Return the title and text of each document of a file by its number."""
    content = Path(path).read_text(encoding="latin-1").replace("\r", "")
    _, *parts = NUMBER.split(content)
    if not parts:
        raise DataError(f"{path}: no line '.I <number>', with which a document begins")
    abstracts = {}
    for number, body in zip(parts[::2], parts[1::2], strict=True):
        if number in abstracts:
            raise DataError(f"{path}: document {number} is there a second time")
        _, *fields = FIELD.split(body)
        named = zip(fields[::2], fields[1::2], strict=True)
        abstracts[number] = "\n".join(text for name, text in named if name in "TW")
    return abstracts
