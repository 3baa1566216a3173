"""Messages of some of the CMU newsgroups."""

from pathlib import Path

from nbmf.data.feature_table import FeatureTable
from nbmf.errors import DataError
from nbmf_studies.archives import read_folder
from nbmf_studies.shan2009.recipes._documents import as_documents

FOLDER, MOST = "20_newsgroup", 2**27  # of the archive; bytes of all its messages
LEAST = 6  # documents that a word is in


def build(*, archive: Path, groups: list[str]) -> FeatureTable:
    """Build messages by words of what follows their headers; row groups are the newsgroups.

    Parameters
    ----------
    archive : path
        With the folder 20_newsgroup: a folder per newsgroup and a file per message.
    groups : list of str
        The newsgroups that are taken.
    """
    wanted = set(groups)
    texts = {
        name: content.decode("latin-1").replace("\r", "").partition("\n\n")[2]
        for name, content in read_folder(archive, FOLDER, MOST)
        if name.split("/")[0] in wanted
    }
    if missing := wanted - {name.split("/")[0] for name in texts}:
        raise DataError(f"{archive}: there is no newsgroup {min(missing)!r}")
    texts = dict(sorted(texts.items()))
    return as_documents(texts, [name.split("/")[0] for name in texts], LEAST)
