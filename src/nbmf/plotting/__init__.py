"""Pictures of any study or fit; pandas and matplotlib load here and not in a fit."""
