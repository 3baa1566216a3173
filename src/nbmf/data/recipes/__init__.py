"""Recipes that build a BinaryMatrix from raw files, one module each.

A recipe's module has one public function, `build`. Its keyword arguments are the recipe's raw
files and options, under the names they have in config/config.yaml.
"""

RECIPES = {
    name: f"nbmf.data.recipes.{name}"
    for name in (
        "animals",
        "digits",
        "lastfm",
        "paleo",
        "parliament",
        "synthetic",
        "unvotes",
        "unvotes_abstentions",
        "unvotes_coldwar",
    )
}
